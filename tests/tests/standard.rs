//! The standard library's own code in a program: instrumented, guarded, and there once. What must hold while it runs
//! is checked by the fixture.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use concord_job::Report;
use concord_tests::{Answer, Fixture, TARGET};
use object::{Object, ObjectSymbol, SymbolKind};

/// Functions that were compiled when std was built, of core, alloc and std.
const INSTRUMENTED: [&str; 7] = [
    "core::str::converts::from_utf8",
    "<core::str::pattern::StrSearcher>::new",
    "<f64 as core::str::traits::FromStr>::from_str",
    "core::fmt::write",
    "core::unicode::unicode_data::alphabetic::lookup_slow",
    "<str>::to_lowercase",
    "std::path::compare_components",
];

/// Functions that keep std's state, by the words of the report.
const LEFT_OUT: [&str; 3] =
    ["std::io::stdio::_print", "std::thread::current::current", "<std::io::stdio::Stdout>::lock"];

/// Parts of the symbols of state that a second copy of std would have twice.
const STATICS: [&str; 5] =
    ["5stdio6STDOUT", "18GLOBAL_PANIC_COUNT", "17LOCAL_PANIC_COUNT", "7CURRENT", "9panicking4HOOK"];

#[track_caller]
fn check(profile: &str, folder: &str) -> Report {
    let fixture = Fixture::new("standard");
    fixture.run(&format!("build --profile {profile}"));
    let program = fixture.artefact(&format!("{folder}/standard"));
    let answer = Answer::of(&mut Command::new(&program)).succeeded();
    assert_eq!(answer.stdout, "one two three four\nstandard ok\n");
    check_statics(&program);

    let report = fixture.report(&format!("{folder}/standard"));
    for name in INSTRUMENTED {
        assert!(report.instrumented.iter().any(|function| function == name), "{name} is not instrumented");
    }
    for name in LEFT_OUT {
        assert!(report.skipped.iter().any(|skipped| skipped.function == name), "{name} is not left out");
    }
    let standard = &report.standard;
    assert_eq!((standard.bitcode.len(), &standard.native[..]), (4, &[][..]), "{standard:?}");
    assert!(standard.kept > 0 && standard.kept < standard.functions / 2, "unused code stays: {standard:?}");
    report
}

/// Each variable of std is defined once.
fn check_statics(program: &Path) {
    let bytes = std::fs::read(program).expect("the program can be read");
    let file = object::File::parse(&*bytes).expect("the program is an object file");
    let mut count: BTreeMap<&str, u32> = BTreeMap::new();
    for symbol in file.symbols().filter(|symbol| matches!(symbol.kind(), SymbolKind::Data | SymbolKind::Tls))
    {
        let name = symbol.name().expect("a symbol's name is text");
        if name.starts_with("_R") && name.contains("_3std") {
            *count.entry(name.split(".llvm.").next().unwrap_or(name)).or_default() += 1;
        }
    }
    for part in STATICS {
        assert!(count.keys().any(|name| name.contains(part)), "{part} is nowhere in {count:?}");
    }
    let doubled: Vec<_> = count.iter().filter(|(_, count)| **count > 1).collect();
    assert!(doubled.is_empty(), "defined twice: {doubled:?}");
}

#[test]
fn without_optimisation() {
    check("dev", "debug");
}

#[test]
fn without_lto() {
    let report = check("release", "release");
    let guarded = report.guards.iter().find(|count| count.entry == "std's own state");
    assert!(guarded.is_some_and(|count| count.acquires > 0), "{:?}", report.guards);
}

#[test]
fn with_thin_lto() {
    check("thin", "thin");
}

#[test]
fn with_fat_lto() {
    check("fat", "fat");
}

#[test]
fn with_panics_that_abort() {
    check("abort", "abort");
}

#[test]
fn for_size() {
    check("size", "size");
}

/// Some toolchains ship std without bitcode: a sysroot with the sections taken out of its rlibs.
#[test]
fn a_standard_library_without_bitcode_stays_native_and_is_said() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sysroot = folder.path().join("sysroot");
    native_sysroot(&sysroot).expect("the sysroot can be made");
    let fixture = Fixture::new("profiles").in_target(&folder.path().join("target"));
    let flags = format!("--sysroot={}", sysroot.display());
    let answer = Answer::of(fixture.command(["build", "--release"]).env("RUSTFLAGS", flags)).succeeded();
    assert!(answer.stderr.contains("hold no bitcode: native code, without probes"), "{}", answer.stderr);

    let answer = Answer::of(&mut Command::new(fixture.artefact("release/profiles"))).succeeded();
    assert_eq!(answer.stdout.trim(), "profiles ok");
    let standard = fixture.report("release/profiles").standard;
    assert_eq!((standard.functions, standard.bitcode.len()), (0, 0));
    assert!(standard.native.iter().any(|member| member.starts_with("libstd-")), "{standard:?}");
}

/// Links to the toolchain's files of the target, but for copies without bitcode of the rlibs.
fn native_sysroot(sysroot: &Path) -> std::io::Result<()> {
    let inside = Path::new("lib/rustlib").join(TARGET).join("lib");
    let answer = Answer::of(Command::new("rustc").args(["--print", "sysroot"])).succeeded();
    let (from, to) = (Path::new(answer.stdout.trim()).join(&inside), sysroot.join(&inside));
    std::fs::create_dir_all(&to)?;
    for entry in std::fs::read_dir(from)? {
        let file = entry?.path();
        let copy = to.join(file.file_name().unwrap_or_default());
        let name = copy.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_taken = ["libcore-", "liballoc-", "libstd-", "libhashbrown-"];
        if name.ends_with(".rlib") && is_taken.iter().any(|start| name.starts_with(start)) {
            Answer::of(Command::new("objcopy").arg("--remove-section=.llvmbc").args([&file, &copy]))
                .succeeded();
        } else {
            std::os::unix::fs::symlink(&file, &copy)?;
        }
    }
    Ok(())
}
