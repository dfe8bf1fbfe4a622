//! `cargo concord audit`: where code cannot be preempted, and how long its paths without a probe are.

pub(crate) mod figures;
mod table;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::answer;
use crate::artefacts::Artefacts;
use crate::cli::AuditOptions;
use figures::Audit;

/// Builds (or reads an artefact of an earlier build) and prints the answer.
///
/// # Errors
/// When the build cannot be started, or there is no report. Cargo's own failure is its exit code.
pub(crate) fn run(options: &AuditOptions) -> Result<ExitCode> {
    let artefacts = match Artefacts::find(options.artefact.as_deref(), &options.build)? {
        Ok(artefacts) => artefacts,
        Err(code) => return Ok(code),
    };
    if artefacts.report.instrumented.is_empty() && artefacts.report.skipped.is_empty() {
        bail!(
            "this build has neither guards nor probes, so there is nothing to audit; build without --no-probes"
        );
    }
    let audit = Audit::of(&artefacts);
    let text = if options.json {
        serde_json::to_string_pretty(&audit)? + "\n"
    } else {
        table::render(&audit, if options.all { usize::MAX } else { options.top })
    };
    answer::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
