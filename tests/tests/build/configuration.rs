//! Settings from tables, variables and flags reach the pass, and wrong ones are refused.

use std::io::Write as _;
use std::path::Path;

use concord_tests::{Answer, Fixture, instrumented_below};

/// The fixture `profiles`, whose program depends on the library `profiles-kernels`.
fn project(folder: &Path) -> Fixture {
    Fixture::new("profiles").copied_to(folder).unwrap()
}

fn append(manifest: &Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(manifest).unwrap();
    writeln!(file, "\n{text}").unwrap();
}

fn has_probes(fixture: &Fixture, function: &str) -> bool {
    fixture.report("debug/profiles").instrumented.iter().any(|name| name == function)
}

const FIB: &str = "profiles_kernels::fib";
const PRIMES: &str = "profiles_kernels::primes_below";

#[test]
fn later_sources_extend_and_override_earlier_ones_and_each_change_links_again() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = project(folder.path());
    fixture.run("build");
    assert!(has_probes(&fixture, FIB) && has_probes(&fixture, PRIMES));

    let manifest = fixture.project().join("Cargo.toml");
    append(&manifest, "[workspace.metadata.concord]\nexclude = ['profiles-kernels']\nbound = 900");
    fixture.run("build");
    let report = fixture.report("debug/profiles");
    assert_eq!(instrumented_below(&report, "profiles_kernels::"), [""; 0]);
    assert!(has_probes(&fixture, "profiles::main"));
    assert_eq!(report.bound, 900);

    append(&manifest, "[package.metadata.concord]\ninclude = ['profiles_kernels::fib']\nbound = 800");
    fixture.run("build");
    assert!(has_probes(&fixture, FIB) && !has_probes(&fixture, PRIMES));
    assert_eq!(fixture.report("debug/profiles").bound, 800);

    let mut command = fixture.command(["build"]);
    command.env("CONCORD_NO_PROBES_IN", FIB).env("CONCORD_PROBES_IN", PRIMES).env("CONCORD_BOUND", "700");
    Answer::of(&mut command).succeeded();
    assert!(!has_probes(&fixture, FIB) && has_probes(&fixture, PRIMES));
    assert_eq!(fixture.report("debug/profiles").bound, 700);

    command.args(["--probes-in", FIB, "--bound=600"]);
    Answer::of(&mut command).succeeded();
    assert!(has_probes(&fixture, FIB) && has_probes(&fixture, PRIMES));
    assert_eq!(fixture.report("debug/profiles").bound, 600);
}

#[test]
fn a_flag_excludes_a_crate() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Fixture::new("profiles").in_target(folder.path());
    fixture.run("build --no-probes-in profiles-kernels");
    assert!(!has_probes(&fixture, FIB) && has_probes(&fixture, "profiles::main"));
}

#[test]
fn a_path_without_a_match_is_warned_of_with_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = project(folder.path());
    append(
        &fixture.project().join("Cargo.toml"),
        "[package.metadata.concord]\nexclude = ['profiles_kernels::fibb', 'profiles_kernels::fib']",
    );
    let warnings = |words: &str| {
        let answer = fixture.run(words);
        let warnings = answer.stderr.lines().filter(|line| line.starts_with("concord: warning"));
        warnings.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = warnings("build");
    assert_eq!(first.len(), 1, "{first:?}");
    for word in ["`profiles_kernels::fibb`", "`exclude` in [package.metadata.concord]", "profiles/Cargo.toml"]
    {
        assert!(first[0].contains(word), "{first:?}");
    }
    assert_eq!(warnings("build"), first, "a build that has nothing to do says it again");
    let with_flag = warnings("run --probes-in nobody::here");
    assert_eq!(with_flag.len(), 2, "{with_flag:?}");
    assert!(
        with_flag.iter().any(|warning| warning.contains("`nobody::here` (--probes-in)")),
        "{with_flag:?}"
    );
    assert_eq!(warnings("build --no-probes"), [""; 0]);
    // A path of the workspace's other programs is no mistake.
    assert_eq!(warnings("build -p profiles-kernels --tests --no-probes-in profiles::main"), [""; 0]);
}

#[test]
fn wrong_settings_are_refused_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = project(folder.path());
    let build = |words: &[&str]| Answer::of(&mut fixture.command([&["build"], words].concat()));
    build(&["--bound", "100"]).failed(2, &["at least 200", "--bound"]);
    build(&["--no-probes-in", "a::*"]).failed(1, &["--no-probes-in", "write `a`"]);
    let mut command = fixture.command(["build"]);
    Answer::of(command.env("CONCORD_NO_PROBE_IN", "x")).failed(1, &["did you mean `CONCORD_NO_PROBES_IN`?"]);

    let dependency = fixture.project().join("kernels/Cargo.toml");
    append(&dependency, "[package.metadata.concord]\nexclude = ['profiles::main']");
    build(&[]).failed(1, &["the package profiles-kernels", "kernels/Cargo.toml", "names `profiles::main`"]);
    build(&["-p", "profiles-kernels"]).succeeded();

    append(
        &fixture.project().join("Cargo.toml"),
        "[package.metadata.concord]\nexclud = []\n[workspace.metadata.concord]\ninclude = 'x'",
    );
    build(&["-p", "profiles-kernels"])
        .failed(1, &["`include` in [workspace.metadata.concord]", "is a string"]);
    let manifest = fixture.project().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap().replace("include = 'x'", "include = []");
    std::fs::write(&manifest, text).unwrap();
    std::fs::write(&dependency, std::fs::read_to_string(&dependency).unwrap().replace("profiles::main", FIB))
        .unwrap();
    build(&[]).failed(1, &["`exclud` in [package.metadata.concord]", "did you mean `exclude`?"]);
    assert!(!fixture.artefact("debug/profiles").exists());
}

#[test]
fn a_dependency_excludes_its_own_functions_and_the_build_may_overrule_it() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = project(folder.path());
    append(
        &fixture.project().join("kernels/Cargo.toml"),
        "[package.metadata.concord]\nexclude = ['profiles_kernels::fib', 'profiles_kernels::primes_below']",
    );
    fixture.run("build --probes-in profiles_kernels::primes_below");
    assert!(!has_probes(&fixture, FIB) && has_probes(&fixture, PRIMES));
}
