//! Static libraries: rustc writes them itself, no linker runs, so the rustc role comes here afterwards.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use concord_job::{Exports, Input, OutputKind};

use super::archive::{self, Member};
use super::pass::PassResult;
use super::{JobShape, new_job, report, run_pass, work_folder};
use crate::context::Context;
use crate::rustc::profile::CrateProfile;

/// Replaces the bitcode members of the static library at `path` by one instrumented object.
///
/// The library may end up in an executable or in a shared object: it is built for the latter, and all
/// that has default visibility stays visible. The standard library's members stay native: the program that it
/// ends up in may bring its own copy, of which one must be able to take the other's place.
///
/// # Errors
/// When the library has no bitcode, the pass fails or a file cannot be read or written.
pub(crate) fn instrument(context: &Context, profile: &CrateProfile, path: &Path) -> Result<()> {
    let artefact = profile.final_name(path);
    let mut members = archive::members(path)?;
    members.retain(|member| !member.is_bitcode());
    let work = work_folder(context, &artefact)?;
    let shape = JobShape {
        inputs: vec![Input::Archive { path: path.to_path_buf(), whole: true, standard: false }],
        output: OutputKind::SharedObject,
        exports: Exports::All,
        roots: Vec::new(),
    };
    let job = new_job(context, profile, shape, &artefact, work.path());
    let (PassResult { outcome, remarks }, _) = run_pass(context, profile, &job, None)?;
    let Some(object) = &outcome.object else {
        bail!("{artefact}: no member of this static library is bitcode, so nothing can be instrumented");
    };
    let data = std::fs::read(object).with_context(|| format!("cannot read {}", object.display()))?;
    members.insert(0, Member { name: format!("{}.concord.o", profile.crate_name), data });
    // Cargo hard-links the library to its final place: a new file must take the name, not new content.
    let written = work.path().join("library.a");
    archive::write(&written, &members)?;
    archive::refuse_bitcode(std::slice::from_ref(&written))?;
    std::fs::rename(&written, path).with_context(|| format!("cannot replace {}", path.display()))?;
    report::leave(context, profile, path, &outcome.report, &remarks)
}
