//! Native regions that C++ leaves by an exception (`pthread_once`, whose routine throws).
//!
//! The depth in a landing pad has to be that before the call. A pad serves several calls, so each of them notes
//! the depth that it begins with, and a phi at the pad knows whose call it was. Functions without landing pads let
//! the exception through; then the calls of those functions are meant. Rust needs none of it: `__rust_try` is its
//! only place to catch.

use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, FunctionValue};

use super::Marker;
use super::known::{Known, calls};
use crate::{ffi, ir};

impl<'ctx> Marker<'ctx> {
    /// Restores the depth in the landing pads of such calls. Comes before the calls are marked.
    pub(super) fn restore_depth_in_pads(&self, function: FunctionValue<'ctx>, known: &Known<'ctx, '_>) {
        if !known.is_foreign(function) {
            return;
        }
        let mut pads: Vec<BasicBlock<'ctx>> = Vec::new();
        for (instruction, call) in calls(function) {
            if let Some(pad) = ffi::invoke_unwind_destination(instruction)
                && !pads.contains(&pad)
                && known.leaves_region(call)
            {
                pads.push(pad);
            }
        }
        for pad in pads {
            self.restore_depth_in_pad(function, pad);
        }
    }

    fn restore_depth_in_pad(&self, function: FunctionValue<'ctx>, pad: BasicBlock<'ctx>) {
        let Some(head) = pad.get_first_instruction() else { return };
        let mut incoming = Vec::new();
        for (invoke, _) in calls(function) {
            if ffi::invoke_unwind_destination(invoke) == Some(pad) {
                let depth = ir::call_before(&self.builder, function, invoke, self.save, &[]);
                let depth = depth.try_as_basic_value().basic().map(BasicValueEnum::into_int_value);
                incoming.push((depth.expect("the mark gives a number"), invoke.get_parent()));
            }
        }
        self.builder.position_before(&head);
        let word = pad.get_context().i32_type();
        let phi = self.builder.build_phi(word, "").expect("the builder has a position");
        for (depth, block) in &incoming {
            phi.add_incoming(&[(depth, block.expect("an invoke stands in a block"))]);
        }
        if let Some(place) = ir::first_insertion_point(pad) {
            ir::call_before(&self.builder, function, place, self.restore, &[phi.as_basic_value().into()]);
        }
    }
}
