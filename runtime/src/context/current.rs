//! The task that this thread runs, for the slow path to find.
//!
//! A probe has no arguments, so the slow path learns from a thread-local where it is. Tasks never leave their
//! worker, so a compiler that keeps this thread-local's address across a switch does no harm.

use std::cell::Cell;

use super::fiber::{Outcome, Suspender};

struct Current {
    generation: Cell<u32>,
    suspender: Cell<Option<Suspender>>,
}

thread_local! {
    static CURRENT: Current = const { Current { generation: Cell::new(0), suspender: Cell::new(None) } };
}

/// Marks the begin of the turn `generation` on this thread.
pub(crate) fn begin(generation: u32) {
    CURRENT.with(|current| current.generation.set(generation));
}

/// Marks that this thread runs no turn.
pub(crate) fn end() {
    CURRENT.with(|current| {
        current.generation.set(0);
        current.suspender.set(None);
    });
}

/// The generation of this thread's turn; 0 outside of one.
pub(crate) fn generation() -> u32 {
    CURRENT.with(|current| current.generation.get())
}

/// Called first on a task's stack: how to leave it.
pub(crate) fn enter(suspender: Suspender) {
    CURRENT.with(|current| current.suspender.set(Some(suspender)));
}

/// Whether this thread runs a task.
pub(crate) fn is_task() -> bool {
    CURRENT.with(|current| current.suspender.get().is_some())
}

/// Leaves the task that runs on this thread, its turn ended as `outcome`; comes back at its next turn. Does
/// nothing outside of a task.
pub(crate) fn suspend(outcome: Outcome) {
    let Some(suspender) = CURRENT.with(|current| current.suspender.get()) else { return };
    // SAFETY: the thread-local is set by `enter` on the task's own stack, set again below each time the task
    // is resumed, and emptied by `end` when the thread leaves it.
    unsafe { suspender.suspend(outcome) };
    enter(suspender);
}
