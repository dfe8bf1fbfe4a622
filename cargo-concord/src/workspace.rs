//! The workspace that is built, as `cargo metadata` tells it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Result;
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId, TargetKind};
use serde_json::Value;

use crate::cargo_args::CargoArgs;

/// How long `cargo metadata` may say nothing before we say what it does.
const PATIENCE: Duration = Duration::from_secs(2);

/// A workspace, and the packages of it that are built.
#[derive(Debug)]
pub(crate) struct Workspace {
    metadata: Metadata,
    built: Vec<PackageId>,
}

impl Workspace {
    /// Asks Cargo for the workspace and its dependencies. Where these cannot be told (some are not downloaded,
    /// and Cargo is offline), a warning says so, and the workspace alone is read.
    ///
    /// # Errors
    /// In Cargo's words, when there is no workspace for instance.
    pub(crate) fn read(args: &CargoArgs, targets: &[String]) -> Result<Self> {
        let mut with_dependencies = [&args.for_metadata[..], &args.features].concat();
        with_dependencies.extend(targets.iter().map(|target| format!("--filter-platform={target}")));
        let mut whole = command(with_dependencies);
        let metadata = match patiently(|| exec(&mut whole), args.quiet) {
            Ok(metadata) => metadata,
            Err(reason) => {
                let metadata = exec(command(args.for_metadata.clone()).no_deps())?;
                if !args.quiet {
                    eprintln!("concord: warning: settings of dependencies were not read: {reason}");
                }
                metadata
            }
        };
        Ok(Self { built: built(&metadata, args), metadata })
    }

    /// The workspace alone, as far as it is needed to find its target directory.
    ///
    /// # Errors
    /// As [`Workspace::read`].
    pub(crate) fn read_alone(args: &CargoArgs) -> Result<Self> {
        let metadata = exec(command(args.for_metadata.clone()).no_deps())?;
        Ok(Self { built: built(&metadata, args), metadata })
    }

    /// The root folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.metadata.workspace_root.clone().into()
    }

    /// The folder of each package that is known, members first.
    pub(crate) fn package_folders(&self) -> Vec<PathBuf> {
        let mut packages = self.packages(|_| true);
        packages.sort_by_key(|package| !self.metadata.workspace_members.contains(&package.id));
        packages
            .iter()
            .filter_map(|package| package.manifest_path.as_std_path().parent())
            .map(Path::to_path_buf)
            .collect()
    }

    /// Cargo's target directory.
    pub(crate) fn target_directory(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// `[workspace.metadata]`.
    pub(crate) fn table(&self) -> &Value {
        &self.metadata.workspace_metadata
    }

    /// The packages that are built because they were asked for.
    pub(crate) fn built(&self) -> Vec<&Package> {
        self.packages(|id| self.built.contains(id))
    }

    /// The packages whose code ends up in what is built because others depend on them.
    pub(crate) fn dependencies(&self) -> Vec<&Package> {
        let reached = self.reached();
        self.packages(|id| reached.contains(id) && !self.built.contains(id))
    }

    /// Whether `crate_name` is known, and no part of what is built.
    pub(crate) fn has_elsewhere(&self, crate_name: &str) -> bool {
        let reached = self.reached();
        let is_called = |package: &&Package| {
            package.targets.iter().any(|target| target.name.replace('-', "_") == crate_name)
        };
        let mut called = self.metadata.packages.iter().filter(is_called).peekable();
        called.peek().is_some() && called.all(|package| !reached.contains(&package.id))
    }

    fn packages(&self, wanted: impl Fn(&PackageId) -> bool) -> Vec<&Package> {
        self.metadata.packages.iter().filter(|package| wanted(&package.id)).collect()
    }

    /// All packages with code in the target's artefacts: build scripts and proc macros run on the host.
    fn reached(&self) -> HashSet<&PackageId> {
        let Some(graph) = &self.metadata.resolve else { return self.built.iter().collect() };
        let mut reached = HashSet::new();
        let mut open: Vec<&PackageId> = self.built.iter().collect();
        while let Some(id) = open.pop() {
            if self.is_proc_macro(id) || !reached.insert(id) {
                continue;
            }
            let Some(node) = graph.nodes.iter().find(|node| node.id == *id) else { continue };
            let used = node.deps.iter().filter(|dependency| {
                // An old Cargo tells no kinds.
                dependency.dep_kinds.is_empty()
                    || dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Build)
            });
            open.extend(used.map(|dependency| &dependency.pkg));
        }
        reached
    }

    fn is_proc_macro(&self, id: &PackageId) -> bool {
        let package = self.metadata.packages.iter().find(|package| package.id == *id);
        package.is_some_and(|package| package.targets.iter().any(|it| it.is_kind(TargetKind::ProcMacro)))
    }
}

