//! What arithmetic promises: no wrapping, constant distances.

use inkwell::builder::Builder;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionValue, IntValue, PointerValue};
use llvm_sys::LLVMGEPFlagInBounds;
use llvm_sys::core as llvm;

/// Whether an addition or the like promises not to wrap: unsigned, signed.
pub fn no_wrap(instruction: InstructionValue<'_>) -> (bool, bool) {
    // SAFETY: the callers checked that this is an addition, subtraction, multiplication or shift.
    unsafe {
        let value = instruction.as_value_ref();
        (llvm::LLVMGetNUW(value) != 0, llvm::LLVMGetNSW(value) != 0)
    }
}

/// Whether an address computation promises to stay inside of its object.
pub fn is_in_bounds(address: InstructionValue<'_>) -> bool {
    // SAFETY: the callers checked that this is a `getelementptr`.
    unsafe { llvm::LLVMGEPGetNoWrapFlags(address.as_value_ref()) & LLVMGEPFlagInBounds != 0 }
}

/// Bytes from one element to the next of an address computation.
pub fn element_bytes(module: &Module<'_>, address: InstructionValue<'_>) -> Option<u64> {
    // SAFETY: a live `getelementptr` of a live module; only sized types have a size.
    unsafe {
        let element = llvm::LLVMGetGEPSourceElementType(address.as_value_ref());
        if llvm::LLVMTypeIsSized(element) == 0 {
            return None;
        }
        let layout = llvm_sys::target::LLVMGetModuleDataLayout(module.as_mut_ptr());
        Some(llvm_sys::target::LLVMABISizeOfType(layout, element))
    }
}

/// `pointer` plus so many bytes, wherever that leads.
pub fn offset<'ctx>(
    builder: &Builder<'ctx>,
    pointer: PointerValue<'ctx>,
    bytes: IntValue<'ctx>,
) -> PointerValue<'ctx> {
    // SAFETY: the builder stands in a block; an address computation without promises may lead anywhere.
    unsafe {
        let byte =
            llvm::LLVMInt8TypeInContext(llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(pointer.as_value_ref())));
        let mut index = bytes.as_value_ref();
        let place = llvm::LLVMBuildGEP2(
            builder.as_mut_ptr(),
            byte,
            pointer.as_value_ref(),
            &mut index,
            1,
            c"".as_ptr(),
        );
        PointerValue::new(place)
    }
}
