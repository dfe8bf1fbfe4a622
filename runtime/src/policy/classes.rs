//! A queue for each class, and what is known of the class.

use super::queue::{Queue, Shared};
use super::{Item, WorkerSet, Workers};
use crate::id::{Class, WorkerId};
use crate::sys::clock::{Ticks, Tsc};

/// Queues by class; the last one is that of requests of unknown class.
#[derive(Debug)]
pub(super) struct ClassQueues {
    pub(super) shared: Shared,
    pub(super) queues: Box<[Queue]>,
    waiting: usize,
}

impl ClassQueues {
    pub(super) fn new(workers: usize, capacity: usize, classes: usize) -> Self {
        Self {
            shared: Shared::new(workers, capacity),
            queues: (0..=classes).map(|_| Queue::new(workers)).collect(),
            waiting: 0,
        }
    }

    /// The queue of `class`; the last one for a class that is unknown.
    pub(super) fn index(&self, class: Class) -> usize {
        class.index_among(self.queues.len() - 1)
    }

    /// Adds a request that has not started.
    pub(super) fn push_new(&mut self, item: Item, now: Tsc) {
        self.waiting += 1;
        self.queues[self.index(item.class)].push_new(&mut self.shared, item, now);
    }

    /// Adds a started request behind all others of its class.
    pub(super) fn push_back(&mut self, item: Item, now: Tsc) {
        self.waiting += 1;
        self.queues[self.index(item.class)].push_back(&mut self.shared, item, now);
    }

    /// Adds a started request before all others of its class.
    pub(super) fn push_front(&mut self, item: Item, now: Tsc) {
        self.waiting += 1;
        self.queues[self.index(item.class)].push_front(&mut self.shared, item, now);
    }

    /// The oldest request of one queue that `worker` may run.
    pub(super) fn pop_for(&mut self, queue: usize, worker: WorkerId) -> Option<Item> {
        let item = self.queues[queue].pop_for(&mut self.shared, worker)?;
        self.waiting -= 1;
        Some(item)
    }

    /// A request that has not started, of the first queue in `order` that has one.
    pub(super) fn take_unstarted(&mut self, order: impl Iterator<Item = usize>) -> Option<Item> {
        let mut order = order;
        let item = order.find_map(|queue| self.queues[queue].take_unstarted(&self.shared))?;
        self.waiting -= 1;
        Some(item)
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Since when the request waits that `worker` would get from one queue.
    pub(super) fn waits_since(&self, queue: usize, worker: WorkerId) -> Option<Tsc> {
        self.queues[queue].oldest_for(&self.shared, worker)
    }

    /// Since when the oldest request of one queue waits that has not started.
    pub(super) fn unstarted_since(&self, queue: usize) -> Option<Tsc> {
        let slot = self.queues[queue].unstarted(&self.shared, 0)?;
        Some(self.shared.requests.waits_since(slot))
    }

    /// Since when the oldest request of one queue waits that is pinned to `worker`.
    pub(super) fn pinned_since(&self, queue: usize, worker: WorkerId) -> Option<Tsc> {
        Some(self.shared.requests.waits_since(self.queues[queue].pinned(worker)?))
    }

    /// The worker to give work of one queue to, of those that hold so many requests.
    pub(super) fn choose(&self, queue: usize, workers: &Workers, held: usize) -> Option<WorkerId> {
        self.choose_of(queue, workers.holding(held))
    }

    /// The one of `open` to give work of one queue to.
    pub(super) fn choose_of(&self, queue: usize, open: &WorkerSet) -> Option<WorkerId> {
        self.queues[queue].choose(&self.shared.pins, open)
    }

    /// Whether a request waits that any worker may run.
    pub(super) fn has_work_for_anyone(&self) -> bool {
        self.queues.iter().any(Queue::has_work_for_anyone)
    }
}

/// A moving average of service times: each new one counts for a sixteenth.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MovingMean(Option<f64>);

impl MovingMean {
    const WEIGHT: f64 = 1.0 / 16.0;

    pub(super) fn add(&mut self, value: Ticks) {
        let value = value.0 as f64;
        self.0 = Some(self.0.map_or(value, |mean| mean + (value - mean) * Self::WEIGHT));
    }

    /// In ticks; `None` before the first value.
    pub(super) fn get(self) -> Option<f64> {
        self.0
    }
}
