//! Reads the final module for the checks.

use std::collections::HashMap;

use concord_abi::LINE_SYMBOL;
use inkwell::module::Module;
use inkwell::values::{
    AnyValue, AsValueRef, BasicMetadataValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use super::code::{Code, Event, Program};
use crate::ffi::{self, Callee};
use crate::{ir, select};

/// The metadata on the terminator of a latch whose loop has a bound instead of a probe: one i32, how often the jump
/// back is taken at most for each entry of the loop from outside.
pub const BOUND: &str = "concord.bound";
/// The bound of a loop that runs only while the stack is unwound, where no switch may happen: none, and no fault.
pub const UNWINDING: u32 = u32::MAX;

/// Reads all functions of `module` that have bodies.
pub fn program(module: &Module<'_>) -> Program {
    let functions = ir::definitions(module);
    let reader = Reader::of(module, &functions);
    let mut pointers: Vec<(usize, Vec<usize>)> = reader.pointers.into_iter().collect();
    pointers.sort_unstable();
    let first_pointer = functions.len();
    let nodes = Nodes {
        functions: reader.functions,
        pointers: pointers.iter().enumerate().map(|(at, (key, _))| (*key, first_pointer + at)).collect(),
        line: reader.line,
        bound: module.get_context().get_kind_id(BOUND),
    };
    Program {
        functions: functions.into_iter().map(|function| nodes.code(function)).collect(),
        pointers: pointers.into_iter().map(|(_, targets)| targets).collect(),
    }
}

/// The bound on the jump back of a terminator.
pub fn bound_of(terminator: InstructionValue<'_>, kind: u32) -> Option<u32> {
    match terminator.get_metadata(kind)?.get_node_values()?.first()? {
        BasicMetadataValueEnum::IntValue(value) => u32::try_from(value.get_zero_extended_constant()?).ok(),
        _ => None,
    }
}

struct Reader {
    functions: HashMap<usize, usize>,
    pointers: HashMap<usize, Vec<usize>>,
    line: Option<usize>,
}

impl Reader {
    fn of(module: &Module<'_>, functions: &[FunctionValue<'_>]) -> Self {
        let mut pointers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            if ffi::is_address_taken(*function) {
                pointers.entry(ffi::type_key(*function)).or_default().push(index);
            }
        }
        Self {
            functions: functions
                .iter()
                .enumerate()
                .map(|(index, function)| (key(*function), index))
                .collect(),
            pointers,
            line: module.get_global(LINE_SYMBOL).map(|line| line.as_value_ref() as usize),
        }
    }
}

/// The nodes of the call graph by what LLVM calls them.
struct Nodes {
    functions: HashMap<usize, usize>,
    pointers: HashMap<usize, usize>,
    line: Option<usize>,
    bound: u32,
}

impl Nodes {
    fn code(&self, function: FunctionValue<'_>) -> Code {
        let blocks = function.get_basic_blocks();
        let mut code = Code {
            symbol: ir::name(function),
            place: ffi::function_place(function),
            is_probed: select::is_probed(function),
            blocks: ir::control_flow(&blocks),
            ..Code::default()
        };
        let positions: HashMap<_, _> =
            blocks.iter().enumerate().map(|(at, block)| (block.as_mut_ptr(), at)).collect();
        for (index, block) in blocks.iter().enumerate() {
            let mut events = Vec::new();
            let mut place = None;
            for instruction in block.get_instructions() {
                place = place.or_else(|| ffi::place(instruction));
                if self.is_probe(instruction) {
                    events.push(Event::Probe);
                } else if let Some(callee) = self.callee(instruction) {
                    let unwind = ffi::invoke_unwind_destination(instruction)
                        .and_then(|block| positions.get(&block.as_mut_ptr()).copied());
                    events.push(unwind.map_or(Event::Call(callee), |unwind| Event::Invoke(callee, unwind)));
                }
            }
            code.events.push(events);
            code.places.push(place);
            let terminator = block.get_terminator();
            code.returns.push(terminator.is_some_and(|jump| jump.get_opcode() == InstructionOpcode::Return));
            if let Some(bound) = terminator.and_then(|jump| bound_of(jump, self.bound)) {
                code.bounds.push((index, bound));
            }
        }
        code
    }

    fn is_probe(&self, instruction: InstructionValue<'_>) -> bool {
        instruction.get_opcode() == InstructionOpcode::Load
            && instruction.get_volatile() == Ok(true)
            && matches!(instruction.get_operand(0), Some(Operand::Value(from))
                if Some(from.as_value_ref() as usize) == self.line)
    }

    fn callee(&self, instruction: InstructionValue<'_>) -> Option<usize> {
        let call = ffi::as_call(instruction)?;
        match ffi::callee(call) {
            Callee::Function(callee) => self.functions.get(&key(callee)).copied(),
            Callee::Pointer => self.pointers.get(&ffi::called_type_key(call)).copied(),
            Callee::Assembly => None,
        }
    }
}

fn key(function: FunctionValue<'_>) -> usize {
    function.as_any_value_enum().as_value_ref() as usize
}
