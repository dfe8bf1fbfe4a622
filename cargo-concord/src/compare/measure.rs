//! Service times of both builds.

use anyhow::{Context as _, Result, ensure};
use concord_bench::results::{ServiceTimePair, ServiceTimes, ServiceTimesReport};

use super::plan::Plan;
use super::progress::Progress;
use super::{Build, Programs};

/// How often each build is measured. They take turns, so that a slow spell of the machine meets both; the
/// median round counts.
pub(crate) const ROUNDS: usize = 5;
/// Length of one round, in seconds.
const ROUND_SECONDS: f64 = 1.0;

/// Measures both builds, one request at a time, in turns.
///
/// # Errors
/// When a program fails, or the instrumented one has no probes.
pub(crate) fn service_times(
    plan: &Plan,
    programs: &dyn Programs,
    progress: &Progress,
) -> Result<Vec<ServiceTimePair>> {
    let (mut plain, mut instrumented) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (build, rounds) in [(Build::Plain, &mut plain), (Build::Instrumented, &mut instrumented)] {
            progress.begin(format!("service times, {build}"));
            let report = measure(plan, programs, build)?;
            ensure!(
                report.instrumented == (build == Build::Instrumented),
                "the {build} says instrumented = {}: the builds were mixed up, or the service does \
                 not run on the Concord runtime",
                report.instrumented
            );
            rounds.push(report);
            progress.done();
        }
    }
    let names: Vec<String> = plan.workload.classes().into_iter().map(String::from).collect();
    names.iter().map(|name| pair(name, &plain, &instrumented)).collect()
}

fn measure(plan: &Plan, programs: &dyn Programs, build: Build) -> Result<ServiceTimesReport> {
    let mut args = plan.service_args.clone();
    args.extend(["service-times", "--json", "--workload"].map(String::from));
    args.push(plan.workload.name.clone());
    args.extend(["--seconds".into(), ROUND_SECONDS.to_string(), "--seed".into(), plan.seed.to_string()]);
    let output = programs.run(build, &args)?;
    serde_json::from_slice(&output).context("read the service times; is the service made with service_main?")
}

fn pair(
    name: &str,
    plain: &[ServiceTimesReport],
    instrumented: &[ServiceTimesReport],
) -> Result<ServiceTimePair> {
    let plain = median_round(name, plain)?;
    let instrumented = median_round(name, instrumented)?;
    let ratio = instrumented.median_ns / plain.median_ns;
    Ok(ServiceTimePair { name: name.into(), plain, instrumented, ratio })
}

/// The round whose median is the median of all rounds' medians.
fn median_round(name: &str, rounds: &[ServiceTimesReport]) -> Result<ServiceTimes> {
    let of_class =
        |report: &ServiceTimesReport| report.classes.iter().find(|class| class.name == name).cloned();
    let mut classes: Vec<ServiceTimes> = rounds.iter().filter_map(of_class).collect();
    classes.sort_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
    let middle = classes.len() / 2;
    classes.into_iter().nth(middle).with_context(|| format!("no service time of class {name} was measured"))
}
