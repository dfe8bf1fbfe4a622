//! The few things of LLVM's C API that inkwell lacks; the only raw `llvm_sys` calls of the crate.
//!
//! Each function takes inkwell's values, whose lifetimes tie them to their context, and gives the same back.

use std::ffi::CString;

use inkwell::AddressSpace;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{
    AsValueRef, CallSiteValue, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue, PointerValue,
};
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core as llvm;
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef, LLVMValueRef};
use llvm_sys::{LLVMLinkage, LLVMOpcode};

/// A named global: function, variable, alias or indirect function.
#[derive(Clone, Debug)]
pub struct Global<'ctx> {
    /// Its symbol.
    pub name: String,
    /// Whether it has no definition here.
    pub is_declaration: bool,
    /// Its linkage.
    pub linkage: LLVMLinkage,
    value: GlobalValue<'ctx>,
}

impl<'ctx> Global<'ctx> {
    fn of(value: LLVMValueRef) -> Self {
        // SAFETY: `value` is a global of a live module; LLVM's name is valid for `length` bytes.
        unsafe {
            let mut length = 0;
            let start = llvm::LLVMGetValueName2(value, &mut length);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            Self {
                name: String::from_utf8_lossy(bytes).into_owned(),
                is_declaration: llvm::LLVMIsDeclaration(value) != 0,
                linkage: llvm::LLVMGetLinkage(value),
                value: GlobalValue::new(value),
            }
        }
    }

    /// Hides a definition from the linker, so that it may be changed, inlined and dropped freely.
    pub fn internalise(&self) {
        let value = self.value.as_value_ref();
        // SAFETY: `value` is a global of a live module; functions and variables alone can have a comdat.
        unsafe {
            llvm::LLVMSetVisibility(value, llvm_sys::LLVMVisibility::LLVMDefaultVisibility);
            llvm::LLVMSetLinkage(value, LLVMLinkage::LLVMInternalLinkage);
            let is_object =
                !llvm::LLVMIsAFunction(value).is_null() || !llvm::LLVMIsAGlobalVariable(value).is_null();
            if is_object {
                llvm_sys::comdat::LLVMSetComdat(value, std::ptr::null_mut());
            }
        }
    }

    /// Whether a definition with this linkage takes part in symbol resolution.
    pub fn is_resolvable(&self) -> bool {
        use LLVMLinkage::{
            LLVMAppendingLinkage, LLVMAvailableExternallyLinkage, LLVMInternalLinkage, LLVMPrivateLinkage,
        };
        !matches!(
            self.linkage,
            LLVMAppendingLinkage | LLVMAvailableExternallyLinkage | LLVMInternalLinkage | LLVMPrivateLinkage
        ) && !self.name.starts_with("llvm.")
    }
}

/// All globals of a module.
pub fn globals<'ctx>(module: &Module<'ctx>) -> Vec<Global<'ctx>> {
    type Next = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef;
    type First = unsafe extern "C" fn(LLVMModuleRef) -> LLVMValueRef;
    let walks: [(First, Next); 4] = [
        (llvm::LLVMGetFirstFunction, llvm::LLVMGetNextFunction),
        (llvm::LLVMGetFirstGlobal, llvm::LLVMGetNextGlobal),
        (llvm::LLVMGetFirstGlobalAlias, llvm::LLVMGetNextGlobalAlias),
        (llvm::LLVMGetFirstGlobalIFunc, llvm::LLVMGetNextGlobalIFunc),
    ];
    let mut globals = Vec::new();
    for (first, next) in walks {
        // SAFETY: the module is live, and each walk steps through its own list until null.
        unsafe {
            let mut value = first(module.as_mut_ptr());
            while !value.is_null() {
                globals.push(Global::of(value));
                value = next(value);
            }
        }
    }
    globals
}

