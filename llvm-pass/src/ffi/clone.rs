//! Copies of functions. The C API clones single instructions; what refers to the original is led to the copy here.
//!
//! A copy has the original's type, calling convention, attributes and source locations, but is no subprogram of
//! its own in the debug information: locations name the original's, which is right for code that is inlined into it.
//! Debug records of variables are not copied.

use std::collections::{HashMap, HashSet};

use super::labels::Labels;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::module::{Linkage, Module};
use inkwell::values::{AsValueRef, BasicValueEnum, CallSiteValue, FunctionValue, InstructionValue};
use llvm_sys::core as llvm;
use llvm_sys::prelude::{LLVMAttributeRef, LLVMBuilderRef, LLVMValueRef};
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex};

/// A function being copied, and what stands in the copy for the original's values.
pub struct Copy<'ctx> {
    /// The copy.
    pub to: FunctionValue<'ctx>,
    values: HashMap<LLVMValueRef, LLVMValueRef>,
    /// Blocks of the original whose place a block of the caller's takes.
    replaced: HashSet<BasicBlock<'ctx>>,
}

impl<'ctx> Copy<'ctx> {
    /// Declares an internal function like `from`; its parameters stand for the original's.
    pub fn declare(module: &Module<'ctx>, from: FunctionValue<'ctx>, name: &str) -> Self {
        let to = module.add_function(name, from.get_type(), Some(Linkage::Internal));
        to.set_call_conventions(from.get_call_conventions());
        copy_attributes(from, to);
        // SAFETY: both functions are live and of one context.
        unsafe {
            let (from, to) = (from.as_value_ref(), to.as_value_ref());
            if llvm::LLVMHasPersonalityFn(from) != 0 {
                llvm::LLVMSetPersonalityFn(to, llvm::LLVMGetPersonalityFn(from));
            }
        }
        let parameters = from.get_param_iter().zip(to.get_param_iter());
        let values = parameters.map(|(old, new)| (old.as_value_ref(), new.as_value_ref())).collect();
        Self { to, values, replaced: HashSet::new() }
    }

