//! `concord-pass`, and rustc's LLVM under the name that it was linked to.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use object::elf::{self, FileHeader64};
use object::read::elf::FileHeader as _;
use object::{Endianness, ReadCache};

use super::Toolchain;

/// Names another `concord-pass`.
pub(crate) const PASS_VARIABLE: &str = "CONCORD_PASS";
const PROGRAM: &str = "concord-pass";

/// A `concord-pass` that can run with a toolchain's LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    /// The program.
    pub(crate) program: PathBuf,
    /// Folder for the front of `LD_LIBRARY_PATH`.
    pub(crate) libraries: PathBuf,
}

impl Pass {
    /// Finds the program, and makes the toolchain's LLVM available under the file name that it needs: the
    /// name holds the version of the rustc with which the pass was built, but one LLVM series has one ABI.
    ///
    /// # Errors
    /// When the program is missing, or needs another LLVM than the toolchain has.
    pub(crate) fn find(toolchain: &Toolchain) -> Result<Self> {
        let program = find_program(toolchain)?;
        let library = toolchain.llvm_library()?;
        let Some(needed) = needed_llvm(&program)? else {
            return Ok(Self { program, libraries: toolchain.sysroot.join("lib") });
        };
        let needed_series = series(&needed).unwrap_or_default();
        if needed_series != toolchain.llvm_series() {
            bail!(
                "{} needs LLVM {needed_series}, and rustc {} brings LLVM {}; use a toolchain with LLVM {needed_series} \
                 (rustup toolchain list), or build concord-pass with this one (cargo build --release -p {PROGRAM}) and \
                 name it in {PASS_VARIABLE}",
                program.display(),
                toolchain.release,
                toolchain.llvm
            );
        }
        let libraries = toolchain.cache()?.join("lib");
        link_library(&library, &libraries, &needed)?;
        Ok(Self { program, libraries })
    }
}

fn find_program(toolchain: &Toolchain) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(PASS_VARIABLE) {
        let named = std::path::absolute(named)?;
        if !named.is_file() {
            bail!("{PASS_VARIABLE} names {}, which does not exist", named.display());
        }
        return Ok(named);
    }
    let beside =
        std::env::current_exe().context("cannot find the path of this program")?.with_file_name(PROGRAM);
    let cached = toolchain.cache()?.join(PROGRAM);
    for candidate in [&beside, &cached] {
        if candidate.is_file() {
            return Ok(candidate.clone());
        }
    }
    bail!(
        "{PROGRAM} was not found (looked for {} and {}); build it with `cargo build --release -p {PROGRAM}` beside \
         cargo-concord, or name it in {PASS_VARIABLE}",
        beside.display(),
        cached.display()
    )
}

/// The LLVM library that `program` asks the dynamic linker for.
fn needed_llvm(program: &Path) -> Result<Option<String>> {
    let unreadable = || format!("{} is not a program for this machine", program.display());
    let file = File::open(program).with_context(|| format!("cannot read {}", program.display()))?;
    // The program is large, and all but a few pages of it are code.
    let data = &ReadCache::new(file);
    let header = FileHeader64::<Endianness>::parse(data).with_context(unreadable)?;
    let endian = header.endian().with_context(unreadable)?;
    let sections = header.sections(endian, data).with_context(unreadable)?;
    let table = sections.dynamic_table(endian, data).with_context(unreadable)?;
    for entry in table.iter().filter(|entry| entry.tag == elf::DT_NEEDED) {
        let name = String::from_utf8_lossy(table.string(entry).with_context(unreadable)?);
        if name.starts_with("libLLVM") {
            return Ok(Some(name.into_owned()));
        }
    }
    Ok(None)
}

/// `libLLVM.so.22.1-rust-1.95.0-stable` -> `22.1`.
fn series(library: &str) -> Option<&str> {
    library.strip_prefix("libLLVM.so.")?.split('-').next()
}

fn link_library(library: &Path, folder: &Path, name: &str) -> Result<()> {
    let link = folder.join(name);
    if std::fs::read_link(&link).is_ok_and(|target| target == library) {
        return Ok(());
    }
    let unmade = || format!("cannot make the symlink {} to {}", link.display(), library.display());
    std::fs::create_dir_all(folder).with_context(unmade)?;
    // Builds that run at the same time must never find the name missing.
    let fresh = folder.join(format!("{name}.{}", std::process::id()));
    symlink(library, &fresh).with_context(unmade)?;
    std::fs::rename(&fresh, &link).with_context(unmade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_read_from_the_library_name() {
        assert_eq!(series("libLLVM.so.22.1-rust-1.95.0-stable"), Some("22.1"));
        assert_eq!(series("libLLVM.so.23.1"), Some("23.1"));
        assert_eq!(series("libc.so.6"), None);
    }

    #[test]
    fn needed_libraries_are_read_from_programs_alone() {
        assert_eq!(needed_llvm(&std::env::current_exe().unwrap()).unwrap(), None);
        let folder = tempfile::tempdir().unwrap();
        let garbage = folder.path().join("garbage");
        std::fs::write(&garbage, "#!/bin/sh").unwrap();
        assert!(needed_llvm(&garbage).unwrap_err().to_string().contains("garbage"));
    }

    #[test]
    fn the_library_gets_the_name_that_is_asked_for_and_follows_the_toolchain() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("cache/lib");
        for toolchain in ["/a/libLLVM.so.1", "/b/libLLVM.so.1"] {
            link_library(Path::new(toolchain), &lib, "libLLVM.so.22").unwrap();
            assert_eq!(std::fs::read_link(lib.join("libLLVM.so.22")).unwrap(), Path::new(toolchain));
        }
    }
}
