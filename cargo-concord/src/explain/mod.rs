//! `cargo concord explain`: one function's source with its sites, and the reason for each.

mod find;
mod source;
mod view;
mod window;

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::answer;
use crate::artefacts::Artefacts;
use crate::cargo_args::CargoArgs;
use crate::cli::ExplainOptions;
use crate::toolchain::Toolchain;
use find::Found;
use source::Sources;

/// So many names of an ambiguous part are listed.
const LISTED: usize = 30;

/// Builds (or reads an artefact of an earlier build) and prints what was done to the function.
///
/// # Errors
/// When no function, or more than one, is meant. Cargo's own failure is its exit code.
pub(crate) fn run(options: &ExplainOptions) -> Result<ExitCode> {
    let artefacts = match Artefacts::find(options.artefact.as_deref(), &options.build)? {
        Ok(artefacts) => artefacts,
        Err(code) => return Ok(code),
    };
    let wanted = &options.function;
    let report = &artefacts.report;
    match find::find(report, wanted) {
        Found::Functions(functions) => {
            let sources = sources(&artefacts)?;
            let profile = profile(options);
            for function in functions {
                answer::print(&view::render(function, report.bound, &sources, &profile))?;
            }
        }
        Found::Skipped(skipped) => {
            answer::print(&format!("{}\nhas no probes: {}\n", skipped.function, skipped.reason))?;
        }
        Found::Inlined(name) => answer::print(&format!(
            "{name}\nis no function of its own any more: it was inlined wherever it is called, or is never called. Its \
             probes are part of its callers; `cargo concord explain` of a caller shows them with this function's lines.\n"
        ))?,
        Found::Several(names) => bail!("`{wanted}` is part of several names; choose one:{}", list(&names)),
        Found::None(close) if close.is_empty() => {
            bail!(
                "no function of this build has `{wanted}` in its name; `cargo concord audit --all` lists all"
            )
        }
        Found::None(close) => {
            bail!("no function of this build has `{wanted}` in its name; did you mean:{}", list(&close))
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(names: &[&str]) -> String {
    let mut text = String::new();
    for name in names.iter().take(LISTED) {
        let _ = write!(text, "\n  {name}");
    }
    if names.len() > LISTED {
        let _ = write!(text, "\n  ... and {} more", names.len() - LISTED);
    }
    text
}

fn sources(artefacts: &Artefacts) -> Result<Sources> {
    let mut roots = Vec::new();
    if let Some(workspace) = &artefacts.workspace {
        roots.push(workspace.root());
        roots.extend(workspace.package_folders());
    }
    roots.push(std::env::current_dir().context("cannot find the working folder")?);
    let config = cargo_config2::Config::load().context("cannot read Cargo's configuration")?;
    Ok(Sources::new(roots, Toolchain::find(&config)?.sysroot))
}

/// The profile's name as it stands in Cargo's variables.
fn profile(options: &ExplainOptions) -> String {
    let args = CargoArgs::read(&options.build.cargo, "build");
    match args.profile.as_deref() {
        None if options.artefact.is_none() => "DEV".to_owned(),
        None => "RELEASE".to_owned(),
        Some(profile) => profile.to_uppercase().replace('-', "_"),
    }
}
