//! Source locations of clones.
//!
//! A clone is a subprogram of its own, under its own symbol, in one compile unit for all clones that holds lines and
//! inlined calls and no variables: debuggers and profilers see where a clone is in the source, at a fraction of the
//! size of full debug information. Its instructions keep lines and what was inlined; their outermost scope becomes the
//! clone. Lexical blocks are left out, since no variable needs them.

use std::collections::HashMap;

use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue};
use llvm_sys::prelude::{LLVMContextRef, LLVMDIBuilderRef, LLVMMetadataRef};
use llvm_sys::{core as llvm, debuginfo as debug};

use crate::names::Name;

/// Name of the metadata of loops.
const LOOP: &str = "llvm.loop";

/// Makes the subprograms of clones; the unit is made with the first.
pub struct Locations<'a, 'ctx> {
    module: &'a Module<'ctx>,
    builder: LLVMDIBuilderRef,
    has_unit: bool,
}

impl<'a, 'ctx> Locations<'a, 'ctx> {
    /// Nothing is made yet.
    pub fn of(module: &'a Module<'ctx>) -> Self {
        // SAFETY: the module outlives the builder, by this type's lifetime.
        let builder = unsafe { debug::LLVMCreateDIBuilder(module.as_mut_ptr()) };
        Self { module, builder, has_unit: false }
    }

    /// Gives `clone`, whose instructions have the locations of `original`, a subprogram; without debug information
    /// there is nothing to do.
    pub fn relocate(&mut self, original: FunctionValue<'ctx>, clone: FunctionValue<'ctx>) {
        // SAFETY: both functions are live and of this module; nodes live as long as its context.
        unsafe {
            let of_original = debug::LLVMGetSubprogram(original.as_value_ref());
            if of_original.is_null() {
                return;
            }
            let subprogram = self.subprogram(of_original, clone);
            debug::LLVMSetSubprogram(clone.as_value_ref(), subprogram);
            let context = llvm::LLVMGetModuleContext(self.module.as_mut_ptr());
            let mut moved = Moved { context, subprogram, known: HashMap::new() };
            for instruction in clone.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
                let location = debug::LLVMInstructionGetDebugLoc(instruction.as_value_ref());
                if !location.is_null() {
                    debug::LLVMInstructionSetDebugLoc(instruction.as_value_ref(), moved.of(location));
                }
                // What is noted of a loop names places of the original; no pass reads it any more.
                let kind = llvm::LLVMGetMDKindIDInContext(context, LOOP.as_ptr().cast(), LOOP.len() as u32);
                if !llvm::LLVMGetMetadata(instruction.as_value_ref(), kind).is_null() {
                    llvm::LLVMSetMetadata(instruction.as_value_ref(), kind, std::ptr::null_mut());
                }
            }
        }
    }

    /// # Safety
    /// `of_original` is a subprogram of the module.
    unsafe fn subprogram(
        &mut self,
        of_original: LLVMMetadataRef,
        clone: FunctionValue<'ctx>,
    ) -> LLVMMetadataRef {
        let symbol = clone.get_name().to_string_lossy().into_owned();
        let name = Name::of(&symbol).demangled;
        // SAFETY: texts are copied; the file is a node of the module or null, which stands for none.
        unsafe {
            let file = debug::LLVMDIScopeGetFile(of_original);
            if !std::mem::replace(&mut self.has_unit, true) {
                self.unit(file);
            }
            let kind =
                debug::LLVMDIBuilderCreateSubroutineType(self.builder, file, std::ptr::null_mut(), 0, 0);
            let line = debug::LLVMDISubprogramGetLine(of_original);
            debug::LLVMDIBuilderCreateFunction(
                self.builder,
                file,
                name.as_ptr().cast(),
                name.len(),
                symbol.as_ptr().cast(),
                symbol.len(),
                file,
                line,
                kind,
                1,
                1,
                line,
                0,
                1,
            )
        }
    }

    /// # Safety
    /// `file` is a file of the module, or null.
    unsafe fn unit(&self, file: LLVMMetadataRef) {
        let producer = "concord: second build";
        let none = c"".as_ptr();
        // SAFETY: texts are copied.
        unsafe {
            let file = match file.is_null() {
                true => debug::LLVMDIBuilderCreateFile(self.builder, none, 0, none, 0),
                false => file,
            };
            debug::LLVMDIBuilderCreateCompileUnit(
                self.builder,
                debug::LLVMDWARFSourceLanguage::LLVMDWARFSourceLanguageRust,
                file,
                producer.as_ptr().cast(),
                producer.len(),
                1,
                none,
                0,
                0,
                none,
                0,
                debug::LLVMDWARFEmissionKind::LLVMDWARFEmissionKindLineTablesOnly,
                0,
                0,
                0,
                none,
                0,
                none,
                0,
            );
        }
    }
}

impl Drop for Locations<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the builder is ours, and its module is alive.
        unsafe {
            debug::LLVMDIBuilderFinalize(self.builder);
            debug::LLVMDisposeDIBuilder(self.builder);
        }
    }
}

/// The locations of one function, led to another subprogram.
struct Moved {
    context: LLVMContextRef,
    subprogram: LLVMMetadataRef,
    known: HashMap<LLVMMetadataRef, LLVMMetadataRef>,
}

impl Moved {
    /// # Safety
    /// `location` is a location of the context.
    unsafe fn of(&mut self, location: LLVMMetadataRef) -> LLVMMetadataRef {
        if let Some(&known) = self.known.get(&location) {
            return known;
        }
        // SAFETY: by the caller's word; what it was inlined at is a location, too.
        let moved = unsafe {
            let around = debug::LLVMDILocationGetInlinedAt(location);
            let (scope, around) = match around.is_null() {
                true => (self.subprogram, around),
                false => (debug::LLVMDILocationGetScope(location), self.of(around)),
            };
            debug::LLVMDIBuilderCreateDebugLocation(
                self.context,
                debug::LLVMDILocationGetLine(location),
                debug::LLVMDILocationGetColumn(location),
                scope,
                around,
            )
        };
        self.known.insert(location, moved);
        moved
    }
}
