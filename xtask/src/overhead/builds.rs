//! The three builds of the same source.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::process::{self, cargo, root};
use crate::tools;

/// Names of the builds, in the order in which they are counted.
pub(super) const NAMES: [&str; 3] = ["plain", "unprobed", "probed"];
/// `cargo build --release`.
pub(super) const PLAIN: usize = 0;
/// Ours with every transformation, without the probe's instructions.
pub(super) const UNPROBED: usize = 1;
/// Ours.
pub(super) const PROBED: usize = 2;

const PACKAGE: [&str; 4] = ["build", "--release", "--package", "concord-kernels"];
/// What workers run, by itself: the dispatcher's copy of the code has its own figures.
const ONE_BUILD: [&str; 1] = ["--no-second-build"];
const FOLDERS: [&str; 3] = ["release", "concord/empty-probes/release", "concord/release"];

/// The programs.
pub(super) struct Builds {
    programs: [PathBuf; 3],
}

/// Builds all three.
///
/// # Errors
/// When one fails.
pub(super) fn build() -> Result<()> {
    // The same C compiler in all three; LevelDB does not build with gcc.
    let mut plain = cargo(&PACKAGE);
    plain.env("CC", "clang").env("CXX", "clang++");
    process::run(plain)?;
    for probes in [&["--empty-probes"][..], &[]] {
        process::run(tools::concord(&[&PACKAGE[..], &ONE_BUILD, probes].concat()))?;
    }
    Ok(())
}

impl Builds {
    /// The programs where Cargo left them.
    ///
    /// # Errors
    /// When one is not there.
    pub(super) fn find() -> Result<Self> {
        let target = root().join(tools::target());
        let programs = FOLDERS.map(|folder| target.join(folder).join("concord-kernels"));
        for program in &programs {
            ensure!(program.is_file(), "{} is not there; run without --no-build", program.display());
        }
        Ok(Self { programs })
    }

    /// The program of one build.
    pub(super) fn program(&self, build: usize) -> &Path {
        &self.programs[build]
    }

    /// What `look` sees in each.
    ///
    /// # Errors
    /// When a program cannot be read.
    pub(super) fn each<T>(&self, look: impl Fn(&Path) -> Result<T>) -> Result<[T; 3]> {
        let look =
            |program: &PathBuf| look(program).with_context(|| format!("cannot read {}", program.display()));
        let [plain, unprobed, probed] = &self.programs;
        Ok([look(plain)?, look(unprobed)?, look(probed)?])
    }
}
