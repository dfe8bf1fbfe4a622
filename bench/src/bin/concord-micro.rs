//! Micro-benchmarks of the runtime: times all parts, or does one part so many times, for valgrind to count.

use std::process::ExitCode;

use clap::Parser;
use concord_bench::micro::{Effort, PARTS, measure, part};

/// Micro-benchmarks of the runtime
#[derive(Parser)]
struct Cli {
    /// Few repetitions
    #[arg(long)]
    quick: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Only do this part, without timing it
    #[arg(long, value_name = "NAME", requires = "times")]
    part: Option<String>,
    /// How often
    #[arg(long, value_name = "N", requires = "part")]
    times: Option<u64>,
}

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    if let (Some(name), Some(times)) = (&cli.part, cli.times) {
        let names = || PARTS.map(|part| part.name).join(", ");
        let part = part(name).ok_or_else(|| anyhow::anyhow!("no part `{name}`; there are {}", names()))?;
        (part.run)(times);
        return Ok(());
    }
    let micro = measure(if cli.quick { Effort::QUICK } else { Effort::FULL })?;
    let value = serde_json::to_value(&micro)?;
    if cli.json {
        println!("{value}");
        return Ok(());
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        println!("{name:36} {value}");
    }
    Ok(())
}
