//! Running `concord-pass`.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use concord_job::{LinkJob, LinkOutcome, read_json, write_json};

use crate::context::Context;
use crate::process;

/// Runs the pass on `job`, in the job's own folder.
///
/// # Errors
/// When it cannot be started or fails; its own message is on stderr by then.
pub(crate) fn run(context: &Context, job: &LinkJob) -> Result<LinkOutcome> {
    let job_path = job.work_dir.join("job.json");
    let outcome_path = job.work_dir.join("outcome.json");
    write_json(&job_path, job).context("cannot write the job of concord-pass")?;
    let mut command = Command::new(&context.pass);
    command.arg("link").arg("--job").arg(&job_path).arg("--outcome").arg(&outcome_path);
    command.env("LD_LIBRARY_PATH", process::library_path(&context.pass_libraries)?);
    let status = process::status(&mut command)?;
    if !status.success() {
        bail!(
            "{}: concord-pass failed ({status}); `--save-dir DIR` keeps this link with a script that repeats it",
            job.artefact
        );
    }
    read_json(&outcome_path).context("concord-pass left no readable outcome")
}
