//! A simulator of the runtime: discrete events over the runtime's own policies ([`concord::policy`]) and the same
//! arrivals ([`crate::workload`]), with costs as parameters ([`Costs`]).
//!
//! ```text
//! arrivals -> dispatcher: policy -> inbox(k) -> worker -> answered -> observer
//!                          ^                      |
//!                          +----- preempted ------+
//! ```
//!
//! A tick is a nanosecond. Reading order: `costs`, `engine`, `observe`, `slo`.

#[cfg(feature = "runtime")]
pub mod cli;
mod cores;
pub mod costs;
mod engine;
mod events;
pub mod observe;
pub mod policies;
pub mod presets;
pub mod requests;
pub mod results;
pub mod slo;
pub mod source;
pub mod study;
#[cfg(feature = "runtime")]
mod table;
pub mod trace;

pub use costs::Costs;
pub use observe::{Answered, Observer, Tally};
pub use requests::Arriving;
pub use slo::Slo;
pub use study::{Load, Spread, Study};

use concord::Ticks;

pub use concord::policy::{Report, ReservationUpdate, Spec};

use crate::error::BenchError;
use cores::MAX_WAITING;
use engine::Engine;

/// Most workers, as in the runtime.
pub const MAX_WORKERS: usize = 1024;

/// What is simulated.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The policy, with its options.
    pub policy: Spec,
    /// Workers.
    pub workers: usize,
    /// Requests that a worker holds at most, the running one included: the k of JBSQ(k).
    pub depth: usize,
    /// Quantum in nanoseconds; `None`: no turn is ended.
    pub quantum: Option<u64>,
    /// What things cost.
    pub costs: Costs,
    /// Requests under way at most; more are dropped and counted.
    pub queue_bound: usize,
    /// Whether a request that has started may go on on another worker.
    pub migrates: bool,
    /// How long the dispatcher runs a request itself at a stretch, in nanoseconds, when every inbox is full;
    /// `None`: it never does.
    pub assist: Option<u64>,
    /// Whether it stops at once when a worker needs it, as the runtime's does.
    pub assist_yields: bool,
    /// Whether a turn that has lasted for the quantum while nothing waited has another one before it: turns then
    /// end at whole quanta only.
    pub renews: bool,
    /// What the policy is told of a request's class.
    pub classifier: Classifier,
    /// Seed of what the simulator itself draws: the delays to the next probe, random classes.
    pub seed: u64,
}

/// What a policy is told of a request's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classifier {
    /// The truth.
    Right,
    /// Any of the first `classes` classes, whatever the request.
    Random {
        /// How many classes there are.
        classes: u16,
    },
    /// The same class for all.
    None,
}

impl Setup {
    /// `policy` on this many workers: one request per worker at a time, nothing costs anything,
    /// a started request may go on anywhere.
    pub fn ideal(policy: Spec, workers: usize, quantum: Option<u64>) -> Self {
        Self {
            policy,
            workers,
            depth: 1,
            quantum,
            costs: Costs::default(),
            queue_bound: 1 << 16,
            migrates: true,
            assist: None,
            assist_yields: true,
            renews: false,
            classifier: Classifier::Right,
            seed: 1,
        }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// The first that is out of its range.
    pub fn check(&self) -> Result<(), BenchError> {
        let within = |name: &str, value: usize, most: usize| match value {
            0 => Err(BenchError::Simulation(format!("{name} is 0; give 1 to {most}"))),
            _ if value > most => Err(BenchError::Simulation(format!("{name} is {value}; give 1 to {most}"))),
            _ => Ok(()),
        };
        within("the number of workers", self.workers, MAX_WORKERS)?;
        within("the inbox depth k", self.depth, MAX_WAITING + 1)?;
        within("the bound of requests under way", self.queue_bound, u32::MAX as usize)?;
        if self.quantum == Some(0) {
            return Err(BenchError::Simulation("a quantum of 0 would preempt without end".into()));
        }
        Ok(())
    }
}

/// What a run comes to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What was counted.
    pub counts: Counts,
    /// What the policy has to say of itself.
    pub report: Report,
}

/// What is counted in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that arrived.
    pub offered: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that were not taken in, or that no worker may run.
    pub dropped: u64,
    /// Requests that the dispatcher ran itself.
    pub assisted: u64,
    /// Time of the dispatcher in requests, in nanoseconds.
    pub assisted_ns: u64,
    /// Turns that ended by preemption.
    pub preemptions: u64,
    /// Time of all workers in requests, in nanoseconds.
    pub busy_ns: u64,
    /// Time of the dispatcher in what costs it something, in nanoseconds.
    pub dispatcher_ns: u64,
    /// When the last thing happened, in nanoseconds since the start.
    pub end_ns: u64,
}

/// Runs `setup` on `arrivals`, which must come in order of time and are of `classes` classes.
///
/// # Errors
/// When a number is out of its range, or an option of the policy impossible.
pub fn simulate<O: Observer>(
    setup: &Setup,
    classes: usize,
    arrivals: impl Iterator<Item = Arriving>,
    observer: &mut O,
) -> Result<Outcome, BenchError> {
    setup.check()?;
    let of_policy = concord::policy::Setup {
        workers: setup.workers,
        capacity: setup.queue_bound,
        classes,
        quantum: setup.quantum.map(Ticks),
        ticks_per_micro: 1e3,
        clock: None,
    };
    let policy = setup.policy.make(&of_policy).map_err(|error| BenchError::Simulation(error.to_string()))?;
    Ok(Engine::new(setup, policy, arrivals, observer).run())
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod theory;
