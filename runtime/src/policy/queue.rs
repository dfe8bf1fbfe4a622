//! One order over requests of which some are pinned.

use super::requests::{List, Requests};
use super::{Item, WorkerSet, Workers};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// How many waiting requests are pinned to each worker, whatever queue they stand in.
#[derive(Debug)]
pub(super) struct Pins {
    counts: Box<[u32]>,
    workers: WorkerSet,
}

impl Pins {
    pub(super) fn new(workers: usize) -> Self {
        Self { counts: vec![0; workers].into(), workers: WorkerSet::none(workers) }
    }

    #[inline]
    pub(super) fn add(&mut self, worker: WorkerId) {
        self.counts[worker.index()] += 1;
        self.workers.insert(worker);
    }

    #[inline]
    pub(super) fn remove(&mut self, worker: WorkerId) {
        let count = &mut self.counts[worker.index()];
        *count -= 1;
        if *count == 0 {
            self.workers.remove(worker);
        }
    }

    /// How many are pinned to `worker`.
    #[inline]
    pub(super) fn of(&self, worker: WorkerId) -> u32 {
        self.counts[worker.index()]
    }

    /// Those to which a request is pinned.
    #[inline]
    pub(super) fn workers(&self) -> &WorkerSet {
        &self.workers
    }

    /// The one of `open` with the fewest pinned requests.
    #[inline]
    pub(super) fn fewest(&self, open: &WorkerSet) -> Option<WorkerId> {
        let fewest = || open.iter().min_by_key(|&worker| self.of(worker));
        open.first_outside(&self.workers).or_else(fewest)
    }
}

/// A first-in-first-out queue from which a worker takes the oldest request that it may run, in constant time:
/// requests that have not started, started ones that may run anywhere, and those of each worker stand in lists of
/// their own, numbered across all lists. Several queues share a table of requests and the counts of pinned ones.
#[derive(Debug)]
pub(super) struct Queue {
    unstarted: List,
    migrating: List,
    pinned: Box<[List]>,
    /// Workers that have a request of this queue pinned to them.
    with_pinned: WorkerSet,
    waiting: usize,
    /// Number of the next request at the back.
    back: u64,
    /// Number of the last request at the front; counts down from the middle.
    front: u64,
}

/// One of a queue's lists.
enum Kind {
    Unstarted,
    Migrating,
    Pinned,
}

/// What the queues of a policy share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) requests: Requests,
    pub(super) pins: Pins,
}

impl Shared {
    pub(super) fn new(workers: usize, capacity: usize) -> Self {
        Self { requests: Requests::new(capacity), pins: Pins::new(workers) }
    }
}

impl Queue {
    pub(super) fn new(workers: usize) -> Self {
        Self {
            unstarted: List::EMPTY,
            migrating: List::EMPTY,
            pinned: vec![List::EMPTY; workers].into(),
            with_pinned: WorkerSet::none(workers),
            waiting: 0,
            back: u64::MAX / 2,
            front: u64::MAX / 2,
        }
    }

    /// Adds a request that has not started.
    #[inline]
    pub(super) fn push_new(&mut self, shared: &mut Shared, item: Item, now: Tsc) {
        self.waiting += 1;
        self.unstarted.push_back(&mut shared.requests, (self.back, 0), item, now);
        self.back += 1;
    }

    /// Adds a started request behind all others.
    #[inline]
    pub(super) fn push_back(&mut self, shared: &mut Shared, item: Item, now: Tsc) {
        let number = self.back;
        self.back += 1;
        self.started_list(&mut shared.pins, item).push_back(&mut shared.requests, (number, 0), item, now);
    }

    /// Adds a started request before all others.
    #[inline]
    pub(super) fn push_front(&mut self, shared: &mut Shared, item: Item, now: Tsc) {
        self.front -= 1;
        let number = self.front;
        self.started_list(&mut shared.pins, item).push_front(&mut shared.requests, (number, 0), item, now);
    }

