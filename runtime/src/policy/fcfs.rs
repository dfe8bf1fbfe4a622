//! Central first come, first served: the baseline without preemption.

use super::queues::Queues;
use super::{Item, Policy};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// One queue in order of arrival; a request that runs is never ended.
#[derive(Debug)]
pub struct Fcfs(Queues);

impl Fcfs {
    /// For `workers` workers, with room for `capacity` requests.
    pub fn new(workers: usize, capacity: usize) -> Self {
        Self(Queues::new(workers, capacity))
    }
}

impl Policy for Fcfs {
    fn arrived(&mut self, item: Item, _: Tsc) {
        self.0.push_back(item);
    }

    /// Keeps the request's place, should someone else have ended its turn.
    fn preempted(&mut self, item: Item, _: Tsc) {
        self.0.push_front(item);
    }

    fn waits(&mut self, item: Item, _: Tsc) {
        self.0.push_back(item);
    }

    fn next(&mut self, worker: WorkerId, _: Tsc) -> Option<Item> {
        self.0.pop_for(worker)
    }

    fn has_work_for(&self, worker: WorkerId) -> bool {
        self.0.has_work_for(worker)
    }

    fn pinned_to(&self, worker: WorkerId) -> usize {
        self.0.pinned_to(worker)
    }

    fn preempts(&self) -> bool {
        false
    }
}
