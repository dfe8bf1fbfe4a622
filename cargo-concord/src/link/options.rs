//! Spelling of driver and linker options: which take a value, and how the value is written.

use super::line::{Arg, Reader};

/// Driver options whose value is the next word.
const DRIVER_VALUES: [&str; 20] = [
    "-o",
    "-L",
    "-l",
    "-B",
    "-u",
    "-e",
    "-T",
    "-z",
    "-x",
    "-target",
    "-arch",
    "--sysroot",
    "-isysroot",
    "-I",
    "-D",
    "--param",
    "-Xclang",
    "-Xassembler",
    "-mllvm",
    "-gcc-toolchain",
];

/// Linker options of one letter whose value is the next word (unless it is glued on).
const LINKER_LETTERS: &str = "oLluetTzmhIRFfyAbG";

/// Linker options of several letters whose value is the next word, without their dashes.
const LINKER_NAMES: [&str; 34] = [
    "soname",
    "rpath",
    "rpath-link",
    "version-script",
    "dynamic-list",
    "defsym",
    "wrap",
    "plugin",
    "plugin-opt",
    "dynamic-linker",
    "init",
    "fini",
    "undefined",
    "entry",
    "Map",
    "Ttext",
    "Tdata",
    "Tbss",
    "exclude-libs",
    "export-dynamic-symbol",
    "export-dynamic-symbol-list",
    "retain-symbols-file",
    "just-symbols",
    "filter",
    "auxiliary",
    "section-start",
    "require-defined",
    "trace-symbol",
    "format",
    "library",
    "library-path",
    "output",
    "script",
    "mllvm",
];

/// Options of one letter whose value may be glued on: `-lfoo`, `-L/dir`, `-ofile`, `-usymbol`.
const GLUED: &str = "lLou";

/// Words with one dash that begin with a letter of [`GLUED`] and are options of their own.
const NOT_GLUED: [&str; 7] =
    ["library", "library-path", "output", "oformat", "omagic", "undefined", "unresolved-symbols"];

/// Whether `word` names an input rather than an option.
pub(super) fn is_positional(word: &str) -> bool {
    !word.starts_with('-') && !word.is_empty()
}

/// Whether the value of the option `word` is the word after it.
pub(super) fn takes_separate_value(word: &str, reader: Reader) -> bool {
    match reader {
        Reader::Driver => DRIVER_VALUES.contains(&word),
        Reader::Linker => {
            let name = word.trim_start_matches('-');
            if is_positional(word) {
                return false;
            }
            match name.len() {
                0 => false,
                1 => LINKER_LETTERS.contains(name),
                _ => LINKER_NAMES.contains(&name),
            }
        }
    }
}

/// Name (without dashes) and value of an option.
pub(super) fn split(arg: &Arg) -> (&str, Option<String>) {
    let name = arg.words[0].trim_start_matches('-');
    if let Some(value) = arg.words.get(1) {
        return (canonical(name), Some(value.clone()));
    }
    if is_glued(&arg.words[0], name) {
        return (&name[..1], Some(name[1..].to_owned()));
    }
    match name.split_once('=') {
        Some((name, value)) => (canonical(name), Some(value.to_owned())),
        None => (name, None),
    }
}

fn is_glued(word: &str, name: &str) -> bool {
    let long_name = name.split('=').next().unwrap_or(name);
    !word.starts_with("--")
        && name.len() > 1
        && name.starts_with(|letter| GLUED.contains(letter))
        && !NOT_GLUED.contains(&long_name)
}

/// The short name of the options that have two.
fn canonical(name: &str) -> &str {
    match name {
        "library" => "l",
        "library-path" => "L",
        "output" => "o",
        name => name,
    }
}
