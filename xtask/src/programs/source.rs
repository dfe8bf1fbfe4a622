//! The programs' source, as the registry has it.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::catalogue::Program;
use crate::process::{self, cargo};

/// A program's own copy of its source.
#[derive(Debug)]
pub(super) struct Source {
    /// The package's folder.
    pub(super) folder: PathBuf,
    /// The dependency that is edited, in a folder of its own.
    pub(super) dependency: Option<Dependency>,
}

/// A copy of a dependency, of the version that the program's `Cargo.lock` names.
#[derive(Debug)]
pub(super) struct Dependency {
    pub(super) name: &'static str,
    pub(super) folder: PathBuf,
}

impl Source {
    /// Takes `program` from the registry into `folder`, with all that its builds and tests need.
    ///
    /// # Errors
    /// When the registry cannot be reached and Cargo has not got the packages yet.
    pub(super) fn take(program: &Program, folder: &Path) -> Result<Self> {
        let own = folder.join(format!("{}-{}", program.name, program.version));
        remove(&own)?;
        copy(&package(&asking(program, folder)?, program.name, program.version)?, &own)?;
        let dependency = program.dependency.map(|name| dependency(name, &own, folder)).transpose()?;
        let source = Self { folder: own, dependency };
        // Rewrites the lock file when there is a copied dependency: its entry loses the registry as its source.
        let mut fetch = source.cargo(&["fetch"]);
        fetch.args(source.config());
        process::run(fetch)?;
        Ok(source)
    }

    /// Cargo in the package's folder.
    pub(super) fn cargo(&self, arguments: &[&str]) -> std::process::Command {
        let mut cargo = cargo(arguments);
        cargo.current_dir(&self.folder);
        cargo
    }

    /// Options by which Cargo takes the copied dependency in place of the registry's.
    pub(super) fn config(&self) -> Vec<String> {
        let patch = |dependency: &Dependency| {
            let Dependency { name, folder } = dependency;
            vec!["--config".to_owned(), format!("patch.crates-io.{name}.path={folder:?}")]
        };
        self.dependency.as_ref().map(patch).unwrap_or_default()
    }
}

/// A package that depends on the program: Cargo then brings the program's source.
fn asking(program: &Program, folder: &Path) -> Result<PathBuf> {
    let folder = folder.join("registry").join(program.name);
    let write = |file: &str, text: String| {
        let path = folder.join(file);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    std::fs::create_dir_all(folder.join("src"))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    write("src/lib.rs", String::new())?;
    let Program { name, version, .. } = program;
    write(
        "Cargo.toml",
        format!(
            "[package]\nname = \"asking\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{name} = \"={version}\"\n"
        ),
    )?;
    Ok(folder)
}

/// Where Cargo keeps the source of a package that the one in `folder` depends on, directly or not.
///
/// By the layout of Cargo's home: `cargo metadata` does not name packages without a library.
fn package(folder: &Path, name: &str, version: &str) -> Result<PathBuf> {
    let mut fetch = cargo(&["fetch"]);
    fetch.current_dir(folder);
    process::run(fetch)?;
    let sources = cargo_home()?.join("registry/src");
    let unread = || format!("cannot read {}", sources.display());
    for registry in std::fs::read_dir(&sources).with_context(unread)? {
        let package = registry.with_context(unread)?.path().join(format!("{name}-{version}"));
        if package.join("Cargo.toml").is_file() {
            return Ok(package);
        }
    }
    bail!("Cargo has fetched {name} {version}, but {} does not hold it", sources.display())
}

fn cargo_home() -> Result<PathBuf> {
    let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"));
    own.or_else(usual).context("neither CARGO_HOME nor HOME is set")
}

fn dependency(name: &'static str, program: &Path, folder: &Path) -> Result<Dependency> {
    let lock =
        std::fs::read_to_string(program.join("Cargo.lock")).context("the package has no Cargo.lock")?;
    let version = locked(&lock, name)?;
    let own = folder.join(format!("{name}-{version}-of-{}", file_name(program)));
    remove(&own)?;
    copy(&package(program, name, version)?, &own)?;
    Ok(Dependency { name, folder: own })
}

/// The version of `name` that a `Cargo.lock` names, the only one.
fn locked<'a>(lock: &'a str, name: &str) -> Result<&'a str> {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let mut versions = lock.split(&entry).skip(1).filter_map(|rest| rest.split('"').next());
    match (versions.next(), versions.next()) {
        (Some(version), None) => Ok(version),
        (None, _) => bail!("Cargo.lock does not name {name}"),
        (Some(_), Some(_)) => bail!("Cargo.lock names several versions of {name}: choose another to edit"),
    }
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            std::fs::copy(&path, &target).with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_locked_version_is_found() {
        let entry = |name: &str, version: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nchecksum = \"c\"\n\n")
        };
        let lock =
            [entry("hyper-util", "0.1"), entry("hyper", "1.8.1"), entry("b", "1"), entry("b", "2")].concat();
        assert_eq!(locked(&lock, "hyper").unwrap(), "1.8.1");
        assert!(locked(&lock, "h").unwrap_err().to_string().contains("does not name h"));
        assert!(locked(&lock, "b").unwrap_err().to_string().contains("several versions of b"));
    }

    #[test]
    fn sources_are_copied_with_all_their_folders() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/programs");
        let target = std::env::temp_dir().join(format!("concord-source-{}", std::process::id()));
        copy(&own, &target).unwrap();
        let read = |folder: &Path| std::fs::read(folder.join("checks/tree.rs")).unwrap();
        assert!(read(&own) == read(&target));
        remove(&target).unwrap();
        assert!(!target.exists() && remove(&target).is_ok());
    }
}
