//! One order over requests of which some are pinned.

use super::requests::{List, Requests};
use super::{Item, WorkerSet, Workers};
use crate::id::WorkerId;

/// A first-in-first-out queue from which a worker takes the oldest request that it may run, in constant time:
/// requests that have not started, started ones that may run anywhere, and those of each worker stand in lists of
/// their own, numbered across all lists.
#[derive(Debug)]
pub(super) struct Queues {
    requests: Requests,
    unstarted: List,
    migrating: List,
    pinned: Vec<List>,
    /// Workers that have a request pinned to them.
    with_pinned: WorkerSet,
    waiting: usize,
    /// Number of the next request at the back.
    back: u64,
    /// Number of the last request at the front; counts down from the middle.
    front: u64,
}

impl Queues {
    pub(super) fn new(workers: usize, capacity: usize) -> Self {
        Self {
            requests: Requests::new(capacity),
            unstarted: List::EMPTY,
            migrating: List::EMPTY,
            pinned: vec![List::EMPTY; workers],
            with_pinned: WorkerSet::none(workers),
            waiting: 0,
            back: u64::MAX / 2,
            front: u64::MAX / 2,
        }
    }

    /// Adds a request that has not started.
    #[inline]
    pub(super) fn push_new(&mut self, item: Item) {
        self.waiting += 1;
        self.unstarted.push_back(&mut self.requests, self.back, item);
        self.back += 1;
    }

    /// Adds a started request behind all others.
    #[inline]
    pub(super) fn push_back(&mut self, item: Item) {
        self.waiting += 1;
        let number = self.back;
        self.back += 1;
        let list = list_of(&mut self.migrating, &mut self.pinned, &mut self.with_pinned, item);
        list.push_back(&mut self.requests, number, item);
    }

    /// Adds a started request before all others.
    #[inline]
    pub(super) fn push_front(&mut self, item: Item) {
        self.waiting += 1;
        self.front -= 1;
        let list = list_of(&mut self.migrating, &mut self.pinned, &mut self.with_pinned, item);
        list.push_front(&mut self.requests, self.front, item);
    }

    /// The next request and the worker that is to hold it: of those that have room, one that holds the fewest
    /// requests, and of these one to which the least work is pinned.
    #[inline]
    pub(super) fn assign(&mut self, workers: &Workers) -> Option<(WorkerId, Item)> {
        if self.waiting == 0 {
            return None;
        }
        let worker = (0..workers.depth()).find_map(|held| self.choose(workers.holding(held)))?;
        self.pop_for(worker).map(|item| (worker, item))
    }

    fn choose(&self, open: &WorkerSet) -> Option<WorkerId> {
        if self.unstarted.is_empty() && self.migrating.is_empty() {
            return open.first_in(&self.with_pinned);
        }
        let fewest = || open.iter().min_by_key(|worker| self.pinned[worker.index()].len());
        open.first_outside(&self.with_pinned).or_else(fewest)
    }

    fn pop_for(&mut self, worker: WorkerId) -> Option<Item> {
        let mine = &self.pinned[worker.index()];
        let number = |list: &List| list.front(&self.requests).map_or(u64::MAX, |(number, _)| number);
        let numbers = [number(&self.unstarted), number(&self.migrating), number(mine)];
        let item = if numbers[0] <= numbers[1].min(numbers[2]) {
            self.unstarted.pop_front(&self.requests)
        } else if numbers[1] < numbers[2] {
            self.migrating.pop_front(&self.requests)
        } else {
            let mine = &mut self.pinned[worker.index()];
            let item = mine.pop_front(&self.requests);
            if mine.is_empty() {
                self.with_pinned.remove(worker);
            }
            item
        };
        self.waiting -= usize::from(item.is_some());
        item
    }

    /// The oldest request that has not started.
    pub(super) fn take_unstarted(&mut self) -> Option<Item> {
        let item = self.unstarted.pop_front(&self.requests);
        self.waiting -= usize::from(item.is_some());
        item
    }

    /// Requests that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Whether a request waits that any worker may run.
    #[inline]
    pub(super) fn has_work_for_anyone(&self) -> bool {
        !self.unstarted.is_empty() || !self.migrating.is_empty()
    }

    /// Workers to which a request is pinned that waits.
    #[inline]
    pub(super) fn with_pinned(&self) -> &WorkerSet {
        &self.with_pinned
    }
}

fn list_of<'a>(
    migrating: &'a mut List,
    pinned: &'a mut [List],
    with_pinned: &mut WorkerSet,
    item: Item,
) -> &'a mut List {
    let Some(worker) = item.pinned else { return migrating };
    with_pinned.insert(worker);
    &mut pinned[worker.index()]
}
