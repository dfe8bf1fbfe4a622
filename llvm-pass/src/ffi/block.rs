//! Blocks, the edges between them, and what instructions carry beside operands.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};
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
        let kind = llvm::LLVMGetMDKindIDInContext(context, c"llvm.loop".as_ptr(), 9);
        llvm::LLVMSetMetadata(jump.as_value_ref(), kind, llvm::LLVMMetadataAsValue(context, node));
    }
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
