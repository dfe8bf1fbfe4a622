//! Blocks whose addresses are taken (computed gotos), and the tables that hold them.

use inkwell::basic_block::BasicBlock;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::LLVMLinkage;
use llvm_sys::core as llvm;
use llvm_sys::prelude::LLVMValueRef;

use super::clone::Copy;

/// A function's labels as values, when nobody but the function uses them.
pub struct Labels<'ctx> {
    /// The constants that are a block's address.
    addresses: Vec<(LLVMValueRef, BasicBlock<'ctx>)>,
    /// Constant arrays of such addresses.
    tables: Vec<LLVMValueRef>,
}

impl<'ctx> Labels<'ctx> {
    /// Finds them; `None` when an address is used in a way that a copy of the function could not have for itself.
    pub fn of(function: FunctionValue<'ctx>) -> Option<Self> {
        let mut labels = Self { addresses: Vec::new(), tables: Vec::new() };
        for block in function.get_basic_block_iter() {
            // SAFETY: a live block; its address is a constant that names it.
            let used = users(unsafe { llvm::LLVMBasicBlockAsValue(block.as_mut_ptr()) });
            // SAFETY: a live value.
            let addresses =
                used.into_iter().filter(|user| unsafe { !llvm::LLVMIsABlockAddress(*user).is_null() });
            labels.addresses.extend(addresses.map(|address| (address, block)));
        }
        let mut arrays = Vec::new();
        for &(address, _) in &labels.addresses {
            for user in users(address).into_iter().filter(|user| !is_inside(*user, function)) {
                arrays.push(user);
            }
        }
        for array in arrays {
            // SAFETY: a live constant.
            let is_array = unsafe { !llvm::LLVMIsAConstantArray(array).is_null() };
            let is_known = |element| labels.addresses.iter().any(|(address, _)| *address == element);
            if !is_array || !operands(array).into_iter().all(is_known) {
                return None;
            }
            for table in users(array) {
                if !is_table(table, array, function) {
                    return None;
                }
                if !labels.tables.contains(&table) {
                    labels.tables.push(table);
                }
            }
        }
        Some(labels)
    }

    /// Gives a copy, whose blocks stand there, its own addresses and tables.
    pub fn copy_to(&self, module: &Module<'ctx>, copy: &mut Copy<'ctx>) {
        for &(address, block) in &self.addresses {
            let Some(own) = copy.block(block) else { continue };
            // SAFETY: a block of the copy.
            let own = unsafe { llvm::LLVMBlockAddress(copy.to.as_value_ref(), own.as_mut_ptr()) };
            copy.stand_for(address, own);
        }
        for &table in &self.tables {
            // SAFETY: a live variable whose initialiser is an array of addresses; the new one is like it.
            let own = unsafe {
                let mut elements: Vec<_> = operands(llvm::LLVMGetInitializer(table))
                    .into_iter()
                    .map(|element| copy.of(element))
                    .collect();
                let kind = llvm::LLVMGlobalGetValueType(table);
                let own = llvm::LLVMAddGlobal(module.as_mut_ptr(), kind, c"concord.labels".as_ptr());
                let element = llvm::LLVMGetElementType(kind);
                let array = llvm::LLVMConstArray2(element, elements.as_mut_ptr(), elements.len() as u64);
                llvm::LLVMSetInitializer(own, array);
                llvm::LLVMSetLinkage(own, LLVMLinkage::LLVMInternalLinkage);
                llvm::LLVMSetGlobalConstant(own, 1);
                llvm::LLVMSetAlignment(own, llvm::LLVMGetAlignment(table));
                own
            };
            copy.stand_for(table, own);
        }
    }
}

/// Whether `table` is a constant of the module's own that nothing but `function` reads.
fn is_table(table: LLVMValueRef, array: LLVMValueRef, function: FunctionValue<'_>) -> bool {
    // SAFETY: a live constant; only variables are asked what variables have.
    let is_own = unsafe {
        !llvm::LLVMIsAGlobalVariable(table).is_null()
            && llvm::LLVMIsGlobalConstant(table) != 0
            && llvm::LLVMGetInitializer(table) == array
            && matches!(
                llvm::LLVMGetLinkage(table),
                LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
            )
    };
    is_own && users(table).into_iter().all(|user| is_inside(user, function))
}

fn is_inside(user: LLVMValueRef, function: FunctionValue<'_>) -> bool {
    // SAFETY: a live value; an instruction stands in a block of a function.
    unsafe {
        !llvm::LLVMIsAInstruction(user).is_null()
            && llvm::LLVMGetBasicBlockParent(llvm::LLVMGetInstructionParent(user)) == function.as_value_ref()
    }
}

pub(super) fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut users = Vec::new();
    // SAFETY: walks the use list of a live value.
    unsafe {
        let mut r#use = llvm::LLVMGetFirstUse(value);
        while !r#use.is_null() {
            users.push(llvm::LLVMGetUser(r#use));
            r#use = llvm::LLVMGetNextUse(r#use);
        }
    }
    users
}

pub(super) fn operands(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: a live user; the index is below the number of operands.
    unsafe {
        let count = llvm::LLVMGetNumOperands(value).max(0) as u32;
        (0..count).map(|index| llvm::LLVMGetOperand(value, index)).collect()
    }
}
