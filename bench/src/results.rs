//! The one schema of results: what `in-process`, `loadgen` and `cargo concord compare` write as JSON.
//!
//! Times are nanoseconds. A field that has no value (no quantum, no answered request) is `null`.

use serde::{Deserialize, Serialize};

/// What `cargo concord compare --json FILE` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Package of the service.
    pub service: String,
    /// Where it ran.
    pub machine: Machine,
    /// Service times per class, without and with instrumentation.
    pub service_times: Vec<ServiceTimePair>,
    /// One per policy, quantum and load.
    pub runs: Vec<Run>,
}

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name, or `unknown`.
    pub cpu: String,
    /// Processors that the process may use.
    pub cores: usize,
    /// Kernel release, or `unknown`.
    pub kernel: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
        let cpu = model.map_or("unknown", |model| model.trim_start_matches([' ', '\t', ':'])).to_string();
        let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease");
        let kernel = kernel.map_or_else(|_| "unknown".into(), |release| release.trim().to_string());
        Self { cpu, cores: std::thread::available_parallelism().map_or(1, usize::from), kernel }
    }
}

/// A class's service time in both builds of the service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceTimePair {
    /// The class.
    pub name: String,
    /// Built by `cargo build --release`.
    pub plain: ServiceTimes,
    /// Built by `cargo concord build --release`.
    pub instrumented: ServiceTimes,
    /// Instrumented median over plain median.
    pub ratio: f64,
}

/// Service times of one class, one request at a time and nothing else running.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceTimes {
    /// The class.
    pub name: String,
    /// Requests timed.
    pub samples: u64,
    /// Median.
    pub median_ns: f64,
    /// Mean without the trimmed samples.
    pub mean_ns: f64,
    /// Share of the samples that was trimmed, in percent; see the field `trimmed` of [`ServiceTimesReport`].
    pub trimmed_pct: f64,
}

/// What `service-times --json` writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServiceTimesReport {
    /// The workload that the classes and their shares come from.
    pub workload: String,
    /// Whether the code that ran has probes.
    pub instrumented: bool,
    /// What was left out of the means, in words.
    pub trimmed: String,
    /// One per class of the workload.
    pub classes: Vec<ServiceTimes>,
}

/// One run of a service under one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the policy.
    pub policy: String,
    /// How the runtime's mechanisms differ from its default, as `cargo concord compare --variants` names it.
    pub variant: String,
    /// Quantum; `null` without preemption.
    pub quantum_ns: Option<u64>,
    /// Share of the workers' time that the offered requests need, when the rate was chosen by load.
    pub load: Option<f64>,
    /// Name of the workload.
    pub workload: String,
    /// Offered requests per second, over the whole run.
    pub rate: f64,
    /// Workers.
    pub workers: usize,
    /// Seed of the schedule.
    pub seed: u64,
    /// Length of the run, from the first intended request to the end of the last one.
    pub seconds: f64,
    /// Whether the code that ran has probes.
    pub instrumented: bool,
    /// How well the schedule was kept.
    pub adherence: Adherence,
    /// Share of the answered requests that overlap a host gap and are left out of the figures that are not
    /// called raw, in percent.
    pub excluded_pct: f64,
    /// One per class of the workload.
    pub classes: Vec<ClassRun>,
    /// Lengths of the turns that ended by preemption, without those that hold a host gap; `null` when there
    /// was none.
    pub achieved_quantum_ns: Option<AchievedQuantum>,
    /// Lengths of all turns that ended by preemption.
    pub achieved_quantum_raw_ns: Option<AchievedQuantum>,
    /// Turns that ended by preemption.
    pub preemptions: u64,
    /// Requests that a worker could hold at the run's end: the k of JBSQ(k).
    pub jbsq_depth: usize,
    /// Requests that the dispatcher ran itself.
    pub assisted: u64,
    /// What the policy says of itself, in words: DARC's reservations and costs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub policy_report: String,
    /// Longest time between two polls of the dispatcher.
    pub longest_poll_gap_ns: u64,
    /// Time that the host took away.
    pub stolen: Stolen,
    /// What was left out of which figure, in words.
    pub trimmed: String,
}

/// What `loadgen --json` writes: a run as a client over the network sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientRun {
    /// Offered requests per second, over the whole run.
    pub rate: f64,
    /// From the first intended request to the last reply.
    pub seconds: f64,
    /// How well the schedule was kept.
    pub adherence: Adherence,
    /// One per class of the workload; nothing is excluded, and preemptions are not seen.
    pub classes: Vec<ClassRun>,
    /// Further replies to a request that had one.
    pub duplicates: u64,
    /// Packets that answer no request of this run.
    pub strays: u64,
    /// What was wrong with the first reply of wrong content.
    pub first_wrong: Option<String>,
}

/// How well a run kept its schedule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adherence {
    /// Share of the requests that were sent at most `tolerance_ns` after their intended time, in percent.
    pub kept_pct: f64,
    /// See `kept_pct`.
    pub tolerance_ns: u64,
    /// 99th percentile of the delay between the intended and the real send time.
    pub late_p99_ns: u64,
    /// Too many requests were late: the run proves nothing.
    pub void: bool,
}

