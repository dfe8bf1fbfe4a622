//! Blocks, the edges between them, and what instructions carry beside operands.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue, IntValue};
use llvm_sys::core as llvm;

/// The blocks that a terminator can go to, in operand order, repeats included.
pub fn successors<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    let value = terminator.as_value_ref();
    // SAFETY: `value` is a terminator of a live function, and the index is below its number of successors.
    unsafe {
        let count = llvm::LLVMGetNumSuccessors(value);
        (0..count).filter_map(|index| BasicBlock::new(llvm::LLVMGetSuccessor(value, index))).collect()
    }
}

/// Makes the phis of `block` take from `new` what they took from `old`.
///
/// The C API cannot change a phi's incoming blocks, so each phi is made anew.
pub fn replace_incoming(
    builder: &Builder<'_>,
    block: BasicBlock<'_>,
    old: BasicBlock<'_>,
    new: BasicBlock<'_>,
) {
    let phis: Vec<_> = block
        .get_instructions()
        .take_while(|instruction| instruction.get_opcode() == InstructionOpcode::Phi)
        .collect();
    for phi in phis {
        builder.position_before(&phi);
        // SAFETY: phi and builder are live and of one context; the new phi has the old one's type and values,
        // so it may replace all its uses, and nothing refers to the erased one.
        unsafe {
            let value = phi.as_value_ref();
            let fresh = llvm::LLVMBuildPhi(builder.as_mut_ptr(), llvm::LLVMTypeOf(value), c"".as_ptr());
            for index in 0..llvm::LLVMCountIncoming(value) {
                let mut incoming = llvm::LLVMGetIncomingValue(value, index);
                let from = llvm::LLVMGetIncomingBlock(value, index);
                let mut from = if from == old.as_mut_ptr() { new.as_mut_ptr() } else { from };
                llvm::LLVMAddIncoming(fresh, &mut incoming, &mut from, 1);
            }
            llvm::LLVMReplaceAllUsesWith(value, fresh);
            llvm::LLVMInstructionEraseFromParent(value);
        }
    }
}

/// Sends a terminator's way `index` to `block`.
pub fn set_successor(terminator: InstructionValue<'_>, index: u32, block: BasicBlock<'_>) {
    // SAFETY: a live terminator and a block of the same function; the index is below its number of successors.
    unsafe { llvm::LLVMSetSuccessor(terminator.as_value_ref(), index, block.as_mut_ptr()) }
}

/// Gives a conditional branch another condition.
pub fn set_condition(branch: InstructionValue<'_>, condition: IntValue<'_>) {
    // SAFETY: the callers checked that this is a conditional branch; the condition is one bit of the same function.
    unsafe { llvm::LLVMSetCondition(branch.as_value_ref(), condition.as_value_ref()) }
}

/// Name of the metadata on the terminator of a latch whose loop has a bound instead of a probe: an i32, how often the
/// jump back is taken at most for each time the loop is entered from outside, and a second one where that is less often
/// unless its own probe led there.
pub const BOUND_METADATA: &str = "concord.bound";
/// The same as far as it was known before the loop got its final form.
const ROUNDS_METADATA: &str = "concord.rounds";
/// Name of the metadata of loops whose bodies were to be copied.
const UNROLLED_METADATA: &str = "concord.unrolled";

/// Notes on the terminator that closes a loop how many rounds go by without a probe, since the loop was entered and
/// since its own probe.
pub fn mark_bounded(terminator: InstructionValue<'_>, first: u32, rounds: u32) {
    let numbers = [u64::from(rounds), u64::from(first)];
    note(terminator, BOUND_METADATA, if first == rounds { &numbers[..1] } else { &numbers });
}

/// Notes the proved number of rounds on the terminator that closes a loop.
pub fn note_rounds(terminator: InstructionValue<'_>, rounds: u64) {
    note(terminator, ROUNDS_METADATA, &[rounds]);
}

/// What [`note_rounds`] noted.
pub fn rounds(terminator: InstructionValue<'_>) -> Option<u64> {
    // SAFETY: a live terminator; a node of ours has one operand, a constant.
    unsafe {
        let node = llvm::LLVMGetMetadata(terminator.as_value_ref(), kind(terminator, ROUNDS_METADATA));
        if node.is_null() || llvm::LLVMGetMDNodeNumOperands(node) != 1 {
            return None;
        }
        let mut operand = std::ptr::null_mut();
        llvm::LLVMGetMDNodeOperands(node, &mut operand);
        Some(llvm::LLVMConstIntGetZExtValue(operand))
    }
}

fn note(terminator: InstructionValue<'_>, name: &str, numbers: &[u64]) {
    // SAFETY: a live terminator; the node is built from values of its own context.
    unsafe {
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(terminator.as_value_ref()));
        let word = match name {
            BOUND_METADATA => llvm::LLVMInt32TypeInContext(context),
            _ => llvm::LLVMInt64TypeInContext(context),
        };
        let constant = |number: &u64| llvm::LLVMValueAsMetadata(llvm::LLVMConstInt(word, *number, 0));
        let mut operands: Vec<_> = numbers.iter().map(constant).collect();
        let node = llvm::LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
        llvm::LLVMSetMetadata(
            terminator.as_value_ref(),
            kind(terminator, name),
            llvm::LLVMMetadataAsValue(context, node),
        );
    }
}

