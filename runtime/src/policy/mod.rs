//! Policies: which request runs next on a worker.
//!
//! A policy is a pure state machine: time is an argument, nothing is read or written outside of it. The
//! dispatcher and a simulator run the same code; to them a tick is whatever unit the caller counts in.

mod fcfs;
mod processor_sharing;
mod queues;

pub use fcfs::Fcfs;
pub use processor_sharing::ProcessorSharing;

use crate::id::{Class, WorkerId};
use crate::sys::clock::{Ticks, Tsc};

/// A request as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The caller's name for it.
    pub slot: u32,
    /// Its class.
    pub class: Class,
    /// When it arrived.
    pub arrival: Tsc,
    /// Service that it has received.
    pub received: Ticks,
    /// The worker that it is tied to: the one that started it.
    pub pinned: Option<WorkerId>,
}

/// Decides which request runs next on which worker. Called by one thread.
pub trait Policy: Send {
    /// Called when a request was taken in.
    fn arrived(&mut self, item: Item, now: Tsc);

    /// Called when a turn was ended by preemption; `item` carries the service received so far.
    fn preempted(&mut self, item: Item, now: Tsc);

    /// Called when a task ended its turn itself, to wait for something that another is to do: it must not keep
    /// coming before the one that it waits for.
    fn waits(&mut self, item: Item, now: Tsc) {
        self.preempted(item, now);
    }

    /// Called when a request was answered.
    fn done(&mut self, item: Item, now: Tsc) {
        let _ = (item, now);
    }

    /// Called when `worker` can hold one more request: the request it shall hold, if there is one for it.
    fn next(&mut self, worker: WorkerId, now: Tsc) -> Option<Item>;

    /// Called to find the worker to offer work to, and before a turn is ended: whether
    /// [`next`](Policy::next) would have a request for `worker`.
    fn has_work_for(&self, worker: WorkerId) -> bool;

    /// Called to choose between workers that hold equally many requests: how many waiting requests only
    /// `worker` can run.
    fn pinned_to(&self, worker: WorkerId) -> usize;

    /// Called when a turn has lasted for the quantum and something waits for that worker: whether the turn
    /// shall end.
    fn preempts(&self) -> bool {
        true
    }
}

type Constructor = fn(workers: usize, capacity: usize) -> Box<dyn Policy>;

const REGISTRY: [(&str, Constructor); 2] = [
    ("ps", |workers, capacity| Box::new(ProcessorSharing::new(workers, capacity))),
    ("c-fcfs", |workers, capacity| Box::new(Fcfs::new(workers, capacity))),
];

/// Names of all policies.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.into_iter().map(|(name, _)| name)
}

/// Makes the policy called `name` for this many workers, with room for `capacity` requests.
pub fn by_name(name: &str, workers: usize, capacity: usize) -> Option<Box<dyn Policy>> {
    let (_, make) = REGISTRY.into_iter().find(|&(known, _)| known == name)?;
    Some(make(workers, capacity))
}

#[cfg(test)]
mod tests;
