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
        // What the dispatcher runs itself waits for nobody: the number of preemptions would not be foreseeable.
        "--variants",
        "assist=off",
        "--json",
        &json.to_string_lossy(),
    ]);
    process::run(compare)?;
    let text = std::fs::read(&json).with_context(|| format!("cannot read {}", json.display()))?;
    check_preemptions(&serde_json::from_slice(&text)?)?;
    println!("The same as JSON: target/demo/compare.json");
    Ok(())
}

/// Share of the expected preemptions that a row must have.
const LEAST_SHARE: f64 = 0.9;

/// Fails when a row with a quantum has too few preemptions: then its latencies prove nothing.
///
/// A turn is ended only while another request waits. With one worker that shares its time equally, a share of
/// the busy time that equals the load has another request waiting, whatever the service times (M/G/1-PS: the
/// number of requests is geometric), and in it a SCAN is preempted once a quantum.
fn check_preemptions(comparison: &Value) -> Result<()> {
    let mut times = comparison["service_times"].as_array().into_iter().flatten();
    let scan = times.find(|class| class["name"] == "SCAN").context("SCAN was not timed")?;
    let service = scan["instrumented"]["median_ns"].as_f64().context("SCAN has no service time")?;
    let runs = comparison["runs"].as_array().context("compare.json has no runs")?;
    for run in runs {
        let Some(quantum) = run["quantum_ns"].as_f64() else { continue };
        let load = run["load"].as_f64().context("a run does not say its load")?;
        let scan = run["classes"].as_array().into_iter().flatten().find(|class| class["name"] == "SCAN");
        let scan = scan.context("a run has no class SCAN")?;
        let answered = scan["answered"].as_f64().context("SCAN has no answered requests")?;
        let expected = answered * (service / quantum).floor() * load;
        let counted = run["preemptions"].as_f64().context("a run does not say its preemptions")?;
        if counted < LEAST_SHARE * expected {
            bail!(
                "quantum {quantum} ns at load {load}: {counted} preemptions, fewer than 90 % of the {expected:.0} that {answered} SCANs of {service} ns ask for"
            );
        }
        println!(
            "quantum {quantum} ns at load {load}: {counted} preemptions, {expected:.0} expected of {answered} SCANs"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn comparison(preemptions: u64) -> Value {
        json!({
            "service_times": [{"name": "SCAN", "instrumented": {"median_ns": 500_000.0}}],
            "runs": [
                {"quantum_ns": null, "load": 0.5, "classes": [], "preemptions": 0},
                {
                    "quantum_ns": 5_000, "load": 0.5, "preemptions": preemptions,
                    "classes": [{"name": "GET"}, {"name": "SCAN", "answered": 100}]
                },
            ]
        })
    }

    #[test]
    fn too_few_preemptions_fail_the_demo() {
        assert!(check_preemptions(&comparison(5_000)).is_ok());
        assert!(check_preemptions(&comparison(4_600)).is_ok());
        assert!(check_preemptions(&comparison(4_400)).is_err());
        assert!(check_preemptions(&json!({})).is_err());
    }
}
