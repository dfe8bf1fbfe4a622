//! Inputs of a link line as files: library names searched, linker scripts followed, formats told apart.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use concord_job::Input;

use super::archive::{self, Format};
use super::line::{InputName, LinkLine};

/// An input of the link that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundInput {
    /// Its place in [`LinkLine::args`].
    pub(crate) arg: usize,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it is.
    pub(crate) format: Format,
    /// Under `--whole-archive`.
    pub(crate) whole: bool,
    /// It is bitcode, or an archive with bitcode members.
    pub(crate) has_bitcode: bool,
}

impl FoundInput {
    /// The input as the pass is told of it; `None` for what has no symbols.
    pub(crate) fn for_job(&self) -> Option<Input> {
        let path = self.path.clone();
        match self.format {
            Format::Bitcode | Format::Object => Some(Input::Object { path }),
            Format::Archive => {
                let standard = is_standard(&path);
                Some(Input::Archive { path, whole: self.whole, standard })
            }
            Format::Shared => Some(Input::Shared { path }),
            Format::ThinArchive | Format::Other => None,
        }
    }
}

/// Finds the inputs of `line`; `system` are the folders that the real linker searches after `-L`.
///
/// A library that is nowhere is left to the real linker, which says so better. Thin archives are written
/// out in `work_dir`, so that all that follows knows one kind.
///
/// # Errors
/// When an input cannot be read.
pub(crate) fn find(line: &LinkLine, system: &[PathBuf], work_dir: &Path) -> Result<Vec<FoundInput>> {
    let folders: Vec<_> = line.search.iter().chain(system).cloned().collect();
    let mut found = Vec::new();
    for input in &line.inputs {
        let path = match &input.name {
            InputName::File(path) => Some(path.clone()),
            InputName::Library(name) => find_library(name, input.shared_allowed, &folders),
        };
        let Some(path) = path else { continue };
        let mut paths = vec![path];
        while let Some(path) = paths.pop() {
            let format = Format::of_file(&path)?;
            if format == Format::Other {
                let script =
                    std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                let members = script_members(&String::from_utf8_lossy(&script));
                paths.extend(members.iter().rev().filter_map(|name| find_script_member(name, &folders)));
            }
            found.push(describe(input.arg, path, format, input.whole, work_dir, found.len())?);
        }
    }
    Ok(found)
}

fn describe(
    arg: usize,
    path: PathBuf,
    format: Format,
    whole: bool,
    work_dir: &Path,
    number: usize,
) -> Result<FoundInput> {
    let has_bitcode = match format {
        Format::Bitcode => true,
        Format::Archive | Format::ThinArchive => !archive::bitcode_members(&path)?.is_empty(),
        _ => false,
    };
    if format != Format::ThinArchive {
        return Ok(FoundInput { arg, path, format, whole, has_bitcode });
    }
    let full = work_dir.join(format!("{number}-thin.a"));
    archive::write_with_members(&path, &full)?;
    Ok(FoundInput { arg, path: full, format: Format::Archive, whole, has_bitcode })
}

/// Whether an archive is a crate of the standard library that can be instrumented, as rustup and distributions
/// ship it: `lib/rustlib/<target>/lib/libcore-<hash>.rlib`.
///
/// The others stay native: the compiler's own helpers, which generated code calls anywhere, what unwinds, and what
/// reads debug information for backtraces.
fn is_standard(path: &Path) -> bool {
    const CRATES: [&str; 4] = ["core", "alloc", "std", "hashbrown"];
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = file.strip_prefix("lib").and_then(|name| name.strip_suffix(".rlib"));
    let is_crate =
        stem.and_then(|stem| stem.rsplit_once('-')).is_some_and(|(name, _)| CRATES.contains(&name));
    is_crate && path.ancestors().nth(3).and_then(Path::file_name).is_some_and(|name| name == "rustlib")
}

/// The file that `-lNAME` means.
fn find_library(name: &str, shared_allowed: bool, folders: &[PathBuf]) -> Option<PathBuf> {
    let names = match name.strip_prefix(':') {
        Some(exact) => vec![exact.to_owned()],
        None if shared_allowed => vec![format!("lib{name}.so"), format!("lib{name}.a")],
        None => vec![format!("lib{name}.a")],
    };
    folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|path| path.is_file())
}

