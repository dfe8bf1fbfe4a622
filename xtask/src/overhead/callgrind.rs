//! Exact instruction counts of one run of a kernel, by valgrind's callgrind.

use anyhow::{Context, Result};

use super::builds::Builds;
use crate::process::{self, command};

/// The function of `bench/kernels` that all measured work happens in.
const MEASURED: &str = "concord_kernels_measured";

/// Instructions of one run, by build.
///
/// # Errors
/// When valgrind fails, or counted nothing.
pub(super) fn count(builds: &Builds, kernel: &str) -> Result<[u64; 3]> {
    let mut counts = [0; 3];
    for (build, count) in counts.iter_mut().enumerate() {
        let toggle = format!("--toggle-collect={MEASURED}");
        let program = builds.program(build).to_string_lossy();
        let arguments = [
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--read-inline-info=no",
            "--log-fd=1",
            "--collect-atstart=no",
            &toggle,
            &program,
            "once",
            kernel,
        ];
        let output = process::output(command("valgrind", &arguments))?;
        *count = collected(&output)
            .with_context(|| format!("valgrind counted nothing in {program} once {kernel}"))?;
    }
    Ok(counts)
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
