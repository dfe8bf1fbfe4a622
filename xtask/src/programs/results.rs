//! The schema of `target/programs/programs.json`.
//!
//! Times are seconds, sizes bytes; names that end in `ratio` are `concord` over `plain`.

use concord_bench::results::Machine;
use serde::Serialize;

use super::builds::{Both, Code, Size};
use super::catalogue::Program;
use super::suite::Tests;
use crate::usage::Usage;

/// The whole file.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    /// In the order in which they ran.
    pub(super) programs: Vec<ProgramResult>,
    /// Programs that were not built, did not do the same in both builds, or failed otherwise.
    pub(super) failed: Vec<Failure>,
    /// Without edits and tests.
    pub(super) is_quick: bool,
    /// How long it all took.
    pub(super) seconds: f64,
    /// Where it ran.
    pub(super) machine: Machine,
}

/// A program without figures.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    /// Its name.
    pub(super) name: &'static str,
    /// Why.
    pub(super) error: String,
}

/// One program.
#[derive(Debug, Serialize)]
pub(super) struct ProgramResult {
    /// Its package.
    pub(super) name: &'static str,
    /// Its version.
    pub(super) version: &'static str,
    /// What it is.
    pub(super) kind: &'static str,
    /// The artefact that sizes and code are of.
    pub(super) artefact: &'static str,
    /// Building from nothing.
    pub(super) build: Both<Usage>,
    /// Ratio of the seconds of `build`.
    pub(super) build_ratio: f64,
    /// Ratio of the processor time of `build`.
    pub(super) build_cpu_ratio: f64,
    /// Ratio of the peak memory of `build`.
    pub(super) peak_ratio: f64,
    /// Seconds of a build without a change.
    pub(super) no_change_seconds: Both<f64>,
    /// Building after an edit of the program; absent after `--quick`.
    pub(super) root_edit: Option<Both<Usage>>,
    /// Name of the dependency that was edited.
    pub(super) dependency: Option<&'static str>,
    /// Building after an edit of it.
    pub(super) dependency_edit: Option<Both<Usage>>,
    /// Sizes of the artefact.
    pub(super) size: Both<Size>,
    /// Ratio of its machine code.
    pub(super) text_ratio: f64,
    /// What the pass made of it.
    pub(super) code: Code,
    /// Comparisons of what both builds do; all were equal.
    pub(super) comparisons: usize,
    /// Its own tests, built by `cargo concord`; absent after `--quick`.
    pub(super) tests: Option<Tests>,
}

/// What was measured of a program.
pub(super) struct Measured {
    pub(super) build: Both<Usage>,
    pub(super) no_change_seconds: Both<f64>,
    pub(super) root_edit: Option<Both<Usage>>,
    pub(super) dependency_edit: Option<Both<Usage>>,
    pub(super) size: Both<Size>,
    pub(super) code: Code,
    pub(super) comparisons: usize,
    pub(super) tests: Option<Tests>,
}

impl ProgramResult {
    pub(super) fn new(program: &Program, measured: Measured) -> Self {
        let Measured { build, no_change_seconds, root_edit, dependency_edit, size, code, comparisons, tests } =
            measured;
        Self {
            name: program.name,
            version: program.version,
            kind: program.kind,
            artefact: program.artefact,
            build_ratio: build.concord.seconds / build.plain.seconds,
            build_cpu_ratio: build.concord.cpu_seconds / build.plain.cpu_seconds,
            peak_ratio: build.concord.peak_bytes as f64 / build.plain.peak_bytes as f64,
            build,
            no_change_seconds,
            root_edit,
            dependency: program.dependency,
            dependency_edit,
            text_ratio: size.concord.text_bytes as f64 / size.plain.text_bytes as f64,
            size,
            code,
            comparisons,
            tests,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::super::catalogue::PROGRAMS;
    use super::*;

    fn usage(seconds: f64, peak_bytes: u64) -> Usage {
        Usage { seconds, cpu_seconds: 2.0 * seconds, peak_bytes }
    }

    pub(in super::super) fn results() -> Results {
        let both =
            |plain, concord| Both { plain: usage(plain, 400 << 20), concord: usage(concord, 600 << 20) };
        let size = |text_bytes| Size { file_bytes: 3 << 20, text_bytes };
        let measured = |is_quick: bool| Measured {
            build: both(30.0, 45.0),
            no_change_seconds: Both { plain: 0.1, concord: 0.4 },
            root_edit: (!is_quick).then(|| both(10.0, 12.0)),
            dependency_edit: None,
            size: Both { plain: size(1_000), concord: size(1_080) },
            code: Code {
                probes: 1_234,
                functions: 900,
                functions_over_bound: 12,
                longest_path_instructions: 19_979,
                bound_instructions: 4_000,
                skipped: 300,
                pass_seconds: 9.5,
                pass_peak_bytes: 500 << 20,
            },
            comparisons: 50,
            tests: (!is_quick).then(|| Tests {
                passed: 446,
                failed: BTreeSet::from(["regression::r1".to_owned()]),
                failed_in_both: BTreeSet::new(),
                left_out: Some("integration tests"),
            }),
        };
        Results {
            programs: vec![
                ProgramResult::new(&PROGRAMS[0], measured(false)),
                ProgramResult::new(&PROGRAMS[2], measured(true)),
            ],
            failed: vec![Failure { name: "fd-find", error: "fd -H: ends with Some(1)".into() }],
            is_quick: false,
            seconds: 600.0,
            machine: Machine::here(),
        }
    }

    /// The keys that scripts read.
    #[test]
    fn the_promised_keys_are_there() {
        let json = serde_json::to_value(results()).unwrap();
        let program = &json["programs"][0];
        let near = |value: &serde_json::Value, expected: f64| {
            assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{value} is not {expected}");
        };
        near(&program["build_ratio"], 1.5);
        near(&program["build_cpu_ratio"], 1.5);
        near(&program["peak_ratio"], 1.5);
        near(&program["text_ratio"], 1.08);
        near(&program["build"]["concord"]["seconds"], 45.0);
        near(&program["build"]["plain"]["cpu_seconds"], 60.0);
        near(&program["no_change_seconds"]["concord"], 0.4);
        near(&program["root_edit"]["plain"]["seconds"], 10.0);
        near(&program["size"]["plain"]["file_bytes"], f64::from(3 << 20));
        near(&program["code"]["functions_over_bound"], 12.0);
        near(&program["tests"]["passed"], 446.0);
        assert_eq!(program["tests"]["failed"][0], "regression::r1");
        assert!(json["programs"][1]["tests"].is_null() && json["programs"][1]["dependency"].is_null());
        assert_eq!(json["failed"][0]["name"], "fd-find");
    }
}
