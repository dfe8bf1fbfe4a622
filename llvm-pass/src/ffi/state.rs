//! What memory shared by a program's functions an instruction names.

use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};
use llvm_sys::core as llvm;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::prelude::LLVMValueRef;

use inkwell::module::Module;
use llvm_sys::LLVMAtomicRMWBinOp;

/// A variable that outlives a function's call and may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Its symbol.
    pub symbol: String,
    /// One for each thread.
    pub is_thread_local: bool,
}

/// The first such variable among an instruction's operands, constant expressions included.
pub fn shared_variable(instruction: InstructionValue<'_>) -> Option<Shared> {
    // SAFETY: the instruction is live; its operands are, too.
    unsafe { shared_operand(instruction.as_value_ref()) }
}

/// # Safety
/// `user` is an instruction or a constant with operands, of a live module.
unsafe fn shared_operand(user: LLVMValueRef) -> Option<Shared> {
    // SAFETY: by the caller's promise; each index is below the number of operands.
    unsafe {
        let count = llvm::LLVMGetNumOperands(user).max(0) as u32;
        (0..count).find_map(|index| {
            let operand = llvm::LLVMGetOperand(user, index);
            if operand.is_null() || llvm::LLVMIsConstant(operand) == 0 {
                return None;
            }
            if llvm::LLVMIsAGlobalVariable(operand).is_null() {
                let is_expression = llvm::LLVMIsAGlobalValue(operand).is_null();
                return if is_expression { shared_operand(operand) } else { None };
            }
            let is_thread_local = llvm::LLVMIsThreadLocal(operand) != 0;
            if llvm::LLVMIsGlobalConstant(operand) != 0 && !is_thread_local {
                return None;
            }
            let mut length = 0;
            let start = llvm::LLVMGetValueName2(operand, &mut length);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            Some(Shared { symbol: String::from_utf8_lossy(bytes).into_owned(), is_thread_local })
        })
    }
}

/// Whether an instruction is an atomic exchange other than counting up or down a 64-bit word: what locks are
/// made of, and reference counts are not.
pub fn is_lock_operation(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::AtomicCmpXchg => true,
        InstructionOpcode::AtomicRMW => {
            use LLVMAtomicRMWBinOp::{LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpSub};
            // SAFETY: the instruction is a live `atomicrmw`.
            let operation = unsafe { llvm::LLVMGetAtomicRMWBinOp(instruction.as_value_ref()) };
            let is_count = matches!(operation, LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub);
            let is_word = instruction.get_type().is_int_type()
                && instruction.get_type().into_int_type().get_bit_width() == 64;
            !(is_count && is_word)
        }
        _ => false,
    }
}

/// Drops all debug information of a module; `true` when there was any.
pub fn strip_debug_info(module: &Module<'_>) -> bool {
    // SAFETY: the module is live.
    unsafe { LLVMStripModuleDebugInfo(module.as_mut_ptr()) != 0 }
}
