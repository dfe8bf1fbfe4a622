//! Reads the final module for the checks.

use std::collections::HashMap;

use concord_abi::{COUNTDOWN_SYMBOL, LINE_SYMBOL};
use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{
    AnyValue, AsValueRef, BasicMetadataValueEnum, FunctionValue, InstructionOpcode, InstructionValue, Operand,
};

use llvm_sys::prelude::LLVMBasicBlockRef;

use super::code::{Code, Event, Program};
use super::cycles::Visits;
use crate::ffi::{self, Callee};
use crate::{ir, select};

/// The bound of a loop that runs only while the stack is unwound, where no switch may happen: none, and no fault.
pub const UNWINDING: u32 = u32::MAX;

/// Reads all functions of `module` that have bodies.
pub fn program(module: &Module<'_>) -> Program {
    let functions = ir::definitions(module);
    let (nodes, pointers) = Nodes::of(module, &functions);
    Program { functions: functions.into_iter().map(|function| nodes.code(function)).collect(), pointers }
}

/// The calls that cycles rely on: caller, call, and the callee, in which every way meets a probe.
pub fn relied_on<'ctx>(
    module: &Module<'ctx>,
) -> Vec<(FunctionValue<'ctx>, InstructionValue<'ctx>, FunctionValue<'ctx>)> {
    let functions = ir::definitions(module);
    let (nodes, pointers) = Nodes::of(module, &functions);
    let codes = functions.iter().map(|function| nodes.code(*function)).collect();
    let mut calls = Vec::new();
    for (caller, blocks) in (Program { functions: codes, pointers }).relied_on() {
        let all = functions[caller].get_basic_blocks();
        for (block, event) in blocks {
            let found = nodes.events(all[block], &HashMap::new()).nth(event);
            if let Some((Event::Call(callee), call)) = found {
                calls.push((functions[caller], call, functions[callee]));
            }
        }
    }
    calls
}

/// The bound on the jump back of a terminator.
pub fn bound_of(terminator: InstructionValue<'_>, kind: u32) -> Option<Visits> {
    let numbers = terminator.get_metadata(kind)?.get_node_values()?;
    let number = |index: usize| match numbers.get(index)? {
        BasicMetadataValueEnum::IntValue(value) => value.get_zero_extended_constant(),
        _ => None,
    };
    let most = number(0)?;
    Some(Visits { most, first: number(1).unwrap_or(most) })
}

/// The nodes of the call graph by what LLVM calls them.
struct Nodes {
    functions: HashMap<usize, usize>,
    pointers: HashMap<usize, usize>,
    line: Option<usize>,
    countdown: Option<usize>,
    bound: u32,
}

impl Nodes {
    /// Also the targets of each pointer type.
    fn of(module: &Module<'_>, functions: &[FunctionValue<'_>]) -> (Self, Vec<Vec<usize>>) {
        let mut pointers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            if ffi::is_address_taken(*function) {
                pointers.entry(ffi::type_key(*function)).or_default().push(index);
            }
        }
        let mut pointers: Vec<(usize, Vec<usize>)> = pointers.into_iter().collect();
        pointers.sort_unstable();
        let numbers = pointers.iter().enumerate();
        let nodes = Self {
            functions: functions
                .iter()
                .enumerate()
                .map(|(index, function)| (key(*function), index))
                .collect(),
            pointers: numbers.map(|(at, (key, _))| (*key, functions.len() + at)).collect(),
            line: module.get_global(LINE_SYMBOL).map(|line| line.as_value_ref() as usize),
            countdown: module.get_global(COUNTDOWN_SYMBOL).map(|word| word.as_value_ref() as usize),
            bound: module.get_context().get_kind_id(ffi::BOUND_METADATA),
        };
        (nodes, pointers.into_iter().map(|(_, targets)| targets).collect())
    }

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
            let events = self.events(*block, &positions).map(|(event, _)| event).collect();
            let place = block.get_instructions().find_map(ffi::place);
            code.events.push(events);
            code.places.push(place);
            let terminator = block.get_terminator();
            code.returns.push(terminator.is_some_and(|jump| jump.get_opcode() == InstructionOpcode::Return));
            if let Some(bound) = terminator.and_then(|jump| bound_of(jump, self.bound)) {
                code.bounds.push((index, bound.most));
            }
        }
        code
    }

    /// What happens in a block, with the instructions that do it.
    fn events<'ctx>(
        &self,
        block: BasicBlock<'ctx>,
        positions: &HashMap<LLVMBasicBlockRef, usize>,
    ) -> impl Iterator<Item = (Event, InstructionValue<'ctx>)> {
        block.get_instructions().filter_map(|instruction| {
            if self.is_probe(instruction) {
                return Some((Event::Probe, instruction));
            }
            let callee = self.callee(instruction)?;
            let unwind = ffi::invoke_unwind_destination(instruction)
                .and_then(|block| positions.get(&block.as_mut_ptr()).copied());
            let event = unwind.map_or(Event::Call(callee), |unwind| Event::Invoke(callee, unwind));
            Some((event, instruction))
        })
    }

    /// A look at the line, or, in the second build, a subtraction from the countdown.
    fn is_probe(&self, instruction: InstructionValue<'_>) -> bool {
        let names = |operand: u32, word: Option<usize>| {
            matches!(instruction.get_operand(operand), Some(Operand::Value(from))
                if Some(from.as_value_ref() as usize) == word)
        };
        match instruction.get_opcode() {
            InstructionOpcode::Load => instruction.get_volatile() == Ok(true) && names(0, self.line),
            InstructionOpcode::Store => names(1, self.countdown),
            _ => false,
        }
    }

    fn callee(&self, instruction: InstructionValue<'_>) -> Option<usize> {
        let call = ffi::as_call(instruction).filter(|_| !ir::never_returns(instruction))?;
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
