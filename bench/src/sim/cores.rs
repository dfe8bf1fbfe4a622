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
    /// When its turn began, or since when the worker is free.
    pub(super) start: u64,
    /// When it would be answered if left alone.
    pub(super) done: u64,
    /// When it stops at a probe, once it was signalled.
    pub(super) stop: u64,
    /// Turns that have ended and that the dispatcher has not collected.
    pub(super) uncollected: usize,
    inbox: [(u32, u64); MAX_WAITING],
    waiting: usize,
}

impl Core {
    pub(super) fn new() -> Self {
        Self {
            running: NOTHING,
            start: 0,
            done: NEVER,
            stop: NEVER,
            uncollected: 0,
            inbox: [(NOTHING, 0); MAX_WAITING],
            waiting: 0,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running == NOTHING
    }

    /// Since when its turn runs, as far as that is the turn that the dispatcher knows of.
    pub(super) fn known_turn(&self) -> Option<u64> {
        (self.uncollected == 0 && !self.is_idle() && self.stop == NEVER).then_some(self.start)
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

    /// When and how its turn ends if nothing else happens.
    pub(super) fn end(&self) -> (u64, End) {
        if self.stop < self.done { (self.stop, End::Preempted) } else { (self.done, End::Done) }
    }
}
