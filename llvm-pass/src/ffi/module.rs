//! Modules and their global values.

use std::ffi::CString;

use inkwell::AddressSpace;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicTypeEnum;
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue, IntValue, PointerValue};
use llvm_sys::LLVMLinkage;
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core as llvm;
use llvm_sys::prelude::{LLVMMemoryBufferRef, LLVMModuleRef, LLVMValueRef};

/// Sets one of LLVM's own options, for the whole process.
pub fn set_option(option: &std::ffi::CStr) {
    let arguments = [c"concord-pass".as_ptr(), option.as_ptr()];
    // SAFETY: two live strings; LLVM keeps no pointer to them beyond the call.
    unsafe { llvm_sys::support::LLVMParseCommandLineOptions(2, arguments.as_ptr(), std::ptr::null()) }
}

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

    /// LLVM's value, for this folder alone.
    pub(super) fn value_ref(&self) -> LLVMValueRef {
        self.value.as_value_ref()
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

/// Puts `magic` and the distance from `function` to `other` right before the function's first byte, behind as much
/// padding as makes it `bytes`, 16 at least. Other data that stood there goes.
pub fn set_prefix<'ctx>(
    function: FunctionValue<'ctx>,
    other: FunctionValue<'ctx>,
    magic: IntValue<'ctx>,
    bytes: u32,
) {
    // SAFETY: both functions are live and of one module, so their distance is a constant of the linker's at most.
    unsafe {
        let word = llvm::LLVMTypeOf(magic.as_value_ref());
        let address = |function: FunctionValue<'ctx>| llvm::LLVMConstPtrToInt(function.as_value_ref(), word);
        let distance = llvm::LLVMConstSub(address(other), address(function));
        let words = (bytes / 8).max(2) as usize;
        let mut data = vec![llvm::LLVMConstNull(word); words];
        data[words - 2] = magic.as_value_ref();
        data[words - 1] = distance;
        llvm::LLVMSetPrefixData(
            function.as_value_ref(),
            llvm::LLVMConstArray2(word, data.as_mut_ptr(), words as u64),
        );
    }
}
