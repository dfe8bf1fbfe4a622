//! What a command took: time, processor time, memory.

use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::process::show;

/// What a command and all that it started and waited for took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Usage {
    /// From start to end.
    pub(crate) seconds: f64,
    /// Processor time, user and system, of all processes.
    pub(crate) cpu_seconds: f64,
    /// Peak resident memory of the largest process.
    pub(crate) peak_bytes: u64,
}

/// Runs to the end, its output passed through.
///
/// # Errors
/// When the command cannot be started or fails.
pub(crate) fn measure(mut command: Command) -> Result<Usage> {
    let shown = show(&command);
    let start = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start: {shown}"))?;
    let (status, usage) = wait(child.id()).with_context(|| format!("cannot wait for: {shown}"))?;
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        bail!("failed ({status}): {shown}");
    }
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    // Linux counts in KiB, and counts what the child has waited for.
    let peak_bytes = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
    Ok(Usage { seconds, cpu_seconds: cpu.as_secs_f64(), peak_bytes })
}

fn wait(child: u32) -> Result<(ExitStatus, libc::rusage)> {
    use std::os::unix::process::ExitStatusExt as _;
    let child = libc::pid_t::try_from(child)?;
    let mut status = 0;
    loop {
        // SAFETY: all-zero bytes are a valid `rusage`; `wait4` writes to the two places that it is given, and
        // nobody else waits for this child.
        let (waited, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(child, &mut status, 0, &mut usage), usage)
        };
        if waited == child {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error.into());
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let micros = time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_usec);
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::command;

    /// The shell waits for `head`, so what `head` took counts.
    #[test]
    fn what_the_command_waited_for_counts() {
        let work = "head -c 200000000 /dev/zero | tail -c 50000000 > /dev/null; true";
        let usage = measure(command("sh", &["-c", work])).unwrap();
        assert!(usage.peak_bytes > 30_000_000, "{usage:?}");
        assert!(usage.cpu_seconds > 0.0 && usage.seconds > 0.0, "{usage:?}");
    }

    #[test]
    fn failures_are_errors() {
        let error = measure(command("sh", &["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("exit status: 3") && error.contains("sh -c exit 3"), "{error}");
        assert!(measure(command("/nowhere/program", &[])).is_err());
    }
}
