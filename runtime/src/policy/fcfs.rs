//! Central first come, first served: the baseline without preemption.

use super::{End, Item, Policy, Queue, Setup, Shared, Workers};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// One queue in order of arrival; a request that runs is never ended.
#[derive(Debug)]
pub struct Fcfs {
    queue: Queue,
    shared: Shared,
}

impl Fcfs {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self { queue: Queue::new(setup.workers), shared: Shared::new(setup.workers, setup.capacity) }
    }
}

impl Policy for Fcfs {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.queue.push_new(&mut self.shared, item, now);
    }

    /// Keeps the request's place, should someone else have ended its turn.
    fn preempted(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.queue.push_front(&mut self.shared, item, now);
    }

    fn waits(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.queue.push_back(&mut self.shared, item, now);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.queue.assign(&mut self.shared, workers)
    }

    fn next_end(&self, _: &Workers) -> Option<End> {
        None
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.queue.take_unstarted(&self.shared)
    }

    fn waiting(&self) -> usize {
        self.queue.waiting()
    }
}
