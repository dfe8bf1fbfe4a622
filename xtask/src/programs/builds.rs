//! Both builds of a program: from nothing, again without a change, and again after edits.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use concord_job::Report;
use serde::Serialize;
use serde_json::Value;

use super::catalogue::Program;
use super::source::Source;
use crate::machine_code::text_bytes;
use crate::process;
use crate::tools;
use crate::usage::{Usage, measure};

/// Who builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builder {
    /// `cargo`
    Cargo,
    /// `cargo concord`
    Concord,
}

/// Times of a no-change rebuild; the least counts, since whatever else the machine does only adds.
const NO_CHANGE_RUNS: usize = 3;

/// What an edit adds: code that the object file has to hold, so that no cache may pass it over.
const EDIT: &str = "\n#[used]\nstatic EDITED: u32 = 0x00ed_17ed;\n";

/// A pair of figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Both<T> {
    /// By `cargo`.
    pub(super) plain: T,
    /// By `cargo concord`.
    pub(super) concord: T,
}

impl<T> Both<T> {
    /// Does the same for both.
    ///
    /// # Errors
    /// The first error.
    pub(super) fn of(mut figure: impl FnMut(Builder) -> Result<T>) -> Result<Self> {
        Ok(Self { plain: figure(Builder::Cargo)?, concord: figure(Builder::Concord)? })
    }
}

/// A program that is built.
pub(super) struct Building<'a> {
    pub(super) program: &'a Program,
    pub(super) source: &'a Source,
}

impl Building<'_> {
    /// Cargo's `subcommand` on the release profile, with nothing but what was fetched.
    pub(super) fn command(&self, builder: Builder, subcommand: &str) -> Command {
        let mut command = match builder {
            Builder::Cargo => self.source.cargo(&[subcommand]),
            Builder::Concord => tools::concord(&[subcommand]),
        };
        command.current_dir(&self.source.folder).env("CARGO_TARGET_DIR", self.target());
        command.args(["--release", "--locked", "--offline"]).args(self.source.config());
        command
    }

    fn build(&self, builder: Builder) -> Result<Usage> {
        let mut command = self.command(builder, "build");
        command.args(self.program.flags);
        measure(command)
    }

    fn target(&self) -> PathBuf {
        self.source.folder.join("target")
    }

    /// Where `builder` leaves programs.
    pub(super) fn folder(&self, builder: Builder) -> PathBuf {
        self.target().join(match builder {
            Builder::Cargo => "release",
            Builder::Concord => "concord/release",
        })
    }

    /// The artefact whose figures are taken.
    fn artefact(&self, builder: Builder) -> PathBuf {
        self.folder(builder).join(self.program.artefact)
    }

    /// Builds from nothing.
    ///
    /// # Errors
    /// When a build fails.
    pub(super) fn clean_build(&self) -> Result<Both<Usage>> {
        let target = self.target();
        if target.exists() {
            std::fs::remove_dir_all(&target)
                .with_context(|| format!("cannot remove {}", target.display()))?;
        }
        Both::of(|builder| self.build(builder))
    }

    /// Seconds of a build that has nothing to do.
    ///
    /// # Errors
    /// When a build fails.
    pub(super) fn without_change(&self) -> Result<Both<f64>> {
        Both::of(|builder| {
            let runs = (0..NO_CHANGE_RUNS).map(|_| Ok(self.build(builder)?.seconds));
            Ok(runs.collect::<Result<Vec<f64>>>()?.into_iter().fold(f64::INFINITY, f64::min))
        })
    }

    /// What builds after an edit of the program itself take.
    ///
    /// # Errors
    /// When a build fails or the file cannot be written.
    pub(super) fn after_edit_of_root(&self) -> Result<Both<Usage>> {
        self.after_edit(&self.source.folder.join(self.program.root))
    }

    /// What builds after an edit of the dependency take; `None` when the program names none.
    ///
    /// # Errors
    /// When a build fails or the file cannot be written.
    pub(super) fn after_edit_of_dependency(&self) -> Result<Option<Both<Usage>>> {
        let edit = |folder: &PathBuf| self.after_edit(&folder.join("src/lib.rs"));
        self.source.dependency.as_ref().map(|dependency| edit(&dependency.folder)).transpose()
    }

    fn after_edit(&self, file: &Path) -> Result<Both<Usage>> {
        let text = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let write = |text: &[u8]| {
            std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
        };
        write(&[&text, EDIT.as_bytes()].concat())?;
        let built = Both::of(|builder| self.build(builder));
        write(&text)?;
        built
    }

    /// Sizes of the artefact.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn sizes(&self) -> Result<Both<Size>> {
        Both::of(|builder| Size::of(&self.artefact(builder)))
    }

    /// What the pass made of the artefact.
    ///
    /// # Errors
    /// When there is no report, or `cargo concord audit` fails.
    pub(super) fn code(&self) -> Result<Code> {
        let artefact = self.artefact(Builder::Concord);
        let mut audit = tools::concord(&["audit", "--json", "--artefact"]);
        audit.arg(&artefact).current_dir(&self.source.folder);
        let audit: Value = serde_json::from_str(&process::output(audit)?)?;
        let mut report = artefact.into_os_string();
        report.push(".concord.json");
        Code::of(&audit, &concord_job::read_json(Path::new(&report))?)
    }
}

/// Bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Size {
    /// All of it.
    pub(super) file_bytes: u64,
    /// Its machine code.
    pub(super) text_bytes: u64,
}

impl Size {
    fn of(file: &Path) -> Result<Self> {
        let unread = || format!("cannot read {}", file.display());
        let file_bytes = file.metadata().with_context(unread)?.len();
        Ok(Self { file_bytes, text_bytes: text_bytes(file).with_context(unread)? })
    }
}

/// What the pass made of a program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Code {
    /// Probes in the machine code.
    pub(super) probes: u64,
    /// Functions with probes or guards, as they are after optimisation.
    pub(super) functions: u64,
    /// Those with a path without a probe that is longer than the bound.
    pub(super) functions_over_bound: u64,
    /// The longest such path, in instructions.
    pub(super) longest_path_instructions: u64,
    /// The bound.
    pub(super) bound_instructions: u64,
    /// Functions that get no probes.
    pub(super) skipped: u64,
    /// Time of the pass in the link of this artefact.
    pub(super) pass_seconds: f64,
    /// Its peak memory.
    pub(super) pass_peak_bytes: u64,
}

impl Code {
    fn of(audit: &Value, report: &Report) -> Result<Self> {
        let rows = audit["functions"].as_array().context("the audit has no functions")?;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        let longest = |row: &Value| {
            number(&row["longest_path_instructions"]).max(number(&row["machine_path_instructions"]))
        };
        let over = rows.iter().filter(|row| row["over_bound"] == true).count();
        Ok(Self {
            probes: audit["probes"].as_u64().context("the audit does not count probes")?,
            functions: rows.len() as u64,
            functions_over_bound: over as u64,
            longest_path_instructions: rows.iter().map(longest).max().unwrap_or(0),
            bound_instructions: number(&audit["bound_instructions"]),
            skipped: audit["skipped"].as_array().map_or(0, |skipped| skipped.len() as u64),
            pass_seconds: report.seconds.iter().map(|(_, seconds)| seconds).sum(),
            pass_peak_bytes: report.peak_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn functions_over_the_bound_are_counted() {
        let row = |path: u64, machine: Value, over: bool| json!({"longest_path_instructions": path, "machine_path_instructions": machine, "over_bound": over});
        let audit = json!({
            "probes": 7, "bound_instructions": 4000, "skipped": [{}, {}],
            "functions": [row(10, json!(9_000), true), row(4_001, Value::Null, true), row(5, json!(6), false)]
        });
        let report = Report {
            seconds: vec![("units".into(), 1.5), ("merge".into(), 0.5)],
            peak_bytes: 9,
            ..Report::default()
        };
        let code = Code::of(&audit, &report).unwrap();
        assert_eq!((code.probes, code.functions, code.functions_over_bound), (7, 3, 2));
        assert_eq!(
            (code.longest_path_instructions, code.bound_instructions, code.skipped),
            (9_000, 4_000, 2)
        );
        assert_eq!((code.pass_seconds, code.pass_peak_bytes), (2.0, 9));
        assert!(Code::of(&json!({}), &report).is_err());
    }
}
