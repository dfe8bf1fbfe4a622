//! Least attained service (Kleinrock, Queueing Systems II, 4.6; also foreground-background): who has received
//! least goes first. The best of the blind policies for the mean, when service times vary much.

use super::queue::Shared;
use super::ranked::Ranked;
use super::{End, Item, Policy, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// A turn ends when its request has received a quantum more than one that waits for the worker.
#[derive(Debug)]
pub struct LeastAttained {
    quantum: Option<Ticks>,
    shared: Shared,
    queue: Ranked,
    /// Of two that have received equally much, the one that came first goes first.
    number: u64,
}

impl LeastAttained {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self {
            quantum: setup.quantum,
            shared: Shared::new(setup.workers, setup.capacity),
            queue: Ranked::new(setup.workers),
            number: 0,
        }
    }

    fn push(&mut self, received: Ticks, item: Item, now: Tsc) {
        self.number += 1;
        self.queue.push(&mut self.shared, (received.0, self.number), item, now);
    }

    /// What a request had received when it came.
    fn received(&self, slot: u32) -> Ticks {
        self.shared.requests.item(slot).received
    }

    /// What the request that waits in `slot` is taken to have received.
    fn rank(&self, slot: u32) -> Ticks {
        Ticks(self.shared.requests.key(slot).0)
    }

    /// When the turn of `worker` is to end for a request that has received `least`.
    fn end_for(&self, workers: &Workers, worker: WorkerId, least: Ticks, quantum: Ticks) -> Option<End> {
        let (begun, running) = (workers.turn(worker)?, workers.oldest(worker)?);
        let left = (least + quantum).0.saturating_sub(self.received(running).0);
        Some(End { worker, at: begun + Ticks(left) })
    }
}

impl Policy for LeastAttained {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.queue.push_new(&mut self.shared, item, now);
    }

    fn preempted(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.push(item.received, item, now);
    }

    /// As if it had received more than any other: the one that it waits for comes first.
    fn waits(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.push(Ticks(u64::MAX / 2), item, now);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        if self.queue.waiting() == 0 {
            return None;
        }
        let choose = |held| self.queue.choose(&self.shared.pins, workers.holding(held));
        let worker = (0..workers.depth()).find_map(choose)?;
        self.queue.pop_for(&mut self.shared, worker).map(|item| (worker, item))
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        let quantum = self.quantum?;
        let unstarted = self.queue.unstarted(&self.shared, 0).map(|_| Ticks(0));
        let first = unstarted.or_else(|| self.queue.migrating().map(|slot| self.rank(slot)));
        let all = (0..workers.count()).map(|index| WorkerId(index as u16));
        let for_anyone = first.into_iter().flat_map(|least| all.clone().map(move |worker| (worker, least)));
        let pinned = self.queue.with_pinned().iter();
        let pinned = pinned.filter_map(|worker| Some((worker, self.rank(self.queue.pinned(worker)?))));
        let behind = (2..=workers.deepest()).flat_map(|held| workers.holding(held).iter());
        let behind = behind.filter_map(|worker| Some((worker, self.received(workers.second(worker)?))));
        let waiting = for_anyone.chain(pinned).chain(behind);
        waiting
            .filter_map(|(worker, least)| self.end_for(workers, worker, least, quantum))
            .min_by_key(|end| end.at)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.queue.take_unstarted(&self.shared)
    }

    fn waiting(&self) -> usize {
        self.queue.waiting()
    }
}
