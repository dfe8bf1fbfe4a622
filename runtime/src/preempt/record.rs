//! Recording of probes: for tests of compiled code, the guard depth at each probe that a body of code meets.

use std::cell::RefCell;

use concord_abi::guard::DEPTH;
use concord_abi::line::PERMANENT;

use super::{line, symbols};

/// Depths that one recording keeps; the rest is dropped, since the slow path must not allocate.
pub const RECORD_LIMIT: usize = 1 << 16;

thread_local! {
    /// The recording under way on this thread.
    static RECORDING: RefCell<Option<Vec<u32>>> = const { RefCell::new(None) };
}

/// Notes a probe. `false` when nothing is being recorded on this thread.
pub(super) fn note(guard_word: u32) -> bool {
    RECORDING.with(|recording| {
        let Ok(mut recording) = recording.try_borrow_mut() else { return true };
        let Some(depths) = recording.as_mut() else { return false };
        if depths.len() < RECORD_LIMIT {
            depths.push(guard_word & DEPTH);
        }
        true
    })
}

/// Runs `body` with this thread's line armed throughout, and returns the guard depth at each probe it met, in
/// order, at most [`RECORD_LIMIT`] of them. No probe switches meanwhile. Works on any thread and in tasks.
///
/// # Panics
/// When called inside of itself; a panic of `body` passes through.
pub fn record_probes(body: impl FnOnce()) -> Vec<u32> {
    symbols::keep_linked();
    let outer = RECORDING.with(|r| r.borrow_mut().replace(Vec::with_capacity(RECORD_LIMIT)));
    assert!(outer.is_none(), "record_probes was called inside of record_probes");
    let stop = Stop;
    line::arm_for_good(symbols::line());
    body();
    let depths = RECORDING.with(|r| r.borrow_mut().take());
    drop(stop);
    depths.unwrap_or_default()
}

/// Ends the recording, also when the body panics.
struct Stop;

impl Drop for Stop {
    fn drop(&mut self) {
        RECORDING.with(|recording| recording.borrow_mut().take());
        // A signal that the dispatcher sent meanwhile stays.
        line::clear_seen(symbols::line(), PERMANENT);
    }
}
