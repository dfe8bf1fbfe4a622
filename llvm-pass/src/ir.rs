//! Small reads and edits of IR that several stages share.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    BasicMetadataValueEnum, CallSiteValue, FunctionValue, InstructionOpcode, InstructionValue,
};

use crate::cfg::Graph;
use crate::ffi;

/// The functions that this module defines for good: not declarations, not copies kept for inlining.
pub fn definitions<'ctx>(module: &Module<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let has_body = |function: &FunctionValue<'ctx>| {
        function.count_basic_blocks() > 0 && function.get_linkage() != Linkage::AvailableExternally
    };
    module.get_functions().filter(has_body).collect()
}

/// A function's symbol.
pub fn name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// Gives functions without a name one (function merging makes such), and each a symbol: the verifier finds by it
/// what the emitted code calls.
pub fn name_all(module: &Module<'_>) {
    for function in definitions(module) {
        let global = function.as_global_value();
        if name(function).is_empty() {
            global.set_name("concord.merged");
        }
        if function.get_linkage() == Linkage::Private {
            function.set_linkage(Linkage::Internal);
        }
    }
}

/// Whether `function` carries LLVM's attribute `attribute`.
pub fn has_attribute(function: FunctionValue<'_>, attribute: &str) -> bool {
    let kind = Attribute::get_named_enum_kind_id(attribute);
    function.get_enum_attribute(AttributeLoc::Function, kind).is_some()
}

/// Gives `function` LLVM's attributes of these names.
pub fn add_attributes(function: FunctionValue<'_>, context: ContextRef<'_>, names: &[&str]) {
    for name in names {
        function.add_attribute(AttributeLoc::Function, attribute(context, name));
    }
}

/// LLVM's attribute `name`, which has no value.
pub fn attribute(context: ContextRef<'_>, name: &str) -> Attribute {
    context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0)
}

/// Tells the back end that `branch` hardly ever takes its way `way`.
pub fn mark_unlikely<'ctx>(context: ContextRef<'ctx>, branch: InstructionValue<'ctx>, way: u32) {
    let weight = |of: u32| context.i32_type().const_int(if of == way { 1 } else { 1 << 20 }, false).into();
    let weights =
        context.metadata_node(&[context.metadata_string("branch_weights").into(), weight(0), weight(1)]);
    branch.set_metadata(weights, context.get_kind_id("prof")).expect("an instruction takes metadata");
}

/// Whether the body is assembly alone.
pub fn is_naked(function: FunctionValue<'_>) -> bool {
    has_attribute(function, "naked")
}

/// Whether nothing follows a call: it is marked so, or what stands behind it cannot be reached.
pub fn never_returns(call: InstructionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("noreturn");
    let site = ffi::as_call(call);
    let is_marked = site.is_some_and(|call| call.get_enum_attribute(AttributeLoc::Function, kind).is_some());
    let callee = site.map(ffi::callee);
    let calls_marked =
        matches!(callee, Some(ffi::Callee::Function(callee)) if has_attribute(callee, "noreturn"));
    let behind = match ffi::invoke_destination(call) {
        Some(block) => first_insertion_point(block),
        None => call.get_next_instruction(),
    };
    is_marked
        || calls_marked
        || behind.is_some_and(|next| next.get_opcode() == InstructionOpcode::Unreachable)
}

/// The control-flow graph of `blocks` (all blocks of a function, entry first).
pub fn control_flow(blocks: &[BasicBlock<'_>]) -> Graph {
    let positions: std::collections::HashMap<_, _> =
        blocks.iter().enumerate().map(|(position, block)| (block.as_mut_ptr(), position)).collect();
    let successors = blocks
        .iter()
        .map(|block| {
            let leads_to = block.get_terminator().map(ffi::successors).unwrap_or_default();
            leads_to.iter().filter_map(|next| positions.get(&next.as_mut_ptr()).copied()).collect()
        })
        .collect();
    Graph { successors }
}

/// The first place of a function's entry block behind its allocas.
pub fn after_allocas<'ctx>(function: FunctionValue<'ctx>) -> Option<InstructionValue<'ctx>> {
    let entry = function.get_first_basic_block()?;
    entry.get_instructions().find(|instruction| instruction.get_opcode() != InstructionOpcode::Alloca)
}

/// The first place of a block where an ordinary instruction may stand.
pub fn first_insertion_point<'ctx>(block: BasicBlock<'ctx>) -> Option<InstructionValue<'ctx>> {
    let is_head = |opcode| {
        matches!(
            opcode,
            InstructionOpcode::Phi
                | InstructionOpcode::LandingPad
                | InstructionOpcode::CatchPad
                | InstructionOpcode::CleanupPad
        )
    };
    block.get_instructions().find(|instruction| !is_head(instruction.get_opcode()))
}

/// Inserts a call of `callee` before `place`, with the source location of the code there.
pub fn call_before<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    place: InstructionValue<'ctx>,
    callee: FunctionValue<'ctx>,
    arguments: &[BasicMetadataValueEnum<'ctx>],
) -> CallSiteValue<'ctx> {
    builder.position_before(&place);
    let call = builder.build_call(callee, arguments, "").expect("the builder has a position");
    call.set_call_convention(callee.get_call_conventions());
    ffi::copy_location(function, nearest_located(place), ffi::call_instruction(call));
    call
}

/// The next instruction of the block that has a source location, `place` included.
fn nearest_located(place: InstructionValue<'_>) -> Option<InstructionValue<'_>> {
    std::iter::successors(Some(place), |instruction| instruction.get_next_instruction())
        .find(|instruction| instruction.get_debug_location().is_some())
}

/// Where control goes on after a call that returned; the normal edge of an invoke gets a block of its own.
pub fn after_call<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    call: InstructionValue<'ctx>,
) -> Option<InstructionValue<'ctx>> {
    let Some(destination) = ffi::invoke_destination(call) else { return call.get_next_instruction() };
    let block = split_edge(builder, function, call.get_parent()?, destination);
    ffi::set_invoke_destination(call, block);
    block.get_terminator()
}

/// Makes a block for the edge between two; the caller leads `from`'s terminator to it.
fn split_edge<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    from: BasicBlock<'ctx>,
    to: BasicBlock<'ctx>,
) -> BasicBlock<'ctx> {
    let block = to.get_context().insert_basic_block_after(from, "");
    builder.position_at_end(block);
    let jump = builder.build_unconditional_branch(to).expect("the builder has a position");
    ffi::copy_location(function, first_insertion_point(to), jump);
    ffi::replace_incoming(builder, to, from, block);
    block
}
