//! The code of the second build's probes, and of its calls through pointers.
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

use concord_abi::{CLOCK_SLOW_SYMBOL, COUNTDOWN_SYMBOL, prefix};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate, ThreadLocalMode};

use crate::ffi::{self, Callee};
use crate::{codegen, ir, probe};

/// Name of the function that holds the code of a clone's probe until it is inlined.
const PROBE: &str = "concord_counting_probe";
/// Name of the function that finds what a pointer leads to, until it is inlined.
const SEARCH: &str = "concord_search";
/// Bytes before a function that is to be small.
const SMALL: u32 = 16;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// The functions whose calls the always-inliner makes code of.
pub struct Emitter<'ctx> {
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    probe: FunctionValue<'ctx>,
    search: FunctionValue<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    /// Makes them; what is not used is dropped again.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn new(module: &Module<'ctx>, mode: ThreadLocalMode) -> Result<Self, BuilderError> {
        let context = module.get_context();
        let (word, pointer) = (context.i32_type(), context.ptr_type(AddressSpace::default()));
        let internal = |name, kind| {
            let function = module.add_function(name, kind, Some(Linkage::Internal));
            ir::add_attributes(function, context, &["alwaysinline", "nounwind"]);
            function
        };
        let emitter = Self {
            context,
            builder: context.create_builder(),
            probe: internal(PROBE, context.void_type().fn_type(&[word.into()], false)),
            search: internal(SEARCH, pointer.fn_type(&[pointer.into()], false)),
        };
        let block = word.array_type((concord_abi::LINE_BYTES / 4) as u32);
        let countdown = ffi::thread_local(module, COUNTDOWN_SYMBOL, block.into(), mode);
        let slow = probe::emit::slow_path(module, CLOCK_SLOW_SYMBOL, false);
        emitter.define_probe(countdown.as_pointer_value(), slow)?;
        emitter.define_search()?;
        Ok(emitter)
    }

    fn define_probe(
        &self,
        countdown: PointerValue<'ctx>,
        slow: FunctionValue<'ctx>,
    ) -> Result<(), BuilderError> {
        let builder = &self.builder;
        let [entry, cold, rest] = ["", "", ""].map(|name| self.context.append_basic_block(self.probe, name));
        builder.position_at_end(entry);
        let weight = self.probe.get_first_param().expect("it has a parameter").into_int_value();
        let left = builder.build_load(self.context.i32_type(), countdown, "left")?.into_int_value();
        builder.build_store(countdown, builder.build_int_sub(left, weight, "")?)?;
        // Of the word before, so that the subtraction's own flags tell.
        let is_out = builder.build_int_compare(IntPredicate::ULT, left, weight, "out")?;
        let branch = builder.build_conditional_branch(is_out, cold, rest)?;
        ir::mark_unlikely(self.context, branch, 0);
        builder.position_at_end(cold);
        let call = builder.build_call(slow, &[], "")?;
        call.set_call_convention(slow.get_call_conventions());
        builder.build_unconditional_branch(rest)?;
        builder.position_at_end(rest);
        builder.build_return(None).map(drop)
    }

    fn define_search(&self) -> Result<(), BuilderError> {
        let (builder, long) = (&self.builder, self.context.i64_type());
        let number = |value| long.const_int(value, false);
        let [entry, inside, found, plain] =
            ["", "", "", ""].map(|name| self.context.append_basic_block(self.search, name));
        let pointer = self.search.get_first_param().expect("it has a parameter").into_pointer_value();
        builder.position_at_end(entry);
        let address = builder.build_ptr_to_int(pointer, long, "")?;
        let in_page = builder.build_and(address, number(PAGE - prefix::MAGIC_AT), "")?;
        let begins_page = builder.build_int_compare(IntPredicate::EQ, in_page, number(0), "")?;
        let branch = builder.build_conditional_branch(begins_page, plain, inside)?;
        ir::mark_unlikely(self.context, branch, 0);
        builder.position_at_end(inside);
        let word = self.context.i32_type();
        let magic = builder.build_load(word, self.before(pointer, prefix::MAGIC_AT)?, "")?.into_int_value();
        let expected = word.const_int(prefix::MAGIC & 0xffff_ffff, false);
        let is_ours = builder.build_int_compare(IntPredicate::EQ, magic, expected, "ours")?;
        builder.build_conditional_branch(is_ours, found, plain)?;
        builder.position_at_end(found);
        let distance = builder.build_load(long, self.before(pointer, prefix::DISTANCE_AT)?, "")?;
        let clone = ffi::offset(builder, pointer, distance.into_int_value());
        builder.build_return(Some(&clone))?;
        builder.position_at_end(plain);
        builder.build_return(Some(&pointer)).map(drop)
    }

    fn before(&self, pointer: PointerValue<'ctx>, bytes: u64) -> Result<PointerValue<'ctx>, BuilderError> {
        Ok(ffi::offset(&self.builder, pointer, self.context.i64_type().const_int(bytes.wrapping_neg(), true)))
    }

    /// Makes the calls of `probe` in a clone probes of the second build; returns how many there were.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn count_down(
        &self,
        clone: FunctionValue<'ctx>,
        probe: FunctionValue<'ctx>,
        weights: &[u32],
    ) -> Result<u32, BuilderError> {
        let sites: Vec<_> = calls(clone)
            .filter(|call| matches!(ffi::as_call(*call).map(ffi::callee), Some(Callee::Function(callee)) if callee == probe))
            .collect();
        debug_assert_eq!(sites.len(), weights.len());
        for (site, &weight) in sites.iter().zip(weights) {
            let weight = self.context.i32_type().const_int(u64::from(weight), false);
            let call = ir::call_before(&self.builder, clone, *site, self.probe, &[weight.into()]);
            ffi::replace(*site, ffi::call_instruction(call));
        }
        Ok(sites.len() as u32)
    }

    /// Makes the calls through pointers in a clone look for clones, where `is_searched` holds of the pointer's kind;
    /// returns how many there are.
    pub fn search(&self, clone: FunctionValue<'ctx>, is_searched: impl Fn(usize) -> bool) -> u32 {
        let is_sought = |call: &InstructionValue<'ctx>| {
            ffi::as_call(*call).is_some_and(|site| {
                matches!(ffi::callee(site), Callee::Pointer) && is_searched(ffi::called_type_key(site))
            })
        };
        let sites: Vec<_> = calls(clone).filter(is_sought).collect();
        for &site in &sites {
            let pointer = ffi::called_pointer(site);
            let found = ir::call_before(&self.builder, clone, site, self.search, &[pointer.into()]);
            ffi::set_called_pointer(site, ffi::call_instruction(found));
        }
        sites.len() as u32
    }

    /// Puts before `function` that `clone` is its clone.
    ///
    /// The function then begins in the middle of what it is aligned to, so that it never begins a page.
    pub fn announce(&self, function: FunctionValue<'ctx>, clone: FunctionValue<'ctx>) {
        let magic = self.context.i64_type().const_int(prefix::MAGIC, false);
        let bytes = if codegen::is_fast(function) { codegen::FUNCTION_ALIGNMENT } else { SMALL };
        let bytes = bytes.max(function.as_global_value().get_alignment());
        function.as_global_value().set_alignment(2 * bytes);
        ffi::set_prefix(function, clone, magic, bytes);
    }
}

fn calls<'ctx>(function: FunctionValue<'ctx>) -> impl Iterator<Item = InstructionValue<'ctx>> {
    let instructions = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
    instructions.filter(|instruction| ffi::as_call(*instruction).is_some())
}
