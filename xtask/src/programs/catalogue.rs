//! The programs: names, versions, what of them is built, edited and run.

use std::path::Path;

use anyhow::{Result, bail};

use super::checks::{self, Pair};

/// A program of the registry.
#[derive(Debug)]
pub(super) struct Program {
    /// Its package.
    pub(super) name: &'static str,
    /// The version that is built, with the `Cargo.lock` that it was published with.
    pub(super) version: &'static str,
    /// What it is, in a few words.
    pub(super) kind: &'static str,
    /// Cargo's flags beside `--release`.
    pub(super) flags: &'static [&'static str],
    /// The artefact whose figures are taken, below the profile's folder.
    pub(super) artefact: &'static str,
    /// Root of the crate that is edited.
    pub(super) root: &'static str,
    /// A dependency, of the registry too, that is edited.
    pub(super) dependency: Option<&'static str>,
    /// Compares what both builds do; gives the number of comparisons. Its own folder is empty.
    pub(super) check: fn(&Pair, &Path) -> Result<usize>,
    /// Cargo's flags for its own tests.
    pub(super) test_flags: &'static [&'static str],
    /// Which of its own tests the published package leaves out; `None`: it has all.
    pub(super) tests_left_out: Option<&'static str>,
}

/// All, in the order in which they run.
pub(super) const PROGRAMS: [Program; 4] = [
    Program {
        name: "ripgrep",
        version: "15.2.0",
        kind: "search",
        flags: &[],
        artefact: "rg",
        root: "crates/core/main.rs",
        dependency: Some("ignore"),
        check: checks::search::ripgrep,
        test_flags: &[],
        tests_left_out: None,
    },
    Program {
        name: "fd-find",
        version: "10.5.0",
        kind: "search",
        flags: &[],
        artefact: "fd",
        root: "src/main.rs",
        dependency: Some("ignore"),
        check: checks::search::fd,
        test_flags: &[],
        tests_left_out: None,
    },
    Program {
        name: "redb",
        version: "4.6.0",
        kind: "database library",
        flags: &["--example", "special_values", "--example", "int_keys", "--example", "multithread"],
        artefact: "examples/special_values",
        root: "src/lib.rs",
        dependency: None,
        check: checks::database::redb,
        // One of the examples needs a package that the published one does not name.
        test_flags: &["--lib", "--tests"],
        tests_left_out: None,
    },
    Program {
        name: "simple-http-server",
        version: "0.8.1",
        kind: "HTTP server, Tokio and hyper",
        flags: &[],
        artefact: "simple-http-server",
        root: "src/main.rs",
        dependency: Some("hyper"),
        check: checks::server::simple_http_server,
        test_flags: &[],
        tests_left_out: None,
    },
];

/// Those named by `only`, or all.
///
/// # Errors
/// When a name is unknown.
pub(super) fn chosen(only: &[String]) -> Result<Vec<&'static Program>> {
    let known = |name: &String| PROGRAMS.iter().any(|program| program.name == *name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
        bail!("--only: no program `{unknown}`; there are {}", names.join(", "));
    }
    let is_chosen = |program: &&Program| only.is_empty() || only.iter().any(|name| name == program.name);
    Ok(PROGRAMS.iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_chosen_by_name_and_unknown_names_refused() {
        assert_eq!(chosen(&[]).unwrap().len(), PROGRAMS.len());
        assert_eq!(chosen(&["redb".to_owned()]).unwrap()[0].kind, "database library");
        let error = chosen(&["redb".to_owned(), "rdb".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("`rdb`") && error.contains("ripgrep, fd-find"), "{error}");
    }
}
