//! What a policy has to say of itself after a run.

use crate::id::{Class, WorkerId};
use crate::sys::clock::{Ticks, Tsc};

/// See the module. Empty for policies that have nothing to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// DARC: each time that workers were reserved anew, the first [`Report::LIMIT`] of them.
    pub updates: Vec<ReservationUpdate>,
    /// Updates beyond those kept.
    pub updates_lost: u64,
    /// What the policy's bookkeeping has cost.
    pub costs: Costs,
}

impl Report {
    /// Updates that are kept.
    pub const LIMIT: usize = 1024;
}

/// A new reservation of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct ReservationUpdate {
    /// When.
    pub at: Tsc,
    /// What is reserved for whom, the shortest group first.
    pub groups: Vec<Reservation>,
}

/// What is reserved for one group of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reservation {
    /// Its classes, the shortest first.
    pub classes: Vec<Class>,
    /// The workers that it needs by its share of the load.
    pub demand: f64,
    /// Workers that are its own; the spillway worker, when it got no other.
    pub reserved: Vec<WorkerId>,
    /// Workers of longer groups that it may use too.
    pub stealable: Vec<WorkerId>,
}

/// What the bookkeeping of a policy has cost, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Adding a completion to the profile.
    pub profile: Cost,
    /// Looking whether the reservations are still right.
    pub check: Cost,
    /// Reserving anew.
    pub update: Cost,
}

/// What one kind of work has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How often it was done.
    pub count: u64,
    /// How often it was measured.
    pub measured: u64,
    /// The sum of what was measured.
    pub total: Ticks,
}

impl Cost {
    /// Ticks at a time, on average; `None` when nothing was measured.
    pub fn mean(&self) -> Option<f64> {
        (self.measured > 0).then(|| self.total.0 as f64 / self.measured as f64)
    }
}
