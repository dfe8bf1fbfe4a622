//! What is compared: workloads, and the runtime with one mechanism more at each step.

/// A load on a service.
pub(super) struct Workload {
    /// Its name in the results.
    pub(super) name: &'static str,
    /// The service's program.
    pub(super) program: &'static str,
    /// Its name to the service.
    pub(super) workload: &'static str,
    /// Service time, for loads that do not state it: `None` is measured.
    pub(super) mean_ns: Option<f64>,
    /// How much longer its runs are than the others': rare requests want more of them.
    pub(super) length: f64,
}

/// LevelDB, and the two bimodal loads of Concord's evaluation.
pub(super) const WORKLOADS: [Workload; 3] = [
    Workload {
        name: "leveldb-50-50",
        program: "leveldb-svc",
        workload: "get-scan-50-50",
        mean_ns: None,
        length: 2.0,
    },
    Workload {
        name: "bimodal-50-1-50-100",
        program: "synthetic-svc",
        workload: "high-bimodal",
        mean_ns: Some(50_500.0),
        length: 1.0,
    },
    Workload {
        name: "bimodal-99.5-0.5-0.5-500",
        program: "synthetic-svc",
        workload: "extreme-bimodal",
        mean_ns: Some(2_997.5),
        length: 1.0,
    },
];

/// Quanta.
pub(super) const QUANTA_NS: [u64; 2] = [5_000, 2_000];

/// The runtime at one step.
pub(super) struct Step {
    /// Its name in the results.
    pub(super) name: &'static str,
    /// Options of the service.
    pub(super) options: &'static [&'static str],
}

/// From an emulation of Shinjuku to the whole.
pub(super) const STEPS: [Step; 4] = [
    Step {
        name: "emulated interrupts",
        options: &["--preemption", "emulated-interrupt", "--jbsq-depth", "1", "--assist", "off"],
    },
    Step {
        name: "+ cooperation",
        options: &["--preemption", "line", "--jbsq-depth", "1", "--assist", "off"],
    },
    Step { name: "+ JBSQ(2)", options: &["--preemption", "line", "--jbsq-depth", "2", "--assist", "off"] },
    Step {
        name: "+ working dispatcher",
        options: &["--preemption", "line", "--jbsq-depth", "2", "--assist", "auto"],
    },
];
