//! `cargo xtask kernels`: what a build costs, against a plain build of the same source.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};

use crate::process::{self, cargo, command, root};
use crate::{setup, tools};

/// Options of the comparison.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rounds; in each the three builds run in turn
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Seconds for each kernel in each round
    #[arg(long, default_value = "0.15")]
    seconds: String,
}

/// The builds, plain first.
const BUILDS: [&str; 3] = ["plain", "without probes", "with probes"];

/// Nanoseconds by kernel and build, one for each round.
type Times = BTreeMap<String, [Vec<f64>; 3]>;

/// Builds the kernels three times, times them in turns, prints the ratios.
///
/// # Errors
/// When a build fails or a kernel's answer is wrong.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::run()?;
    tools::build()?;
    let programs = build()?;
    let mut times = Times::new();
    for round in 0..options.rounds {
        eprint!("\rround {} of {}", round + 1, options.rounds);
        for (build, program) in programs.iter().enumerate() {
            let output = process::output(command(program, &["--seconds", &options.seconds]))?;
            for line in output.lines() {
                let (name, time) = line.split_once(' ').context("a kernel printed no time")?;
                times.entry(name.to_owned()).or_default()[build].push(time.parse()?);
            }
        }
    }
    eprintln!();
    print!("{}", render(&times));
    Ok(())
}

fn build() -> Result<[PathBuf; 3]> {
    let package = ["build", "--release", "--package", "concord-kernels"];
    process::run(cargo(&package))?;
    process::run(tools::concord(&[&package[..], &["--no-probes"]].concat()))?;
    process::run(tools::concord(&package))?;
    let folders = ["release", "concord/no-probes/release", "concord/release"];
    Ok(folders.map(|folder| root().join(tools::target()).join(folder).join("concord-kernels")))
}

/// Ratios are of each round's pair, so that a slow minute of the machine meets both sides; their median counts.
fn render(times: &Times) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["kernel", "plain, us", BUILDS[1], BUILDS[2], "probes alone"]);
    let mut logarithms = [0.0; 3];
    for (name, [plain, bare, probed]) in times {
        let ratios = [ratio(bare, plain), ratio(probed, plain), ratio(probed, bare)];
        for (sum, ratio) in logarithms.iter_mut().zip(ratios) {
            *sum += ratio.ln();
        }
        let [first, second, third] = ratios.map(percent);
        table.add_row([name.clone(), format!("{:.1}", median(plain.clone()) / 1e3), first, second, third]);
    }
    let [first, second, third] = logarithms.map(|sum| percent((sum / times.len().max(1) as f64).exp()));
    table.add_row(["geometric mean".to_owned(), String::new(), first, second, third]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\nmedians of the rounds' pairs; nothing trimmed\n")
}

fn ratio(own: &[f64], base: &[f64]) -> f64 {
    median(own.iter().zip(base).map(|(own, base)| own / base).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_pair_the_rounds() {
        assert_eq!(ratio(&[10.0, 22.0, 33.0], &[10.0, 20.0, 30.0]), 1.1);
        assert_eq!(percent(1.034), "+3.4 %");
    }
}
