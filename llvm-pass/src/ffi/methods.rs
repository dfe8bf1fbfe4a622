//! Methods of trait objects: where they stand in vtables, and where calls read them from.

use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};
use llvm_sys::core as llvm;
use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};

use super::labels::{operands, users};

/// The offsets at which a function stands in constants, such as vtables.
pub fn slots(module: &Module<'_>, function: FunctionValue<'_>) -> Vec<u64> {
    let mut slots = Vec::new();
    for record in users(function.as_value_ref()) {
        // SAFETY: a live value; only structures are asked for their elements.
        let is_struct = unsafe { !llvm::LLVMIsAConstantStruct(record).is_null() };
        if is_struct && users(record).into_iter().any(is_variable) {
            let elements = operands(record).into_iter().enumerate();
            let own = elements.filter(|(_, element)| *element == function.as_value_ref());
            slots.extend(own.map(|(index, _)| offset(module.as_mut_ptr(), record, index)));
        }
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

fn is_variable(user: LLVMValueRef) -> bool {
    // SAFETY: a live value.
    unsafe { !llvm::LLVMIsAGlobalVariable(user).is_null() }
}

fn offset(module: LLVMModuleRef, record: LLVMValueRef, index: usize) -> u64 {
    // SAFETY: a structure of a live module; the index is one of its elements.
    unsafe {
        let layout = llvm_sys::target::LLVMGetModuleDataLayout(module);
        llvm_sys::target::LLVMOffsetOfElement(layout, llvm::LLVMTypeOf(record), index as u32)
    }
}

/// Where in its vtable a call through a pointer reads what it calls; `None` when it is no call of a trait object's
/// method. rustc says of these reads that what they read never changes.
pub fn method_slot(call: InstructionValue<'_>) -> Option<u64> {
    // SAFETY: the callers checked that this is a call through a pointer; operands of live instructions.
    unsafe {
        let load = llvm::LLVMIsALoadInst(llvm::LLVMGetCalledValue(call.as_value_ref()));
        if load.is_null() {
            return None;
        }
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(load));
        let name = b"invariant.load";
        let kind = llvm::LLVMGetMDKindIDInContext(context, name.as_ptr().cast(), name.len() as u32);
        if llvm::LLVMGetMetadata(load, kind).is_null() {
            return None;
        }
        let place = llvm::LLVMIsAGetElementPtrInst(llvm::LLVMGetOperand(load, 0));
        if place.is_null() || llvm::LLVMGetNumOperands(place) != 2 {
            return None;
        }
        let index = llvm::LLVMIsAConstantInt(llvm::LLVMGetOperand(place, 1));
        let layout = llvm_sys::target::LLVMGetModuleDataLayout(llvm::LLVMGetGlobalParent(
            llvm::LLVMGetBasicBlockParent(llvm::LLVMGetInstructionParent(load)),
        ));
        let element = llvm_sys::target::LLVMABISizeOfType(layout, llvm::LLVMGetGEPSourceElementType(place));
        (!index.is_null()).then(|| element * llvm::LLVMConstIntGetZExtValue(index))
    }
}
