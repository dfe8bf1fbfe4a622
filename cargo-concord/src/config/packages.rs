//! The tables of a workspace and its packages, in the order of their rights.

use anyhow::{Result, bail};
use cargo_metadata::Package;

use super::table::{self, Origin};
use super::{Layer, path};
use crate::workspace::Workspace;

const WORKSPACE_TABLE: &str = "workspace.metadata.concord";
const PACKAGE_TABLE: &str = "package.metadata.concord";

/// The layers of the dependencies, the workspace and the packages that are built.
///
/// # Errors
/// When a table is wrong, or speaks of what it has no say in.
pub(super) fn layers(workspace: &Workspace) -> Result<Vec<Layer>> {
    let mut layers = Vec::new();
    for package in workspace.dependencies() {
        layers.push(of_dependency(package)?);
    }
    let manifest = workspace.root().join("Cargo.toml").display().to_string();
    let origin = Origin { table: WORKSPACE_TABLE, manifest };
    layers.push(table::read(&workspace.table()["concord"], &origin)?);
    let built = workspace.built().into_iter().map(of_package).collect::<Result<Vec<_>>>()?;
    layers.push(together(built));
    Ok(layers)
}

fn of_package(package: &Package) -> Result<Layer> {
    let origin = Origin { table: PACKAGE_TABLE, manifest: package.manifest_path.to_string() };
    table::read(&package.metadata["concord"], &origin)
}

/// A dependency's author knows his own functions alone.
fn of_dependency(package: &Package) -> Result<Layer> {
    let layer = of_package(package)?;
    let place = || format!("the package {} in [{PACKAGE_TABLE}] of {}", package.name, package.manifest_path);
    for (key, is_set) in [("bound", layer.bound.is_some()), ("second-build", layer.second_build.is_some())] {
        if is_set {
            bail!(
                "{} sets `{key}`, and is only a dependency of this build; set it in [{WORKSPACE_TABLE}], or in the \
                 package that is built",
                place()
            );
        }
    }
    let crates: Vec<String> = package.targets.iter().map(|target| target.name.replace('-', "_")).collect();
    for setting in &layer.paths {
        let root = path::root(&setting.path);
        if !crates.iter().any(|name| name == root) {
            bail!(
                "{} names `{}`, and is only a dependency of this build: its table may speak of its own crate's paths \
                 alone; move the path to [{WORKSPACE_TABLE}], or to the package that is built",
                place(),
                setting.path
            );
        }
    }
    Ok(layer)
}

/// Packages that are built at once have equal rights: the smallest bound keeps to that of each, and one can do without
/// a second build for all.
fn together(layers: Vec<Layer>) -> Layer {
    let bound = layers.iter().filter_map(|layer| layer.bound).min();
    let second_build = layers.iter().filter_map(|layer| layer.second_build).min();
    Layer { paths: layers.into_iter().flat_map(|layer| layer.paths).collect(), bound, second_build }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo_args::CargoArgs;
    use crate::config::Wish;
    use crate::workspace::fake;

    fn layers_of(tables: [&str; 4], packages: &[&str]) -> Result<Vec<Layer>> {
        let args = CargoArgs {
            packages: packages.iter().map(|name| (*name).to_owned()).collect(),
            ..CargoArgs::default()
        };
        layers(&fake::workspace(tables, &args))
    }

    fn spoken(layers: &[Layer]) -> Vec<(&str, Wish)> {
        layers.iter().flat_map(|layer| &layer.paths).map(|set| (set.path.as_str(), set.wish)).collect()
    }

    #[test]
    fn dependencies_speak_first_then_the_workspace_then_the_packages() {
        let layers = layers_of(
            [
                r#"{"concord": {"exclude": ["dep-lib::slow"], "bound": 900}}"#,
                r#"{"concord": {"include": ["dep_lib::slow::not"], "bound": 400}}"#,
                r#"{"other": 1}"#,
                r#"{"concord": {"exclude": ["dep_lib::own"]}}"#,
            ],
            &["app"],
        )
        .unwrap();
        assert_eq!(
            spoken(&layers),
            [
                ("dep_lib::own", Wish::Exclude),
                ("dep_lib::slow", Wish::Exclude),
                ("dep_lib::slow::not", Wish::Include)
            ]
        );
        assert_eq!(layers.last().unwrap().bound, Some(400));
    }

    #[test]
    fn only_packages_that_are_built_speak_of_others() {
        let tables =
            ["null", "null", r#"{"concord": {"exclude": ["anything::at::all"], "bound": 700}}"#, "null"];
        assert_eq!(spoken(&layers_of(tables, &["app"]).unwrap()), []);
        assert_eq!(spoken(&layers_of(tables, &["tool"]).unwrap()), [("anything::at::all", Wish::Exclude)]);
        let both = ["null", r#"{"concord": {"bound": 800}}"#, tables[2], "null"];
        assert_eq!(layers_of(both, &["app", "tool"]).unwrap().last().unwrap().bound, Some(700));
    }

    #[test]
    fn a_dependency_that_speaks_of_others_is_refused_by_name() {
        for (table, words) in [
            (
                r#"{"concord": {"exclude": ["app::main"]}}"#,
                ["names `app::main`", "its own crate's paths alone"],
            ),
            (r#"{"concord": {"bound": 500}}"#, ["sets `bound`", "only a dependency"]),
        ] {
            let error = layers_of(["null", "null", "null", table], &["app"]).unwrap_err().to_string();
            assert!(error.contains("the package dep") && error.contains("/w/dep/Cargo.toml"), "{error}");
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    #[test]
    fn a_wrong_table_of_the_workspace_names_its_manifest() {
        let tables = [r#"{"concord": {"includes": []}}"#, "null", "null", "null"];
        let error = layers_of(tables, &[]).unwrap_err().to_string();
        assert!(error.contains("[workspace.metadata.concord] of /w/Cargo.toml"), "{error}");
    }
}