/// One class of a run. Each offered request is in exactly one of `answered`, `errors`, `wrong`, `dropped`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRun {
    /// The class.
    pub name: String,
    /// Requests of the schedule.
    pub offered: u64,
    /// Replies with the right content.
    pub answered: u64,
    /// Error replies.
    pub errors: u64,
    /// Replies with the wrong content.
    pub wrong: u64,
    /// Requests without a reply, or refused because too many were under way.
    pub dropped: u64,
    /// Share of this class's answered requests that overlap a host gap, in percent.
    pub excluded_pct: f64,
    /// Share of this class's answered requests that overlap a host gap or its backlog, in percent.
    pub settled_excluded_pct: f64,
    /// As `sojourn_ns`, and without requests that were under way before the backlog of a long gap (100 us or
    /// more) was worked off: until the first moment with no request under way.
    pub sojourn_settled_ns: Option<Percentiles>,
    /// Sojourn time over service time, of the same requests as `sojourn_settled_ns`.
    pub slowdown_settled: Option<Percentiles>,
    /// From the intended send time to the reply, without requests that overlap a host gap.
    pub sojourn_ns: Option<Percentiles>,
    /// From the intended send time to the reply, all answered requests.
    pub sojourn_raw_ns: Option<Percentiles>,
    /// Sojourn time over service time, without requests that overlap a host gap.
    pub slowdown: Option<Percentiles>,
    /// Sojourn time over service time, all answered requests.
    pub slowdown_raw: Option<Percentiles>,
    /// Service time that the slowdowns divide by: what the request itself states, else the class's median in
    /// the build without instrumentation; `null` when it varies within the class or is not known.
    pub service_time_ns: Option<f64>,
    /// Service that the requests received in this run, without requests that overlap a host gap.
    pub service_ns: Option<Percentiles>,
    /// Turns of this class that ended by preemption.
    pub preemptions: u64,
}

/// Percentiles of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
}

/// Lengths of turns that ended by preemption.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AchievedQuantum {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: f64,
    /// The longest.
    pub max: f64,
    /// Share of the turns that was left out, in percent.
    pub excluded_pct: f64,
}

/// Time that the host took away from the run's threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stolen {
    /// Gaps seen, over all threads.
    pub gaps: u64,
    /// Their sum.
    pub total_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// Their sum over the run's length times its threads, in percent.
    pub pct: f64,
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::Value;

    use super::*;

    /// A run with every part filled in.
    pub(crate) fn run() -> Run {
        let percentiles = Some(Percentiles { p50: 1.0, p99: 2.0, p999: 3.0 });
        let class = ClassRun {
            name: "GET".into(),
            offered: 4,
            answered: 4,
            errors: 0,
            wrong: 0,
            dropped: 0,
            excluded_pct: 0.0,
            settled_excluded_pct: 0.0,
            sojourn_settled_ns: percentiles,
            slowdown_settled: percentiles,
            sojourn_ns: percentiles,
            sojourn_raw_ns: percentiles,
            slowdown: percentiles,
            slowdown_raw: percentiles,
            service_time_ns: Some(480.0),
            service_ns: percentiles,
            preemptions: 0,
        };
        Run {
            policy: "ps".into(),
            variant: "default".into(),
            quantum_ns: None,
            load: Some(0.5),
            workload: "get-scan-50-50".into(),
            rate: 1.0,
            workers: 1,
            seed: 1,
            seconds: 1.0,
            instrumented: true,
            adherence: Adherence { kept_pct: 100.0, tolerance_ns: 1, late_p99_ns: 1, void: false },
            excluded_pct: 0.0,
            classes: vec![class],
            achieved_quantum_ns: Some(AchievedQuantum {
                p50: 1.0,
                p99: 1.0,
                p999: 1.0,
                mean: 1.0,
                sd: 0.0,
                max: 1.0,
                excluded_pct: 0.0,
            }),
            achieved_quantum_raw_ns: None,
            preemptions: 0,
            jbsq_depth: 2,
            assisted: 0,
            policy_report: String::new(),
            longest_poll_gap_ns: 0,
            stolen: Stolen::default(),
            trimmed: String::new(),
        }
    }

    /// The keys that users' scripts read: a renamed field is a broken script.
    #[test]
    fn the_promised_keys_are_there() {
        let comparison = Comparison {
            service: "s".into(),
            machine: Machine::here(),
            service_times: vec![],
            runs: vec![run()],
        };
        let json = serde_json::to_value(&comparison).unwrap();
        let has = |value: &Value, keys: &[&str]| {
            for key in keys {
                assert!(value.get(key).is_some(), "{key} is missing in {value}");
            }
        };
        has(&json, &["service", "machine", "runs"]);
        let run = &json["runs"][0];
        has(
            run,
            &[
                "policy",
                "quantum_ns",
                "load",
                "excluded_pct",
                "classes",
                "achieved_quantum_ns",
                "preemptions",
            ],
        );
        assert!(run["quantum_ns"].is_null());
        has(&run["achieved_quantum_ns"], &["p50", "p99", "sd"]);
        let class = &run["classes"][0];
        has(class, &["name", "offered", "answered", "dropped", "sojourn_ns", "sojourn_raw_ns", "slowdown"]);
        for figure in ["sojourn_ns", "sojourn_raw_ns", "slowdown"] {
            has(&class[figure], &["p50", "p99", "p999"]);
        }
        assert_eq!(serde_json::from_value::<Comparison>(json).unwrap(), comparison);
    }

    #[test]
    fn this_machine_has_a_name() {
        let machine = Machine::here();
        assert!(machine.cores > 0 && !machine.cpu.is_empty() && !machine.kernel.is_empty());
    }
}