    /// Makes an empty block that stands for `block`; what it does and where it leads is the caller's.
    pub fn replace(&mut self, block: BasicBlock<'ctx>) -> BasicBlock<'ctx> {
        self.replaced.insert(block);
        self.stand_in(block)
    }

    fn stand_in(&mut self, block: BasicBlock<'ctx>) -> BasicBlock<'ctx> {
        let own = block.get_context().append_basic_block(self.to, "");
        // SAFETY: both blocks are live.
        unsafe {
            let old = llvm::LLVMBasicBlockAsValue(block.as_mut_ptr());
            self.values.insert(old, llvm::LLVMBasicBlockAsValue(own.as_mut_ptr()));
        }
        own
    }

    /// The copy's block that stands for `block`.
    pub(super) fn block(&self, block: BasicBlock<'ctx>) -> Option<BasicBlock<'ctx>> {
        // SAFETY: what stands for a block is one.
        unsafe {
            let own = self.values.get(&llvm::LLVMBasicBlockAsValue(block.as_mut_ptr()))?;
            BasicBlock::new(llvm::LLVMValueAsBasicBlock(*own))
        }
    }

    /// Makes `own` stand for `value` in the copy.
    pub(super) fn stand_for(&mut self, value: LLVMValueRef, own: LLVMValueRef) {
        self.values.insert(value, own);
    }

    /// Copies the whole function, whose labels are used as `labels` says, as [`Copy::body`] does.
    pub fn whole(
        &mut self,
        module: &Module<'ctx>,
        from: FunctionValue<'ctx>,
        labels: &Labels<'ctx>,
        callee: impl Fn(FunctionValue<'ctx>) -> Option<FunctionValue<'ctx>>,
    ) {
        let blocks = from.get_basic_blocks();
        let copies: Vec<_> = blocks.iter().map(|block| self.stand_in(*block)).collect();
        labels.copy_to(module, self);
        self.fill(&blocks, &copies, callee);
    }

    /// Copies `blocks`, entry first; every block that they lead to is among them or was replaced. A call of a
    /// function goes to what `callee` gives for it, if anything.
    pub fn body(
        &mut self,
        blocks: &[BasicBlock<'ctx>],
        callee: impl Fn(FunctionValue<'ctx>) -> Option<FunctionValue<'ctx>>,
    ) {
        let behind = self.to.get_first_basic_block();
        let copies: Vec<_> = blocks.iter().map(|block| self.stand_in(*block)).collect();
        for block in &copies {
            // A function is entered at its first block.
            if let Some(behind) = behind {
                block.move_before(behind).expect("both blocks belong to the copy");
            }
        }
        self.fill(blocks, &copies, callee);
    }

    fn fill(
        &mut self,
        blocks: &[BasicBlock<'ctx>],
        copies: &[BasicBlock<'ctx>],
        callee: impl Fn(FunctionValue<'ctx>) -> Option<FunctionValue<'ctx>>,
    ) {
        let builder = self.to.get_type().get_context().create_builder();
        let mut cloned = Vec::new();
        for (old, new) in blocks.iter().zip(copies) {
            builder.position_at_end(*new);
            for instruction in old.get_instructions() {
                let old = instruction.as_value_ref();
                // SAFETY: a live instruction of the original; the clone joins the block that the builder is in.
                let new = unsafe { clone_instruction(builder.as_mut_ptr(), old) };
                self.values.insert(old, new);
                cloned.push((old, new));
            }
        }
        for (old, new) in cloned {
            // SAFETY: both are live, `new` is the clone of `old`.
            unsafe { self.remap(old, new, &callee) }
        }
    }

    /// What stands for `value`: itself, when it is not of the original's body.
    pub(super) fn of(&self, value: LLVMValueRef) -> LLVMValueRef {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// # Safety
    /// `new` is the clone of the live instruction `old`.
    unsafe fn remap(
        &self,
        old: LLVMValueRef,
        new: LLVMValueRef,
        callee: &impl Fn(FunctionValue<'ctx>) -> Option<FunctionValue<'ctx>>,
    ) {
        // SAFETY: operands of live instructions; a phi of the copy has no incoming values yet.
        unsafe {
            if !llvm::LLVMIsAPHINode(old).is_null() {
                self.add_incoming(old, new);
                return;
            }
            for index in 0..llvm::LLVMGetNumOperands(old) as u32 {
                let operand = llvm::LLVMGetOperand(old, index);
                let own = self.of(operand);
                if own != operand {
                    llvm::LLVMSetOperand(new, index, own);
                }
            }
            let is_call = !llvm::LLVMIsACallInst(new).is_null() || !llvm::LLVMIsAInvokeInst(new).is_null();
            if is_call
                && let Some(called) = FunctionValue::new(llvm::LLVMIsAFunction(llvm::LLVMGetCalledValue(new)))
                && let Some(other) = callee(called)
            {
                let last = llvm::LLVMGetNumOperands(new) as u32 - 1;
                llvm::LLVMSetOperand(new, last, other.as_value_ref());
            }
        }
    }

    /// # Safety
    /// `old` is a phi of the original, `new` its clone without incoming values.
    unsafe fn add_incoming(&self, old: LLVMValueRef, new: LLVMValueRef) {
        // SAFETY: the indices are below the count; a block that is not in the map was left out.
        unsafe {
            for index in 0..llvm::LLVMCountIncoming(old) {
                let block = llvm::LLVMGetIncomingBlock(old, index);
                let is_replaced = BasicBlock::new(block).is_some_and(|block| self.replaced.contains(&block));
                let Some(&own) = self.values.get(&llvm::LLVMBasicBlockAsValue(block)) else { continue };
                if is_replaced {
                    continue;
                }
                let mut value = self.of(llvm::LLVMGetIncomingValue(old, index));
                let mut block = llvm::LLVMValueAsBasicBlock(own);
                llvm::LLVMAddIncoming(new, &mut value, &mut block, 1);
            }
        }
    }
}

/// Copies the whole of a function.
pub fn function<'ctx>(module: &Module<'ctx>, from: FunctionValue<'ctx>, name: &str) -> FunctionValue<'ctx> {
    let mut copy = Copy::declare(module, from, name);
    copy.body(&from.get_basic_blocks(), |_| None);
    copy.to
}

/// Clones a call at the end of the builder's block with other arguments, without what belongs to its place: source
/// location and metadata.
pub fn call<'ctx>(
    builder: &Builder<'ctx>,
    call: InstructionValue<'ctx>,
    arguments: &[BasicValueEnum<'ctx>],
) -> CallSiteValue<'ctx> {
    // SAFETY: a live call; the builder stands at the end of a block of its context; the arguments have the types of
    // those that they replace, and metadata of a kind that is not there may be removed.
    unsafe {
        let new = llvm::LLVMInstructionClone(call.as_value_ref());
        llvm::LLVMInsertIntoBuilder(builder.as_mut_ptr(), new);
        for (index, argument) in arguments.iter().enumerate() {
            llvm::LLVMSetOperand(new, index as u32, argument.as_value_ref());
        }
        llvm_sys::debuginfo::LLVMInstructionSetDebugLoc(new, std::ptr::null_mut());
        let mut count = 0;
        let entries = llvm::LLVMInstructionGetAllMetadataOtherThanDebugLoc(new, &mut count);
        for index in 0..count as u32 {
            let kind = llvm::LLVMValueMetadataEntriesGetKind(entries, index);
            llvm::LLVMSetMetadata(new, kind, std::ptr::null_mut());
        }
        llvm::LLVMDisposeValueMetadataEntries(entries);
        CallSiteValue::new(new)
    }
}

/// Identifies the attributes of a call, those of its arguments and result included, within its context.
pub fn attributes_key(call: CallSiteValue<'_>) -> Vec<usize> {
    let parameters = 1..=call.count_arguments();
    let indices = [LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex].into_iter().chain(parameters);
    let mut key = Vec::new();
    for index in indices {
        // SAFETY: a live call; the list has room for as many attributes as LLVM counts. Attributes are unique in
        // a context, and come in one order.
        unsafe {
            let count = llvm::LLVMGetCallSiteAttributeCount(call.as_value_ref(), index);
            let mut list: Vec<LLVMAttributeRef> = vec![std::ptr::null_mut(); count as usize];
            llvm::LLVMGetCallSiteAttributes(call.as_value_ref(), index, list.as_mut_ptr());
            key.push(list.len());
            key.extend(list.into_iter().map(|attribute| attribute as usize));
        }
    }
    key
}

/// Deletes a function that nothing uses any more; one that is used stays.
pub fn delete(function: FunctionValue<'_>) {
    // SAFETY: a live function; without uses nothing of LLVM's refers to it, and the callers let go of it.
    unsafe {
        if llvm::LLVMGetFirstUse(function.as_value_ref()).is_null() {
            llvm::LLVMDeleteFunction(function.as_value_ref());
        }
    }
}

/// Clones an instruction with its metadata, into the builder's block; phis without what comes in.
///
/// # Safety
/// `old` is a live instruction, the builder stands at the end of a block of the same context.
unsafe fn clone_instruction(builder: LLVMBuilderRef, old: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: by the caller's word; a phi's clone is made anew, since its incoming blocks cannot be changed.
    unsafe {
        if llvm::LLVMIsAPHINode(old).is_null() {
            let new = llvm::LLVMInstructionClone(old);
            llvm::LLVMInsertIntoBuilder(builder, new);
            return new;
        }
        let new = llvm::LLVMBuildPhi(builder, llvm::LLVMTypeOf(old), c"".as_ptr());
        if llvm::LLVMCanValueUseFastMathFlags(old) != 0 {
            llvm::LLVMSetFastMathFlags(new, llvm::LLVMGetFastMathFlags(old));
        }
        let location = llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(old);
        if !location.is_null() {
            llvm_sys::debuginfo::LLVMInstructionSetDebugLoc(new, location);
        }
        new
    }
}

/// Gives `to` the attributes of `from`, those of parameters and result included.
fn copy_attributes(from: FunctionValue<'_>, to: FunctionValue<'_>) {
    for index in attribute_indices(from) {
        for attribute in attributes(from, index) {
            // SAFETY: both functions are live and of one context.
            unsafe { llvm::LLVMAddAttributeAtIndex(to.as_value_ref(), index, attribute) }
        }
    }
}

/// Gives a call of `function` the attributes that its parameters and result have, without which arguments
/// might be passed otherwise than the function takes them.
pub fn copy_passing_attributes(function: FunctionValue<'_>, call: CallSiteValue<'_>) {
    for index in attribute_indices(function).filter(|&index| index != LLVMAttributeFunctionIndex) {
        for attribute in attributes(function, index) {
            // SAFETY: the call is live and of the function's context.
            unsafe { llvm::LLVMAddCallSiteAttribute(call.as_value_ref(), index, attribute) }
        }
    }
}

fn attribute_indices(function: FunctionValue<'_>) -> impl Iterator<Item = u32> {
    let parameters = 1..=function.count_params();
    [LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex].into_iter().chain(parameters)
}

fn attributes(function: FunctionValue<'_>, index: u32) -> Vec<LLVMAttributeRef> {
    let value = function.as_value_ref();
    // SAFETY: a live function; the list has room for as many attributes as LLVM counts.
    unsafe {
        let count = llvm::LLVMGetAttributeCountAtIndex(value, index);
        let mut list = vec![std::ptr::null_mut(); count as usize];
        llvm::LLVMGetAttributesAtIndex(value, index, list.as_mut_ptr());
        list
    }
}
