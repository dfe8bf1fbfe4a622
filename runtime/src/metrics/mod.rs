//! What a run leaves behind: counts, histograms, and the time that the host took away.

mod intervals;
mod recorder;

pub use intervals::Interval;
pub(crate) use intervals::{GapDetector, IntervalLog};
pub(crate) use recorder::{Turns, WorkerRecorder, histogram};

use hdrhistogram::Histogram;

use crate::id::WorkerId;
use crate::policy::Report;
use crate::sys::build::Build;
use crate::sys::clock::Nanos;

/// Slowdowns are kept in thousandths, since histograms count integers.
pub(crate) const SLOWDOWN_SCALE: f64 = 1000.0;

/// Statistics of one run.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// By class, in the order of [`Service::classes`](crate::Service::classes).
    pub classes: Vec<ClassStatistics>,
    /// Turns ended by preemption.
    pub preemptions: u64,
    /// For preempted turns, nanoseconds from the turn's start to the switch.
    pub achieved_quantum: Histogram<u64>,
    /// For turns that the dispatcher ended, nanoseconds from its writing to the line until the task had left its worker.
    pub notification: Histogram<u64>,
    /// Nanoseconds from the end of a preempted turn to the begin of the worker's next one.
    pub turnaround: Histogram<u64>,
    /// Turns of all workers together, and the time that passed between them.
    pub turns: u64,
    /// See `turns`.
    pub between_turns: Nanos,
    /// Packets that were no requests: dropped.
    pub malformed: u64,
    /// Requests longer than `request_size`: answered by an error.
    pub oversized: u64,
    /// Requests whose class could not be named: answered by an error.
    pub unclassified: u64,
    /// Packets that the system threw away before the dispatcher could receive them, as far as it says.
    pub lost: u64,
    /// Replies that the transport could not send.
    pub unsent: u64,
    /// Stacks mapped, all workers together: about the most tasks that were under way at once.
    pub stacks: u64,
    /// Requests that a worker could hold at the run's end: what was asked for, or derived.
    pub jbsq_depth: usize,
    /// What the dispatcher ran itself.
    pub assist: AssistStatistics,
    /// Longest time between two polls of the dispatcher, slices of requests that it ran itself included.
    pub longest_poll_gap: Nanos,
    /// Time that the host stole from each thread: the dispatcher first, then the workers. Seen only while a
    /// thread spins; what a turn lost shows in `overruns`.
    pub stolen: Vec<StolenTime>,
    /// Turns that went on without a probe for longer than `stolen_threshold` after the dispatcher had written
    /// to their line: the host stopped the worker, or the handler was in a long call without probes. A turn is
    /// written to when it must end and, in a binary with probes, every 100 us.
    pub overruns: Vec<Overrun>,
    /// What the policy says of itself: DARC's reservations and the costs of its bookkeeping.
    pub policy: Report,
    /// How this artefact was built.
    pub build: Build,
    /// From the first poll to the last reply.
    pub elapsed: Nanos,
}

impl Statistics {
    /// Requests that arrived.
    pub fn offered(&self) -> u64 {
        self.sum(|class| class.offered) + self.oversized + self.unclassified
    }

    /// Requests that the handler answered, errors included.
    pub fn answered(&self) -> u64 {
        self.sum(|class| class.answered)
    }

    /// Requests dropped at `queue_bound`.
    pub fn dropped(&self) -> u64 {
        self.sum(|class| class.dropped)
    }

    /// Error replies, panics included.
    pub fn errors(&self) -> u64 {
        self.sum(|class| class.errors)
    }

    fn sum(&self, count: impl Fn(&ClassStatistics) -> u64) -> u64 {
        self.classes.iter().map(count).sum()
    }
}

/// What a dispatcher ran itself while no worker had room; all zero when it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssistStatistics {
    /// Requests.
    pub requests: u64,
    /// Slices that they took.
    pub slices: u64,
    /// Time that the slices took together.
    pub ran: Nanos,
}

/// Statistics of one class.
#[derive(Clone, Debug)]
pub struct ClassStatistics {
    /// The class's name.
    pub name: String,
    /// Requests that arrived.
    pub offered: u64,
    /// Requests that ran to their end and were answered, errors included.
    pub answered: u64,
    /// Of those answered, how many by an error: the handler's own, a panic, or no stack.
    pub errors: u64,
    /// Of those, panics.
    pub panics: u64,
    /// Requests dropped at `queue_bound`.
    pub dropped: u64,
    /// Nanoseconds from a request's arrival (in process: its intended arrival) to its reply.
    pub sojourn: Histogram<u64>,
    /// Nanoseconds of service that it received: the sum of its turns.
    pub service: Histogram<u64>,
    /// Sojourn by service received, in thousandths; see [`ClassStatistics::slowdown_at`].
    pub slowdown_thousandths: Histogram<u64>,
}

impl ClassStatistics {
    /// The slowdown at `quantile` (0 to 1).
    pub fn slowdown_at(&self, quantile: f64) -> f64 {
        self.slowdown_thousandths.value_at_quantile(quantile) as f64 / SLOWDOWN_SCALE
    }
}

/// Time that the host stole from one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StolenTime {
    /// The thread.
    pub thread: WorkerId,
    /// When, since the run began.
    pub intervals: Vec<Interval>,
    /// Intervals beyond what the log holds.
    pub lost: u64,
}

/// A turn that did not see for long what was written to its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    /// Where.
    pub worker: WorkerId,
    /// From the writing to the answer as the dispatcher saw it, since the run began.
    pub interval: Interval,
}
