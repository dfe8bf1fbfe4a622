//! clang: any version whose bitcode rustc's LLVM can read, which is any that is not newer.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::in_path;
use crate::process;

/// A clang that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clang {
    /// The C compiler.
    pub(crate) c: PathBuf,
    /// The C++ compiler.
    pub(crate) cxx: PathBuf,
    /// Its major version.
    pub(crate) major: u32,
}

impl Clang {
    /// Finds a clang that is not newer than `newest` (the major version of rustc's LLVM): `clang`, or the
    /// newest fitting `clang-N`, as distributions name them.
    ///
    /// # Errors
    /// One sentence with the mend, kept for the moment when C code is to be compiled.
    pub(crate) fn find(newest: u32) -> Result<Self, String> {
        let versioned = (11..=newest).rev().map(|major| format!("-{major}"));
        let mut too_new = None;
        for suffix in std::iter::once(String::new()).chain(versioned) {
            let names = [format!("clang{suffix}"), format!("clang++{suffix}")];
            let [Some(c), Some(cxx)] = names.map(|name| in_path(&name)) else { continue };
            match major_version(&c) {
                Some(major) if major <= newest => return Ok(Self { c, cxx, major }),
                Some(major) => too_new = Some(major),
                None => {}
            }
        }
        Err(match too_new {
            Some(major) => format!(
                "clang {major} is newer than rustc's LLVM {newest}, which cannot read its bitcode; install \
                 clang-{newest} or older beside it, or set CC and CXX to build C and C++ without probes"
            ),
            None => "clang is not installed, and this build has C or C++ code; install it (Debian, Ubuntu: apt-get \
                     install clang), or set CC and CXX to build that code without probes"
                .to_owned(),
        })
    }
}

fn major_version(clang: &Path) -> Option<u32> {
    parse_version(&process::stdout(Command::new(clang).arg("--version")).ok()?)
}

/// `Debian clang version 14.0.6` -> 14.
fn parse_version(text: &str) -> Option<u32> {
    let version = text.split("clang version ").nth(1)?;
    version.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_distributions_are_read() {
        assert_eq!(parse_version("Debian clang version 14.0.6\nTarget: x"), Some(14));
        assert_eq!(parse_version("clang version 23.0.0git (https://x 1)"), Some(23));
        assert_eq!(parse_version("gcc 12"), None);
    }
}
