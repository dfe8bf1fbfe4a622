//! The roles of this program, told apart by the name under which it is started.

use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context as _, Result};

/// What the program is started as, besides the subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Cargo's `RUSTC_WRAPPER`.
    Rustc,
    /// Cargo's `RUSTDOC`.
    Rustdoc,
    /// rustc's linker.
    Linker,
    /// The C compiler of build scripts.
    C,
    /// The C++ compiler of build scripts.
    Cxx,
}

impl Role {
    const ALL: [Role; 5] = [Role::Rustc, Role::Rustdoc, Role::Linker, Role::C, Role::Cxx];

    /// File name of the role's symlink.
    ///
    /// None ends in `ld`: rustc would take the linker for a bare one, and give it no driver options.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Rustc => "concord-rustc",
            Role::Rustdoc => "concord-rustdoc",
            Role::Linker => "concord-linker",
            Role::C => "concord-cc",
            Role::Cxx => "concord-c++",
        }
    }

    /// The role that the program's own path asks for; `None`: the subcommand.
    pub(crate) fn of_program(path: &OsStr) -> Option<Self> {
        let name = Path::new(path).file_name()?;
        Self::ALL.into_iter().find(|role| name == role.name())
    }

    /// Makes the symlinks in `folder`.
    ///
    /// # Errors
    /// When they cannot be made.
    pub(crate) fn install(folder: &Path) -> Result<()> {
        let unmade = || format!("cannot make the role symlinks in {}", folder.display());
        let program = std::env::current_exe().with_context(unmade)?;
        std::fs::create_dir_all(folder).with_context(unmade)?;
        for role in Self::ALL {
            let link = folder.join(role.name());
            if std::fs::read_link(&link).is_ok_and(|target| target == program) {
                continue;
            }
            // A build that runs at the same time must never find the name missing.
            let fresh = folder.join(format!("{}.{}", role.name(), std::process::id()));
            symlink(&program, &fresh).with_context(unmade)?;
            std::fs::rename(&fresh, &link).with_context(unmade)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_by_the_file_name_alone() {
        let role = |path: &str| Role::of_program(OsStr::new(path));
        assert_eq!(role("/t/concord/roles/concord-linker"), Some(Role::Linker));
        assert_eq!(role("concord-c++"), Some(Role::Cxx));
        assert_eq!(role("/home/me/.cargo/bin/cargo-concord"), None);
        assert!(Role::ALL.iter().all(|role| !role.name().ends_with("ld")));
    }

    #[test]
    fn symlinks_are_replaced_in_place() {
        let folder = tempfile::tempdir().unwrap();
        symlink("/elsewhere", folder.path().join("concord-cc")).unwrap();
        Role::install(folder.path()).unwrap();
        Role::install(folder.path()).unwrap();
        let program = std::env::current_exe().unwrap();
        for role in Role::ALL {
            assert_eq!(std::fs::read_link(folder.path().join(role.name())).unwrap(), program);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), Role::ALL.len());
    }
}
