//! The guard depth that the runtime sees at probes inside and after locks, initialisers and thread-locals,
//! for each optimisation that changes how their code looks. The cases are in the fixture, what they must print
//! in its `expected.txt`: one depth for each sample of a case.

use std::process::Command;

use concord_tests::{Answer, Fixture};

const EXPECTED: &str = include_str!("../fixtures/guards/expected.txt");

/// Guards of the catalogue that the fixture must meet; a count of 0 would say that nobody looked for them.
const ENTRIES: [&str; 10] = [
    "C++ static initialiser",
    "lock_api::RawMutex",
    "lock_api::RawRwLock",
    "once_cell",
    "parking_lot::Once",
    "pthread",
    "std::sync::Mutex",
    "std::sync::Once",
    "std::sync::RwLock",
    "std::thread::LocalKey",
];

#[track_caller]
fn check(fixture: &Fixture, profile: &str, folder: &str, rustflags: &str) {
    let words = ["build", "--profile", profile];
    Answer::of(fixture.command(words).env("RUSTFLAGS", rustflags)).succeeded();
    let program = format!("{folder}/guards");
    let printed = Answer::of(&mut Command::new(fixture.artefact(&program))).succeeded().stdout;
    let differences: Vec<String> = EXPECTED
        .lines()
        .filter(|line| !printed.lines().any(|other| other == *line))
        .map(|line| {
            let name = line.split(' ').next().unwrap_or(line);
            let actual = printed.lines().find(|other| other.split(' ').next() == Some(name));
            format!("expected {line}, printed {}", actual.unwrap_or("nothing"))
        })
        .collect();
    assert!(differences.is_empty(), "{profile}:\n{}", differences.join("\n"));
    assert_eq!(printed.lines().count(), EXPECTED.lines().count(), "{profile}: cases without an expectation");

    let guards = fixture.report(&program).guards;
    for entry in ENTRIES {
        let found = guards.iter().find(|count| count.entry == entry);
        assert!(found.is_some_and(|count| count.acquires > 0), "{profile}: {entry} in {guards:?}");
    }
}

fn check_profile(profile: &str) {
    check(&Fixture::new("guards"), profile, profile, "");
}

#[test]
fn depths_at_level_3() {
    check_profile("speed");
}

#[test]
fn depths_at_level_3_with_lto() {
    check_profile("speed-fat");
}

#[test]
fn depths_at_level_s() {
    check_profile("size");
}

#[test]
fn depths_at_level_s_with_lto() {
    check_profile("size-fat");
}

/// Nothing is inlined here: the slow path itself runs through instances of the standard library's functions.
#[test]
fn depths_without_optimisation() {
    check(&Fixture::new("guards"), "dev", "debug", "");
}

#[test]
fn depths_under_the_new_mangling() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fixture = Fixture::new("guards").in_target(folder.path());
    check(&fixture, "speed", "speed", "-Csymbol-mangling-version=v0");
}