fn kind(terminator: InstructionValue<'_>, name: &str) -> u32 {
    // SAFETY: a live terminator; LLVM copies the name.
    unsafe {
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(terminator.as_value_ref()));
        llvm::LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32)
    }
}

/// Asks LLVM's unroller to make `copies` of the body of the loop that `jump` closes.
pub fn set_unroll_count(jump: InstructionValue<'_>, copies: u32) {
    // SAFETY: a live terminator; the node is built from values of its own context. A node that names itself is
    // distinct, which is what makes it this loop's alone.
    unsafe {
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(jump.as_value_ref()));
        let key = b"llvm.loop.unroll.count";
        let key = llvm_sys::core::LLVMMDStringInContext2(context, key.as_ptr().cast(), key.len());
        let count = llvm::LLVMConstInt(llvm::LLVMInt32TypeInContext(context), u64::from(copies), 0);
        let mut property = [key, llvm::LLVMValueAsMetadata(count)];
        let property = llvm::LLVMMDNodeInContext2(context, property.as_mut_ptr(), property.len());
        let placeholder = llvm_sys::debuginfo::LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
        let mut operands = [placeholder, property];
        let node = llvm::LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
        llvm_sys::debuginfo::LLVMMetadataReplaceAllUsesWith(placeholder, node);
        let of_loops = kind(jump, "llvm.loop");
        llvm::LLVMSetMetadata(jump.as_value_ref(), of_loops, llvm::LLVMMetadataAsValue(context, node));
        let own = llvm::LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
        let of_copies = kind(jump, UNROLLED_METADATA);
        llvm::LLVMSetMetadata(jump.as_value_ref(), of_copies, llvm::LLVMMetadataAsValue(context, own));
    }
}

/// Whether a jump closes a loop that [`set_unroll_count`] was called for.
pub fn is_unrolled(jump: InstructionValue<'_>) -> bool {
    // SAFETY: a live terminator.
    unsafe { !llvm::LLVMGetMetadata(jump.as_value_ref(), kind(jump, UNROLLED_METADATA)).is_null() }
}

/// Gives `to` the source location of `from`, or of the function's first line when `from` has none.
///
/// A call without a location in a function with debug information makes LLVM drop all of it.
pub fn copy_location(
    function: FunctionValue<'_>,
    from: Option<InstructionValue<'_>>,
    to: InstructionValue<'_>,
) {
    let found = from.and_then(|instruction| instruction.get_debug_location());
    if found.is_some() {
        to.set_debug_location(found);
        return;
    }
    // SAFETY: function and instruction are live and of one context; a null subprogram means no debug information.
    unsafe {
        let subprogram = llvm_sys::debuginfo::LLVMGetSubprogram(function.as_value_ref());
        if subprogram.is_null() {
            return;
        }
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(function.as_value_ref()));
        let location = llvm_sys::debuginfo::LLVMDIBuilderCreateDebugLocation(
            context,
            0,
            0,
            subprogram,
            std::ptr::null_mut(),
        );
        llvm_sys::debuginfo::LLVMInstructionSetDebugLoc(to.as_value_ref(), location);
    }
}

/// Whether the address of a block is taken, as computed gotos do.
pub fn has_address(block: BasicBlock<'_>) -> bool {
    // SAFETY: walks the use list of a live block; a user is a live value.
    unsafe {
        let mut r#use = llvm::LLVMGetFirstUse(llvm::LLVMBasicBlockAsValue(block.as_mut_ptr()));
        while !r#use.is_null() {
            if !llvm::LLVMIsABlockAddress(llvm::LLVMGetUser(r#use)).is_null() {
                return true;
            }
            r#use = llvm::LLVMGetNextUse(r#use);
        }
    }
    false
}

/// Bytes that an `alloca` takes; `None` when that is known at run time alone.
pub fn alloca_bytes(alloca: InstructionValue<'_>) -> Option<u64> {
    let value = alloca.as_value_ref();
    // SAFETY: the callers checked that this is an `alloca` of a live function, whose module has a data layout.
    unsafe {
        let count = llvm::LLVMIsAConstantInt(llvm::LLVMGetOperand(value, 0));
        if count.is_null() {
            return None;
        }
        let function = llvm::LLVMGetBasicBlockParent(llvm::LLVMGetInstructionParent(value));
        let layout = llvm_sys::target::LLVMGetModuleDataLayout(llvm::LLVMGetGlobalParent(function));
        let size = llvm_sys::target::LLVMABISizeOfType(layout, llvm::LLVMGetAllocatedType(value));
        size.checked_mul(llvm::LLVMConstIntGetZExtValue(count))
    }
}

/// Whether a load is neither volatile nor atomic.
pub fn is_plain_load(load: InstructionValue<'_>) -> bool {
    let value = load.as_value_ref();
    // SAFETY: the callers checked that this is a load.
    unsafe {
        llvm::LLVMGetVolatile(value) == 0
            && llvm::LLVMGetOrdering(value) == llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }
}

/// Puts `new` in the place of `old`, which is erased.
pub fn replace(old: InstructionValue<'_>, new: InstructionValue<'_>) {
    // SAFETY: both are live and of one type by the callers' word; nothing refers to the erased one.
    unsafe {
        llvm::LLVMReplaceAllUsesWith(old.as_value_ref(), new.as_value_ref());
        llvm::LLVMInstructionEraseFromParent(old.as_value_ref());
    }
}
