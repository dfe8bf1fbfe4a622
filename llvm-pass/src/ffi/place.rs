//! Source locations.

use concord_job::Place;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use llvm_sys::core as llvm;
use llvm_sys::prelude::LLVMValueRef;

/// The source line of an instruction, of the innermost inlined function.
pub fn place(instruction: InstructionValue<'_>) -> Option<Place> {
    // SAFETY: a live instruction.
    unsafe { of_value(instruction.as_value_ref()) }
}

/// The line where a function begins.
pub fn function_place(function: FunctionValue<'_>) -> Option<Place> {
    // SAFETY: a live function.
    unsafe { of_value(function.as_value_ref()) }
}

/// # Safety
///
/// `value` is a live instruction or function.
unsafe fn of_value(value: LLVMValueRef) -> Option<Place> {
    // SAFETY: the caller's word; the texts live as long as the module's metadata and are copied here.
    unsafe {
        let file = text(value, llvm::LLVMGetDebugLocFilename)?;
        let line = llvm::LLVMGetDebugLocLine(value);
        let folder = text(value, llvm::LLVMGetDebugLocDirectory).filter(|_| !file.starts_with('/'));
        let file = match folder {
            Some(folder) if !folder.is_empty() => format!("{folder}/{file}"),
            _ => file,
        };
        Some(Place { file, line })
    }
}

/// # Safety
///
/// `value` is one that `get` takes.
unsafe fn text(
    value: LLVMValueRef,
    get: unsafe extern "C" fn(LLVMValueRef, *mut libc::c_uint) -> *const libc::c_char,
) -> Option<String> {
    let mut length = 0;
    // SAFETY: the caller's word; what is not null has `length` bytes.
    unsafe {
        let start = get(value, &mut length);
        let bytes =
            (!start.is_null()).then(|| std::slice::from_raw_parts(start.cast::<u8>(), length as usize))?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}
