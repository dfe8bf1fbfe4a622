//! Native regions that C++ leaves by an exception (`pthread_once`, whose routine throws).
//!
//! The depth in a landing pad has to be that before the call. A pad serves several calls, so each of them notes
//! the depth that it begins with, and a phi at the pad knows whose call it was. Functions without landing pads let
//! the exception through; then the calls of those functions are meant. Rust needs none of it: `__rust_try` is its
//! only place to catch.

use std::collections::{HashMap, HashSet};

use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicValueEnum, CallSiteValue, FunctionValue};

use super::catalogue::Action;
use super::{Marker, calls, native_entry};
use crate::ffi::{self, Callee};
use crate::ir;
use crate::names::{Language, Name};

/// Which functions let an exception out of a native region.
pub(super) struct Leaks<'a> {
    defined: &'a HashSet<String>,
    known: HashMap<String, bool>,
}

impl<'a> Leaks<'a> {
    /// `defined` are the functions that some unit of the link has as bitcode.
    pub(super) fn new(defined: &'a HashSet<String>) -> Self {
        Self { defined, known: HashMap::new() }
    }

    /// Whether an exception may come out of `call` with a region unfinished.
    fn through(&mut self, call: CallSiteValue<'_>) -> bool {
        if native_entry(call, self.defined).is_some_and(|entry| entry.declared == Some(Action::Region)) {
            return true;
        }
        matches!(ffi::callee(call), Callee::Function(callee) if self.out_of(callee))
    }

    fn out_of(&mut self, function: FunctionValue<'_>) -> bool {
        let symbol = ir::name(function);
        if let Some(&known) = self.known.get(&symbol) {
            return known;
        }
        // Holds for the cycles that come back here.
        self.known.insert(symbol.clone(), false);
        let lets_through =
            |(instruction, call)| ffi::invoke_unwind_destination(instruction).is_none() && self.through(call);
        let leaks = is_foreign(&symbol) && calls(function).into_iter().any(lets_through);
        self.known.insert(symbol, leaks);
        leaks
    }
}

fn is_foreign(symbol: &str) -> bool {
    Name::of(symbol).language != Language::Rust
}

impl<'ctx> Marker<'ctx> {
    /// Restores the depth in the landing pads of such calls. Comes before the calls are marked.
    pub(super) fn restore_depth_in_pads(&self, function: FunctionValue<'ctx>, leaks: &mut Leaks<'_>) {
        if !is_foreign(&ir::name(function)) {
            return;
        }
        let mut pads: Vec<BasicBlock<'ctx>> = Vec::new();
        for (instruction, call) in calls(function) {
            if let Some(pad) = ffi::invoke_unwind_destination(instruction)
                && !pads.contains(&pad)
                && leaks.through(call)
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
