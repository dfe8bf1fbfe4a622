//! `cargo xtask ablation`: what each mechanism of the runtime adds, in one run.
//!
//! The same services run with one mechanism more at each step. For each step the greatest load is searched at which
//! the slowdown stays within the objective; the steps take turns, run by run, so that a slow spell of the machine
//! meets all of them.
//!
//! What two cores can show: with one worker, `JBSQ(2)` saves a hand-off per request, which matters where requests take a
//! microsecond and not where they take 300; the working dispatcher nearly doubles the cores.
//!
//! Reading order: `steps`, `search`, `results`.

mod plot;
mod results;
mod search;
mod steps;

use anyhow::{Context as _, Result};

use crate::process::{self, cargo, command};
use crate::{setup, tools};
use results::{Results, WorkloadResult};
use search::{Effort, Programs};
use steps::WORKLOADS;

/// Options of the ablation.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Short runs, one repetition: a first look, in about two minutes after building
    #[arg(long)]
    quick: bool,
    /// Workers; the dispatcher takes one more core
    #[arg(long, value_name = "N", default_value_t = 1)]
    workers: usize,
    /// Only these workloads
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Take the programs as they were built before
    #[arg(long, conflicts_with = "build_only")]
    no_build: bool,
    /// Build the programs and measure nothing
    #[arg(long)]
    build_only: bool,
}

/// Builds, measures, prints the table, leaves JSON and picture in `target/ablation`.
///
/// # Errors
/// When a build or a service fails, a reply is wrong, or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::run()?;
    if !options.no_build {
        build()?;
    }
    if options.build_only {
        return Ok(());
    }
    let programs = Programs::find(options.workers)?;
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    eprintln!("micro-benchmarks");
    let micro = micro(options.quick)?;
    let mut workloads = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| options.takes(workload.name)) {
        for quantum_ns in steps::QUANTA_NS {
            eprintln!("{}, quantum {} us", workload.name, quantum_ns / 1_000);
            let searched = search::search(&programs, workload, quantum_ns, effort)?;
            workloads.push(WorkloadResult::new(workload.name, quantum_ns, searched));
        }
    }
    report(&Results::new(options.workers, options.quick, workloads, micro))
}

impl Options {
    fn takes(&self, workload: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == workload)
    }
}

fn build() -> Result<()> {
    tools::build()?;
    process::run(tools::concord(&["build", "--release", "--package", "leveldb-svc"]))?;
    process::run(tools::concord(&[
        "build",
        "--release",
        "--package",
        "concord-bench",
        "--bin",
        "synthetic-svc",
    ]))?;
    process::run(cargo(&["build", "--release", "--package", "concord-bench", "--bin", "concord-micro"]))
}

/// The micro-benchmarks' figures, left in `target/micro/micro.json` too.
fn micro(quick: bool) -> Result<serde_json::Value> {
    let mut arguments = vec!["--json"];
    arguments.extend(quick.then_some("--quick"));
    let output = process::output(command(tools::folder().join("concord-micro"), &arguments))?;
    let folder = process::root().join("target/micro");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = folder.join("micro.json");
    std::fs::write(&file, &output).with_context(|| format!("cannot write {}", file.display()))?;
    serde_json::from_str(&output).with_context(|| format!("concord-micro answered `{output}`"))
}

fn report(results: &Results) -> Result<()> {
    let folder = process::root().join("target/ablation");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (json, picture) = (folder.join("ablation.json"), folder.join("ablation.svg"));
    std::fs::write(&json, serde_json::to_vec_pretty(results)?)
        .with_context(|| format!("cannot write {}", json.display()))?;
    plot::draw(results, &picture)?;
    println!("{}", results.render());
    println!("the same as JSON: target/ablation/ablation.json, picture: target/ablation/ablation.svg");
    Ok(())
}
