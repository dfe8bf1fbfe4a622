//! Instructions that parts of the runtime execute, by valgrind: exact on a busy machine too, so that a test can hold
//! them to a limit.

use anyhow::{Context as _, Result, bail};

use crate::process::{self, cargo, command};
use crate::tools;

/// Parts of `concord-micro`, and the most instructions that one time may take: half as many again as it took when the limit was
/// set, so that another compiler's code passes and a scan or an allocation too many does not.
const LIMITS: [(&str, u64); 6] = [
    ("probe", 8),
    ("switch_pair", 240),
    ("ring_push_pop", 75),
    ("dispatch_step", 1_000),
    ("dispatch_step_64_workers", 3_300),
    ("classify", 20),
];

/// Two counts: their difference leaves out what happens once.
const FEW: u64 = 1_000;
const MANY: u64 = 3_000;

/// Counts all parts.
///
/// # Errors
/// When a part takes more instructions than its limit, or valgrind fails.
pub(crate) fn check() -> Result<()> {
    process::run(cargo(&["build", "--release", "--package", "concord-bench", "--bin", "concord-micro"]))?;
    let mut over = Vec::new();
    for (part, limit) in LIMITS {
        let count = (instructions(part, MANY)? - instructions(part, FEW)?) / (MANY - FEW);
        eprintln!("{part:30} {count:6} instructions, limit {limit}");
        if count > limit {
            over.push(format!("{part}: {count} instructions, more than {limit}"));
        }
    }
    if !over.is_empty() {
        bail!("{}; find what has become dearer, or raise the limit with a reason", over.join("; "));
    }
    Ok(())
}

fn instructions(part: &str, times: u64) -> Result<u64> {
    let options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"];
    let mut valgrind = command("valgrind", &options);
    valgrind.arg(tools::folder().join("concord-micro"));
    valgrind.args(["--part", part, "--times", &times.to_string()]);
    let output = process::output(valgrind)?;
    collected(&output).with_context(|| format!("valgrind counted nothing for {part}"))
}

/// The number in `==12== Collected : 1234`.
fn collected(output: &str) -> Option<u64> {
    let (_, count) = output.lines().find_map(|line| line.split_once("Collected :"))?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_read() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 4711\n"), Some(4_711));
        assert_eq!(collected("==1== Events\n"), None);
    }
}
