//! What is installed: rustc and its LLVM, `concord-pass`, clang.

mod clang;
mod pass;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;
pub(crate) use clang::Clang;
pub(crate) use pass::{PASS_VARIABLE, Pass};

/// rustc as Cargo will start it, and what it says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Toolchain {
    /// `1.95.0`.
    pub(crate) release: String,
    /// Commit of rustc, `unknown` for a build without one.
    pub(crate) commit: String,
    /// Host triple.
    pub(crate) host: String,
    /// `22.1.2`.
    pub(crate) llvm: String,
    /// Root of the toolchain.
    pub(crate) sysroot: PathBuf,
}

impl Toolchain {
    /// Asks the rustc of `config`.
    ///
    /// # Errors
    /// When it cannot be started or its answer is not understood.
    pub(crate) fn find(config: &cargo_config2::Config) -> Result<Self> {
        let rustc = config.build.rustc.clone().unwrap_or_else(|| "rustc".into());
        let ask = |words: &[&str]| process::stdout(Command::new(&rustc).args(words));
        // At once: behind rustup's proxy each answer takes a while.
        let (version, sysroot) = std::thread::scope(|scope| {
            let sysroot = scope.spawn(|| ask(&["--print", "sysroot"]));
            let version = ask(&["-vV"]);
            (version, sysroot.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let version = version.context("rustc does not answer; install a toolchain (https://rustup.rs)")?;
        let sysroot = sysroot?;
        Self::read(&version, sysroot.trim())
            .with_context(|| format!("`{} -vV` answered something unknown: {version}", rustc.display()))
    }

    fn read(version: &str, sysroot: &str) -> Result<Self> {
        let field = |name: &str| -> Result<String> {
            let line = version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.map(str::to_owned).with_context(|| format!("no `{name}`"))
        };
        Ok(Self {
            release: field("release")?,
            commit: field("commit-hash")?,
            host: field("host")?,
            llvm: field("LLVM version")?,
            sysroot: sysroot.into(),
        })
    }

    /// The shared library with rustc's LLVM.
    ///
    /// # Errors
    /// When the toolchain has none.
    pub(crate) fn llvm_library(&self) -> Result<PathBuf> {
        let folder = self.sysroot.join("lib");
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let library = entries.flatten().map(|entry| entry.path()).find(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libLLVM.so."))
        });
        match library {
            Some(library) => Ok(library),
            None => bail!(
                "no libLLVM.so.* in {}: this rustc has LLVM built in, which Concord cannot use; use a toolchain of \
                 rustup (https://rustup.rs)",
                folder.display()
            ),
        }
    }

    /// Folder that holds rustc's own linker under the name `ld.lld`.
    pub(crate) fn lld_folder(&self) -> PathBuf {
        self.sysroot.join("lib/rustlib").join(&self.host).join("bin/gcc-ld")
    }

    /// `22.1`: bitcode and the C API's symbol versions change with it.
    pub(crate) fn llvm_series(&self) -> &str {
        let end = self.llvm.match_indices('.').nth(1).map_or(self.llvm.len(), |(index, _)| index);
        &self.llvm[..end]
    }

    /// `22`: no newer clang's bitcode can be read.
    pub(crate) fn llvm_major(&self) -> u32 {
        self.llvm.split('.').next().and_then(|major| major.parse().ok()).unwrap_or(0)
    }

    /// The rustdoc of this toolchain.
    pub(crate) fn rustdoc(&self) -> PathBuf {
        let own = self.sysroot.join("bin/rustdoc");
        if own.is_file() { own } else { "rustdoc".into() }
    }

    /// Our cache for this rustc.
    ///
    /// # Errors
    /// See [`cache_folder`].
    pub(crate) fn cache(&self) -> Result<PathBuf> {
        let length = self.commit.len().min(16);
        Ok(cache_folder()?.join(format!("{}-{}", self.release, &self.commit[..length])))
    }
}

/// Our cache, `~/.cache/concord`, for all toolchains.
///
/// # Errors
/// When the home folder is unknown.
pub(crate) fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Ok(base.context("neither HOME nor XDG_CACHE_HOME is set; set one of them")?.join("concord"))
}

/// Whether code for `target` can be instrumented.
///
/// # Errors
/// Says which targets can.
pub(crate) fn check_target(target: &str) -> Result<()> {
    if target.starts_with("x86_64-") && target.contains("-linux-") {
        return Ok(());
    }
    bail!(
        "target {target}: Concord makes code for x86_64 Linux alone; pass --target x86_64-unknown-linux-gnu"
    )
}

/// The file `name` in one of the folders of `PATH`.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder: PathBuf| folder.join(name))
        .find(|file: &PathBuf| is_program(file))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\n\
        commit-hash: 59807616e1fa2540724bfbac14d7976d7e4a3860\nhost: x86_64-unknown-linux-gnu\n\
        release: 1.95.0\nLLVM version: 22.1.2\n";

    #[test]
    fn the_answer_of_rustc_is_read() {
        let toolchain = Toolchain::read(ANSWER, "/t").unwrap();
        assert_eq!((toolchain.llvm.as_str(), toolchain.llvm_series()), ("22.1.2", "22.1"));
        assert_eq!(toolchain.lld_folder(), Path::new("/t/lib/rustlib/x86_64-unknown-linux-gnu/bin/gcc-ld"));
        let short = Toolchain { llvm: "23".into(), ..toolchain };
        assert_eq!(short.llvm_series(), "23");
    }

    #[test]
    fn an_answer_without_llvm_is_refused() {
        let answer = ANSWER.replace("LLVM version", "Backend");
        assert!(Toolchain::read(&answer, "/t").unwrap_err().to_string().contains("LLVM version"));
    }

    #[test]
    fn other_targets_are_refused_by_name() {
        check_target("x86_64-unknown-linux-musl").unwrap();
        let refused = check_target("aarch64-unknown-linux-gnu").unwrap_err().to_string();
        assert!(refused.contains("aarch64") && refused.contains("--target"), "{refused}");
    }
}
