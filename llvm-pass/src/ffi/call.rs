//! Calls and what they call.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::values::{AsValueRef, CallSiteValue, FunctionValue, InstructionValue, PointerValue};
use llvm_sys::LLVMOpcode;
use llvm_sys::core as llvm;

/// The call behind an instruction: `call`, `invoke` or `callbr`.
pub fn as_call<'ctx>(instruction: InstructionValue<'ctx>) -> Option<CallSiteValue<'ctx>> {
    let value = instruction.as_value_ref();
    // SAFETY: `value` is a live instruction; the opcode check makes it a call site.
    unsafe {
        let is_call = matches!(
            llvm::LLVMGetInstructionOpcode(value),
            LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr
        );
        is_call.then(|| CallSiteValue::new(value))
    }
}

/// The instruction of a call that a builder made.
pub fn call_instruction<'ctx>(call: CallSiteValue<'ctx>) -> InstructionValue<'ctx> {
    // SAFETY: a call site is an instruction of a live function.
    unsafe { InstructionValue::new(call.as_value_ref()) }
}

/// What a call calls.
#[derive(Clone, Copy, Debug)]
pub enum Callee<'ctx> {
    /// A function named here.
    Function(FunctionValue<'ctx>),
    /// Assembly text.
    Assembly,
    /// A pointer.
    Pointer,
}

/// What `call` calls, aliases resolved.
pub fn callee<'ctx>(call: CallSiteValue<'ctx>) -> Callee<'ctx> {
    // SAFETY: the operand of a live call site; aliases form no cycle, so the walk ends.
    unsafe {
        let mut target = llvm::LLVMGetCalledValue(call.as_value_ref());
        while !llvm::LLVMIsAGlobalAlias(target).is_null() {
            target = llvm::LLVMAliasGetAliasee(target);
        }
        if !llvm::LLVMIsAInlineAsm(target).is_null() {
            return Callee::Assembly;
        }
        let function = llvm::LLVMIsAFunction(target);
        if function.is_null() {
            Callee::Pointer
        } else {
            FunctionValue::new(function).map_or(Callee::Pointer, Callee::Function)
        }
    }
}

/// Makes a call or invoke call `target`, which takes the same arguments.
pub fn set_callee(call: InstructionValue<'_>, target: FunctionValue<'_>) {
    let value = call.as_value_ref();
    // SAFETY: a live call site, whose last operand is what it calls; the types are equal by the caller's word,
    // and the verifier looks at the module afterwards.
    unsafe {
        let last = llvm::LLVMGetNumOperands(value) as u32 - 1;
        llvm::LLVMSetOperand(value, last, target.as_value_ref());
    }
}

/// The normal destination of an invoke; `None` for a call.
pub fn invoke_destination<'ctx>(call: InstructionValue<'ctx>) -> Option<BasicBlock<'ctx>> {
    let value = call.as_value_ref();
    // SAFETY: a live instruction, checked to be an invoke.
    unsafe {
        if llvm::LLVMIsAInvokeInst(value).is_null() {
            return None;
        }
        BasicBlock::new(llvm::LLVMGetNormalDest(value))
    }
}

/// Where an invoke unwinds to; `None` for a call.
pub fn invoke_unwind_destination<'ctx>(call: InstructionValue<'ctx>) -> Option<BasicBlock<'ctx>> {
    let value = call.as_value_ref();
    // SAFETY: a live instruction, checked to be an invoke.
    unsafe {
        if llvm::LLVMIsAInvokeInst(value).is_null() {
            return None;
        }
        BasicBlock::new(llvm::LLVMGetUnwindDest(value))
    }
}

/// Sends the normal edge of an invoke to `destination`.
pub fn set_invoke_destination(invoke: InstructionValue<'_>, destination: BasicBlock<'_>) {
    // SAFETY: the callers checked that this is an invoke; the block is of the same function.
    unsafe { llvm::LLVMSetNormalDest(invoke.as_value_ref(), destination.as_mut_ptr()) }
}

/// Identifies a function within its context.
pub fn function_key(function: FunctionValue<'_>) -> usize {
    function.as_value_ref() as usize
}

/// Whether a call of one of LLVM's memory operations is volatile.
pub fn is_volatile_operation(call: InstructionValue<'_>) -> bool {
    // SAFETY: the callers checked that this is a call; the intrinsics' last argument is a constant, other functions
    // have no fourth one.
    unsafe {
        let value = call.as_value_ref();
        llvm::LLVMGetNumArgOperands(value) > 3
            && llvm::LLVMConstIntGetZExtValue(llvm::LLVMGetArgOperand(value, 3)) != 0
    }
}

/// Identifies a function's type within its context.
pub fn type_key(function: FunctionValue<'_>) -> usize {
    // SAFETY: a live function; types are unique in a context.
    unsafe { llvm::LLVMGlobalGetValueType(function.as_value_ref()) as usize }
}

