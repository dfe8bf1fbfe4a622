//! The linker role: rustc starts it in place of `cc` for each artefact of the target.
//!
//! ```text
//! link line -> inputs -> LinkJob -> concord-pass -> rewritten line -> (no bitcode?) -> real linker -> report
//!   line       inputs     mod        pass            rewrite           archive                        report
//! ```

pub(crate) mod archive;
mod exports;
mod inputs;
mod line;
mod options;
mod pass;
mod progress;
pub(crate) mod report;
mod response;
mod rewrite;
mod save_dir;
pub(crate) mod static_library;
pub(crate) mod unmatched;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use concord_job::{Exports, LinkJob, OutputKind};

use crate::context::Context;
use crate::process;
use crate::rustc::profile::CrateProfile;
use inputs::FoundInput;
use line::{LinkLine, Reader};
use pass::PassResult;
use save_dir::SavedLink;

/// Links an artefact.
///
/// # Errors
/// When the line cannot be understood, the pass fails or an input stays bitcode. A failure of the real
/// linker is no error here: its exit code is returned.
pub(crate) fn run(words: Vec<String>) -> Result<ExitCode> {
    let context = Context::from_environment()?;
    let profile = CrateProfile::from_environment()?;
    let linker = profile.linker.clone().unwrap_or_else(|| "cc".to_owned());
    let line = LinkLine::read(&response::expand(words.clone())?);
    let Some(output) = line.output.clone().filter(|_| !line.inputs.is_empty()) else {
        // A question to the compiler driver, such as `-print-file-name=crt1.o`.
        return process::replace(Command::new(linker).args(words));
    };
    link(&context, &profile, &line, &output, &linker)
}

fn link(
    context: &Context,
    profile: &CrateProfile,
    line: &LinkLine,
    output: &Path,
    linker: &str,
) -> Result<ExitCode> {
    let artefact = profile.final_name(output);
    if line.relocatable {
        bail!(
            "{artefact}: a relocatable link (-r) cannot be instrumented; remove it from the link arguments"
        );
    }
    let work = work_folder(context, &artefact)?;
    let found = inputs::find(line, &system_folders(linker, line), work.path())?;
    if !found.iter().any(|input| input.has_bitcode) {
        bail!(
            "{artefact}: no input of this link is bitcode, so nothing can be instrumented; a RUSTC_WRAPPER that \
             drops or caches rustc options is the usual cause (try without it, after `cargo concord clean`)"
        );
    }
    let job = link_job(context, profile, line, &found, &artefact, work.path())?;
    let (PassResult { outcome, remarks }, saved) = run_pass(context, profile, &job, Some(linker))?;
    let args = rewrite::rewrite(line, &found, &outcome, work.path())?;
    let rewritten = line::to_words(&args);
    archive::refuse_bitcode(&remaining_inputs(&LinkLine::read(&rewritten), &found))?;
    if let Some(saved) = saved {
        saved.finish(&job, &outcome, line, &rewritten)?;
    }
    let status = process::status(Command::new(linker).args(response::shorten(rewritten, work.path())?))?;
    if status.success() {
        report::leave(context, profile, output, &outcome.report, &remarks)?;
    }
    Ok(process::exit_code(status))
}

/// Runs the pass; what the user asked to keep is kept even when it fails.
fn run_pass(
    context: &Context,
    profile: &CrateProfile,
    job: &LinkJob,
    linker: Option<&str>,
) -> Result<(PassResult, Option<SavedLink>)> {
    let saved = match &context.save_dir {
        Some(folder) => Some(save_dir::begin(folder, context, job, linker)?),
        None => None,
    };
    let result = pass::run(context, job);
    if !context.dump_stages.is_empty() {
        report::keep_dumps(context, profile, job)?;
    }
    Ok((result?, saved))
}

/// A folder for the files of one link; removed with the value.
fn work_folder(context: &Context, artefact: &str) -> Result<tempfile::TempDir> {
    let links = context.links();
    std::fs::create_dir_all(&links).with_context(|| format!("cannot create {}", links.display()))?;
    tempfile::Builder::new()
        .prefix(&format!("{artefact}-"))
        .tempdir_in(&links)
        .with_context(|| format!("cannot create a folder in {}", links.display()))
}

fn link_job(
    context: &Context,
    profile: &CrateProfile,
    line: &LinkLine,
    found: &[FoundInput],
    artefact: &str,
    work_dir: &Path,
) -> Result<LinkJob> {
    let mut roots = line.named_symbols.clone();
    if !line.shared {
        roots.push("main".to_owned());
    }
    if line.own_start {
        roots.push("_start".to_owned());
    }
    let mut job = new_job(
        context,
        profile,
        JobShape {
            inputs: found.iter().filter_map(FoundInput::for_job).collect(),
            output: if line.shared { OutputKind::SharedObject } else { OutputKind::Executable },
            exports: exports::of_line(line)?,
            roots,
        },
        artefact,
        work_dir,
    );
    job.optimise.cpu = line.cpu.clone().or(job.optimise.cpu);
    Ok(job)
}

/// What differs between a link and a static library.
struct JobShape {
    inputs: Vec<concord_job::Input>,
    output: OutputKind,
    exports: Exports,
    roots: Vec<String>,
}

fn new_job(
    context: &Context,
    profile: &CrateProfile,
    shape: JobShape,
    artefact: &str,
    work_dir: &Path,
) -> LinkJob {
    LinkJob {
        inputs: shape.inputs,
        output: shape.output,
        artefact: artefact.to_owned(),
        exports: shape.exports,
        roots: shape.roots,
        optimise: profile.optimise(),
        instrument: context.settings.instrument(context.probes),
        work_dir: work_dir.to_path_buf(),
        cache: Some(context.units()),
        dump: context.dump_stages.clone(),
    }
}

/// The folders in which the compiler driver's linker searches libraries.
fn system_folders(linker: &str, line: &LinkLine) -> Vec<PathBuf> {
    let shaping = ["-m", "--sysroot", "--target", "-target", "-B"];
    let options = line
        .args
        .iter()
        .filter(|arg| arg.reader == Reader::Driver)
        .filter(|arg| shaping.iter().any(|option| arg.words[0].starts_with(option)))
        .flat_map(|arg| &arg.words);
    // Without an answer the pass sees no system library; the real linker still does.
    let Ok(answer) = Command::new(linker).args(options).arg("-print-search-dirs").output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&answer.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("libraries: ="))
        .map(|folders| folders.split(':').map(PathBuf::from).collect())
        .unwrap_or_default()
}

/// All files that the real linker will read: those on the rewritten line, and the libraries found by name
/// that were not replaced.
fn remaining_inputs(rewritten: &LinkLine, found: &[FoundInput]) -> Vec<PathBuf> {
    let named = rewritten.inputs.iter().filter_map(|input| match &input.name {
        line::InputName::File(path) => Some(path.clone()),
        line::InputName::Library(_) => None,
    });
    let libraries = found.iter().filter(|input| !input.has_bitcode).map(|input| input.path.clone());
    let mut paths: Vec<_> = named.chain(libraries).collect();
    paths.sort();
    paths.dedup();
    paths
}
