//! Policies: which request runs next, on which worker, and which turn ends when.
//!
//! A policy is a pure state machine: time is an argument, nothing is read or written outside of it. The
//! dispatcher and a simulator run the same code; to a policy a tick is whatever unit its caller counts in.
//!
//! ```text
//!            arrived            next                     (turn runs)
//!   request ---------> policy ---------> worker's inbox -------------> done
//!                        ^                                     |
//!                        +--------- preempted, waits <---------+  ended when next_end says
//! ```
//!
//! What the caller does, in any order, whenever it finds something to do:
//!
//! 1. for each request that a worker gave back: [`Workers::take_back`], then [`Policy::done`],
//!    [`Policy::preempted`] or [`Policy::waits`];
//! 2. for each arrival: [`Policy::arrived`];
//! 3. [`Policy::next`] until it returns `None`, with [`Workers::give`] for each request that it named;
//! 4. [`Workers::set_turn`] as turns begin, then [`Policy::next_end`]: when the moment that it names has come, arm
//!    the turn, call [`Workers::arm`], and ask again;
//! 5. now and then [`Policy::tick`].
//!
//! None of the calls allocates; each takes constant time, but for looks at sets of workers as bits and for one
//! pass over the turns when something waits.

mod borrowed_time;
mod bounds;
mod classes;
mod darc;
mod fcfs;
mod heap;
mod least_attained;
mod local;
mod local_sharing;
mod on_demand;
mod processor_sharing;
mod quantum;
mod queue;
mod ranked;
mod registry;
mod report;
mod requests;
mod set;
mod spec;
mod spread_fcfs;
mod workers;

pub use borrowed_time::BorrowedTime;
pub use bounds::ClassBounds;
pub use darc::Darc;
pub use fcfs::Fcfs;
pub use least_attained::LeastAttained;
pub use local_sharing::LocalSharing;
pub use on_demand::OnDemand;
pub use processor_sharing::ProcessorSharing;
pub use registry::{all, names};
pub use report::{Cost, Costs, Report, Reservation, ReservationUpdate};
pub use set::WorkerSet;
pub use spec::{Entry, OptionDoc, Spec, SpecError, help};
pub use spread_fcfs::SpreadFcfs;
pub use workers::Workers;

use crate::id::{Class, WorkerId};
use crate::sys::clock::{Nanos, Ticks, Tsc};
use queue::{Queue, Shared};

/// A request as a policy sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The caller's name for it, below [`Setup::capacity`], unique among the requests under way.
    pub slot: u32,
    /// Its class.
    pub class: Class,
    /// When it arrived.
    pub arrival: Tsc,
    /// Service that it has received.
    pub received: Ticks,
    /// The worker that it is tied to: the one that started it. `None`: it has not started, or may migrate.
    pub pinned: Option<WorkerId>,
}

/// A turn that is to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Whose.
    pub worker: WorkerId,
    /// When, if nothing else happens until then; may have passed.
    pub at: Tsc,
}

/// What a policy is made for.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Workers.
    pub workers: usize,
    /// Requests under way at most: slots are below it.
    pub capacity: usize,
    /// Classes of requests; a class beyond is an unknown one.
    pub classes: usize,
    /// How long a turn may last while something waits for its worker; `None`: no turn is ended.
    pub quantum: Option<Ticks>,
    /// Ticks in one microsecond, for options that are times.
    pub ticks_per_micro: f64,
    /// Reads a clock in ticks, for policies that measure what their own work costs; nothing is decided by it.
    pub clock: Option<fn() -> Tsc>,
}

impl Setup {
    /// A time in ticks.
    pub fn ticks(&self, time: Nanos) -> Ticks {
        Ticks((time.0 as f64 * self.ticks_per_micro / 1e3).round() as u64)
    }
}

/// Decides which request runs next on which worker, and which turn is to end. Called by one thread.
pub trait Policy: Send {
    /// Called when a request was taken in.
    fn arrived(&mut self, item: Item, now: Tsc);

    /// Called when a turn of `worker` was ended by preemption; `item` carries the service received so far.
    fn preempted(&mut self, worker: WorkerId, item: Item, now: Tsc);

    /// Called when a task ended its turn itself, to wait for something that another is to do: it must not keep
    /// coming before the one that it waits for.
    fn waits(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        self.preempted(worker, item, now);
    }

    /// Called when a request was answered, by a worker or, when it was taken by
    /// [`take_unstarted`](Policy::take_unstarted), by [`WorkerId::DISPATCHER`].
    fn done(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        let _ = (worker, item, now);
    }

    /// Called whenever a worker may have room: a request and the worker that shall hold it. `None`: there is
    /// nothing to be handed out, until something happens.
    fn next(&mut self, workers: &Workers, now: Tsc) -> Option<(WorkerId, Item)>;

    /// Called after every change and once in each round of the dispatcher's loop: the turn that is to be ended
    /// first, and when. `None`: none, until something happens.
    fn next_end(&self, workers: &Workers) -> Option<End>;

    /// Called when all inboxes are full and the dispatcher has time to run a request itself: one that has not
    /// started. The policy hears of it again when it is done.
    fn take_unstarted(&mut self, now: Tsc) -> Option<Item>;

    /// Called before the dispatcher goes to sleep: requests that wait in the policy.
    fn waiting(&self) -> usize;

    /// Called after a run: what the policy has to say of itself.
    fn report(&self) -> Report {
        Report::default()
    }

    /// Called about every 100 us, whether or not anything happens.
    fn tick(&mut self, now: Tsc) {
        let _ = now;
    }
}

#[cfg(test)]
mod tests;
