//! The C and C++ compiler roles: clang, asked for unoptimised bitcode.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::context::Context;
use crate::process;

/// Which compiler a role stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// C.
    C,
    /// C++.
    Cxx,
}

/// Compiles or links C or C++ code.
///
/// # Errors
/// When the code is the target's and there is no clang that can be used.
pub(crate) fn run(language: Language, words: &[String]) -> Result<ExitCode> {
    let context = Context::from_environment()?;
    // Build scripts of host crates read the same variables, since host and target have one triple.
    if std::env::var_os("OUT_DIR").is_some_and(|folder| !context.is_target_path(Path::new(&folder))) {
        let host = match language {
            Language::C => "cc",
            Language::Cxx => "c++",
        };
        return process::replace(Command::new(host).args(words));
    }
    let clang = match &context.clang {
        Ok(clang) => clang,
        Err(problem) => bail!("{problem}"),
    };
    let program = match language {
        Language::C => &clang.c,
        Language::Cxx => &clang.cxx,
    };
    process::replace(Command::new(program).args(words).args(own_options(words, &context.lld_folder)))
}

/// Our options for a call with `words`.
fn own_options(words: &[String], lld_folder: &Path) -> Vec<String> {
    let has = |option: &&str| words.iter().any(|word| word == option);
    if has(&"-c") {
        // The user's -O stays: it decides attributes on each function that the pass's optimisation honours.
        return ["-flto", "-Xclang", "-disable-llvm-passes"].map(str::to_owned).to_vec();
    }
    let only_asks = ["-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-###", "-dumpmachine"];
    if only_asks.iter().any(has) || words.iter().any(|word| word.starts_with("-print")) {
        return Vec::new();
    }
    // Programs that a build links for itself (CMake's try_compile): rustc's linker reads our bitcode.
    vec!["-fuse-ld=lld".to_owned(), format!("-B{}", lld_folder.display())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> String {
        let words: Vec<_> = text.split_whitespace().map(str::to_owned).collect();
        own_options(&words, Path::new("/lld")).join(" ")
    }

    #[test]
    fn compilations_leave_bitcode_and_links_use_rustc_linker() {
        assert_eq!(options("-O3 -c a.c -o a.o"), "-flto -Xclang -disable-llvm-passes");
        assert_eq!(options("a.o b.o -o prog"), "-fuse-ld=lld -B/lld");
        assert_eq!(options("probe.c"), "-fuse-ld=lld -B/lld");
        // CMake learns the ABI from a link that is asked to be verbose.
        assert_eq!(options("-v a.o -o prog"), "-fuse-ld=lld -B/lld");
    }

    #[test]
    fn questions_stay_as_they_are() {
        for question in ["--version", "-E detect.c", "-S a.c", "-print-search-dirs", "-MM a.c"] {
            assert_eq!(options(question), "", "{question}");
        }
    }
}
