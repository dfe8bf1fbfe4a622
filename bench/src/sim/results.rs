//! The schema of `simulate --json`. Times are nanoseconds.

use serde::Serialize;

use super::{Costs, Spread};
use crate::results::Percentiles;

/// The whole file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Simulations {
    /// What arrives.
    pub workload: String,
    /// Workers.
    pub workers: usize,
    /// The k of JBSQ(k).
    pub depth: usize,
    /// What things cost.
    pub costs: Costs,
    /// Seeds of each figure.
    pub seeds: u64,
    /// Simulated seconds of each run.
    pub seconds: f64,
    /// Requests per second that keep the workers busy all the time.
    pub capacity_rps: f64,
    /// Simulated requests per second of processor time; 0 when only an objective was asked for.
    pub simulated_rps: f64,
    /// One per policy, quantum and load.
    pub points: Vec<Point>,
    /// One per policy and quantum, when an objective was given.
    pub at_slo: Vec<AtSlo>,
}

/// One policy and quantum at one load; figures are over seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Name of the policy.
    pub policy: String,
    /// Quantum; `null` without preemption.
    pub quantum_ns: Option<u64>,
    /// Share of the workers' time that the offered requests need.
    pub load: f64,
    /// Offered requests per second.
    pub rate: f64,
    /// 99.9th percentile of the slowdown over all classes; `null` when nothing was answered.
    pub slowdown_p999: Option<Spread>,
    /// Turns that ended by preemption, per request.
    pub preemptions_per_request: f64,
    /// Share of the requests that were dropped, in percent.
    pub dropped_pct: f64,
    /// Requests that the dispatcher ran itself, in percent.
    pub assisted_pct: f64,
    /// Share of the time in which the dispatcher was busy, in percent.
    pub dispatcher_busy_pct: f64,
    /// One per class.
    pub classes: Vec<ClassPoint>,
}

/// One class of a point; medians over seeds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassPoint {
    /// The class.
    pub name: String,
    /// From arrival to answer.
    pub sojourn_ns: Option<Percentiles>,
    /// Sojourn time over service time.
    pub slowdown: Option<Percentiles>,
}

/// The highest load at which an objective is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtSlo {
    /// Name of the policy.
    pub policy: String,
    /// Quantum; `null` without preemption.
    pub quantum_ns: Option<u64>,
    /// The objective, as on the command line.
    pub slo: String,
    /// Load, over seeds.
    pub load: Spread,
    /// Requests per second, over seeds.
    pub rate: Spread,
}
