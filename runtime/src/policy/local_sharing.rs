//! Two levels (Tiny Quanta, ASPLOS'24): a request is placed when it arrives, on the worker with the fewest
//! unfinished requests, and shares that worker with those that are there.

use super::local::LocalQueues;
use super::quantum::end_by_clock;
use super::{End, Item, Policy, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// See the module. Not work conserving: a worker idles while requests wait in another's queue.
#[derive(Debug)]
pub struct LocalSharing {
    queues: LocalQueues,
    loads: Box<[Load]>,
    /// By slot: quanta that a request has had.
    quanta: Box<[u32]>,
    quantum: Option<Ticks>,
}

/// The unfinished requests of one worker.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    requests: u32,
    /// Quanta that they have had, all together: who has had many is likely to be done soon.
    quanta: u32,
}

impl LocalSharing {
    /// See [`Setup`].
    pub fn new(setup: &Setup) -> Self {
        Self {
            queues: LocalQueues::new(setup.workers, setup.capacity),
            loads: vec![Load::default(); setup.workers].into(),
            quanta: vec![0; setup.capacity].into(),
            quantum: setup.quantum,
        }
    }

    fn forget(&mut self, worker: WorkerId, item: &Item) {
        let load = &mut self.loads[worker.index()];
        load.requests -= 1;
        load.quanta -= self.quanta[item.slot as usize];
    }
}

impl Policy for LocalSharing {
    fn arrived(&mut self, item: Item, now: Tsc) {
        let key = |&index: &usize| (self.loads[index].requests, u32::MAX - self.loads[index].quanta);
        let index = (0..self.loads.len()).min_by_key(key).expect("there are workers");
        self.loads[index].requests += 1;
        self.quanta[item.slot as usize] = 0;
        self.queues.push_new(WorkerId(index as u16), item, now);
    }

    fn preempted(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        self.quanta[item.slot as usize] += 1;
        self.loads[worker.index()].quanta += 1;
        self.queues.push_back(worker, item, now);
    }

    fn done(&mut self, worker: WorkerId, item: Item, _: Tsc) {
        // What the dispatcher took was forgotten then.
        if worker != WorkerId::DISPATCHER {
            self.forget(worker, &item);
        }
    }

    fn next(&mut self, workers: &Workers, _: Tsc) -> Option<(WorkerId, Item)> {
        self.queues.assign(workers)
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        end_by_clock(workers, false, self.queues.with_work(), self.quantum?)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        let (worker, item) = self.queues.take_unstarted()?;
        self.forget(worker, &item);
        Some(item)
    }

    fn waiting(&self) -> usize {
        self.queues.waiting()
    }
}
