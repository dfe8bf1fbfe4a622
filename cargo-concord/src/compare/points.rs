//! Runs the points of a plan, one process each.

use anyhow::{Context as _, Result};
use concord_bench::quantum;
use concord_bench::results::{Run, ServiceTimePair};

use super::plan::{Plan, Point};
use super::progress::Progress;
use super::{Build, Programs};

/// A run whose schedule was not kept is made again, at most this many times in all.
const ATTEMPTS: usize = 3;

/// Runs all points.
///
/// # Errors
/// When a program fails.
pub(crate) fn run_all(
    plan: &Plan,
    programs: &dyn Programs,
    service_times: &[ServiceTimePair],
    progress: &Progress,
) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    for point in &plan.points {
        let name = describe(point);
        progress.begin(name.clone());
        let run = run_point(plan, programs, service_times, point, progress);
        runs.push(run.with_context(|| format!("the run with {name}"))?);
        progress.done();
    }
    Ok(runs)
}

fn describe(point: &Point) -> String {
    let Point { policy, variant, quantum_ns, load } = point;
    format!("{policy}, {variant}, quantum {}, load {load}", quantum::format(*quantum_ns))
}

fn run_point(
    plan: &Plan,
    programs: &dyn Programs,
    service_times: &[ServiceTimePair],
    point: &Point,
    progress: &Progress,
) -> Result<Run> {
    let args = arguments(plan, service_times, point)?;
    let mut attempt = 1;
    loop {
        let output = programs.run(Build::Instrumented, &args)?;
        let run: Run = serde_json::from_slice(&output).context("read the run's results")?;
        if !run.adherence.void || attempt == ATTEMPTS {
            return Ok(Run { load: Some(point.load), variant: point.variant.to_string(), ..run });
        }
        attempt += 1;
        progress.note(&format!(
            "{}: void, {:.1} % of the requests on time; attempt {attempt} of {ATTEMPTS}",
            describe(point),
            run.adherence.kept_pct
        ));
    }
}

fn arguments(plan: &Plan, service_times: &[ServiceTimePair], point: &Point) -> Result<Vec<String>> {
    let mut args = plan.service_args.clone();
    let mut add = |option: &str, value: String| args.extend([option.to_string(), value]);
    add("in-process", "--json".into());
    add("--workload", plan.workload.name.clone());
    add("--policy", point.policy.clone());
    add("--quantum", quantum::format(point.quantum_ns));
    point.variant.arguments().for_each(|(option, value)| add(&option, value));
    add("--workers", plan.workers.to_string());
    add("--seed", plan.seed.to_string());
    add("--seconds", plan.seconds.to_string());
    if plan.workload.states_service_times() {
        add("--load", point.load.to_string());
        return Ok(args);
    }
    let plain = |class: &str| service_times.iter().find(|pair| pair.name == class).map(|pair| &pair.plain);
    let rates =
        plan.workload.rates(point.load, plan.workers, |class| plain(class).map(|times| times.mean_ns))?;
    add("--rate", rates[0].to_string());
    let medians: Vec<String> =
        service_times.iter().map(|pair| format!("{}={}", pair.name, pair.plain.median_ns)).collect();
    add("--service-ns", medians.join(","));
    Ok(args)
}
