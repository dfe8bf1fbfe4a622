//! A service that answers from a script.

use std::cell::RefCell;

use anyhow::{Result, bail};
use concord_bench::quantum;
use concord_bench::results::{
    AchievedQuantum, Adherence, ClassRun, Percentiles, Run, ServiceTimes, ServiceTimesReport, Stolen,
};

use super::{Build, Programs};

/// GET takes 500 ns, SCAN 600 us, 2 % more when instrumented; a run answers everything.
#[derive(Default)]
pub(crate) struct FakePrograms {
    /// Every call, in order.
    pub(crate) calls: RefCell<Vec<(Build, String)>>,
    /// So many of the first runs are void.
    pub(crate) void_runs: usize,
    /// The instrumented program has no probes.
    pub(crate) uninstrumented: bool,
    /// Replies with the wrong content per run.
    pub(crate) wrong: u64,
}

impl Programs for FakePrograms {
    fn run(&self, build: Build, args: &[String]) -> Result<Vec<u8>> {
        self.calls.borrow_mut().push((build, args.join(" ")));
        let instrumented = build == Build::Instrumented && !self.uninstrumented;
        match args.iter().map(String::as_str).find(|arg| ["service-times", "in-process"].contains(arg)) {
            Some("service-times") => Ok(serde_json::to_vec(&service_times(instrumented))?),
            Some("in-process") => Ok(serde_json::to_vec(&self.in_process(args))?),
            _ => bail!("no such subcommand: {args:?}"),
        }
    }
}

impl FakePrograms {
    /// Calls of one subcommand.
    pub(crate) fn calls_of(&self, subcommand: &str) -> Vec<(Build, String)> {
        self.calls.borrow().iter().filter(|(_, args)| args.contains(subcommand)).cloned().collect()
    }

    fn in_process(&self, args: &[String]) -> Run {
        let value = |option: &str| {
            let at = args.iter().position(|arg| arg == option);
            at.map(|at| args[at + 1].clone())
        };
        let quantum_ns = quantum::parse(&value("--quantum").unwrap()).unwrap();
        let void = self.calls_of("in-process").len() <= self.void_runs;
        Run {
            policy: value("--policy").unwrap(),
            variant: "default".into(),
            quantum_ns,
            load: None,
            workload: value("--workload").unwrap(),
            rate: value("--rate").map_or(0.0, |rate| rate.parse().unwrap()),
            workers: 1,
            seed: 1,
            seconds: 5.0,
            instrumented: true,
            adherence: Adherence {
                kept_pct: if void { 50.0 } else { 99.5 },
                tolerance_ns: 10_000,
                late_p99_ns: 1,
                void,
            },
            excluded_pct: 2.0,
            classes: vec![class("GET", self.wrong), class("SCAN", 0)],
            achieved_quantum_ns: quantum_ns.map(achieved),
            achieved_quantum_raw_ns: quantum_ns.map(|ns| achieved(3 * ns)),
            preemptions: 7,
            jbsq_depth: 2,
            assisted: 3,
            policy_report: String::new(),
            longest_poll_gap_ns: 5_000,
            stolen: Stolen::default(),
            trimmed: "turns that overlap a host gap are left out of the achieved quantum".into(),
        }
    }
}

fn achieved(ns: u64) -> AchievedQuantum {
    let ns = ns as f64;
    AchievedQuantum { p50: ns, p99: ns, p999: ns, mean: ns, sd: 1.0, max: ns, excluded_pct: 0.5 }
}

fn service_times(instrumented: bool) -> ServiceTimesReport {
    let factor = if instrumented { 1.02 } else { 1.0 };
    let class = |name: &str, ns: f64| ServiceTimes {
        name: name.into(),
        samples: 100,
        median_ns: ns * factor,
        mean_ns: ns * factor,
        trimmed_pct: 0.0,
    };
    ServiceTimesReport {
        workload: "get-scan-50-50".into(),
        instrumented,
        trimmed: String::new(),
        classes: vec![class("GET", 500.0), class("SCAN", 599_500.0)],
    }
}

fn class(name: &str, wrong: u64) -> ClassRun {
    let percentiles = Some(Percentiles { p50: 1_500.0, p99: 30_000.0, p999: 60_000.0 });
    ClassRun {
        name: name.into(),
        offered: 1_000,
        answered: 1_000 - wrong,
        errors: 0,
        wrong,
        dropped: 0,
        excluded_pct: 2.0,
        settled_excluded_pct: 5.0,
        sojourn_settled_ns: percentiles,
        slowdown_settled: percentiles,
        sojourn_ns: percentiles,
        sojourn_raw_ns: percentiles,
        slowdown: percentiles,
        slowdown_raw: percentiles,
        service_time_ns: Some(500.0),
        service_ns: percentiles,
        preemptions: 7,
    }
}
