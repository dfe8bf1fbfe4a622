//! Starting other programs, and handing their exit codes on.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};

use anyhow::{Context as _, Result, bail};

/// Runs `command` to its end.
///
/// # Errors
/// When it cannot be started; the message names it.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| unstarted(command))
}

/// Starts `command`.
///
/// # Errors
/// When it cannot be started; the message names it.
pub(crate) fn start(command: &mut Command) -> Result<Child> {
    command.spawn().with_context(|| unstarted(command))
}

/// Becomes `command`: signals and the exit code are the program's own.
///
/// # Errors
/// When it cannot be started; there is no other way to return.
pub(crate) fn replace(command: &mut Command) -> Result<ExitCode> {
    let error = command.exec();
    Err(error).with_context(|| unstarted(command))
}

/// Runs `command` and returns what it wrote to stdout.
///
/// # Errors
/// When it cannot be started or fails; the message holds what it wrote to stderr.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| unstarted(command))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed ({}): {}", spelled(command), output.status, message.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn unstarted(command: &Command) -> String {
    format!("cannot start `{}`", command.get_program().to_string_lossy())
}

fn spelled(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The exit code that says the same as `status`: 128 + the signal for a killed program, as shells do.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// `LD_LIBRARY_PATH` with `folder` in front.
///
/// # Errors
/// When the folder's name cannot stand in a search path.
pub(crate) fn library_path(folder: &Path) -> Result<OsString> {
    let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&inherited));
    std::env::join_paths(folders)
        .with_context(|| format!("{} cannot stand in a search path", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_signals_are_handed_on() {
        let run = |script: &str| status(Command::new("sh").args(["-c", script])).unwrap();
        assert_eq!(exit_code(run("exit 0")), ExitCode::SUCCESS);
        assert_eq!(exit_code(run("exit 101")), ExitCode::from(101));
        assert_eq!(exit_code(run("kill -9 $$")), ExitCode::from(137));
    }

    #[test]
    fn failures_name_the_program_and_its_message() {
        let missing = status(&mut Command::new("/nowhere/tool")).unwrap_err().to_string();
        assert!(missing.contains("/nowhere/tool"), "{missing}");
        let failed = stdout(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err().to_string();
        assert!(failed.contains("why") && failed.contains("exit status: 3"), "{failed}");
    }
}
