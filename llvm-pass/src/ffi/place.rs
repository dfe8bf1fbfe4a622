//! Where in the source code stands.

use concord_job::Place;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use llvm_sys::core as llvm;
use llvm_sys::prelude::LLVMValueRef;

/// The source line of an instruction, of the innermost inlined function.
pub fn place(instruction: InstructionValue<'_>) -> Option<Place> {
    of_value(instruction.as_value_ref())
}

/// The source line on which a function begins.
pub fn function_place(function: FunctionValue<'_>) -> Option<Place> {
    of_value(function.as_value_ref())
}

fn of_value(value: LLVMValueRef) -> Option<Place> {
    // SAFETY: a live instruction or function, for which these answer null and 0 without debug information; the
    // name is valid for `length` bytes.
    unsafe {
        let mut length = 0;
        let start = llvm::LLVMGetDebugLocFilename(value, &mut length);
        if start.is_null() || length == 0 {
            return None;
        }
        let name = std::slice::from_raw_parts(start.cast::<u8>(), length as usize);
        let line = llvm::LLVMGetDebugLocLine(value);
        Some(Place { file: String::from_utf8_lossy(name).into_owned(), line })
    }
}
