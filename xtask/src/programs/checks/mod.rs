//! Whether both builds of a program do the same.

pub(super) mod database;
pub(super) mod http;
pub(super) mod search;
pub(super) mod server;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};

use super::builds::{Builder, Building};

/// Where both builds of a program are.
pub(super) struct Pair {
    plain: PathBuf,
    concord: PathBuf,
}

impl Pair {
    /// Those of `building`.
    pub(super) fn of(building: &Building<'_>) -> Self {
        Self { plain: building.folder(Builder::Cargo), concord: building.folder(Builder::Concord) }
    }

    /// Both files of that name.
    fn programs(&self, name: &str) -> [PathBuf; 2] {
        [self.plain.join(name), self.concord.join(name)]
    }
}

/// How a program ended, and what it wrote.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Answer {
    /// Runs to the end, with nothing to read and no settings of the person's.
    fn of(mut command: Command) -> Result<Self> {
        command.stdin(Stdio::null()).env("LC_ALL", "C");
        for setting in ["RIPGREP_CONFIG_PATH", "LS_COLORS", "NO_COLOR", "RUST_BACKTRACE", "TZ"] {
            command.env_remove(setting);
        }
        let output = command.output();
        let Output { status, stdout, stderr } =
            output.with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { code: status.code(), stdout, stderr })
    }

    /// Errors when `other` is not the same; `what` names the comparison.
    fn same_as(&self, other: &Self, what: &str) -> Result<()> {
        if self.code != other.code {
            let stderr = String::from_utf8_lossy(&other.stderr);
            bail!("{what}: ends with {:?}, the plain build with {:?}: {stderr}", other.code, self.code);
        }
        same(&self.stdout, &other.stdout, what, "standard output")?;
        same(&self.stderr, &other.stderr, what, "standard error")
    }
}

/// Errors, with the first line that differs, when the build with probes wrote something else.
fn same(plain: &[u8], concord: &[u8], what: &str, which: &str) -> Result<()> {
    if plain == concord {
        return Ok(());
    }
    let [plain, concord] = [plain, concord].map(|bytes| bytes.split(|byte| *byte == b'\n'));
    let shown = |line: Option<&[u8]>| {
        line.map_or_else(|| "nothing".to_owned(), |line| format!("`{}`", String::from_utf8_lossy(line)))
    };
    let (mut plain, mut concord) = (plain.map(Some).chain([None]), concord.map(Some).chain([None]));
    for number in 1.. {
        let (left, right) = (plain.next().flatten(), concord.next().flatten());
        if left != right {
            bail!("{what}: line {number} of {which} is {}, of the plain build {}", shown(right), shown(left));
        }
    }
    unreachable!("unequal bytes have a line that differs")
}

/// An empty folder of that name below `folder`.
fn fresh_folder(folder: &Path, name: &str) -> Result<PathBuf> {
    let fresh = folder.join(name);
    if fresh.exists() {
        std::fs::remove_dir_all(&fresh).with_context(|| format!("cannot remove {}", fresh.display()))?;
    }
    std::fs::create_dir_all(&fresh).with_context(|| format!("cannot make {}", fresh.display()))?;
    Ok(fresh)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: i32, stdout: &str) -> Answer {
        Answer { code: Some(code), stdout: stdout.into(), stderr: Vec::new() }
    }

    #[test]
    fn differences_are_named() {
        let plain = answer(0, "a\nb\nc");
        assert!(plain.same_as(&answer(0, "a\nb\nc"), "rg").is_ok());
        let error = |other: &Answer| plain.same_as(other, "rg -n x").unwrap_err().to_string();
        let differs = error(&answer(0, "a\nB\nc"));
        assert_eq!(differs, "rg -n x: line 2 of standard output is `B`, of the plain build `b`");
        assert!(error(&answer(0, "a\nb\nc\n")).contains("line 4 of standard output is ``"));
        assert!(error(&answer(0, "a\nb")).contains("line 3 of standard output is nothing"));
        assert!(error(&answer(1, "a\nb\nc")).contains("ends with Some(1), the plain build with Some(0)"));
    }

    #[test]
    fn a_program_is_run_to_its_end() {
        let mut shell = Command::new("sh");
        shell.args(["-c", "cat; echo out; echo err >&2; exit 3"]);
        let answer = Answer::of(shell).unwrap();
        assert_eq!((answer.code, &*answer.stdout, &*answer.stderr), (Some(3), &b"out\n"[..], &b"err\n"[..]));
        assert!(Answer::of(Command::new("/nowhere/program")).is_err());
    }
}
