//! Processor sharing over one queue: Concord's own policy (SOSP'23, section 3).

use super::queues::Queues;
use super::{Item, Policy};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// Round robin: a preempted request goes behind all that wait, those that have just arrived included.
#[derive(Debug)]
pub struct ProcessorSharing(Queues);

impl ProcessorSharing {
    /// For `workers` workers, with room for `capacity` requests.
    pub fn new(workers: usize, capacity: usize) -> Self {
        Self(Queues::new(workers, capacity))
    }
}

impl Policy for ProcessorSharing {
    fn arrived(&mut self, item: Item, _: Tsc) {
        self.0.push_back(item);
    }

    fn preempted(&mut self, item: Item, _: Tsc) {
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
}
