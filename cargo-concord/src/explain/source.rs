//! Files of source by the names that debug information has for them.

use std::path::{Path, PathBuf};

/// Where to look.
#[derive(Debug)]
pub(super) struct Sources {
    /// Folders that relative names may begin in.
    roots: Vec<PathBuf>,
    /// `library/` of the standard library is below it, when the component rust-src is installed.
    standard: PathBuf,
}

impl Sources {
    /// `sysroot` is the toolchain's.
    pub(super) fn new(roots: Vec<PathBuf>, sysroot: PathBuf) -> Self {
        Self { roots, standard: sysroot.join("lib/rustlib/src/rust") }
    }

    /// The lines of `file`.
    ///
    /// # Errors
    /// Says why there are none, and what to do about it.
    pub(super) fn lines(&self, file: &str) -> Result<Vec<String>, String> {
        let candidates = self.candidates(file);
        let Some(path) = candidates.iter().find(|path| path.is_file()) else {
            return Err(match standard_name(file) {
                Some(_) => "the standard library's source is not installed (rustup component add rust-src)"
                    .to_owned(),
                None if file.starts_with("/rust/deps/") => {
                    "a crate inside the standard library, whose source no toolchain brings".to_owned()
                }
                None => "this file is not on this machine".to_owned(),
            });
        };
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
    }

    /// `file` as people call it: by its path in the workspace, the standard library or the crate of a registry.
    pub(super) fn shown<'a>(&self, file: &'a str) -> &'a str {
        let own = self.roots.first().and_then(|root| Path::new(file).strip_prefix(root).ok()?.to_str());
        own.or_else(|| standard_name(file)).or_else(|| registry_name(file)).unwrap_or(file)
    }

    fn candidates(&self, file: &str) -> Vec<PathBuf> {
        if let Some(name) = standard_name(file) {
            return vec![self.standard.join(name)];
        }
        // An absolute name replaces the root that it is joined to.
        self.roots.iter().map(|root| root.join(file)).chain([Path::new(file).to_path_buf()]).collect()
    }
}

/// `library/core/src/...` of a file of the standard library: its debug information names rustc's build folder.
fn standard_name(file: &str) -> Option<&str> {
    match file.strip_prefix("/rustc/") {
        Some(rest) => rest.split_once('/').map(|(_, name)| name),
        None => file.starts_with("library/").then_some(file),
    }
}

/// `name-1.2.3/src/...` of a crate from a registry, its own or the standard library's.
fn registry_name(file: &str) -> Option<&str> {
    let below_registry = file.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/'));
    below_registry.map(|(_, name)| name).or_else(|| file.strip_prefix("/rust/deps/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_below_roots_by_their_whole_name_and_in_the_toolchain() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        write("ws/src/main.rs", "one\ntwo\n");
        write("ws/b/src/lib.rs", "b\n");
        let elsewhere = write("registry/x/src/lib.rs", "x\n");
        write("toolchain/lib/rustlib/src/rust/library/core/src/num.rs", "core\n");
        let roots = vec![folder.path().join("ws"), folder.path().join("ws/b")];
        let sources = Sources::new(roots, folder.path().join("toolchain"));
        let first = |file: &str| sources.lines(file).map(|lines| lines[0].clone());

        assert_eq!(sources.lines("src/main.rs").unwrap(), ["one", "two"]);
        assert_eq!(first("b/src/lib.rs").unwrap(), "b");
        assert_eq!(first("src/lib.rs").unwrap(), "b");
        assert_eq!(first(elsewhere.to_str().unwrap()).unwrap(), "x");
        assert_eq!(first("/rustc/abc123/library/core/src/num.rs").unwrap(), "core");
        assert_eq!(first("library/core/src/num.rs").unwrap(), "core");
        assert_eq!(sources.shown(folder.path().join("ws/src/main.rs").to_str().unwrap()), "src/main.rs");
        assert_eq!(sources.shown("/rustc/abc/library/core/src/a.rs"), "library/core/src/a.rs");
        assert_eq!(sources.shown("/rust/deps/hashbrown-0.16.1/src/lib.rs"), "hashbrown-0.16.1/src/lib.rs");
        assert_eq!(
            sources.shown("/h/.cargo/registry/src/index.crates.io-1949/a-1.0/src/lib.rs"),
            "a-1.0/src/lib.rs"
        );
        assert_eq!(sources.shown(elsewhere.to_str().unwrap()), elsewhere.to_str().unwrap());
        assert!(first("/rust/deps/hashbrown-0.16.1/src/lib.rs").unwrap_err().contains("inside the standard"));
        assert!(first("/rustc/abc123/library/std/src/io.rs").unwrap_err().contains("rust-src"));
        assert!(first("src/absent.rs").unwrap_err().contains("not on this machine"));
    }
}