    fn started_list(&mut self, pins: &mut Pins, item: Item) -> &mut List {
        self.waiting += 1;
        let Some(worker) = item.pinned else { return &mut self.migrating };
        pins.add(worker);
        self.with_pinned.insert(worker);
        &mut self.pinned[worker.index()]
    }

    /// The next request and the worker that is to hold it: of those that have room, one that holds the fewest
    /// requests, and of these one to which the least work is pinned.
    #[inline]
    pub(super) fn assign(&mut self, shared: &mut Shared, workers: &Workers) -> Option<(WorkerId, Item)> {
        if self.waiting == 0 {
            return None;
        }
        let worker =
            (0..workers.depth()).find_map(|held| self.choose(&shared.pins, workers.holding(held)))?;
        self.pop_for(shared, worker).map(|item| (worker, item))
    }

    /// The worker of `open` to give work of this queue to.
    #[inline]
    pub(super) fn choose(&self, pins: &Pins, open: &WorkerSet) -> Option<WorkerId> {
        if self.has_work_for_anyone() { pins.fewest(open) } else { open.first_in(&self.with_pinned) }
    }

    /// The oldest request that `worker` may run.
    #[inline]
    pub(super) fn pop_for(&mut self, shared: &mut Shared, worker: WorkerId) -> Option<Item> {
        let item = match self.oldest_list(shared, worker) {
            Kind::Unstarted => self.unstarted.pop_front(&shared.requests)?,
            Kind::Migrating => self.migrating.pop_front(&shared.requests)?,
            Kind::Pinned => {
                let mine = &mut self.pinned[worker.index()];
                let item = mine.pop_front(&shared.requests)?;
                shared.pins.remove(worker);
                if mine.is_empty() {
                    self.with_pinned.remove(worker);
                }
                item
            }
        };
        self.waiting -= 1;
        Some(item)
    }

    /// The list that holds the oldest request for `worker`, if any does.
    #[inline]
    fn oldest_list(&self, shared: &Shared, worker: WorkerId) -> Kind {
        let number = |list: &List| list.first().map_or(u64::MAX, |slot| shared.requests.key(slot).0);
        let (unstarted, migrating) = (number(&self.unstarted), number(&self.migrating));
        let pinned = number(&self.pinned[worker.index()]);
        if pinned < unstarted.min(migrating) {
            Kind::Pinned
        } else if migrating < unstarted {
            Kind::Migrating
        } else {
            Kind::Unstarted
        }
    }

    /// Since when the request waits that `worker` would get.
    pub(super) fn oldest_for(&self, shared: &Shared, worker: WorkerId) -> Option<Tsc> {
        let list = match self.oldest_list(shared, worker) {
            Kind::Unstarted => &self.unstarted,
            Kind::Migrating => &self.migrating,
            Kind::Pinned => &self.pinned[worker.index()],
        };
        Some(shared.requests.waits_since(list.first()?))
    }

    /// The oldest request that has not started.
    #[inline]
    pub(super) fn take_unstarted(&mut self, shared: &Shared) -> Option<Item> {
        let item = self.unstarted.pop_front(&shared.requests);
        self.waiting -= usize::from(item.is_some());
        item
    }

    /// The slot of the unstarted request that `position` others precede.
    #[inline]
    pub(super) fn unstarted(&self, shared: &Shared, position: usize) -> Option<u32> {
        self.unstarted.nth(&shared.requests, position)
    }

    /// The slot of the oldest request that is pinned to `worker`.
    #[inline]
    pub(super) fn pinned(&self, worker: WorkerId) -> Option<u32> {
        self.pinned[worker.index()].first()
    }

    /// Requests that wait.
    #[inline]
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether a request waits that any worker may run.
    #[inline]
    pub(super) fn has_work_for_anyone(&self) -> bool {
        !self.unstarted.is_empty() || !self.migrating.is_empty()
    }
}
