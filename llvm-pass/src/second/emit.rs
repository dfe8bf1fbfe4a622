//! The code of the second build's probes: `subl $weight, %fs:concord_countdown@tpoff; jb`.

use concord_abi::{CLOCK_SLOW_SYMBOL, COUNTDOWN_SYMBOL, LINE_BYTES};
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::ContextRef;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, InstructionValue, PointerValue};
use inkwell::{IntPredicate, ThreadLocalMode};

use super::search::calls;
use crate::ffi::{self, Callee};
use crate::{ir, probe};

/// Name of the function that holds the code of a clone's probe until it is inlined.
const PROBE: &str = "concord_counting_probe";

/// The function whose calls the always-inliner makes probes of.
pub struct Emitter<'ctx> {
    context: ContextRef<'ctx>,
    builder: Builder<'ctx>,
    probe: FunctionValue<'ctx>,
}

impl<'ctx> Emitter<'ctx> {
    /// Makes it. `mode` is how the countdown is reached.
    ///
    /// # Errors
    /// When a builder refuses, which is a fault of this crate.
    pub fn new(module: &Module<'ctx>, mode: ThreadLocalMode) -> Result<Self, BuilderError> {
        let context = module.get_context();
        let word = context.i32_type();
        let kind = context.void_type().fn_type(&[word.into()], false);
        let probe = module.add_function(PROBE, kind, Some(Linkage::Internal));
        ir::add_attributes(probe, context, &["alwaysinline", "nounwind"]);
        let emitter = Self { context, builder: context.create_builder(), probe };
        let block = word.array_type((LINE_BYTES / 4) as u32);
        let countdown = ffi::thread_local(module, COUNTDOWN_SYMBOL, block.into(), mode);
        let slow = probe::emit::slow_path(module, CLOCK_SLOW_SYMBOL, false);
        emitter.define(countdown.as_pointer_value(), slow)?;
        Ok(emitter)
    }

    fn define(&self, countdown: PointerValue<'ctx>, slow: FunctionValue<'ctx>) -> Result<(), BuilderError> {
        let builder = &self.builder;
        let block = || self.context.append_basic_block(self.probe, "");
        let (entry, cold, rest) = (block(), block(), block());
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
        let is_site = |call: &InstructionValue<'ctx>| {
            let callee = ffi::as_call(*call).map(ffi::callee);
            matches!(callee, Some(Callee::Function(callee)) if callee == probe)
        };
        let sites: Vec<_> = calls(clone).filter(is_site).collect();
        debug_assert_eq!(sites.len(), weights.len());
        for (site, &weight) in sites.iter().zip(weights) {
            let weight = self.context.i32_type().const_int(u64::from(weight), false);
            let call = ir::call_before(&self.builder, clone, *site, self.probe, &[weight.into()]);
            ffi::replace(*site, ffi::call_instruction(call));
        }
        Ok(sites.len() as u32)
    }
}