/// Opens bitcode without reading function bodies: enough for its symbols, a fraction of the time.
///
/// # Errors
/// LLVM's message when it is no bitcode that this LLVM reads.
pub fn open_lazily<'ctx>(bytes: &[u8], name: &str, context: &'ctx Context) -> Result<Module<'ctx>, String> {
    let name = CString::new(name.replace('\0', "")).unwrap_or_default();
    // SAFETY: the buffer is a copy that LLVM owns from here on, whatever the outcome.
    unsafe {
        let buffer: LLVMMemoryBufferRef = llvm::LLVMCreateMemoryBufferWithMemoryRangeCopy(
            bytes.as_ptr().cast(),
            bytes.len(),
            name.as_ptr(),
        );
        let mut module = std::ptr::null_mut();
        let failed = LLVMGetBitcodeModuleInContext2(context.raw(), buffer, &mut module) != 0;
        if failed {
            llvm::LLVMDisposeMemoryBuffer(buffer);
            return Err("not bitcode of this LLVM".to_owned());
        }
        Ok(Module::new(module))
    }
}

/// Parses bitcode completely.
///
/// # Errors
/// LLVM's message when it is no bitcode that this LLVM reads.
pub fn parse<'ctx>(bytes: &[u8], name: &str, context: &'ctx Context) -> Result<Module<'ctx>, String> {
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, name);
    Module::parse_bitcode_from_buffer(&buffer, context).map_err(|message| message.to_string())
}

/// The module's assembly (`global_asm!`, `asm("..")` at file level).
pub fn module_assembly(module: &Module<'_>) -> String {
    // SAFETY: the module is live; LLVM returns a pointer into it with its length.
    unsafe {
        let mut length = 0;
        let start = llvm::LLVMGetModuleInlineAsm(module.as_mut_ptr(), &mut length);
        if start.is_null() || length == 0 {
            return String::new();
        }
        String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), length)).into_owned()
    }
}

/// The blocks that a terminator can go to, in operand order, repeats included.
pub fn successors<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    let value = terminator.as_value_ref();
    // SAFETY: `value` is a terminator of a live function, and the index is below its number of successors.
    unsafe {
        let count = llvm::LLVMGetNumSuccessors(value);
        (0..count).filter_map(|index| BasicBlock::new(llvm::LLVMGetSuccessor(value, index))).collect()
    }
}

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

