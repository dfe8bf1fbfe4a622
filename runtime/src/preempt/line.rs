//! The line: the padded word that a worker's code polls, and the operations on it.
//!
//! ```text
//!   dispatcher                        worker's thread
//!   arm(generation) ---- line ------> probe: cmpl $0, line; jne slow path
//!                                     clear (turn start), clear_seen (slow path)
//! ```
//!
//! | Word | Written by | Read by | Ordering | Pairs with |
//! |---|---|---|---|---|
//! | line | dispatcher ([`arm`]) | worker (probe, slow path) | Relaxed | the turn word, see I1 |
//! | line | worker ([`clear`], [`clear_seen`], [`rearm`]) | worker | Relaxed | - |
//!
//! No data is published through the line: it says "your turn `g` is over" and nothing else, so every access
//! is Relaxed and the word's modification order is all that counts.
//!
//! Invariants:
//!
//! * **I1** The clear at a turn's start precedes every arming for that turn in the line's modification order:
//!   the worker clears before it publishes the turn word (Release), and the dispatcher arms a generation only
//!   after it has read it from the turn word (Acquire).
//! * **I2** The dispatcher arms the generation of a turn that runs at most once, and after that writes nothing
//!   to the line until it has seen the turn's end. So a line that holds another generation has not been given
//!   the current one yet, or never will be.
//! * **I3** While a turn runs, the worker takes a value out of the line only by compare-exchange against the
//!   value it saw. A plain store could erase the current turn's signal when that arrives between the load
//!   that saw a stale one and the store; after I2 it would never be sent again.
//!
//! Cost: a clear line costs a probe one load from a cache line in shared state in the worker's L1. Arming
//! moves that cache line twice.

use concord_abi::line::{CLEAR, PERMANENT};

use super::turn::Generation;
use crate::sync::{AtomicU32, Ordering};

/// Tells the turn `generation` to end at its next probe; a turn of another generation takes the signal out and
/// goes on. Dispatcher only (I1, I2).
pub(crate) fn arm(line: &AtomicU32, generation: Generation) {
    // Relaxed: no data follows the line; a late sight of it only delays the switch.
    line.store(generation.get(), Ordering::Relaxed);
}

/// Erases whatever earlier turns left. Worker only, before it publishes a turn (I1).
pub(crate) fn clear(line: &AtomicU32) {
    // Relaxed: ordered before later armings by the Release of the turn word (I1).
    line.store(CLEAR, Ordering::Relaxed);
}

/// Takes `seen` out of the line, and nothing newer (I3).
pub(crate) fn clear_seen(line: &AtomicU32, seen: u32) {
    // Relaxed, and a failure is not an error: the line then holds a newer signal, for the next probe to find.
    let _ = line.compare_exchange(seen, CLEAR, Ordering::Relaxed, Ordering::Relaxed);
}

/// Puts the current turn's own signal back, when it was taken but cannot be obeyed yet.
pub(crate) fn rearm(line: &AtomicU32, current: Generation) {
    // Relaxed: this thread's own word. Only an empty line is filled; I2 rules out a newer signal.
    let _ = line.compare_exchange(CLEAR, current.get(), Ordering::Relaxed, Ordering::Relaxed);
}

/// Arms the line for good, for code that must reach the slow path at every probe.
pub(crate) fn arm_for_good(line: &AtomicU32) {
    // Relaxed: this thread's own word.
    line.store(PERMANENT, Ordering::Relaxed);
}

/// What the line holds now.
pub(crate) fn read(line: &AtomicU32) -> u32 {
    // Relaxed: see the table.
    line.load(Ordering::Relaxed)
}
