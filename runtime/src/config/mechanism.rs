//! Mechanisms of the runtime, each with the alternatives that it is measured against.

use super::{Config, check};
use crate::error::Error;

/// How a worker's turn is ended before its request is done. All but [`Line`](Preemption::Line) are baselines, in the
/// same runtime so that a comparison is a ratio within one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preemption {
    /// The dispatcher writes to the line that the worker's code polls (Concord).
    #[default]
    Line,
    /// The dispatcher sends a POSIX signal; its handler arms the line, so that the next probe switches. The
    /// switch itself cannot be made in the handler: it may have interrupted an allocator or a lock.
    Signal,
    /// An **emulation** of preemption by interrupts (Shinjuku): as `Line`, and at each preemption the worker spins for as long
    /// as it would take to receive an interrupt. Nothing is interrupted.
    EmulatedInterrupt {
        /// Ticks of the time stamp counter; [`SHINJUKU_CYCLES`](Preemption::SHINJUKU_CYCLES) by default.
        cycles: u32,
    },
    /// Each probe of a worker looks at the worker's own clock, and ends the turn after the quantum whether or not something
    /// waits.
    Clock,
}

impl Preemption {
    /// What receiving a posted interrupt costs a worker of Shinjuku (Concord, SOSP'23, section 2.2.1).
    pub const SHINJUKU_CYCLES: u32 = 1_200;
}

/// Who decides what runs next on a worker when a turn has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rotation {
    /// The dispatcher: a preempted request goes back to the policy.
    #[default]
    Dispatcher,
    /// The worker (a baseline): it keeps the requests that it holds until they are done and runs them in turn. The
    /// policy only says who gets a request that has not started.
    Worker,
}

/// Whether the dispatcher runs requests itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assist {
    /// In a binary with probes; without them it could not return to its work before a handler does.
    #[default]
    Auto,
    /// Never.
    Off,
    /// Always: for handlers that are known to be short, or that call probes themselves.
    On,
}

impl Config {
    /// Most requests that a worker ever holds: what its rings have room for.
    pub(crate) fn deepest(&self) -> usize {
        self.jbsq_depth.unwrap_or(crate::dispatcher::DEEPEST)
    }

    /// Whether a dispatcher of a binary with probes, or without, runs requests itself.
    pub(crate) fn assists(&self, has_probes: bool) -> bool {
        match self.assist {
            Assist::Auto => has_probes,
            Assist::Off => false,
            Assist::On => true,
        }
    }

    /// Whether the dispatcher ends turns; the workers do it themselves otherwise.
    pub(crate) fn dispatcher_ends_turns(&self) -> bool {
        self.preemption != Preemption::Clock
    }

    pub(super) fn check_mechanisms(&self) -> Result<(), Error> {
        let Preemption::EmulatedInterrupt { cycles } = self.preemption else { return Ok(()) };
        check(cycles <= 10_000_000, "preemption", || {
            format!("an emulated interrupt of {cycles} cycles; at most 10000000")
        })
    }
}
