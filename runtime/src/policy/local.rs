//! A queue for each worker, which shares it with nobody.

use super::requests::{List, Requests};
use super::{Item, WorkerSet, Workers};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// First-in-first-out queues, one for each worker, over one table of requests.
#[derive(Debug)]
pub(super) struct LocalQueues {
    requests: Requests,
    queues: Box<[Local]>,
    with_work: WorkerSet,
    waiting: usize,
}

#[derive(Clone, Debug)]
struct Local {
    unstarted: List,
    started: List,
    /// Number of the next request at the back.
    back: u64,
    /// Number of the last request at the front; counts down from the middle.
    front: u64,
}

impl LocalQueues {
    pub(super) fn new(workers: usize, capacity: usize) -> Self {
        let local =
            Local { unstarted: List::EMPTY, started: List::EMPTY, back: u64::MAX / 2, front: u64::MAX / 2 };
        Self {
            requests: Requests::new(capacity),
            queues: vec![local; workers].into(),
            with_work: WorkerSet::none(workers),
            waiting: 0,
        }
    }

    fn queue(&mut self, worker: WorkerId) -> (&mut Local, &mut Requests) {
        self.waiting += 1;
        self.with_work.insert(worker);
        (&mut self.queues[worker.index()], &mut self.requests)
    }

    /// Adds a request that has not started.
    pub(super) fn push_new(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        let (queue, requests) = self.queue(worker);
        queue.unstarted.push_back(requests, (queue.back, 0), item, now);
        queue.back += 1;
    }

    /// Adds a started request behind all others.
    pub(super) fn push_back(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        let (queue, requests) = self.queue(worker);
        queue.started.push_back(requests, (queue.back, 0), item, now);
        queue.back += 1;
    }

    /// Adds a started request before all others.
    pub(super) fn push_front(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        let (queue, requests) = self.queue(worker);
        queue.front -= 1;
        queue.started.push_front(requests, (queue.front, 0), item, now);
    }

    /// The next request for a worker that has room: one that holds the fewest of those with work.
    pub(super) fn assign(&mut self, workers: &Workers) -> Option<(WorkerId, Item)> {
        if self.waiting == 0 {
            return None;
        }
        let open = |held| workers.holding(held).first_in(&self.with_work);
        let worker = (0..workers.depth()).find_map(open)?;
        let queue = &mut self.queues[worker.index()];
        let number = |list: &List| list.first().map_or(u64::MAX, |slot| self.requests.key(slot).0);
        let is_unstarted = number(&queue.unstarted) < number(&queue.started);
        let list = if is_unstarted { &mut queue.unstarted } else { &mut queue.started };
        let item = list.pop_front(&self.requests)?;
        self.forget_one(worker);
        Some((worker, item))
    }

    fn forget_one(&mut self, worker: WorkerId) {
        self.waiting -= 1;
        let queue = &self.queues[worker.index()];
        if queue.unstarted.is_empty() && queue.started.is_empty() {
            self.with_work.remove(worker);
        }
    }

    /// The oldest request that has not started, from the queue with the most of them.
    pub(super) fn take_unstarted(&mut self) -> Option<(WorkerId, Item)> {
        let unstarted = |worker: &WorkerId| self.queues[worker.index()].unstarted.len();
        let worker = self.with_work.iter().max_by_key(unstarted)?;
        let item = self.queues[worker.index()].unstarted.pop_front(&self.requests)?;
        self.forget_one(worker);
        Some((worker, item))
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Workers whose queue is not empty.
    pub(super) fn with_work(&self) -> &WorkerSet {
        &self.with_work
    }
}
