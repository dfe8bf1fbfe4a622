//! `cargo concord compare`: one service, several quanta, one table.
//!
//! ```text
//! args -> plan (everything that can be wrong is refused here, before anything is built)
//!      -> builds: plain and instrumented
//!      -> measure: service times of both, in turns -> points: one process per policy, quantum and load
//!      -> table, JSON
//! ```

mod args;
mod builds;
mod measure;
mod plan;
mod points;
mod progress;
mod table;
mod variant;

pub(crate) use args::Args;
pub(crate) use builds::CargoBuilds;
pub(crate) use measure::service_times;
pub(crate) use plan::Plan;
pub(crate) use points::run_all as run_points;
pub(crate) use progress::Progress;

/// Steps of progress that [`service_times`] takes.
pub(crate) const SERVICE_TIME_STEPS: usize = measure::ROUNDS * 2;

use std::fmt;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use concord_bench::results::{Comparison, Machine};

/// Which program of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// From `cargo build --release`: what instrumentation is measured against.
    Plain,
    /// From `cargo concord build --release`.
    Instrumented,
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain build",
            Self::Instrumented => "instrumented build",
        })
    }
}

/// The service's two programs, once they are built.
pub(crate) trait Programs {
    /// Runs the program of `build` with `args`; its standard output.
    ///
    /// # Errors
    /// When it cannot be started or failed without a result; the message has its standard error.
    fn run(&self, build: Build, args: &[String]) -> Result<Vec<u8>>;
}

/// Runs the subcommand.
///
/// # Errors
/// Bad arguments, a build that failed, or a service program that failed.
pub(crate) fn run(args: Args) -> Result<ExitCode> {
    let plan = Plan::new(&args)?;
    let programs = CargoBuilds::new(&args)?;
    let comparison = compare(&plan, &programs)?;
    println!("{}", table::render(&comparison));
    if let Some(file) = &args.json {
        let json = serde_json::to_vec_pretty(&comparison)?;
        std::fs::write(file, json).with_context(|| format!("write the results to {}", file.display()))?;
        println!("The same as JSON: {}", file.display());
    }
    Ok(verdict(&comparison))
}

/// Measures and runs everything that the plan asks for.
fn compare(plan: &Plan, programs: &dyn Programs) -> Result<Comparison> {
    let progress = Progress::new(SERVICE_TIME_STEPS + plan.points.len());
    let service_times = measure::service_times(plan, programs, &progress)?;
    let runs = points::run_all(plan, programs, &service_times, &progress)?;
    progress.finish();
    Ok(Comparison { service: plan.service.clone(), machine: Machine::here(), service_times, runs })
}

/// Success, unless a run proves nothing or a reply was wrong.
fn verdict(comparison: &Comparison) -> ExitCode {
    let void = comparison.runs.iter().filter(|run| run.adherence.void).count();
    let wrong: u64 = comparison.runs.iter().flat_map(|run| &run.classes).map(|class| class.wrong).sum();
    if void > 0 {
        eprintln!("error: {void} run(s) are void: the schedule was not kept; lower the load or free a core");
    }
    if wrong > 0 {
        eprintln!("error: {wrong} replies had the wrong content");
    }
    if void > 0 || wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[cfg(test)]
pub(crate) mod fake;
#[cfg(test)]
mod tests;
