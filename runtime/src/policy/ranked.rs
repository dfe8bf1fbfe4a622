//! Requests by rank, of which some are pinned.

use super::heap::Heap;
use super::queue::{Pins, Shared};
use super::requests::{Key, List};
use super::{Item, WorkerSet};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// A queue from which a worker takes the first request that it may run, in logarithmic time: those that have not
/// started in order of arrival, then started ones by their key, the least first. Several such queues share a table
/// of requests and the counts of pinned ones.
#[derive(Debug)]
pub(super) struct Ranked {
    unstarted: List,
    migrating: Heap,
    pinned: Box<[Heap]>,
    /// Workers that have a request of this queue pinned to them.
    with_pinned: WorkerSet,
    waiting: usize,
}

impl Ranked {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            unstarted: List::EMPTY,
            migrating: Heap::EMPTY,
            pinned: vec![Heap::EMPTY; workers].into(),
            with_pinned: WorkerSet::none(workers),
            waiting: 0,
        }
    }

    /// Adds a request that has not started, behind all others of that kind.
    #[inline]
    pub(super) fn push_new(&mut self, shared: &mut Shared, item: Item, now: Tsc) {
        self.waiting += 1;
        self.unstarted.push_back(&mut shared.requests, (item.arrival.0, 0), item, now);
    }

    /// Adds a started request.
    pub(super) fn push(&mut self, shared: &mut Shared, key: Key, item: Item, now: Tsc) {
        self.waiting += 1;
        let heap = match item.pinned {
            Some(worker) => {
                shared.pins.add(worker);
                self.with_pinned.insert(worker);
                &mut self.pinned[worker.index()]
            }
            None => &mut self.migrating,
        };
        heap.push(&mut shared.requests, key, item, now);
    }

    /// The worker of `open` to give work of this queue to.
    #[inline]
    pub(super) fn choose(&self, pins: &Pins, open: &WorkerSet) -> Option<WorkerId> {
        let for_anyone = !self.unstarted.is_empty() || !self.migrating.is_empty();
        if for_anyone { pins.fewest(open) } else { open.first_in(&self.with_pinned) }
    }

    /// The first request that `worker` may run.
    pub(super) fn pop_for(&mut self, shared: &mut Shared, worker: WorkerId) -> Option<Item> {
        if !self.unstarted.is_empty() {
            return self.take_unstarted(shared);
        }
        let mine = self.pinned[worker.index()].least(&shared.requests);
        let item = if self.migrating.least(&shared.requests) < mine {
            self.migrating.pop(&mut shared.requests)?
        } else {
            let heap = &mut self.pinned[worker.index()];
            let item = heap.pop(&mut shared.requests)?;
            shared.pins.remove(worker);
            if heap.is_empty() {
                self.with_pinned.remove(worker);
            }
            item
        };
        self.waiting -= 1;
        Some(item)
    }

    /// The oldest request that has not started.
    #[inline]
    pub(super) fn take_unstarted(&mut self, shared: &Shared) -> Option<Item> {
        let item = self.unstarted.pop_front(&shared.requests)?;
        self.waiting -= 1;
        Some(item)
    }

    /// The slot of the unstarted request that `position` others precede.
    #[inline]
    pub(super) fn unstarted(&self, shared: &Shared, position: usize) -> Option<u32> {
        self.unstarted.nth(&shared.requests, position)
    }

    /// The slot of the first started request that may run anywhere.
    #[inline]
    pub(super) fn migrating(&self) -> Option<u32> {
        self.migrating.first()
    }

    /// The slot of the first request that is pinned to `worker`.
    #[inline]
    pub(super) fn pinned(&self, worker: WorkerId) -> Option<u32> {
        self.pinned[worker.index()].first()
    }

    /// Workers to which a request is pinned that waits.
    #[inline]
    pub(super) fn with_pinned(&self) -> &WorkerSet {
        &self.with_pinned
    }

    /// Requests that wait.
    #[inline]
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }
}
