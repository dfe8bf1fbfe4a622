//! The reports beside artefacts, when Cargo puts an artefact of an earlier build into place again.
//!
//! An artefact that was linked under other settings of Cargo (another feature, another `CARGO_PROFILE_*`) is
//! still good in `deps`; Cargo links it to its place without a call of ours, so the report there is
//! another's. Each has its own report in `deps` too, and the two names of the artefact are one file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::link::report::report_path;

/// What comes behind an artefact's name.
const ENDING: &str = ".concord.json";

/// Gives each artefact in `profile`, a folder `<target dir>/<triple>/<profile>`, its own report.
///
/// # Errors
/// When a report cannot be copied.
pub(crate) fn follow(profile: &Path) -> Result<()> {
    let examples = profile.join("examples");
    let own: HashMap<(u64, u64), PathBuf> = [profile.join("deps"), examples.clone()]
        .iter()
        .flat_map(|folder| reported(folder))
        .filter(|artefact| has_hash(artefact))
        .filter_map(|artefact| Some((identity(&artefact)?, artefact)))
        .collect();
    for artefact in [profile, &examples].into_iter().flat_map(reported) {
        let Some(source) = identity(&artefact).and_then(|file| own.get(&file)) else { continue };
        let (from, to) = (report_path(source), report_path(&artefact));
        if from != to && std::fs::read(&from).ok() != std::fs::read(&to).ok() {
            std::fs::copy(&from, &to)
                .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        }
    }
    Ok(())
}

/// The artefacts with a report in `folder`.
fn reported(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let artefact = |report: PathBuf| {
        let name = report.file_name().and_then(OsStr::to_str)?.strip_suffix(ENDING)?.to_owned();
        Some(report.with_file_name(name))
    };
    entries.filter_map(|entry| artefact(entry.path())).collect()
}

/// Whether the name is the one that Cargo gives rustc, `<name>-<16 hex digits>`.
fn has_hash(artefact: &Path) -> bool {
    let stem = artefact.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    stem.rsplit_once('-')
        .is_some_and(|(_, hash)| hash.len() == 16 && hash.bytes().all(|letter| letter.is_ascii_hexdigit()))
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let data = path.metadata().ok()?;
    Some((data.dev(), data.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_is_that_of_the_file_that_is_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for place in ["deps", "examples"] {
            std::fs::create_dir(path(place)).unwrap();
        }
        let (one, other) = ("deps/app-00000000000000aa", "deps/app-00000000000000bb");
        for name in [one, other, "examples/e-00000000000000cc"] {
            std::fs::write(path(name), name).unwrap();
            std::fs::write(path(&format!("{name}.concord.json")), format!("of {name}")).unwrap();
        }
        std::fs::hard_link(path("examples/e-00000000000000cc"), path("examples/e")).unwrap();
        std::fs::write(path("examples/e.concord.json"), "stale").unwrap();
        std::fs::write(path("app.concord.json"), "stale").unwrap();
        for source in [one, other] {
            let _ = std::fs::remove_file(path("app"));
            std::fs::hard_link(path(source), path("app")).unwrap();
            follow(folder.path()).unwrap();
            let report = std::fs::read_to_string(path("app.concord.json")).unwrap();
            assert_eq!(report, format!("of {source}"));
        }
        let report = std::fs::read_to_string(path("examples/e.concord.json")).unwrap();
        assert_eq!(report, "of examples/e-00000000000000cc");
    }
}
