//! The link line without bitcode: the pass's object in its place, archives cut down to native members.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use concord_job::{LinkOutcome, TakenMember};

use super::archive::{self, Format};
use super::inputs::FoundInput;
use super::line::{Arg, LinkLine, Reader};

/// What stands in the place of an argument.
type Replacements = BTreeMap<usize, Vec<PathBuf>>;

/// Replaces each bitcode input, and the archives of which the pass took members; its object takes the place of
/// the first.
///
/// Archives with native members besides are written to `work_dir`.
///
/// # Errors
/// When an archive cannot be read or written.
pub(crate) fn rewrite(
    line: &LinkLine,
    found: &[FoundInput],
    outcome: &LinkOutcome,
    work_dir: &Path,
) -> Result<Vec<Arg>> {
    let mut replacements = Replacements::new();
    let mut object = outcome.object.clone();
    let is_replaced = |input: &FoundInput| {
        input.has_bitcode || outcome.taken.iter().any(|taken| taken.archive == input.path)
    };
    let affected: BTreeSet<usize> =
        found.iter().filter(|input| is_replaced(input)).map(|input| input.arg).collect();
    for (number, input) in found.iter().enumerate().filter(|(_, input)| affected.contains(&input.arg)) {
        let place = replacements.entry(input.arg).or_default();
        if !is_replaced(input) {
            // A library that is a linker script: its other members are named one by one.
            place.extend((input.format != Format::Other).then(|| input.path.clone()));
            continue;
        }
        place.extend(object.take());
        if input.format == Format::Archive {
            let native = work_dir.join(format!("{number}-native.a"));
            let is_taken = |member: &str| is_taken(&outcome.taken, &input.path, member);
            if archive::write_native_members(&input.path, &native, is_taken)? {
                place.push(native);
            }
        }
    }
    Ok(apply(line, &replacements))
}

fn is_taken(taken: &[TakenMember], archive: &Path, member: &str) -> bool {
    taken.iter().any(|taken| taken.archive == archive && taken.member == member)
}

fn apply(line: &LinkLine, replacements: &Replacements) -> Vec<Arg> {
    let mut args = Vec::with_capacity(line.args.len());
    for (index, arg) in line.args.iter().enumerate() {
        match replacements.get(&index) {
            Some(paths) => args.extend(paths.iter().map(|path| file(path))),
            None if is_lto_option(arg) => {}
            None => args.push(arg.clone()),
        }
    }
    args
}

fn file(path: &Path) -> Arg {
    Arg { words: vec![path.display().to_string()], reader: Reader::Driver }
}

/// Options for a linker's own LTO, of which nothing is left.
fn is_lto_option(arg: &Arg) -> bool {
    let name = arg.words[0].trim_start_matches('-');
    match arg.reader {
        Reader::Driver => name == "flto" || name.starts_with("flto="),
        Reader::Linker => name == "plugin" || name == "plugin-opt" || name.starts_with("plugin-opt="),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{archive::Member, inputs, line};

    fn outcome(object: &str, taken: Vec<TakenMember>) -> LinkOutcome {
        LinkOutcome { object: Some(object.into()), taken, report: concord_job::Report::default() }
    }

    #[test]
    fn members_that_the_pass_took_leave_their_archive() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut elf = vec![0; 64];
        elf[..4].copy_from_slice(b"\x7fELF");
        elf[16] = 1;
        let member = |name: &str| Member { name: name.to_owned(), data: elf.clone() };
        std::fs::write(at("a.o"), b"BC\xc0\xde").unwrap();
        archive::write(&at("libcore.rlib"), &[member("core.o")]).unwrap();
        archive::write(&at("libstd.rlib"), &[member("std.o"), member("rest.o")]).unwrap();
        let words = ["a.o", "libstd.rlib", "libcore.rlib"].map(|name| at(name).display().to_string());
        let line = LinkLine::read(&words);
        let found = inputs::find(&line, &[], folder.path()).unwrap();
        let taken =
            |archive: &str, member: &str| TakenMember { archive: at(archive), member: member.to_owned() };
        let taken = vec![taken("libcore.rlib", "core.o"), taken("libstd.rlib", "std.o")];
        let args = rewrite(&line, &found, &outcome("merged.o", taken), folder.path()).unwrap();
        assert_eq!(line::to_words(&args), ["merged.o".to_owned(), at("1-native.a").display().to_string()]);
        let left: Vec<_> =
            archive::members(&at("1-native.a")).unwrap().into_iter().map(|member| member.name).collect();
        assert_eq!(left, ["rest.o"]);
    }

    #[test]
    fn bitcode_leaves_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let mut elf = vec![0; 64];
        elf[..4].copy_from_slice(b"\x7fELF");
        elf[16] = 1;
        let bitcode = b"BC\xc0\xde".to_vec();
        let member = |name: &str, data: &Vec<u8>| Member { name: name.to_owned(), data: data.clone() };
        std::fs::write(at("symbols.o"), &elf).unwrap();
        std::fs::write(at("a.o"), &bitcode).unwrap();
        std::fs::write(at("b.o"), &bitcode).unwrap();
        archive::write(Path::new(&at("pure.rlib")), &[member("x.o", &bitcode)]).unwrap();
        archive::write(Path::new(&at("libmixed.a")), &[member("x.o", &bitcode), member("y.o", &elf)])
            .unwrap();
        archive::write(Path::new(&at("native.a")), &[member("y.o", &elf)]).unwrap();
        let text = format!(
            "-m64 {} {} {} -L {} {} -lmixed {} -Wl,-plugin-opt=O3,-plugin-opt=mcpu=x -Wl,--gc-sections -o out",
            at("symbols.o"),
            at("a.o"),
            at("b.o"),
            folder.path().display(),
            at("pure.rlib"),
            at("native.a"),
        );
        let line = LinkLine::read(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let found = inputs::find(&line, &[], folder.path()).unwrap();
        let args = rewrite(&line, &found, &outcome("merged.o", Vec::new()), folder.path()).unwrap();
        let expected = format!(
            "-m64 {} merged.o -L {} {} {} -Wl,--gc-sections -o out",
            at("symbols.o"),
            folder.path().display(),
            at("4-native.a"),
            at("native.a"),
        );
        assert_eq!(line::to_words(&args).join(" "), expected);
        let words = line::to_words(&args);
        let remaining: Vec<PathBuf> = words.iter().map(PathBuf::from).filter(|path| path.is_file()).collect();
        assert_eq!(remaining.len(), 3);
        archive::refuse_bitcode(&remaining).unwrap();
    }

    #[test]
    fn a_script_with_bitcode_is_replaced_by_its_members() {
        let found = |path: &str, format, has_bitcode| FoundInput {
            arg: 1,
            path: path.into(),
            format,
            whole: false,
            has_bitcode,
        };
        let line = LinkLine::read(&["a.o".into(), "-lscript".into(), "-lc".into()]);
        let inputs = [
            found("libscript.so", Format::Other, false),
            found("libx.so.1", Format::Shared, false),
            found("y.o", Format::Bitcode, true),
        ];
        let args = rewrite(&line, &inputs, &outcome("merged.o", Vec::new()), Path::new("/nowhere")).unwrap();
        assert_eq!(line::to_words(&args), ["a.o", "libx.so.1", "merged.o", "-lc"]);
    }
}
