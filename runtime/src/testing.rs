//! What tests need to play compiled code, or to watch it.
//!
//! Code built without the pass has no probes. These functions do by hand precisely what the pass inserts, so
//! that the preemption of a request can be tested in a plain `cargo test`.

pub use crate::preempt::{RECORD_LIMIT, record_probes};
use crate::preempt::{guard_depth as depth, symbols};

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
