//! Processor sharing over one queue: Concord's own policy (SOSP'23, section 3).

use super::quantum::end_by_clock;
use super::{End, Item, Policy, Queues, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// Round robin: a preempted request goes behind all that wait, those that have just arrived included.
#[derive(Debug)]
pub struct ProcessorSharing {
    queues: Queues,
    quantum: Option<Ticks>,
}

impl ProcessorSharing {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self { queues: Queues::new(setup.workers, setup.capacity), quantum: setup.quantum }
    }
}

impl Policy for ProcessorSharing {
    fn arrived(&mut self, item: Item, _: Tsc) {
        self.queues.push_new(item);
    }

    fn preempted(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.queues.push_back(item);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.queues.assign(workers)
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        end_by_clock(workers, &self.queues, self.quantum?)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.queues.take_unstarted()
    }

    fn waiting(&self) -> usize {
        self.queues.waiting()
    }
}
