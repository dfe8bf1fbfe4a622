//! The programs that the other commands use: `cargo-concord` and `concord-pass`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{self, cargo, root};

/// Builds the tools, optimised: the pass is a compiler, slow when it is not.
///
/// # Errors
/// When the build fails.
pub(crate) fn build() -> Result<()> {
    process::run(cargo(&["build", "--release", "--package", "cargo-concord", "--package", "concord-pass"]))
}

/// `cargo concord ..` with the tools that [`build`] built.
pub(crate) fn concord(arguments: &[&str]) -> Command {
    let mut command = Command::new(folder().join("cargo-concord"));
    command.arg("concord").args(arguments).current_dir(root());
    command
}

/// Where Cargo leaves release builds.
pub(crate) fn folder() -> PathBuf {
    target().join("release")
}

/// Cargo's target folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}
