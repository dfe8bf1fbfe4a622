//! What tests need to play compiled code, or to watch it.
//!
//! Code built without the pass has no probes. These functions do by hand precisely what the pass inserts, so
//! that the preemption of a request can be tested in a plain `cargo test`.

use std::io;

use crate::context::{Fiber, Outcome, Stack};
use crate::preempt::watch::Watch;
use crate::preempt::{self, guard_depth as depth, symbols};
pub use crate::preempt::{RECORD_LIMIT, record_probes};
use crate::sys::clock::{Clock, Nanos, Tsc};
use crate::sys::second;

/// What the pass inserts at a site: compares this thread's line with zero, and calls `concord_probe_slow` when
/// it is armed.
#[inline(always)]
pub fn probe() {
    symbols::probe();
}

/// What the pass inserts where a guard begins.
pub fn guard_enter() {
    symbols::guard_enter();
}

/// What the pass inserts where a guard ends; a pending preemption happens here.
pub fn guard_exit() {
    symbols::guard_exit();
}

/// How many guards this thread is in.
pub fn guard_depth() -> u32 {
    depth()
}

/// Whether a preemption waits for the end of this thread's guards.
pub fn preemption_is_pending() -> bool {
    symbols::guard_word() & concord_abi::guard::NOT_PENDING == 0
}

/// Sets this thread's line, as a dispatcher would with `generation`; 0 clears it.
pub fn set_line(generation: u32) {
    symbols::line().store(generation, crate::sync::Ordering::Relaxed);
}

/// What this thread's line holds.
pub fn line() -> u32 {
    symbols::line().load(crate::sync::Ordering::Relaxed)
}

/// What the pass inserts at a site of the second build: takes `weight` expected instructions from the countdown, and
/// calls `concord_clock_slow` when that was more than was left.
#[inline(always)]
pub fn counting_probe(weight: u32) {
    symbols::counting_probe(weight);
}

/// The clone of `function` in the second build; null when this artefact has none. `function` has to be a function's
/// name where this is inlined: the pass looks for such calls, and clones what the function comes to.
#[inline(always)]
pub fn clone_of(function: *const ()) -> *const () {
    second::clone_of(function)
}

/// Runs `body` on a stack of its own, on this thread, in slices of `slice`, as a dispatcher runs a request itself:
/// code of the second build leaves at the end of each, and is resumed at once. How long each but the last was.
///
/// # Errors
/// When no stack of `stack_bytes` can be mapped.
pub fn in_slices(slice: Nanos, stack_bytes: usize, body: impl FnOnce() + 'static) -> io::Result<Vec<Nanos>> {
    let clock = Clock::get();
    let mut fiber = Fiber::new(Stack::new(stack_bytes)?, |suspender| {
        crate::context::current::enter(suspender);
        body();
        Outcome::Done
    });
    let watch = Watch::new(Vec::new());
    let mut lengths = Vec::new();
    loop {
        let begin = Tsc::now();
        if preempt::run_watched(&mut fiber, &watch, begin + clock.ticks(slice), symbols::line())
            == Outcome::Done
        {
            return Ok(lengths);
        }
        lengths.push(clock.nanos(Tsc::now().since(begin)));
    }
}
