//! `--save-dir`: one link kept whole, with a script that runs the pass and the real linker again.
//!
//! ```text
//! DIR/<artefact>/job.json   link.args   replay.sh   inputs/NNN-name   work/
//! ```
//! Paths in it are relative, so the folder can be moved or handed on.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use concord_job::{Input, LinkJob, LinkOutcome, write_json};

use super::line::LinkLine;
use super::response;
use crate::context::Context;

/// A link being saved: the files in the folder, and where each came from.
pub(crate) struct SavedLink {
    folder: PathBuf,
    moved: BTreeMap<PathBuf, PathBuf>,
}

/// Saves what the pass is about to read, so that a failing pass can be repeated too; without a `linker` there is
/// no link after it.
///
/// # Errors
/// When a file cannot be copied or written.
pub(crate) fn begin(
    folder: &Path,
    context: &Context,
    job: &LinkJob,
    linker: Option<&str>,
) -> Result<SavedLink> {
    let mut saved = SavedLink::new(folder.join(&job.artefact))?;
    let mut saved_job = job.clone();
    for input in &mut saved_job.inputs {
        match input {
            Input::Object { path } | Input::Archive { path, .. } => *path = saved.copy(path)?,
            Input::Shared { .. } => {}
        }
    }
    saved_job.work_dir = "work".into();
    saved_job.cache = None;
    write_json(&saved.folder.join("job.json"), &saved_job)?;
    saved.write("replay.sh", &script(context, &job.artefact, linker))?;
    let script = saved.folder.join("replay.sh");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", script.display()))?;
    Ok(saved)
}

impl SavedLink {
    /// Saves the `rewritten` line that is about to run.
    ///
    /// # Errors
    /// When a file cannot be copied or written.
    pub(crate) fn finish(
        mut self,
        job: &LinkJob,
        outcome: &LinkOutcome,
        line: &LinkLine,
        rewritten: &[String],
    ) -> Result<()> {
        if let Some(object) = &outcome.object {
            let inside = object.strip_prefix(&job.work_dir).unwrap_or(object);
            self.moved.insert(object.clone(), Path::new("work").join(inside));
        }
        for script in line.version_script.iter().chain(&line.dynamic_lists) {
            self.copy(script)?;
        }
        for word in rewritten {
            let path = Path::new(word);
            if path.starts_with(&job.work_dir) && path.is_file() && !self.moved.contains_key(path) {
                self.copy(path)?;
            }
        }
        if let Some(output) = &line.output {
            self.moved.insert(output.clone(), PathBuf::from(&job.artefact));
        }
        self.write("link.args", &response::join(&self.relocate(rewritten)))
    }

    fn new(folder: PathBuf) -> Result<Self> {
        let uncreated = || format!("cannot create {}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(uncreated)?;
        }
        for inner in ["inputs", "work"] {
            std::fs::create_dir_all(folder.join(inner)).with_context(uncreated)?;
        }
        Ok(Self { folder, moved: BTreeMap::new() })
    }

    /// Copies `path` and says where it is now, seen from the folder.
    fn copy(&mut self, path: &Path) -> Result<PathBuf> {
        if let Some(known) = self.moved.get(path) {
            return Ok(known.clone());
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let inside = Path::new("inputs").join(format!("{:03}-{name}", self.moved.len()));
        let to = self.folder.join(&inside);
        std::fs::copy(path, &to)
            .with_context(|| format!("cannot copy {} to {}", path.display(), to.display()))?;
        self.moved.insert(path.to_path_buf(), inside.clone());
        Ok(inside)
    }

    /// `words` with each moved file under its new name, also behind `=` and inside `-Wl,`.
    fn relocate(&self, words: &[String]) -> Vec<String> {
        let rename = |part: &str| match self.moved.get(Path::new(part)) {
            Some(inside) => inside.display().to_string(),
            None => part.to_owned(),
        };
        let relocate_part = |part: &str| match part.split_once('=') {
            Some((option, value)) => format!("{option}={}", rename(value)),
            None => rename(part),
        };
        words
            .iter()
            .map(|word| match self.moved.get(Path::new(word)) {
                Some(inside) => inside.display().to_string(),
                None => word.split(',').map(relocate_part).collect::<Vec<_>>().join(","),
            })
            .collect()
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

fn script(context: &Context, artefact: &str, linker: Option<&str>) -> String {
    let quote = |text: String| format!("'{}'", text.replace('\'', r"'\''"));
    let pass = quote(context.pass.display().to_string());
    let libraries = quote(context.pass_libraries.display().to_string());
    let link = match linker {
        // Its arguments are missing when the pass failed the first time.
        Some(linker) => format!("if [ -f link.args ]; then {} @link.args; fi\n", quote(linker.to_owned())),
        None => String::new(),
    };
    format!(
        "#!/bin/sh\n\
         # Repeats the pass and the link of {artefact}. CONCORD_PASS names another concord-pass.\n\
         set -e\n\
         cd \"$(dirname \"$0\")\"\n\
         pass=$CONCORD_PASS\n\
         if [ -z \"$pass\" ]; then pass={pass}; fi\n\
         LD_LIBRARY_PATH={libraries} \"$pass\" link --job job.json --outcome outcome.json\n\
         {link}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_again_wherever_a_word_names_them() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("list");
        std::fs::write(&source, "{ global: a; };").unwrap();
        let mut saved = SavedLink::new(folder.path().join("app")).unwrap();
        assert_eq!(saved.copy(&source).unwrap(), Path::new("inputs/000-list"));
        assert_eq!(saved.copy(&source).unwrap(), Path::new("inputs/000-list"));
        assert!(saved.folder.join("inputs/000-list").is_file());
        let name = source.display();
        let words = [format!("{name}"), format!("-Wl,--version-script={name}"), "-lc".into()];
        let expected = ["inputs/000-list", "-Wl,--version-script=inputs/000-list", "-lc"];
        assert_eq!(saved.relocate(&words), expected);
    }
}
