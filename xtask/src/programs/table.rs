//! The results to read.

use comfy_table::{CellAlignment, Table, presets};

use super::builds::Both;
use super::results::{ProgramResult, Results};
use super::suite::Tests;
use crate::usage::Usage;

/// One row for each program: what Cargo takes, then what `cargo concord` takes.
pub(super) fn render(results: &Results) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header([
        "program",
        "build, s",
        "processor, s",
        "memory, MiB",
        "pass",
        "no change, s",
        "edit, s",
        "edit of a dependency, s",
        "code, KiB",
        "file, KiB",
        "probes",
        "functions (over the bound)",
        "same",
        "own tests",
    ]);
    for program in &results.programs {
        table.add_row(row(program));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n{}", summary(results))
}

fn row(program: &ProgramResult) -> [String; 14] {
    let ProgramResult { build, size, code, .. } = program;
    let edit = |edit: Option<Both<Usage>>| edit.map(seconds).unwrap_or_default();
    let dependency = program.dependency.filter(|_| program.dependency_edit.is_some());
    [
        format!("{} {}", program.name, program.version),
        seconds(*build),
        pair(build.plain.cpu_seconds, build.concord.cpu_seconds),
        pair(mebibytes(build.plain.peak_bytes), mebibytes(build.concord.peak_bytes)),
        format!("{:.0}", mebibytes(code.pass_peak_bytes)),
        format!("{:.2} -> {:.2}", program.no_change_seconds.plain, program.no_change_seconds.concord),
        edit(program.root_edit),
        dependency.map(|name| format!("{name}: {}", edit(program.dependency_edit))).unwrap_or_default(),
        pair(size.plain.text_bytes as f64 / 1024.0, size.concord.text_bytes as f64 / 1024.0),
        pair(size.plain.file_bytes as f64 / 1024.0, size.concord.file_bytes as f64 / 1024.0),
        code.probes.to_string(),
        format!("{} ({})", code.functions, code.functions_over_bound),
        format!("{} of {}", program.comparisons, program.comparisons),
        program.tests.as_ref().map(tests).unwrap_or_default(),
    ]
}

fn seconds(both: Both<Usage>) -> String {
    pair(both.plain.seconds, both.concord.seconds)
}

/// Both figures, and what the second is of the first.
fn pair(plain: f64, concord: f64) -> String {
    let digits = usize::from(plain < 100.0);
    format!("{plain:.digits$} -> {concord:.digits$} ({:.2}x)", concord / plain)
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn tests(tests: &Tests) -> String {
    let mut said = format!("{} passed", tests.passed);
    let mut say = |number: usize, what: &str| {
        if number > 0 {
            said.push_str(&format!(", {number} {what}"));
        }
    };
    say(tests.failed.len(), "failed");
    say(tests.failed_in_both.len(), "failed in a plain build too");
    said
}

fn summary(results: &Results) -> String {
    let mut summary = "plain Cargo -> cargo concord; memory is that of the largest process, `pass` that of the pass in the last link\n".to_owned();
    for ProgramResult { name, tests, artefact, code, .. } in &results.programs {
        summary.push_str(&format!(
            "{name}: sizes, probes and functions are those of {artefact}; its longest path without a probe has {} instructions (bound {}), {} functions get no probes, the pass took {:.1} s\n",
            code.longest_path_instructions, code.bound_instructions, code.skipped, code.pass_seconds
        ));
        let Some(tests) = tests else { continue };
        if let Some(left_out) = tests.left_out {
            summary.push_str(&format!("{name}: the published package leaves out its {left_out}\n"));
        }
        for (failed, which) in [(&tests.failed, "failed"), (&tests.failed_in_both, "failed in both builds")] {
            for test in failed {
                summary.push_str(&format!("{name}: test {test} {which}\n"));
            }
        }
    }
    for failure in &results.failed {
        summary.push_str(&format!("{}: {}\n", failure.name, failure.error));
    }
    summary.push_str(&format!("all of it took {:.0} s\n", results.seconds));
    summary
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;

    #[test]
    fn a_row_puts_both_builds_beside_each_other() {
        let text = super::render(&results());
        let row = text.lines().find(|line| line.contains("ripgrep 15")).unwrap();
        for part in [
            "30.0 -> 45.0 (1.50x)",
            "400 -> 600 (1.50x)",
            "500",
            "0.10 -> 0.40",
            "10.0 -> 12.0 (1.20x)",
            "1.0 -> 1.1 (1.08x)",
            "1234",
            "900 (12)",
            "50 of 50",
            "446 passed, 1 failed",
        ] {
            assert!(row.contains(part), "{part} in {row}");
        }
        for part in [
            "ripgrep: the published package leaves out its integration tests",
            "ripgrep: test regression::r1 failed\n",
            "fd-find: fd -H: ends with Some(1)",
            "19979 instructions (bound 4000)",
            "took 600 s",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
