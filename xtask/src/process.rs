//! Running commands: what is run is said, and a failure is never passed over.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// A command that runs in the workspace's root.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Cargo, as it runs this program.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), arguments)
}

/// Runs to the end, its output passed through.
///
/// # Errors
/// When the command cannot be started or fails.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let shown = show(&command);
    eprintln!("\x1b[1m$ {shown}\x1b[0m");
    let status = command.status().with_context(|| format!("cannot start: {shown}"))?;
    if !status.success() {
        bail!("failed ({status}): {shown}");
    }
    Ok(())
}

/// Runs to the end; each line of standard output is passed through and shown to `look`.
///
/// # Errors
/// When the command cannot be started or fails.
pub(crate) fn stream(mut command: Command, mut look: impl FnMut(&str)) -> Result<()> {
    let shown = show(&command);
    eprintln!("\x1b[1m$ {shown}\x1b[0m");
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start: {shown}"))?;
    for line in child.stdout.take().into_iter().flat_map(|pipe| BufReader::new(pipe).lines()) {
        let line = line.with_context(|| format!("cannot read the output of: {shown}"))?;
        println!("{line}");
        look(&line);
    }
    let status = child.wait().with_context(|| format!("cannot wait for: {shown}"))?;
    if !status.success() {
        bail!("failed ({status}): {shown}");
    }
    Ok(())
}

/// Runs to the end and gives what it wrote to standard output.
///
/// # Errors
/// When the command cannot be started or fails.
pub(crate) fn output(mut command: Command) -> Result<String> {
    let shown = show(&command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start: {shown}"))?;
    if !output.status.success() {
        bail!("failed ({}): {shown}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command as a person would type it.
pub(crate) fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Whether a program is on the search path.
pub(crate) fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}