/// Identifies the type of what `call` calls; equal to [`type_key`] of its possible targets.
pub fn called_type_key(call: CallSiteValue<'_>) -> usize {
    // SAFETY: a live call site.
    unsafe { llvm::LLVMGetCalledFunctionType(call.as_value_ref()) as usize }
}

/// Whether a call has to stay the last thing before its return.
pub fn ends_block(call: InstructionValue<'_>) -> bool {
    // SAFETY: the callers checked that this is a call site.
    unsafe {
        llvm::LLVMGetTailCallKind(call.as_value_ref()) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
    }
}

/// Whether the address of `function` is used otherwise than as the target of a direct call.
pub fn is_address_taken(function: FunctionValue<'_>) -> bool {
    let value = function.as_value_ref();
    // SAFETY: walks the use list of a live function; a user is a live value.
    unsafe {
        let mut r#use = llvm::LLVMGetFirstUse(value);
        while !r#use.is_null() {
            let user = llvm::LLVMGetUser(r#use);
            let is_call = !llvm::LLVMIsACallInst(user).is_null()
                || !llvm::LLVMIsAInvokeInst(user).is_null()
                || !llvm::LLVMIsACallBrInst(user).is_null();
            if !is_call || llvm::LLVMGetCalledValue(user) != value {
                return true;
            }
            r#use = llvm::LLVMGetNextUse(r#use);
        }
    }
    false
}

/// The text of the assembly that `call` stands for; empty when it is none.
pub fn assembly_text(call: CallSiteValue<'_>) -> String {
    // SAFETY: a live call site; LLVM returns a pointer into the value, with its length.
    unsafe {
        let assembly = llvm::LLVMIsAInlineAsm(llvm::LLVMGetCalledValue(call.as_value_ref()));
        let mut length = 0;
        if assembly.is_null() {
            return String::new();
        }
        let start = llvm::LLVMGetInlineAsmAsmString(assembly, &mut length);
        if start.is_null() || length == 0 {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), length)).into_owned()
    }
}

/// Whether a function is declared to neither read nor write memory.
pub fn touches_no_memory(function: FunctionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("memory");
    let memory = function.get_enum_attribute(AttributeLoc::Function, kind);
    // No effect at all is 0 in LLVM's encoding, which other attributes' values leave alone.
    memory.is_some_and(|memory| memory.get_enum_value() == 0)
}

/// The plain calls of `function` by its name.
pub fn calls_of<'ctx>(function: FunctionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    let mut calls = Vec::new();
    // SAFETY: walks the use list of a live function; a user that is a call is a live instruction.
    unsafe {
        let mut r#use = llvm::LLVMGetFirstUse(function.as_value_ref());
        while !r#use.is_null() {
            let user = llvm::LLVMGetUser(r#use);
            if !llvm::LLVMIsACallInst(user).is_null()
                && llvm::LLVMGetCalledValue(user) == function.as_value_ref()
            {
                calls.push(InstructionValue::new(user));
            }
            r#use = llvm::LLVMGetNextUse(r#use);
        }
    }
    calls
}

/// The function that a call's argument `index` names, aliases resolved.
pub fn function_argument<'ctx>(call: InstructionValue<'ctx>, index: u32) -> Option<FunctionValue<'ctx>> {
    // SAFETY: the callers checked that this is a call; aliases form no cycle, so the walk ends.
    unsafe {
        if index >= llvm::LLVMGetNumArgOperands(call.as_value_ref()) {
            return None;
        }
        let mut argument = llvm::LLVMGetOperand(call.as_value_ref(), index);
        while !llvm::LLVMIsAGlobalAlias(argument).is_null() {
            argument = llvm::LLVMAliasGetAliasee(argument);
        }
        FunctionValue::new(llvm::LLVMIsAFunction(argument))
    }
}

/// Puts the address of `function` in the place of a call that gives a pointer.
pub fn replace_by_function(call: InstructionValue<'_>, function: FunctionValue<'_>) {
    // SAFETY: both are live, of pointer type by the callers' word; nothing refers to the erased call.
    unsafe {
        llvm::LLVMReplaceAllUsesWith(call.as_value_ref(), function.as_value_ref());
        llvm::LLVMInstructionEraseFromParent(call.as_value_ref());
    }
}

/// The pointer that a call goes through.
pub fn called_pointer<'ctx>(call: InstructionValue<'ctx>) -> PointerValue<'ctx> {
    // SAFETY: the callers checked that this is a call through a pointer.
    unsafe { PointerValue::new(llvm::LLVMGetCalledValue(call.as_value_ref())) }
}

/// Makes a call go through `pointer`.
pub fn set_called_pointer(call: InstructionValue<'_>, pointer: InstructionValue<'_>) {
    let value = call.as_value_ref();
    // SAFETY: a live call site, whose last operand is what it calls.
    unsafe {
        let last = llvm::LLVMGetNumOperands(value) as u32 - 1;
        llvm::LLVMSetOperand(value, last, pointer.as_value_ref());
    }
}
