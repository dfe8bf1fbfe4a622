//! A program's own tests.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use super::builds::{Builder, Building};
use crate::process;
use crate::test::passed_tests;

/// How a program's own tests ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Tests {
    /// Passed, built by `cargo concord`.
    pub(super) passed: usize,
    /// Failed, built by `cargo concord`, but not built by Cargo.
    pub(super) failed: BTreeSet<String>,
    /// Failed in both: the program's own affair.
    pub(super) failed_in_both: BTreeSet<String>,
    /// What the published package leaves out, if anything.
    pub(super) left_out: Option<&'static str>,
}

/// Runs the tests, and those that failed again in a plain build.
///
/// # Errors
/// When the tests cannot be built, or none ran.
pub(super) fn run(building: &Building<'_>) -> Result<Tests> {
    let ours = Outcome::of(building, Builder::Concord)?;
    let plain = if ours.failed.is_empty() {
        Outcome::default()
    } else {
        Outcome::of(building, Builder::Cargo).context("tests failed, and a plain build of them as well")?
    };
    Ok(Tests {
        passed: ours.passed,
        failed: ours.failed.difference(&plain.failed).cloned().collect(),
        failed_in_both: ours.failed.intersection(&plain.failed).cloned().collect(),
        left_out: building.program.tests_left_out,
    })
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    passed: usize,
    failed: BTreeSet<String>,
}

impl Outcome {
    fn of(building: &Building<'_>, builder: Builder) -> Result<Self> {
        let mut command = building.command(builder, "test");
        command.arg("--no-fail-fast").args(building.program.test_flags);
        let mut outcome = Self::default();
        let ended = process::stream(command, |line| outcome.read(line));
        if outcome.failed.is_empty() {
            ended?;
        }
        ensure!(outcome.passed > 0, "no test ran");
        Ok(outcome)
    }

    fn read(&mut self, line: &str) {
        self.passed += passed_tests(line).unwrap_or(0);
        if let Some(test) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.failed.insert(test.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_all_test_programs_add_up() {
        let mut outcome = Outcome::default();
        for line in [
            "test a::works ... ok",
            "test a::fails ... FAILED",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored",
            "test result: ok. 12 passed; 0 failed; 0 ignored",
        ] {
            outcome.read(line);
        }
        assert_eq!((outcome.passed, outcome.failed), (12, BTreeSet::from(["a::fails".to_owned()])));
    }
}
