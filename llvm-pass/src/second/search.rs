//! Calls through pointers in the second build.
//!
//! A function that has a clone and whose address is taken says so right before its first byte: a magic word, and how
//! far away the clone is. A call through a pointer has to know whether the pointer names such a function:
//!
//! ```text
//!   test $0xff0, %pointer; je plain        a function at the begin of a page: what is before it may be nobody's
//!   cmpl $magic, -16(%pointer); jne plain
//!   add  -8(%pointer), %pointer
//! plain:
//!   call *%pointer
//! ```
//!
//! Our functions begin in the middle of what they are aligned to, so never with a page. A method of a trait object is
//! compiled by rustc and stands behind other code or an image's headers: there the first question is left out. Calls
//! are left as they are where no clone can be what is called: by the pointer's kind, and for methods by their place in
//! vtables. If that is wrong, the call goes to the worker build.

use std::collections::HashSet;

use concord_abi::prefix;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};

use crate::ffi::{self, Callee, methods};
use crate::{codegen, ir};

/// Names of the functions that find what a pointer, or a method's, leads to, until they are inlined.
const POINTER: &str = "concord_search";
const METHOD: &str = "concord_search_method";
/// Bytes before a function that is to be small.
const SMALL: u32 = 16;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// Finds clones behind pointers.
pub struct Search<'ctx> {
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    pointer: FunctionValue<'ctx>,
    method: FunctionValue<'ctx>,
    /// Kinds of pointers that may lead to a clone.
    kinds: HashSet<usize>,
    /// Kinds and places in vtables.
    slots: HashSet<(usize, u64)>,
}

impl<'ctx> Search<'ctx> {
    /// Makes the code; what is not used is dropped again.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn new(module: &Module<'ctx>) -> Result<Self, BuilderError> {
        let context = module.get_context();
        let pointer = context.ptr_type(AddressSpace::default());
        let internal = |name| {
            let function =
                module.add_function(name, pointer.fn_type(&[pointer.into()], false), Some(Linkage::Internal));
            ir::add_attributes(function, context, &["alwaysinline", "nounwind"]);
            function
        };
        let search = Self {
            context,
            builder: context.create_builder(),
            pointer: internal(POINTER),
            method: internal(METHOD),
            kinds: HashSet::new(),
            slots: HashSet::new(),
        };
        search.define(search.pointer, true)?;
        search.define(search.method, false)?;
        Ok(search)
    }

    fn define(&self, function: FunctionValue<'ctx>, asks_for_page: bool) -> Result<(), BuilderError> {
        let (builder, long, word) = (&self.builder, self.context.i64_type(), self.context.i32_type());
        let number = |value| long.const_int(value, false);
        let block = || self.context.append_basic_block(function, "");
        let (entry, found, plain) = (block(), block(), block());
        let pointer = function.get_first_param().expect("it has a parameter").into_pointer_value();
        builder.position_at_end(entry);
        if asks_for_page {
            let inside = self.context.insert_basic_block_after(entry, "");
            let address = builder.build_ptr_to_int(pointer, long, "")?;
            let in_page = builder.build_and(address, number(PAGE - prefix::MAGIC_AT), "")?;
            let begins_page = builder.build_int_compare(IntPredicate::EQ, in_page, number(0), "")?;
            let branch = builder.build_conditional_branch(begins_page, plain, inside)?;
            ir::mark_unlikely(self.context, branch, 0);
            builder.position_at_end(inside);
        }
        let magic = builder.build_load(word, self.before(pointer, prefix::MAGIC_AT), "")?.into_int_value();
        let expected = word.const_int(prefix::MAGIC & 0xffff_ffff, false);
        let is_ours = builder.build_int_compare(IntPredicate::EQ, magic, expected, "ours")?;
        builder.build_conditional_branch(is_ours, found, plain)?;
        builder.position_at_end(found);
        let distance = builder.build_load(long, self.before(pointer, prefix::DISTANCE_AT), "")?;
        let clone = ffi::offset(builder, pointer, distance.into_int_value());
        builder.build_return(Some(&clone))?;
        builder.position_at_end(plain);
        builder.build_return(Some(&pointer)).map(drop)
    }

    fn before(&self, pointer: PointerValue<'ctx>, bytes: u64) -> PointerValue<'ctx> {
        ffi::offset(&self.builder, pointer, self.context.i64_type().const_int(bytes.wrapping_neg(), true))
    }

    /// Puts before `function`, if its address is taken, that `clone` is its clone.
    ///
    /// The function then begins in the middle of what it is aligned to.
    pub fn announce(
        &mut self,
        module: &Module<'ctx>,
        function: FunctionValue<'ctx>,
        clone: FunctionValue<'ctx>,
    ) {
        if !ffi::is_address_taken(function) {
            return;
        }
        let kind = ffi::type_key(function);
        self.kinds.insert(kind);
        self.slots.extend(methods::slots(module, function).into_iter().map(|slot| (kind, slot)));
        let magic = self.context.i64_type().const_int(prefix::MAGIC, false);
        let bytes = if codegen::is_fast(function) { codegen::FUNCTION_ALIGNMENT } else { SMALL };
        let bytes = bytes.max(function.as_global_value().get_alignment());
        function.as_global_value().set_alignment(2 * bytes);
        ffi::set_prefix(function, clone, magic, bytes);
    }

    /// Makes the calls through pointers in a clone look for clones, when all have been announced; returns how many
    /// there are.
    pub fn apply(&self, clone: FunctionValue<'ctx>) -> u32 {
        let sites: Vec<_> = calls(clone).filter_map(|call| Some((call, self.code_for(call)?))).collect();
        for &(site, code) in &sites {
            let pointer = ffi::called_pointer(site);
            let found = ir::call_before(&self.builder, clone, site, code, &[pointer.into()]);
            ffi::set_called_pointer(site, ffi::call_instruction(found));
        }
        sites.len() as u32
    }

    fn code_for(&self, call: InstructionValue<'ctx>) -> Option<FunctionValue<'ctx>> {
        let site = ffi::as_call(call).filter(|site| matches!(ffi::callee(*site), Callee::Pointer))?;
        let kind = ffi::called_type_key(site);
        match methods::method_slot(call) {
            Some(slot) => self.slots.contains(&(kind, slot)).then_some(self.method),
            None => self.kinds.contains(&kind).then_some(self.pointer),
        }
    }
}

/// The calls of a function.
pub fn calls<'ctx>(function: FunctionValue<'ctx>) -> impl Iterator<Item = InstructionValue<'ctx>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|instruction| ffi::as_call(*instruction).is_some())
}
