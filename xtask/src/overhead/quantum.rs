//! What the probes buy: how long turns really last under the real runtime.
//!
//! A turn in which no probe answered for 10 us is either one that the host stopped or one with a long call into
//! code without probes. Every run of a kernel does the same work, so what the code does shows in every run:
//! when fewer than half of the runs have such a turn, the host made them, and they are left out. Otherwise
//! nothing is.

use anyhow::{Context, Result, ensure};
use concord_bench::results::{AchievedQuantum, Run};

use super::builds::{Builds, PROBED};
use crate::process::{self, command};

/// Requests that share the worker: one always waits, so every turn ends when its quantum is over.
const REQUESTS: u64 = 2;

/// Lengths of the turns of two requests that share one worker, each running the kernel for half of `seconds`.
///
/// `run_ns` is how long one run of the kernel takes. `None` when no turn ended by preemption.
///
/// # Errors
/// When the service fails or a reply is wrong.
pub(super) fn achieved(
    builds: &Builds,
    kernel: &str,
    quantum: &str,
    run_ns: f64,
    seconds: f64,
) -> Result<Option<AchievedQuantum>> {
    let runs = (seconds * 1e9 / REQUESTS as f64 / run_ns).ceil().max(1.0) as u64;
    let (requests, runs_each) = (REQUESTS.to_string(), runs.to_string());
    // Both arrive at once; how punctually is of no consequence, since nothing here is a latency.
    let load =
        ["--workload", "request=1", "--requests", &requests, "--rate", "1e9", "--tolerance-us", "1000000"];
    let runtime = ["--workers", "1", "--policy", "ps", "--quantum", quantum];
    let service = ["--kernel", kernel, "--runs", &runs_each];
    let arguments = [&["in-process", "--json"], &load[..], &runtime[..], &service[..]].concat();
    let output = process::output(command(builds.program(PROBED), &arguments))?;
    let run: Run =
        serde_json::from_str(&output).with_context(|| format!("the service answered `{output}`"))?;
    let failed: u64 = run.classes.iter().map(|class| class.offered - class.answered).sum();
    ensure!(failed == 0, "kernel {kernel} as a service: {failed} requests had no right answer");
    Ok(without_host_gaps(&run, REQUESTS * runs))
}

/// All turns when the long ones are the code's, those without the long ones when they are the host's.
fn without_host_gaps(run: &Run, runs: u64) -> Option<AchievedQuantum> {
    let all = run.achieved_quantum_raw_ns?;
    let Some(without_long) = run.achieved_quantum_ns else { return Some(all) };
    let long = without_long.excluded_pct / 100.0 * run.preemptions as f64;
    Some(if 2.0 * long < runs as f64 { without_long } else { all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(max: f64, excluded_pct: f64) -> AchievedQuantum {
        AchievedQuantum { p50: 5e3, p99: 6e3, p999: 7e3, mean: 5e3, sd: 100.0, max, excluded_pct }
    }

    /// 1,000 preempted turns, `long` of which went on for 10 us without a probe.
    fn run(long: f64) -> Run {
        let run = serde_json::json!({
            "policy": "ps", "variant": "default", "assisted": 0, "longest_poll_gap_ns": 0, "jbsq_depth": 2, "quantum_ns": 5000, "load": null, "workload": "request", "rate": 1.0, "workers": 1, "seed": 1,
            "seconds": 1.0, "instrumented": true, "excluded_pct": 0.0, "classes": [], "preemptions": 1000, "trimmed": "",
            "adherence": {"kept_pct": 100.0, "tolerance_ns": 1, "late_p99_ns": 1, "void": false},
            "stolen": {"gaps": 0, "total_ns": 0, "longest_ns": 0, "pct": 0.0},
            "achieved_quantum_ns": turns(9e3, long / 10.0), "achieved_quantum_raw_ns": turns(80e3, 0.0),
        });
        serde_json::from_value(run).unwrap()
    }

    #[test]
    fn long_turns_are_the_hosts_when_few_runs_have_one_and_else_the_codes() {
        assert_eq!(without_host_gaps(&run(40.0), 100).unwrap().max, 9e3);
        assert_eq!(without_host_gaps(&run(60.0), 100).unwrap().max, 80e3);
        assert_eq!(without_host_gaps(&run(0.0), 1).unwrap().max, 9e3);
        let never = Run { achieved_quantum_raw_ns: None, ..run(0.0) };
        assert_eq!(without_host_gaps(&never, 1), None);
    }
}