fn find_script_member(name: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if let Some(library) = name.strip_prefix("-l") {
        return find_library(library, true, folders);
    }
    let path = PathBuf::from(name);
    if path.is_absolute() {
        return path.is_file().then_some(path);
    }
    folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The files that a linker script (`libc.so` is one) stands for: `GROUP ( a AS_NEEDED ( b ) ) INPUT(-lc)`.
fn script_members(text: &str) -> Vec<String> {
    let mut members = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['G', 'I']) {
        rest = &rest[start..];
        let list = rest.strip_prefix("GROUP").or_else(|| rest.strip_prefix("INPUT"));
        let Some(list) = list.and_then(|list| list.trim_start().strip_prefix('(')) else {
            rest = &rest[1..];
            continue;
        };
        let mut depth = 1;
        let end = list.find(|letter| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0
        });
        let (inside, after) = list.split_at(end.unwrap_or(list.len()));
        let words = inside.split(|letter: char| letter.is_whitespace() || "(),".contains(letter));
        members.extend(words.filter(|word| !word.is_empty() && *word != "AS_NEEDED").map(str::to_owned));
        rest = after;
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linker_scripts_name_their_members() {
        let libc = "/* GNU ld script */\nOUTPUT_FORMAT(elf64-x86-64)\n\
            GROUP ( /lib/libc.so.6 /usr/lib/libc_nonshared.a  AS_NEEDED ( /lib64/ld-linux-x86-64.so.2 ) )\n";
        assert_eq!(
            script_members(libc),
            ["/lib/libc.so.6", "/usr/lib/libc_nonshared.a", "/lib64/ld-linux-x86-64.so.2"]
        );
        assert_eq!(script_members("INPUT(-lx, y.so)"), ["-lx", "y.so"]);
        assert!(script_members("VERSION { global: G; }").is_empty());
    }

    #[test]
    fn libraries_are_searched_as_the_linker_does() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["libx.a", "libx.so", "liby.a", "exact.o"] {
            std::fs::write(at(name), "").unwrap();
        }
        let folders = ["/nowhere".into(), folder.path().to_path_buf()];
        assert_eq!(find_library("x", true, &folders), Some(at("libx.so")));
        assert_eq!(find_library("x", false, &folders), Some(at("libx.a")));
        assert_eq!(find_library("y", true, &folders), Some(at("liby.a")));
        assert_eq!(find_library(":exact.o", false, &folders), Some(at("exact.o")));
        assert_eq!(find_library("z", true, &folders), None);
    }

    #[test]
    fn crates_of_the_toolchain_are_told_from_crates_of_the_same_name() {
        let shipped = "/t/lib/rustlib/x86_64-unknown-linux-gnu/lib/";
        for name in ["libcore-120cbae4e86ec454.rlib", "libstd-1.rlib", "libhashbrown-1.rlib"] {
            assert!(is_standard(&Path::new(shipped).join(name)), "{name}");
            assert!(!is_standard(&Path::new("/project/target/release/deps").join(name)), "{name}");
        }
        for name in ["libcompiler_builtins-1.rlib", "libpanic_unwind-1.rlib", "libstd-1.so", "libcore.rlib"] {
            assert!(!is_standard(&Path::new(shipped).join(name)), "{name}");
        }
    }

    #[test]
    fn found_inputs_keep_order_place_and_state() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(at("a.o"), b"BC\xc0\xde").unwrap();
        let member = archive::Member { name: "m.o".into(), data: b"BC\xc0\xde".to_vec() };
        archive::write(Path::new(&at("libm.a")), &[member]).unwrap();
        std::fs::write(at("libs.so"), format!("INPUT({})", at("libm.a"))).unwrap();
        let words = [
            at("a.o"),
            "-Wl,--whole-archive".into(),
            "-L".into(),
            folder.path().display().to_string(),
            "-ls".into(),
            "-lmissing".into(),
        ];
        let line = LinkLine::read(&words);
        let found = find(&line, &[], folder.path()).unwrap();
        let seen: Vec<_> =
            found.iter().map(|input| (input.arg, input.format, input.whole, input.has_bitcode)).collect();
        assert_eq!(
            seen,
            [
                (0, Format::Bitcode, false, true),
                (3, Format::Other, true, false),
                (3, Format::Archive, true, true)
            ]
        );
    }
}