fn command(options: Vec<String>) -> MetadataCommand {
    let mut command = MetadataCommand::new();
    command.cargo_path(crate::driver::cargo_program()).other_options(options);
    command
}

fn exec(command: &mut MetadataCommand) -> Result<Metadata> {
    command.exec().map_err(|error| match error {
        cargo_metadata::Error::CargoMetadata { stderr } => anyhow::anyhow!("{}", stderr.trim()),
        error => error.into(),
    })
}

/// Cargo's own progress is not shown, and it may download.
fn patiently<T>(work: impl FnOnce() -> T, quiet: bool) -> T {
    let (done, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) && !quiet {
                eprintln!(
                    "concord: Cargo is resolving the dependencies, and downloads those that are missing"
                );
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Cargo's choice of packages.
fn built(metadata: &Metadata, args: &CargoArgs) -> Vec<PackageId> {
    if args.workspace {
        let members = metadata.workspace_packages().into_iter();
        let kept = members.filter(|package| !args.left_out.iter().any(|spec| is_meant(spec, package)));
        return kept.map(|package| package.id.clone()).collect();
    }
    if args.packages.is_empty() {
        return default_packages(metadata);
    }
    // A package that is no member can be asked for by its name.
    let asked =
        metadata.packages.iter().filter(|package| args.packages.iter().any(|spec| is_meant(spec, package)));
    asked.map(|package| package.id.clone()).collect()
}

fn default_packages(metadata: &Metadata) -> Vec<PackageId> {
    if metadata.workspace_default_members.is_available() {
        return metadata.workspace_default_members.to_vec();
    }
    metadata.workspace_members.clone()
}

/// Whether a package specification (`name`, `name@version`, `url#name@version`, `na*`) means `package`.
fn is_meant(spec: &str, package: &Package) -> bool {
    let (url, fragment) = match spec.split_once('#') {
        Some((url, fragment)) => (Some(url), fragment),
        None if spec.contains("://") => (Some(spec), ""),
        None => (None, spec),
    };
    let folder = url.map(|url| url.trim_end_matches('/').rsplit('/').next().unwrap_or(url));
    let (name, version) = match fragment.split_once(['@', ':']) {
        Some((name, version)) => (name, version),
        None if fragment.is_empty() || fragment.starts_with(|first: char| first.is_ascii_digit()) => {
            (folder.unwrap_or_default(), fragment)
        }
        None => (fragment, ""),
    };
    let own = package.version.to_string();
    let same_version = own
        .strip_prefix(version)
        .is_some_and(|rest| version.is_empty() || rest.is_empty() || rest.starts_with('.'));
    same_version && matches(name, &package.name)
}

/// `*` and `?`, as Cargo's patterns have them.
fn matches(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .any(|at| matches(rest.as_str(), &text[at..])),
        Some(first) => {
            let mut text = text.chars();
            text.next().is_some_and(|own| first == '?' || own == first)
                && matches(rest.as_str(), text.as_str())
        }
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A workspace in `/w`: the programs `app` and `tool`, where `app` depends on `dep` (library `dep_lib`),
    //! on `built` for its build script, and on `made`, a proc macro, which depends on `hidden`.

    use super::*;

    fn package(name: &str, library: &str, kind: &str, table: &str) -> Value {
        let table: Value = serde_json::from_str(table).unwrap();
        serde_json::json!({
            "name": name, "version": "1.2.3", "id": name, "dependencies": [], "features": {}, "edition": "2024",
            "manifest_path": format!("/w/{name}/Cargo.toml"), "metadata": table, "license": null,
            "license_file": null, "description": null, "source": null, "readme": null, "repository": null,
            "homepage": null, "documentation": null, "links": null, "publish": null, "authors": [],
            "categories": [], "keywords": [],
            "targets": [{
                "name": library, "kind": [kind], "crate_types": [kind], "src_path": format!("/w/{name}/src/lib.rs"),
                "edition": "2024", "doctest": false, "test": true, "doc": true, "required-features": [],
            }],
        })
    }

    fn node(name: &str, dependencies: &[(&str, Option<&str>)]) -> Value {
        let deps: Vec<Value> = dependencies
            .iter()
            .map(|(name, kind)| {
                serde_json::json!({"name": name, "pkg": name, "dep_kinds": [{"kind": kind, "target": null}]})
            })
            .collect();
        serde_json::json!({"id": name, "dependencies": [], "deps": deps, "features": []})
    }

    /// `tables`: the `metadata` of the workspace, `app`, `tool` and `dep`, as JSON.
    pub(crate) fn workspace(tables: [&str; 4], args: &CargoArgs) -> Workspace {
        let workspace_table: Value = serde_json::from_str(tables[0]).unwrap();
        let metadata = serde_json::json!({
            "packages": [
                package("app", "app", "bin", tables[1]),
                package("tool", "tool", "bin", tables[2]),
                package("dep", "dep-lib", "lib", tables[3]),
                package("built", "built", "lib", "null"),
                package("made", "made", "proc-macro", "null"),
                package("hidden", "hidden", "lib", "null"),
            ],
            "workspace_members": ["app", "tool"], "workspace_default_members": ["app"],
            "resolve": {"root": null, "nodes": [
                node("app", &[("dep", None), ("built", Some("build")), ("made", None)]),
                node("tool", &[]), node("dep", &[]), node("built", &[]),
                node("made", &[("hidden", None)]), node("hidden", &[]),
            ]},
            "workspace_root": "/w", "target_directory": "/w/target", "metadata": workspace_table, "version": 1,
        });
        let metadata: Metadata = serde_json::from_value(metadata).unwrap();
        Workspace { built: built(&metadata, args), metadata }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(packages: Vec<&Package>) -> Vec<&str> {
        packages.into_iter().map(|package| package.name.as_str()).collect()
    }

    fn of_words(words: &str) -> Workspace {
        let words: Vec<_> = words.split_whitespace().map(str::to_owned).collect();
        fake::workspace(["null"; 4], &CargoArgs::read(&words, "build"))
    }

    #[test]
    fn the_packages_that_are_built_are_those_that_cargo_builds() {
        for (words, expected) in [
            ("", &["app"][..]),
            ("--workspace", &["app", "tool"]),
            ("--all --exclude app", &["tool"]),
            ("-p tool", &["tool"]),
            ("-p app -p tool", &["app", "tool"]),
            ("-p t*", &["tool"]),
            ("-p tool@1", &["tool"]),
            ("-p tool:1.2.3", &["tool"]),
            ("-p tool@1.3", &[]),
            ("-p path+file:///w/tool#1.2.3", &["tool"]),
            ("-p file:///w/x#tool@1.2", &["tool"]),
            ("-p file:///w/tool", &["tool"]),
            ("-p dep", &["dep"]),
            ("-p absent", &[]),
        ] {
            assert_eq!(names(of_words(words).built()), expected, "{words}");
        }
    }

    #[test]
    fn dependencies_are_those_with_code_in_the_target() {
        assert_eq!(names(of_words("").dependencies()), ["dep"]);
        assert_eq!(names(of_words("-p tool").dependencies()), [""; 0]);
        assert_eq!(names(of_words("-p app -p dep").dependencies()), [""; 0]);
    }

    #[test]
    fn crates_of_other_builds_are_known() {
        let elsewhere = |words: &str, name: &str| of_words(words).has_elsewhere(name);
        assert!(elsewhere("", "tool") && elsewhere("-p tool", "dep_lib") && elsewhere("", "built"));
        assert!(!elsewhere("", "app") && !elsewhere("", "dep_lib") && !elsewhere("", "nobody"));
        assert!(!elsewhere("--workspace", "tool"));
    }

    #[test]
    fn patterns_match_as_cargos_do() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
