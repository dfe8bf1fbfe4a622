//! Configured paths that match no function: misspelled, most likely.
//!
//! A path has its match in one artefact of a build and none in others, and Cargo links only those artefacts
//! that are out of date. So each link notes what it missed, under its settings, and the subcommand looks
//! at the notes of all links with its own settings.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use concord_job::{Probes, Report, read_json, write_json};
use serde::{Deserialize, Serialize};

use crate::config::PathSetting;
use crate::context::{Context, OPTIONS_VARIABLE};

/// What one link left.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The value of [`OPTIONS_VARIABLE`].
    options: String,
    unmatched: Vec<String>,
}

/// Notes what the link of `output` missed.
///
/// # Errors
/// When the note cannot be written.
pub(super) fn note(context: &Context, output: &Path, report: &Report) -> Result<()> {
    if context.settings.paths.is_empty() || context.probes == Probes::None {
        return Ok(());
    }
    let options = std::env::var(OPTIONS_VARIABLE).unwrap_or_default();
    let mut name = DefaultHasher::new();
    output.hash(&mut name);
    let path = folder(context).join(format!("{:016x}.json", name.finish()));
    std::fs::create_dir_all(folder(context)).with_context(|| format!("cannot write {}", path.display()))?;
    write_json(&path, &Note { options, unmatched: report.unmatched.clone() })
        .context("cannot note the paths without a match")
}

fn folder(context: &Context) -> PathBuf {
    context.links().join("unmatched")
}

/// The settings that matched in no artefact made with `options`.
pub(crate) fn everywhere<'a>(context: &'a Context, options: &str) -> Vec<&'a PathSetting> {
    if context.settings.paths.is_empty() {
        return Vec::new();
    }
    let entries = std::fs::read_dir(folder(context)).into_iter().flatten().flatten();
    // A note that is unreadable is being written, or of another version of ours.
    let notes = entries.filter_map(|entry| read_json::<Note>(&entry.path()).ok());
    let in_all = notes.filter(|note| note.options == options).map(|note| note.unmatched).reduce(
        |mut in_all, unmatched| {
            in_all.retain(|path| unmatched.contains(path));
            in_all
        },
    );
    settings(context, &in_all.unwrap_or_default())
}

/// The settings of `paths` that should have matched.
pub(super) fn settings<'a>(context: &'a Context, paths: &[String]) -> Vec<&'a PathSetting> {
    let settings = context.settings.paths.iter().filter(|setting| !setting.is_elsewhere);
    settings.filter(|setting| paths.contains(&setting.path)).collect()
}

/// What the person is told.
pub(crate) fn warning(setting: &PathSetting) -> String {
    format!(
        "concord: warning: no function of this build is covered by `{}` ({})",
        setting.path, setting.source
    )
}
