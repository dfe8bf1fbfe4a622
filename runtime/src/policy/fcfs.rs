//! Central first come, first served: the baseline without preemption.

use super::{End, Item, Policy, Queues, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// One queue in order of arrival; a request that runs is never ended.
#[derive(Debug)]
pub struct Fcfs(Queues);

impl Fcfs {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self(Queues::new(setup.workers, setup.capacity))
    }
}

impl Policy for Fcfs {
    fn arrived(&mut self, item: Item, _: Tsc) {
        self.0.push_new(item);
    }

    /// Keeps the request's place, should someone else have ended its turn.
    fn preempted(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.0.push_front(item);
    }

    fn waits(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.0.push_back(item);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.0.assign(workers)
    }

    fn next_end(&self, _: &Workers) -> Option<End> {
        None
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.0.take_unstarted()
    }

    fn waiting(&self) -> usize {
        self.0.waiting()
    }
}
