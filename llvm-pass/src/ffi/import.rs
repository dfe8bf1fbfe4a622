//! A module cut down to copies of some of its functions.

use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use llvm_sys::LLVMLinkage;
use llvm_sys::core as llvm;
use llvm_sys::prelude::LLVMValueRef;

use super::module::globals;

/// How deep constants within constants are followed; what lies deeper counts as a unit's own.
const DEPTH: u32 = 8;

/// Whether all that an instruction names is known by its symbol outside its module too, or is a constant whose
/// address is nothing to anybody. Functions that the module itself defines do not count as known.
pub fn names_only_what_others_know(instruction: InstructionValue<'_>) -> bool {
    // SAFETY: a live instruction.
    unsafe { operands_are_known(instruction.as_value_ref(), DEPTH) }
}

/// # Safety
/// `user` is an instruction or a constant with operands, of a live module.
unsafe fn operands_are_known(user: LLVMValueRef, depth: u32) -> bool {
    // SAFETY: by the caller's promise; each index is below the number of operands.
    unsafe {
        let count = llvm::LLVMGetNumOperands(user).max(0) as u32;
        (0..count).map(|index| llvm::LLVMGetOperand(user, index)).all(|operand| {
            operand.is_null() || llvm::LLVMIsConstant(operand) == 0 || constant_is_known(operand, depth)
        })
    }
}

/// # Safety
/// `constant` is a constant of a live module.
unsafe fn constant_is_known(constant: LLVMValueRef, depth: u32) -> bool {
    // SAFETY: by the caller's promise; the initialiser of a variable that has one is a constant, and the operands of a
    // constant are constants (or a block, which the first test excludes).
    unsafe {
        if depth == 0 || !llvm::LLVMIsABlockAddress(constant).is_null() {
            return false;
        }
        if llvm::LLVMIsAGlobalValue(constant).is_null() {
            return operands_are_known(constant, depth - 1);
        }
        if !llvm::LLVMIsAFunction(constant).is_null() {
            return llvm::LLVMIsDeclaration(constant) != 0;
        }
        if llvm::LLVMIsAGlobalVariable(constant).is_null() {
            return false;
        }
        if !is_local(constant) {
            return true;
        }
        llvm::LLVMIsGlobalConstant(constant) != 0
            && llvm::LLVMIsThreadLocal(constant) == 0
            && llvm::LLVMGetUnnamedAddress(constant) == llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr
            && constant_is_known(llvm::LLVMGetInitializer(constant), depth - 1)
    }
}

/// # Safety
/// `global` is a global of a live module.
unsafe fn is_local(global: LLVMValueRef) -> bool {
    // SAFETY: by the caller's promise.
    let linkage = unsafe { llvm::LLVMGetLinkage(global) };
    matches!(linkage, LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage)
}

/// Leaves of a module what `kept` needs: variables that others can name become declarations, all else becomes
/// internal, so that dead code elimination takes it.
pub fn isolate<'ctx>(module: &Module<'ctx>, kept: &[FunctionValue<'ctx>]) {
    let kept: std::collections::HashSet<_> = kept.iter().map(AsValueRef::as_value_ref).collect();
    for global in globals(module).into_iter().filter(|global| !global.is_declaration) {
        let value = global.value_ref();
        // SAFETY: a live global; lists of LLVM's own have no users, and of a variable that gives up its value only
        // the symbol is needed.
        unsafe {
            if global.linkage == LLVMLinkage::LLVMAppendingLinkage {
                llvm::LLVMDeleteGlobal(value);
            } else if !llvm::LLVMIsAGlobalVariable(value).is_null() && !is_local(value) {
                llvm::LLVMSetInitializer(value, std::ptr::null_mut());
                llvm_sys::comdat::LLVMSetComdat(value, std::ptr::null_mut());
                llvm::LLVMSetLinkage(value, LLVMLinkage::LLVMExternalLinkage);
            } else if !kept.contains(&value) && !is_local(value) {
                global.internalise();
            }
        }
    }
    module.set_inline_assembly("");
}

/// Makes a definition a copy for inlining, which nobody emits.
pub fn make_copy(function: FunctionValue<'_>) {
    // SAFETY: a live function; a copy belongs to no comdat.
    unsafe { llvm_sys::comdat::LLVMSetComdat(function.as_value_ref(), std::ptr::null_mut()) };
    function.set_linkage(Linkage::AvailableExternally);
}
