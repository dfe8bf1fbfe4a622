//! A worker: what it holds and what it runs.

use super::events::NEVER;

/// Nothing runs.
pub(super) const NOTHING: u32 = u32::MAX;

/// Most requests that an inbox holds besides the running one.
pub(super) const MAX_WAITING: usize = 15;

/// How a turn ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With an answer.
    Done,
    /// By preemption.
    Preempted,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Core {
    /// The request that runs, or [`NOTHING`].
    pub(super) running: u32,
    /// When its turn began.
    pub(super) start: u64,
    /// When it would be answered if left alone.
    pub(super) done: u64,
    /// When its quantum ends as the dispatcher sees it.
    pub(super) due: u64,
    /// When it stops at a probe, once it was signalled.
    pub(super) stop: u64,
    /// Requests that it holds: in the inbox, running, on the way back.
    pub(super) held: usize,
    inbox: [(u32, u64); MAX_WAITING],
    waiting: usize,
}

impl Core {
    pub(super) fn new() -> Self {
        Self {
            running: NOTHING,
            start: 0,
            done: NEVER,
            due: NEVER,
            stop: NEVER,
            held: 0,
            inbox: [(NOTHING, 0); MAX_WAITING],
            waiting: 0,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running == NOTHING
    }

    /// Puts a request behind those that wait; the worker can have it from `visible` on.
    pub(super) fn push(&mut self, slot: u32, visible: u64) {
        self.inbox[self.waiting] = (slot, visible);
        self.waiting += 1;
    }

    /// Takes the request that waits longest, with the moment from which the worker can have it.
    pub(super) fn pop(&mut self) -> Option<(u32, u64)> {
        if self.waiting == 0 {
            return None;
        }
        let first = self.inbox[0];
        self.inbox.copy_within(1..self.waiting, 0);
        self.waiting -= 1;
        Some(first)
    }

    /// The moment of its next event, and how the turn ends if it ends then; `None`: its quantum ends.
    pub(super) fn next(&self) -> (u64, Option<End>) {
        if self.stop < self.done {
            (self.stop, Some(End::Preempted))
        } else if self.done <= self.due {
            (self.done, Some(End::Done))
        } else {
            (self.due, None)
        }
    }
}
