//! The runtime itself beside the simulator: one worker, the same requests at the same times.

use anyhow::{Context as _, Result};
use concord_bench::results::Percentiles;
use concord_bench::sim::source::Source;
use concord_bench::sim::{Load, Setup, Study};

use super::results::Checked;
use crate::compare::{Plan, Programs, Progress, run_points};
use concord_bench::results::ServiceTimePair;

/// Runs the plan's one point and simulates it.
///
/// # Errors
/// When the program fails.
pub(super) fn check(
    plan: &Plan,
    programs: &dyn Programs,
    service_times: &[ServiceTimePair],
    source: &Source,
    setup: &Setup,
    progress: &Progress,
) -> Result<Vec<Checked>> {
    let runs = run_points(plan, programs, service_times, progress)?;
    let run = runs.first().context("the plan has a point")?;
    let load = plan.points[0].load;
    let study = Study { setup, load: Load { source, seconds: plan.seconds }, seeds: 1 };
    let (tally, _) = study.tally_all(load, plan.seed)?;
    let mut rows = Vec::new();
    for (index, name) in source.classes().into_iter().enumerate() {
        let real = run.classes.iter().find(|class| class.name == name);
        let simulated = tally.classes()[index].sojourn.percentiles();
        let Some((real, simulated)) = real.zip(simulated) else { continue };
        let Some((settled, raw)) = real.sojourn_settled_ns.zip(real.sojourn_raw_ns) else { continue };
        rows.extend(rows_of(&name, settled, raw, simulated));
    }
    Ok(rows)
}

fn rows_of(class: &str, real: Percentiles, raw: Percentiles, simulated: Percentiles) -> [Checked; 2] {
    let row = |percentile, of: fn(&Percentiles) -> f64| Checked {
        class: class.into(),
        percentile,
        real_ns: of(&real),
        real_raw_ns: of(&raw),
        simulated_ns: of(&simulated),
        diff_pct: 100.0 * (of(&simulated) / of(&real) - 1.0),
    };
    [row("p50", |times| times.p50), row("p99", |times| times.p99)]
}
