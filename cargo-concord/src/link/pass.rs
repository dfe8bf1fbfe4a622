//! Running `concord-pass`.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use concord_job::{LinkJob, LinkOutcome, read_json, write_json};

use super::progress::Progress;
use crate::context::Context;
use crate::process;

/// What a run of the pass left.
pub(crate) struct PassResult {
    /// Its answer.
    pub(crate) outcome: LinkOutcome,
    /// What it wrote to stderr, which rustc would swallow.
    pub(crate) remarks: String,
}

/// Runs the pass on `job`, in the job's own folder.
///
/// # Errors
/// When it cannot be started or fails; the message holds its own.
pub(crate) fn run(context: &Context, job: &LinkJob) -> Result<PassResult> {
    let job_path = job.work_dir.join("job.json");
    let outcome_path = job.work_dir.join("outcome.json");
    write_json(&job_path, job).context("cannot write the job of concord-pass")?;
    let mut command = Command::new(&context.pass);
    command.arg("link").arg("--job").arg(&job_path).arg("--outcome").arg(&outcome_path);
    command.env("LD_LIBRARY_PATH", process::library_path(&context.pass_libraries)?);
    let progress = Progress::start(context.terminal.clone(), &job.artefact);
    let output = command.output().with_context(|| format!("cannot start {}", context.pass.display()))?;
    drop(progress);
    let remarks = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!(
            "{}\n{}: concord-pass failed ({}); `--save-dir DIR` keeps this link with a script that repeats it",
            remarks.trim(),
            job.artefact,
            output.status
        );
    }
    let outcome = read_json(&outcome_path).context("concord-pass left no readable outcome")?;
    Ok(PassResult { outcome, remarks })
}
