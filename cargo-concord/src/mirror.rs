//! Artefacts where `cargo build` without `--target` would have put them.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Links the artefacts of a build from `<target dir>/<triple>/<profile>` to `<target dir>/<profile>`, examples
/// included. Files are copied where hard links cannot be made.
///
/// # Errors
/// When a file can be neither linked nor copied.
pub(crate) fn mirror(from: &Path, to: &Path) -> Result<()> {
    for inner in ["", "examples"] {
        mirror_folder(&from.join(inner), &to.join(inner), !inner.is_empty())?;
    }
    Ok(())
}

fn mirror_folder(from: &Path, to: &Path, examples: bool) -> Result<()> {
    // A build without artefacts (or without examples) leaves no folder.
    let Ok(entries) = std::fs::read_dir(from) else { return Ok(()) };
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", from.display()))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && !is_cargos_own(&name) && !(examples && has_hash(&name)) {
            std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
            link(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// Lock files, and dep-info, which names the files by their other path.
fn is_cargos_own(name: &str) -> bool {
    name.starts_with('.') || name.ends_with(".d")
}

/// Whether `name` is an example's file before Cargo links it to its own name: `name-<16 hex digits>`.
fn has_hash(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let Some((_, hash)) = stem.rsplit_once('-') else { return false };
    hash.len() == 16 && hash.bytes().all(|letter| letter.is_ascii_hexdigit())
}

fn link(from: &Path, to: &Path) -> Result<()> {
    let unlinked = || format!("cannot link {} to {}", from.display(), to.display());
    let source = from.metadata().with_context(unlinked)?;
    if to.metadata().is_ok_and(|present| (present.dev(), present.ino()) == (source.dev(), source.ino())) {
        return Ok(());
    }
    // By way of a name of its own: a build that runs at the same time does the same, and copying onto a name
    // that has become a link to `from` would empty both.
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let fresh = to.with_file_name(format!(".{name}.{}", std::process::id()));
    if std::fs::hard_link(from, &fresh).is_err() {
        std::fs::copy(from, &fresh).with_context(unlinked)?;
    }
    std::fs::rename(&fresh, to).with_context(unlinked)?;
    // Renaming a link onto another link of the same file leaves both.
    let _ = std::fs::remove_file(&fresh);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artefacts_follow_their_source_and_cargos_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("triple/release"), folder.path().join("release"));
        std::fs::create_dir_all(from.join("examples")).unwrap();
        std::fs::create_dir_all(from.join("deps")).unwrap();
        for name in
            ["app", "app.concord.json", "app.d", ".cargo-lock", "examples/e", "examples/e-0123456789abcdef"]
        {
            std::fs::write(from.join(name), "old").unwrap();
        }
        mirror(&from, &to).unwrap();
        let read = |name: &str| std::fs::read_to_string(to.join(name)).ok();
        assert_eq!(read("app").as_deref(), Some("old"));
        assert!(read("app.concord.json").is_some() && read("examples/e").is_some());
        assert!(read("app.d").is_none() && read(".cargo-lock").is_none());
        assert!(read("examples/e-0123456789abcdef").is_none());

        std::fs::remove_file(from.join("app")).unwrap();
        std::fs::write(from.join("app"), "new").unwrap();
        mirror(&from, &to).unwrap();
        assert_eq!(read("app").as_deref(), Some("new"));
        let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with('.');
        let left_over = std::fs::read_dir(&to).unwrap().flatten().filter(is_hidden);
        assert_eq!(left_over.count(), 0);
    }
}
