//! Distributed first come, first served: each worker has a queue of its own, and requests are spread over them
//! without a look, as a network card spreads flows (receive side scaling).

use super::local::LocalQueues;
use super::{End, Item, Policy, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::Tsc;

/// Not work conserving: a worker idles while requests wait in another's queue.
#[derive(Debug)]
pub struct SpreadFcfs {
    queues: LocalQueues,
    workers: u64,
    arrivals: u64,
}

impl SpreadFcfs {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        let queues = LocalQueues::new(setup.workers, setup.capacity);
        Self { queues, workers: setup.workers as u64, arrivals: 0 }
    }
}

/// A number that looks random, from a counter (SplitMix64; Steele, Lea, Flood, OOPSLA'14).
fn scatter(counter: u64) -> u64 {
    let mut bits = counter.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

impl Policy for SpreadFcfs {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.arrivals += 1;
        let worker = WorkerId((scatter(self.arrivals) % self.workers) as u16);
        self.queues.push_new(worker, item, now);
    }

    /// Keeps the request's place, should someone else have ended its turn.
    fn preempted(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        self.queues.push_front(worker, item, now);
    }

    fn waits(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        self.queues.push_back(worker, item, now);
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.queues.assign(workers)
    }

    fn next_end(&self, _: &Workers) -> Option<End> {
        None
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        self.queues.take_unstarted().map(|(_, item)| item)
    }

    fn waiting(&self) -> usize {
        self.queues.waiting()
    }
}