/// Makes the phis of `block` take from `new` what they took from `old`.
///
/// The C API cannot change a phi's incoming blocks, so each phi is made anew.
pub fn replace_incoming(
    builder: &Builder<'_>,
    block: BasicBlock<'_>,
    old: BasicBlock<'_>,
    new: BasicBlock<'_>,
) {
    let phis: Vec<_> = block
        .get_instructions()
        .take_while(|instruction| instruction.get_opcode() == InstructionOpcode::Phi)
        .collect();
    for phi in phis {
        builder.position_before(&phi);
        // SAFETY: phi and builder are live and of one context; the new phi has the old one's type and values,
        // so it may replace all its uses, and nothing refers to the erased one.
        unsafe {
            let value = phi.as_value_ref();
            let fresh = llvm::LLVMBuildPhi(builder.as_mut_ptr(), llvm::LLVMTypeOf(value), c"".as_ptr());
            for index in 0..llvm::LLVMCountIncoming(value) {
                let mut incoming = llvm::LLVMGetIncomingValue(value, index);
                let from = llvm::LLVMGetIncomingBlock(value, index);
                let mut from = if from == old.as_mut_ptr() { new.as_mut_ptr() } else { from };
                llvm::LLVMAddIncoming(fresh, &mut incoming, &mut from, 1);
            }
            llvm::LLVMReplaceAllUsesWith(value, fresh);
            llvm::LLVMInstructionEraseFromParent(value);
        }
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

/// Asks LLVM's unroller to make `copies` of the body of the loop that `jump` closes.
pub fn set_unroll_count(jump: InstructionValue<'_>, copies: u32) {
    // SAFETY: a live terminator; the node is built from values of its own context. A node that names itself is
    // distinct, which is what makes it this loop's alone.
    unsafe {
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(jump.as_value_ref()));
        let key = b"llvm.loop.unroll.count";
        let key = llvm_sys::core::LLVMMDStringInContext2(context, key.as_ptr().cast(), key.len());
        let count = llvm::LLVMConstInt(llvm::LLVMInt32TypeInContext(context), u64::from(copies), 0);
        let mut property = [key, llvm::LLVMValueAsMetadata(count)];
        let property = llvm::LLVMMDNodeInContext2(context, property.as_mut_ptr(), property.len());
        let placeholder = llvm_sys::debuginfo::LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
        let mut operands = [placeholder, property];
        let node = llvm::LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
        llvm_sys::debuginfo::LLVMMetadataReplaceAllUsesWith(placeholder, node);
        let kind = llvm::LLVMGetMDKindIDInContext(context, c"llvm.loop".as_ptr(), 9);
        llvm::LLVMSetMetadata(jump.as_value_ref(), kind, llvm::LLVMMetadataAsValue(context, node));
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

/// Gives `to` the source location of `from`, or of the function's first line when `from` has none.
///
/// A call without a location in a function with debug information makes LLVM drop all of it.
pub fn copy_location(
    function: FunctionValue<'_>,
    from: Option<InstructionValue<'_>>,
    to: InstructionValue<'_>,
) {
    let found = from.and_then(|instruction| instruction.get_debug_location());
    if found.is_some() {
        to.set_debug_location(found);
        return;
    }
    // SAFETY: function and instruction are live and of one context; a null subprogram means no debug information.
    unsafe {
        let subprogram = llvm_sys::debuginfo::LLVMGetSubprogram(function.as_value_ref());
        if subprogram.is_null() {
            return;
        }
        let context = llvm::LLVMGetTypeContext(llvm::LLVMTypeOf(function.as_value_ref()));
        let location = llvm_sys::debuginfo::LLVMDIBuilderCreateDebugLocation(
            context,
            0,
            0,
            subprogram,
            std::ptr::null_mut(),
        );
        llvm_sys::debuginfo::LLVMInstructionSetDebugLoc(to.as_value_ref(), location);
    }
}

/// Declares or finds a thread-local variable whose address is `%fs:` plus a constant of the linker.
pub fn thread_local<'ctx>(
    module: &Module<'ctx>,
    name: &str,
    value_type: BasicTypeEnum<'ctx>,
    mode: inkwell::ThreadLocalMode,
) -> GlobalValue<'ctx> {
    let variable = module
        .get_global(name)
        .unwrap_or_else(|| module.add_global(value_type, Some(AddressSpace::default()), name));
    variable.set_thread_local(true);
    variable.set_thread_local_mode(Some(mode));
    variable.set_visibility(inkwell::GlobalVisibility::Hidden);
    variable
}

/// Takes a list of static constructors or destructors out of the module: priorities and functions, in order.
pub fn take_constructors<'ctx>(module: &Module<'ctx>, list: &str) -> Vec<(u32, PointerValue<'ctx>)> {
    let Some(variable) = module.get_global(list) else { return Vec::new() };
    let mut entries = Vec::new();
    // SAFETY: by LLVM's definition of these lists the initialiser is an array of structures of an i32, a
    // function and an associated value; the variable has no users.
    unsafe {
        let array = llvm::LLVMGetInitializer(variable.as_value_ref());
        let count = if array.is_null() { 0 } else { llvm::LLVMGetNumOperands(array) as u32 };
        for index in 0..count {
            let entry = llvm::LLVMGetOperand(array, index);
            let function = llvm::LLVMGetOperand(entry, 1);
            if llvm::LLVMIsNull(function) == 0 {
                let priority = llvm::LLVMConstIntGetZExtValue(llvm::LLVMGetOperand(entry, 0));
                entries.push((priority as u32, PointerValue::new(function)));
            }
        }
        llvm::LLVMDeleteGlobal(variable.as_value_ref());
    }
    entries
}

/// Marks symbols as used, so that neither LLVM nor the linker drops them.
pub fn add_used<'ctx>(module: &Module<'ctx>, values: &[GlobalValue<'ctx>]) {
    let pointer = module.get_context().ptr_type(AddressSpace::default());
    let mut entries = Vec::new();
    if let Some(old) = module.get_global("llvm.used") {
        // SAFETY: the initialiser of `llvm.used` is an array of pointers; the variable is replaced below.
        unsafe {
            let list = llvm::LLVMGetInitializer(old.as_value_ref());
            for index in 0..llvm::LLVMGetNumOperands(list) {
                entries.push(PointerValue::new(llvm::LLVMGetOperand(list, index as u32)));
            }
            llvm::LLVMDeleteGlobal(old.as_value_ref());
        }
    }
    entries.extend(values.iter().map(|value| value.as_pointer_value()));
    let array = pointer.const_array(&entries);
    let used = module.add_global(array.get_type(), None, "llvm.used");
    used.set_linkage(Linkage::Appending);
    used.set_section(Some("llvm.metadata"));
    used.set_initializer(&array);
}
