//! Recording of probes: for tests of compiled code, the guard depth at each probe that a body of code meets.

use std::cell::{Cell, UnsafeCell};

use concord_abi::guard;
use concord_abi::line::PERMANENT;

use super::{line, symbols};

/// Depths that one recording keeps; the rest is dropped, since the slow path must not allocate.
pub const RECORD_LIMIT: usize = 1 << 16;

thread_local! {
    /// The recording under way on this thread, null without one. A plain pointer: a thread-local with a
    /// destructor would run initialising code in the slow path.
    static RECORDING: Cell<*mut Vec<u32>> = const { Cell::new(std::ptr::null_mut()) };
}

/// Notes a probe. `false` when nothing is being recorded on this thread.
pub(super) fn note(guard_word: u32) -> bool {
    let recording = RECORDING.with(Cell::get);
    if recording.is_null() {
        return false;
    }
    // SAFETY: the vector of the `record_probes` that runs on this thread, which does not touch it meanwhile.
    let depths = unsafe { &mut *recording };
    if depths.len() < RECORD_LIMIT {
        depths.push(guard::depth(guard_word));
    }
    true
}

/// Runs `body` with this thread's line armed throughout, and returns the guard depth at each probe it met, in
/// order, at most [`RECORD_LIMIT`] of them. No probe switches meanwhile. Works on any thread and in tasks.
///
/// # Panics
/// When called inside of itself; a panic of `body` passes through.
pub fn record_probes(body: impl FnOnce()) -> Vec<u32> {
    symbols::keep_linked();
    assert!(RECORDING.with(Cell::get).is_null(), "record_probes was called inside of record_probes");
    let depths = UnsafeCell::new(Vec::with_capacity(RECORD_LIMIT));
    let stop = Stop { line_was: line::read(symbols::line()) };
    RECORDING.with(|recording| recording.set(depths.get()));
    line::arm_for_good(symbols::line());
    body();
    drop(stop);
    depths.into_inner()
}

/// Ends the recording, also when the body panics.
struct Stop {
    line_was: u32,
}

impl Drop for Stop {
    fn drop(&mut self) {
        RECORDING.with(|recording| recording.set(std::ptr::null_mut()));
        if self.line_was != PERMANENT {
            // A signal that the dispatcher sent meanwhile stays.
            line::clear_seen(symbols::line(), PERMANENT);
        }
    }
}
