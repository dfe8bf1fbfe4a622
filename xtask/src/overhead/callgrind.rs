//! Exact instruction counts of one run of a kernel, by valgrind's callgrind.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::builds::{Builds, NAMES};
use crate::process::{self, command};

/// The function of `bench/kernels` that all measured work happens in.
const MEASURED: &str = "concord_kernels_measured";

/// The programs without the debug info, which valgrind need not know of newer compilers.
pub(super) struct Callgrind {
    programs: [PathBuf; 3],
}

impl Callgrind {
    /// Makes the programs in `folder`, which must exist.
    ///
    /// # Errors
    /// When `strip` fails.
    pub(super) fn prepare(builds: &Builds, folder: &Path) -> Result<Self> {
        let programs = NAMES.map(|build| folder.join(format!("callgrind-{build}")));
        for (build, program) in programs.iter().enumerate() {
            let mut strip = command("strip", &["--strip-debug", "-o"]);
            strip.arg(program).arg(builds.program(build));
            process::output(strip)?;
        }
        Ok(Self { programs })
    }

    /// Instructions of one run, by build.
    ///
    /// # Errors
    /// When valgrind fails, or counted nothing.
    pub(super) fn count(&self, kernel: &str) -> Result<[u64; 3]> {
        let mut counts = [0; 3];
        for (count, program) in counts.iter_mut().zip(&self.programs) {
            let toggle = format!("--toggle-collect={MEASURED}");
            let options =
                ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1", "--collect-atstart=no"];
            let mut valgrind = command("valgrind", &options);
            valgrind.arg(&toggle).arg(program).args(["once", kernel]);
            let output = process::output(valgrind)?;
            let nothing = || format!("valgrind counted nothing in {} once {kernel}", program.display());
            *count = collected(&output).with_context(nothing)?;
        }
        Ok(counts)
    }
}

/// The number in `==12== Collected : 1234`; `None` when it is missing or zero.
fn collected(output: &str) -> Option<u64> {
    let line = output.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.split_whitespace().next()?.parse().ok().filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read_and_nothing_counted_is_no_count() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 4711\n"), Some(4_711));
        assert_eq!(collected("==1== Collected : 0\n"), None);
        assert_eq!(collected("==1== Events\n"), None);
    }
}
