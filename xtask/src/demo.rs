//! `cargo xtask demo`: the product in one command.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::{self, root};
use crate::{setup, tools};

/// Options of the demo.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Loads, as shares of what the workers can do
    #[arg(long, default_value = "0.3,0.5,0.7")]
    loads: String,
    /// Quanta
    #[arg(long, default_value = "none,100us,20us,5us,2us")]
    quanta: String,
    /// Seconds of load for each row
    #[arg(long, default_value = "5")]
    seconds: String,
}

/// Builds, compares, checks that requests were preempted as the quanta asked.
///
/// # Errors
/// When a step fails, or when the comparison shows too few preemptions.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::run()?;
    tools::build()?;
    let folder = root().join("target/demo");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let json = folder.join("compare.json");
    let compare = tools::concord(&[
        "compare",
        "--package",
        "leveldb-svc",
        "--workload",
        "get-scan-50-50",
        "--quanta",
        &options.quanta,
        "--loads",
        &options.loads,
        "--seconds",
        &options.seconds,
        "--json",
        &json.to_string_lossy(),
    ]);
    process::run(compare)?;
    let text = std::fs::read(&json).with_context(|| format!("cannot read {}", json.display()))?;
    check_preemptions(&serde_json::from_slice(&text)?)?;
    println!("The same as JSON: target/demo/compare.json");
    Ok(())
}

/// Share of the preemptions that SCANs alone must bring: service time / quantum for each of them.
const LEAST_SHARE: f64 = 0.9;

/// Fails when a row with a quantum has too few preemptions: then its latencies prove nothing.
fn check_preemptions(comparison: &Value) -> Result<()> {
    let mut times = comparison["service_times"].as_array().into_iter().flatten();
    let scan = times.find(|class| class["name"] == "SCAN").context("SCAN was not timed")?;
    let service = scan["instrumented"]["median_ns"].as_f64().context("SCAN has no service time")?;
    let runs = comparison["runs"].as_array().context("compare.json has no runs")?;
    for run in runs {
        let Some(quantum) = run["quantum_ns"].as_f64() else { continue };
        let scan = run["classes"].as_array().into_iter().flatten().find(|class| class["name"] == "SCAN");
        let scan = scan.context("a run has no class SCAN")?;
        let answered = scan["answered"].as_f64().context("SCAN has no answered requests")?;
        let expected = answered * (service / quantum).floor();
        let counted = run["preemptions"].as_f64().context("a run does not say its preemptions")?;
        if counted < LEAST_SHARE * expected {
            bail!(
                "quantum {quantum} ns at load {}: {counted} preemptions, fewer than 90 % of the {expected} that {answered} SCANs of {service} ns ask for",
                run["load"]
            );
        }
    }
    Ok(())
}
