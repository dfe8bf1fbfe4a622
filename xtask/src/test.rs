//! `cargo xtask test`: everything that has to hold before a change lands.

use std::process::Command;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::process::{self, cargo};
use crate::{counts, setup, tools};

/// Options of the tests.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the steps with this word in their name
    #[arg(long)]
    only: Option<String>,
}

type Step = (&'static str, fn() -> Result<()>);

const STEPS: [Step; 7] = [
    ("format", || process::run(cargo(&["fmt", "--all", "--check"]))),
    ("lints", lints),
    ("docs", docs),
    ("tools", tools::build),
    ("unit tests", unit_tests),
    ("builds of fixtures", fixtures),
    ("instruction counts", counts::check),
];

/// Runs the steps; the first that fails ends the run.
///
/// # Errors
/// When a step fails.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::run()?;
    let chosen = STEPS
        .iter()
        .filter(|(name, _)| options.only.as_ref().is_none_or(|word| name.contains(word.as_str())));
    let mut times = Vec::new();
    for (name, step) in chosen {
        eprintln!("\n\x1b[1;34m== {name}\x1b[0m");
        let start = Instant::now();
        step()?;
        times.push((name, start.elapsed()));
    }
    if times.is_empty() {
        bail!("no step is named so");
    }
    eprintln!();
    for (name, time) in times {
        eprintln!("{name:30} {:6.1} s", time.as_secs_f64());
    }
    eprintln!("all steps passed");
    Ok(())
}

fn lints() -> Result<()> {
    process::run(with_clang(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))
}

fn docs() -> Result<()> {
    let mut doc = with_clang(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    process::run(doc)
}

fn unit_tests() -> Result<()> {
    counted(with_clang(&["test", "--workspace", "--exclude", "concord-tests"]))
}

fn fixtures() -> Result<()> {
    counted(cargo(&["test", "--package", "concord-tests"]))
}

/// Cargo, with the compiler that LevelDB's build needs: gcc rejects one of its warning flags.
///
/// Not for tests that run `cargo concord`, which takes a compiler set so for the user's own choice.
fn with_clang(arguments: &[&str]) -> Command {
    let mut command = cargo(arguments);
    command.env("CC", "clang").env("CXX", "clang++");
    command
}

/// Runs tests, says how many ran, and fails on none: a filter that matches nothing proves nothing.
fn counted(tests: Command) -> Result<()> {
    let mut passed = 0;
    process::stream(tests, |line| passed += passed_tests(line).unwrap_or(0))?;
    if passed == 0 {
        bail!("no test ran");
    }
    eprintln!("{passed} tests passed");
    Ok(())
}

/// The number in `test result: ok. 12 passed; ..`.
pub(crate) fn passed_tests(line: &str) -> Option<usize> {
    let counts = line.strip_prefix("test result: ok. ")?;
    counts.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted() {
        assert_eq!(passed_tests("test result: ok. 12 passed; 0 failed; 0 ignored"), Some(12));
        assert_eq!(passed_tests("test result: FAILED. 12 passed; 1 failed"), None);
        assert_eq!(passed_tests("running 12 tests"), None);
    }
}
