//! Least attained service (Kleinrock, Queueing Systems II, 4.6; also foreground-background): who has received
//! least goes first. The best of the blind policies for the mean, when service times vary much.

use super::heap::{Heap, Nodes};
use super::requests::{List, Requests};
use super::{End, Item, Policy, Setup, WorkerSet, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// A turn ends when its request has received a quantum more than one that waits for the worker.
#[derive(Debug)]
pub struct LeastAttained {
    quantum: Option<Ticks>,
    requests: Requests,
    /// Has received nothing.
    unstarted: List,
    nodes: Nodes,
    migrating: Heap,
    pinned: Box<[Heap]>,
    with_pinned: WorkerSet,
    /// By slot: what a request had received when it was handed out.
    received: Box<[Ticks]>,
    waiting: usize,
    number: u64,
}

impl LeastAttained {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self {
            quantum: setup.quantum,
            requests: Requests::new(setup.capacity),
            unstarted: List::EMPTY,
            nodes: Nodes::new(setup.capacity),
            migrating: Heap::EMPTY,
            pinned: vec![Heap::EMPTY; setup.workers].into(),
            with_pinned: WorkerSet::none(setup.workers),
            received: vec![Ticks(0); setup.capacity].into(),
            waiting: 0,
            number: 0,
        }
    }

    fn push(&mut self, received: Ticks, item: Item) {
        self.waiting += 1;
        self.number += 1;
        let heap = match item.pinned {
            Some(worker) => {
                self.with_pinned.insert(worker);
                &mut self.pinned[worker.index()]
            }
            None => &mut self.migrating,
        };
        heap.push(&mut self.nodes, (received, self.number), item);
    }

    fn has_work_for_anyone(&self) -> bool {
        !self.unstarted.is_empty() || !self.migrating.is_empty()
    }

    fn choose(&self, open: &WorkerSet) -> Option<WorkerId> {
        if !self.has_work_for_anyone() {
            return open.first_in(&self.with_pinned);
        }
        open.first_outside(&self.with_pinned).or_else(|| open.first())
    }

    fn pop_for(&mut self, worker: WorkerId) -> Option<Item> {
        if let Some(item) = self.unstarted.pop_front(&self.requests) {
            return Some(item);
        }
        let least = |heap: &Heap| heap.least(&self.nodes).unwrap_or((Ticks(u64::MAX), u64::MAX));
        let pinned = &mut self.pinned[worker.index()];
        if least(&self.migrating) < least(pinned) {
            return self.migrating.pop(&mut self.nodes);
        }
        let item = pinned.pop(&mut self.nodes);
        if pinned.is_empty() {
            self.with_pinned.remove(worker);
        }
        item
    }

    /// The least that a request has received that waits for any worker.
    fn least_for_anyone(&self) -> Option<Ticks> {
        if !self.unstarted.is_empty() {
            return Some(Ticks(0));
        }
        self.migrating.least(&self.nodes).map(|(received, _)| received)
    }

    /// When the turn of `worker` is to end for one that has received `least`.
    fn end_for(&self, workers: &Workers, worker: WorkerId, least: Ticks, quantum: Ticks) -> Option<End> {
        let (begun, slot) = (workers.turn(worker)?, workers.oldest(worker)?);
        let received = self.received[slot as usize];
        Some(End { worker, at: begun + Ticks((least + quantum).0.saturating_sub(received.0)) })
    }
}

impl Policy for LeastAttained {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.waiting += 1;
        self.unstarted.push_back(&mut self.requests, 0, item, now);
    }

    fn preempted(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.push(item.received, item);
    }

    /// As if it had received more than any other: the one that it waits for comes first.
    fn waits(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.push(Ticks(u64::MAX / 2), item);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        if self.waiting == 0 {
            return None;
        }
        let worker = (0..workers.depth()).find_map(|held| self.choose(workers.holding(held)))?;
        let item = self.pop_for(worker)?;
        self.waiting -= 1;
        self.received[item.slot as usize] = item.received;
        Some((worker, item))
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        let quantum = self.quantum?;
        let least = self.least_for_anyone().into_iter();
        let all = (0..workers.count()).map(|index| WorkerId(index as u16));
        let for_anyone = least.flat_map(|least| all.clone().map(move |worker| (worker, least)));
        let pinned = self.with_pinned.iter().filter_map(|worker| {
            let (received, _) = self.pinned[worker.index()].least(&self.nodes)?;
            Some((worker, received))
        });
        let behind = (2..=workers.depth()).flat_map(|held| workers.holding(held).iter());
        let behind = behind.filter_map(|worker| {
            let slot = workers.second(worker)?;
            Some((worker, self.received[slot as usize]))
        });
        let ends = for_anyone.chain(pinned).chain(behind);
        ends.filter_map(|(worker, least)| self.end_for(workers, worker, least, quantum))
            .min_by_key(|end| end.at)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        let item = self.unstarted.pop_front(&self.requests)?;
        self.waiting -= 1;
        Some(item)
    }

    fn waiting(&self) -> usize {
        self.waiting
    }
}
