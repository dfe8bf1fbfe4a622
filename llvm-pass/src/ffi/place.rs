//! Source locations.

use concord_job::Place;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{core as llvm, debuginfo as debug};

/// The source line of an instruction, of the innermost inlined function.
pub fn place(instruction: InstructionValue<'_>) -> Option<Place> {
    // SAFETY: a live instruction.
    unsafe { of_value(instruction.as_value_ref()) }
}

/// The line of its own function that an instruction belongs to, when it came from one that was inlined.
pub fn call_place(instruction: InstructionValue<'_>) -> Option<Place> {
    // SAFETY: a live instruction; metadata that it names lives as long as the module.
    unsafe {
        let mut location = debug::LLVMInstructionGetDebugLoc(instruction.as_value_ref());
        let mut outermost = None;
        while !location.is_null() {
            location = debug::LLVMDILocationGetInlinedAt(location);
            outermost = (!location.is_null()).then_some(location).or(outermost);
        }
        let outermost = outermost?;
        let file = debug::LLVMDIScopeGetFile(debug::LLVMDILocationGetScope(outermost));
        if file.is_null() {
            return None;
        }
        let name = text(file, debug::LLVMDIFileGetFilename)?;
        Some(Place {
            file: below(text(file, debug::LLVMDIFileGetDirectory), name),
            line: debug::LLVMDILocationGetLine(outermost),
        })
    }
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
        Some(Place { file: below(text(value, llvm::LLVMGetDebugLocDirectory), file), line })
    }
}

fn below(folder: Option<String>, file: String) -> String {
    match folder {
        Some(folder) if !folder.is_empty() && !file.starts_with('/') => format!("{folder}/{file}"),
        _ => file,
    }
}

/// # Safety
///
/// `value` is one that `get` takes.
unsafe fn text<T>(
    value: T,
    get: unsafe extern "C" fn(T, *mut libc::c_uint) -> *const libc::c_char,
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
