//! What the probes buy: how long turns really last under the real runtime.

use anyhow::{Context, Result, ensure};
use concord_bench::results::{AchievedQuantum, Run};

use super::builds::{Builds, PROBED};
use crate::process::{self, command};

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
    let runs = (seconds * 1e9 / 2.0 / run_ns).ceil().max(1.0).to_string();
    // Both arrive at once; how punctually is of no consequence, since nothing here is a latency.
    let arguments = [
        "in-process",
        "--json",
        "--workload",
        "request=1",
        "--requests",
        "2",
        "--rate",
        "1e9",
        "--tolerance-us",
        "1000000",
        "--workers",
        "1",
        "--policy",
        "ps",
        "--quantum",
        quantum,
        "--kernel",
        kernel,
        "--runs",
        &runs,
    ];
    let output = process::output(command(builds.program(PROBED), &arguments))?;
    let run: Run =
        serde_json::from_str(&output).with_context(|| format!("the service answered `{output}`"))?;
    let failed: u64 = run.classes.iter().map(|class| class.offered - class.answered).sum();
    ensure!(failed == 0, "kernel {kernel} as a service: {failed} requests had no right answer");
    Ok(run.achieved_quantum_ns)
}
