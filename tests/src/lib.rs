//! Runs `cargo concord` on the fixture projects of `tests/fixtures`.
//!
//! Each fixture is a workspace of its own with few or no dependencies; its program checks its own output and
//! prints `<name> ok`. All share one target directory, so that a crate is compiled once per profile.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use anyhow::{Context as _, Result, ensure};
use concord_job::{Report, read_json};

/// The host's triple, the only one that fixtures are built for.
pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Names a folder with `cargo-concord` and `concord-pass`, when they are not to be built here.
const PROGRAMS_VARIABLE: &str = "CONCORD_PROGRAMS";

/// Settings of the person or the machine that would change what a fixture is.
const FOREIGN: [&str; 21] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_INCREMENTAL",
    "CONCORD_SAVE_DIR",
    "CONCORD_DUMP_STAGES",
    "CONCORD_NO_PROBES",
    "CONCORD_NO_SECOND_BUILD",
    "CONCORD_EMPTY_PROBES",
    "CONCORD_NO_PROBES_IN",
    "CONCORD_PROBES_IN",
    "CONCORD_BOUND",
    "TARGET_CC",
    "TARGET_CXX",
];

/// Folder with both programs; built on first use, beside the running test.
static PROGRAMS: LazyLock<PathBuf> =
    LazyLock::new(|| programs().expect("cargo-concord and concord-pass build"));

fn programs() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os(PROGRAMS_VARIABLE) {
        return Ok(folder.into());
    }
    // <target dir>/<profile>/deps/<test>
    let test = std::env::current_exe()?;
    let profile_folder = test.ancestors().nth(2).context("the test is not in Cargo's target directory")?;
    let target_folder = profile_folder.parent().context("the test is not in Cargo's target directory")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "-p", "cargo-concord", "-p", "concord-pass"]);
    cargo.arg("--target-dir").arg(target_folder).current_dir(env!("CARGO_MANIFEST_DIR"));
    if profile_folder.ends_with("release") {
        cargo.arg("--release");
    }
    ensure!(cargo.status()?.success(), "building cargo-concord and concord-pass failed");
    Ok(profile_folder.to_path_buf())
}

/// A fixture project and the target directory in which it is built.
#[derive(Debug)]
pub struct Fixture {
    name: String,
    project: PathBuf,
    target: PathBuf,
}

impl Fixture {
    /// The project `tests/fixtures/<name>`, in the target directory that all share.
    pub fn new(name: &str) -> Self {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
        assert!(project.is_dir(), "there is no fixture {}", project.display());
        let target = PROGRAMS.parent().unwrap_or(&PROGRAMS).join("fixtures");
        Self { name: name.to_owned(), project, target }
    }

    /// The same project with a target directory of its own, for tests that change settings which Cargo
    /// does not see.
    pub fn in_target(self, target: &Path) -> Self {
        Self { target: target.to_path_buf(), ..self }
    }

    /// A copy of the project in `folder`.
    ///
    /// # Errors
    /// When a file cannot be copied.
    pub fn copied_to(self, folder: &Path) -> Result<Self> {
        let project = folder.join(&self.name);
        copy_folder(&self.project, &project)?;
        Ok(Self { target: folder.join("target"), project, ..self })
    }

    /// Root of the project.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// `cargo concord <words>`, ready to run.
    pub fn command<I: IntoIterator<Item: AsRef<OsStr>>>(&self, words: I) -> Command {
        let mut command = Command::new(env!("CARGO"));
        command.arg("concord").args(words).current_dir(&self.project);
        for name in FOREIGN {
            command.env_remove(name);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(PROGRAMS.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("PATH can be joined"));
        command.env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// Runs `cargo concord <words>`, which must succeed.
    ///
    /// # Panics
    /// When it fails; the message holds all that it wrote.
    #[track_caller]
    pub fn run(&self, words: &str) -> Answer {
        Answer::of(&mut self.command(words.split_whitespace())).succeeded()
    }

    /// An artefact by its path below our target directory, e.g. `release/app`.
    pub fn artefact(&self, path: &str) -> PathBuf {
        self.target.join("concord").join(path)
    }

    /// The report beside an artefact.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn report(&self, path: &str) -> Report {
        read_json(&self.artefact(&format!("{path}.concord.json"))).expect("the artefact has a report")
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy_folder(&path, &target)?;
        } else {
            std::fs::copy(&path, &target).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

/// How a command ended, and what it wrote.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl Answer {
    /// Runs `command` to its end.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().expect("the command starts");
        Self {
            code: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// The same answer.
    ///
    /// # Panics
    /// When the command failed.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The same answer.
    ///
    /// # Panics
    /// When the command did not end with `code`, or stderr lacks one of `words`.
    #[track_caller]
    pub fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "stderr lacks `{word}`:\n{}", self.stderr);
        }
        self
    }
}

/// The names of `report.instrumented` that begin with `prefix`.
pub fn instrumented_below<'a>(report: &'a Report, prefix: &str) -> Vec<&'a str> {
    report.instrumented.iter().map(String::as_str).filter(|name| name.starts_with(prefix)).collect()
}
