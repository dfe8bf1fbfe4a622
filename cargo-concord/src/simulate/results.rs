//! The schema of `cargo concord simulate --json`. Times are nanoseconds.

use concord_bench::results::{Machine, ServiceTimePair};
use concord_bench::sim::Costs;
use concord_bench::sim::results::AtSlo;
use serde::Serialize;

/// The whole file.
#[derive(Debug, Serialize)]
pub(crate) struct ServiceSimulation {
    /// Package of the service.
    pub(crate) service: String,
    /// Where its service times were measured.
    pub(crate) machine: Machine,
    pub(crate) workload: String,
    /// Workers that were simulated.
    pub(crate) workers: usize,
    /// Service times per class, without and with probes.
    pub(crate) service_times: Vec<ServiceTimePair>,
    /// What things cost.
    pub(crate) costs: Costs,
    /// Requests per second that keep the workers busy all the time.
    pub(crate) capacity_rps: f64,
    /// One per policy and quantum, the best first.
    pub(crate) at_slo: Vec<AtSlo>,
    pub(crate) recommended: Recommended,
    /// The runtime beside the simulator at one worker; empty when that was not asked for.
    pub(crate) check: Vec<Checked>,
}

/// Which policy and quantum to choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Recommended {
    pub(crate) policy: String,
    /// Quantum; `null` without preemption.
    pub(crate) quantum_ns: Option<u64>,
    /// Whether its worst seed is better than the best seed of all others.
    pub(crate) is_certain: bool,
    /// How far its median is above the next best one's, in percent; `null` when there is no other.
    pub(crate) margin_pct: Option<f64>,
    /// Others whose best seed reaches its worst.
    pub(crate) as_good: Vec<String>,
}

/// One percentile of one class of the run that is compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Checked {
    pub(crate) class: String,
    /// `p50` or `p99`.
    pub(crate) percentile: &'static str,
    /// Sojourn time on the runtime, without requests that overlap a host gap or its backlog.
    pub(crate) real_ns: f64,
    /// The same of all answered requests.
    pub(crate) real_raw_ns: f64,
    pub(crate) simulated_ns: f64,
    /// Simulated against real, in percent.
    pub(crate) diff_pct: f64,
}
