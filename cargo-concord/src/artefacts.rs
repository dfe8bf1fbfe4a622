//! Artefacts of builds, and the reports beside them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use concord_job::{FunctionReport, Report, SecondReport, read_json};

use crate::cli::OwnOptions;
use crate::driver::{self, Build, Built};
use crate::link::report::report_path;
use crate::workspace::Workspace;

/// What was reported of one or more artefacts.
#[derive(Debug)]
pub(crate) struct Artefacts {
    /// The files.
    pub(crate) paths: Vec<PathBuf>,
    /// One report for all: a function that is in several of them is there once.
    pub(crate) report: Report,
    /// The workspace that was built; for a file of an earlier build, the one around the working folder.
    pub(crate) workspace: Option<Workspace>,
}

impl Artefacts {
    /// Those of a build, or `named`; `Err(code)`: Cargo failed, and has said why.
    ///
    /// # Errors
    /// When a report is missing or unreadable, or the build cannot be started.
    pub(crate) fn find(
        named: Option<&Path>,
        own: &OwnOptions,
    ) -> Result<std::result::Result<Self, ExitCode>> {
        match named {
            Some(artefact) => Self::named(artefact, own).map(Ok),
            None => Self::built(own),
        }
    }

    fn named(artefact: &Path, own: &OwnOptions) -> Result<Self> {
        if let Some(word) = own.cargo.first() {
            bail!("`{word}` is for a build, and with --artefact nothing is built; remove one of them");
        }
        let path = report_path(artefact);
        if !path.is_file() {
            bail!(
                "{} has no report: there is no {}; `cargo concord build` leaves one beside each artefact in \
                 <target directory>/concord/<profile>",
                artefact.display(),
                path.display()
            );
        }
        let workspace = Workspace::read_alone(&Default::default()).ok();
        Ok(Self { paths: vec![artefact.to_path_buf()], report: read(&path)?, workspace })
    }

    fn built(own: &OwnOptions) -> Result<std::result::Result<Self, ExitCode>> {
        let mut build = Build::prepare("build", own)?;
        let files = match driver::build(&mut build)? {
            Built::Files(files) => files,
            Built::Failed(code) => return Ok(Err(code)),
        };
        let paths: Vec<PathBuf> = files.into_iter().filter(|file| report_path(file).is_file()).collect();
        if paths.is_empty() {
            bail!(
                "this build links nothing, so no code is placed yet; name a package with a program or a shared or \
                 static library (-p), or a target (--bin, --example, --test)"
            );
        }
        let reports = paths.iter().map(|path| read(&report_path(path))).collect::<Result<Vec<_>>>()?;
        Ok(Ok(Self { paths, report: together(reports), workspace: Some(build.workspace) }))
    }
}

fn read(path: &Path) -> Result<Report> {
    read_json(path).context("this report is unreadable, or of another version of Concord; build again")
}

/// One report of several; of a function that is in more than one, the worst.
fn together(reports: Vec<Report>) -> Report {
    let mut all = Report::default();
    let mut functions: BTreeMap<(String, String), FunctionReport> = BTreeMap::new();
    for report in reports {
        all.bound = report.bound;
        all.probes += report.probes;
        all.second = sum(all.second, report.second);
        all.instrumented.extend(report.instrumented);
        all.skipped.extend(report.skipped);
        for function in report.functions {
            match functions.entry((function.name.clone(), function.symbol.clone())) {
                Entry::Vacant(free) => drop(free.insert(function)),
                Entry::Occupied(mut known) if known.get().longest_path < function.longest_path => {
                    known.insert(function);
                }
                Entry::Occupied(_) => {}
            }
        }
    }
    all.functions = functions.into_values().collect();
    all.instrumented.sort_unstable();
    all.instrumented.dedup();
    all.skipped.sort_unstable();
    all.skipped.dedup();
    all
}

fn sum(one: SecondReport, two: SecondReport) -> SecondReport {
    SecondReport {
        clones: one.clones + two.clones,
        probes: one.probes + two.probes,
        searches: one.searches + two.searches,
        bytes: one.bytes + two.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(longest_path: u32) -> Report {
        let function = FunctionReport {
            name: "a::f".to_owned(),
            symbol: "f".to_owned(),
            longest_path,
            ..FunctionReport::default()
        };
        Report {
            functions: vec![function],
            instrumented: vec!["a::f".to_owned()],
            probes: 2,
            second: SecondReport { clones: 3, probes: 4, searches: 5, bytes: 6 },
            ..Report::default()
        }
    }

    #[test]
    fn a_function_in_several_artefacts_is_there_once_at_its_worst() {
        let all = together(vec![report(5), report(9), report(7)]);
        assert_eq!(all.functions.len(), 1);
        assert_eq!((all.functions[0].longest_path, all.probes), (9, 6));
        assert_eq!(all.instrumented, ["a::f"]);
        assert_eq!(all.second, SecondReport { clones: 9, probes: 12, searches: 15, bytes: 18 });
    }
}
