//! Processor sharing over one queue: Concord's own policy (SOSP'23, section 3).

use super::quantum::end_by_clock;
use super::{End, Item, Policy, Queue, Setup, Shared, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// Round robin: a preempted request goes behind all that wait, those that have just arrived included.
#[derive(Debug)]
pub struct ProcessorSharing {
    queue: Queue,
    shared: Shared,
    quantum: Option<Ticks>,
}

impl ProcessorSharing {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self {
            queue: Queue::new(setup.workers),
            shared: Shared::new(setup.workers, setup.capacity),
            quantum: setup.quantum,
        }
    }
}

impl Policy for ProcessorSharing {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.queue.push_new(&mut self.shared, item, now);
    }

    fn preempted(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.queue.push_back(&mut self.shared, item, now);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.queue.assign(&mut self.shared, workers)
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        end_by_clock(workers, self.queue.has_work_for_anyone(), self.shared.pins.workers(), self.quantum?)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.queue.take_unstarted(&self.shared)
    }

    fn waiting(&self) -> usize {
        self.queue.waiting()
    }
}
