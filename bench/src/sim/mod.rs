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

mod cores;
pub mod costs;
mod engine;
mod events;
pub mod observe;
pub mod requests;
pub mod source;

pub use costs::Costs;
pub use observe::{Answered, Observer, Tally};
pub use requests::Arriving;

use crate::error::BenchError;
use cores::MAX_WAITING;
use engine::Engine;

/// Most workers: one bit each in a word.
pub const MAX_WORKERS: usize = 64;

/// What is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Name of the policy.
    pub policy: String,
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
    /// The policy called `policy` on this many workers: one request per worker at a time, nothing costs anything,
    /// a started request may go on anywhere.
    pub fn ideal(policy: &str, workers: usize, quantum: Option<u64>) -> Self {
        Self {
            policy: policy.into(),
            workers,
            depth: 1,
            quantum,
            costs: Costs::default(),
            queue_bound: 1 << 16,
            migrates: true,
            classifier: Classifier::Right,
            seed: 1,
        }
    }

    fn check(&self) -> Result<(), BenchError> {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that arrived.
    pub offered: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Requests that were not taken in.
    pub dropped: u64,
    /// Turns that ended by preemption.
    pub preemptions: u64,
    /// Time of all workers in requests, in nanoseconds.
    pub busy_ns: u64,
    /// Time of the dispatcher in what costs it something, in nanoseconds.
    pub dispatcher_ns: u64,
    /// When the last thing happened, in nanoseconds since the start.
    pub end_ns: u64,
}

/// Runs `setup` on `arrivals`, which must come in order of time.
///
/// # Errors
/// When there is no such policy, or a number is out of its range.
pub fn simulate<O: Observer>(
    setup: &Setup,
    arrivals: impl Iterator<Item = Arriving>,
    observer: &mut O,
) -> Result<Counts, BenchError> {
    setup.check()?;
    let policy = concord::policy::by_name(&setup.policy, setup.workers, setup.queue_bound)
        .ok_or_else(|| BenchError::Simulation(format!("there is no policy `{}`", setup.policy)))?;
    Ok(Engine::new(setup, policy, arrivals, observer).run())
}

#[cfg(test)]
mod theory;
