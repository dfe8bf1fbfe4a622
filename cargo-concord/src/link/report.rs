//! What is left of a link besides the artefact: the report next to it, and one line for the person.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use concord_job::{LinkJob, Report, write_json};

use super::unmatched;
use crate::context::Context;
use crate::rustc::profile::CrateProfile;

/// Writes `<artefact>.concord.json` next to `output` and where Cargo will link it, and the summary: the pass's
/// own `remarks`, then one line.
///
/// # Errors
/// When one of the files cannot be written.
pub(crate) fn leave(
    context: &Context,
    profile: &CrateProfile,
    output: &Path,
    report: &Report,
    remarks: &str,
) -> Result<()> {
    let name = profile.final_name(output);
    let uplifted = profile.uplift_folder.as_ref().map(|folder| report_path(&folder.join(&name)));
    for path in std::iter::once(report_path(output)).chain(uplifted) {
        write_json(&path, report).context("cannot write the report of this link")?;
    }
    let Report { instrumented, probes, loops, standard, second, .. } = report;
    if !standard.native.is_empty() {
        let members = standard.native.join(", ");
        let text = format!("this toolchain's {members} hold no bitcode: native code, without probes");
        say(context, profile, &text)?;
    }
    let functions = instrumented.len();
    for remark in remarks.lines() {
        say(context, profile, remark)?;
    }
    unmatched::note(context, output, report)?;
    if context.warns {
        for setting in unmatched::settings(context, &report.unmatched) {
            say(context, profile, unmatched::warning(setting).trim_start_matches("concord: "))?;
        }
    }
    let clones = match second.clones {
        0 => String::new(),
        clones => format!(", second build: {clones} clones, {} KiB", second.bytes.div_ceil(1024)),
    };
    say(
        context,
        profile,
        &format!("{functions} functions instrumented, {probes} probes, {loops} loops{clones} ({name})"),
    )
}

/// The report of `artefact`.
pub(crate) fn report_path(artefact: &Path) -> PathBuf {
    let mut name = artefact.as_os_str().to_owned();
    name.push(".concord.json");
    name.into()
}

/// Moves the dumped stages (`STAGE.ll`, `STAGE/UNIT.ll`) out of the link's folder, which is removed.
///
/// # Errors
/// When a dump cannot be moved.
pub(crate) fn keep_dumps(context: &Context, profile: &CrateProfile, job: &LinkJob) -> Result<()> {
    let artefact = &job.artefact;
    let folder = context.links().join(artefact);
    let unmoved = || format!("cannot move the dumped stages to {}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(unmoved)?;
    }
    std::fs::create_dir_all(&folder).with_context(unmoved)?;
    for stage in &context.dump_stages {
        for name in [stage.name().to_owned(), format!("{}.ll", stage.name())] {
            let dump = job.work_dir.join(&name);
            if dump.exists() {
                std::fs::rename(&dump, folder.join(name)).with_context(unmoved)?;
            }
        }
    }
    say(context, profile, &format!("stages of {artefact} are in {}", folder.display()))
}

/// Hands a line to the rustc role, which prints it.
fn say(context: &Context, profile: &CrateProfile, text: &str) -> Result<()> {
    let Some(path) = profile.summary.as_ref().filter(|_| !context.quiet) else { return Ok(()) };
    let unwritten = || format!("cannot write {}", path.display());
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(path).with_context(unwritten)?;
    writeln!(file, "concord: {text}").with_context(unwritten)
}
