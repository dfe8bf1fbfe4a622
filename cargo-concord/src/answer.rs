//! Answers to people and their programs, on stdout.

use std::io::{ErrorKind, Write as _};

use anyhow::{Context as _, Result};

/// Prints `text`; colours are left out where stdout is no terminal, or NO_COLOR is set.
///
/// # Errors
/// When stdout cannot be written. A reader that has seen enough (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    match anstream::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write the answer"),
    }
}
