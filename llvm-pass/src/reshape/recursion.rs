//! Which functions call themselves, and which of those can be inlined into themselves.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Linkage;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue};

use crate::ffi::{self, Callee};
use crate::{ir, select};

/// Instructions of a function that is looked at.
const MOST_INSTRUCTIONS: usize = 1000;
/// Bytes of local variables that a body may have: those of all levels add up in one frame.
const MOST_LOCALS: u64 = 64;

/// A function that calls itself and may be inlined into itself.
pub struct Recursion<'ctx> {
    /// The function.
    pub function: FunctionValue<'ctx>,
    /// Instructions of its body.
    pub size: usize,
    /// Bytes of its local variables.
    pub locals: u64,
    /// Whether it has a loop without a call of itself: then calls are few for the work done.
    pub works_in_loops: bool,
}

impl<'ctx> Recursion<'ctx> {
    /// Looks at a function; `None` when it does not call itself or must stay as it is.
    ///
    /// `noinline` is no reason to leave it: who writes it keeps the function out of its callers, where it
    /// stays, and under its name. The optimiser's own tail-call elimination takes frames of such a recursion too.
    pub fn of(function: FunctionValue<'ctx>) -> Option<Self> {
        let has_copies = may_be_copied(function) && select::is_probed(function);
        if !has_copies || self_calls(function).is_empty() {
            return None;
        }
        let size = size(function);
        if size > MOST_INSTRUCTIONS {
            return None;
        }
        let blocks = function.get_basic_blocks();
        let entry = *blocks.first()?;
        let mut locals = 0;
        for block in &blocks {
            if ffi::has_address(*block) {
                return None;
            }
            for instruction in block.get_instructions() {
                if instruction.get_opcode() == InstructionOpcode::Alloca {
                    locals += (*block == entry).then(|| ffi::alloca_bytes(instruction)).flatten()?;
                }
                if !may_be_repeated(function, instruction) {
                    return None;
                }
            }
        }
        (locals <= MOST_LOCALS).then(|| Self {
            function,
            size,
            locals,
            works_in_loops: works_in_loops(function),
        })
    }
}

fn works_in_loops(function: FunctionValue<'_>) -> bool {
    let blocks = function.get_basic_blocks();
    let graph = ir::control_flow(&blocks);
    let calls = |&block: &usize| {
        blocks[block].get_instructions().any(|instruction| is_self_call(function, instruction))
    };
    graph.back_edges().into_iter().any(|edge| !graph.loop_body(edge).iter().any(calls))
}

/// Whether a copy of `function` would do what it does and the optimisation is wanted.
fn may_be_copied(function: FunctionValue<'_>) -> bool {
    const NEVER: [&str; 10] = [
        "alwaysinline",
        "optsize",
        "minsize",
        "optnone",
        "cold",
        "naked",
        "returns_twice",
        "presplitcoroutine",
        "noduplicate",
        "convergent",
    ];
    // Another definition may take the place of these when the program is linked or loaded.
    let is_replaceable = matches!(
        function.get_linkage(),
        Linkage::WeakAny | Linkage::LinkOnceAny | Linkage::ExternalWeak | Linkage::AvailableExternally
    );
    // Such an argument would become another local variable at each level.
    let is_local = |index| {
        ["byval", "inalloca", "preallocated", "swifterror"].into_iter().any(|name| {
            let kind = inkwell::attributes::Attribute::get_named_enum_kind_id(name);
            function.get_enum_attribute(AttributeLoc::Param(index), kind).is_some()
        })
    };
    !is_replaceable
        && !function.get_type().is_var_arg()
        && !NEVER.into_iter().any(|name| ir::has_attribute(function, name))
        && !(0..function.count_params()).any(is_local)
}

/// Whether an instruction may stand in a function several times, and in another frame than its own.
fn may_be_repeated(function: FunctionValue<'_>, instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::IndirectBr
        | InstructionOpcode::CallBr
        | InstructionOpcode::VAArg
        | InstructionOpcode::CatchSwitch
        | InstructionOpcode::CleanupPad
        | InstructionOpcode::CatchPad => false,
        _ => ffi::as_call(instruction).is_none_or(|call| may_call_be_repeated(function, instruction, call)),
    }
}

fn may_call_be_repeated(
    function: FunctionValue<'_>,
    instruction: InstructionValue<'_>,
    call: CallSiteValue<'_>,
) -> bool {
    const FRAME: [&str; 12] = [
        "llvm.returnaddress",
        "llvm.addressofreturnaddress",
        "llvm.frameaddress",
        "llvm.sponentry",
        "llvm.stacksave",
        "llvm.localescape",
        "llvm.localrecover",
        "llvm.va_start",
        "llvm.eh.sjlj",
        "llvm.read_register",
        "llvm.coro.",
        "llvm.icall.branch.funnel",
    ];
    match ffi::callee(call) {
        // Labels and symbols in the text would be defined twice.
        Callee::Assembly => ffi::assembly_text(call).is_empty(),
        Callee::Pointer => true,
        Callee::Function(callee) if callee == function => {
            !ffi::ends_block(instruction) && ffi::called_type_key(call) == ffi::type_key(function)
        }
        Callee::Function(callee) if callee.get_intrinsic_id() != 0 => {
            let name = ir::name(callee);
            !FRAME.iter().any(|prefix| name.starts_with(prefix))
        }
        Callee::Function(callee) => {
            !ir::has_attribute(callee, "returns_twice") && !ir::has_attribute(callee, "noduplicate")
        }
    }
}

/// The calls by which `function` calls itself.
pub fn self_calls<'ctx>(function: FunctionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|instruction| is_self_call(function, *instruction)).collect()
}

/// Whether `instruction` calls the function that it is in.
pub fn is_self_call<'ctx>(function: FunctionValue<'ctx>, instruction: InstructionValue<'ctx>) -> bool {
    ffi::as_call(instruction)
        .is_some_and(|call| matches!(ffi::callee(call), Callee::Function(callee) if callee == function))
}

/// Instructions of a body.
pub fn size(function: FunctionValue<'_>) -> usize {
    function.get_basic_block_iter().map(|block| block.get_instructions().count()).sum()
}
