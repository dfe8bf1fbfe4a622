//! The second build, for each optimisation that changes what is cloned: the fixture compares what both builds do, and
//! counts which probes are met.

use std::process::Command;

use concord_tests::{Answer, Fixture};

#[track_caller]
fn check(profile: &str, folder: &str) {
    let fixture = Fixture::new("second");
    fixture.run(&format!("build --profile {profile}"));
    let program = format!("{folder}/second");
    let printed = Answer::of(&mut Command::new(fixture.artefact(&program))).succeeded().stdout;
    assert!(printed.ends_with("second ok\n"), "{printed}");
    let second = fixture.report(&program).second;
    assert!(second.clones > 50 && second.probes > 50 && second.searches > 5, "{second:?}");
    assert!(second.bytes > 16 * u64::from(second.clones), "{second:?}");
}

#[test]
fn both_builds_do_the_same_at_level_3() {
    check("speed", "speed");
}

#[test]
fn both_builds_do_the_same_at_level_s_with_lto() {
    check("size-fat", "size-fat");
}

#[test]
fn both_builds_do_the_same_without_optimisation() {
    check("dev", "debug");
}

/// In a profile of its own, since the other tests run meanwhile.
#[test]
fn a_build_without_clones_says_so_and_audits_as_such() {
    let fixture = Fixture::new("second");
    let program = fixture.artefact("alone/second");
    let answer = fixture.run("build --profile alone --no-second-build");
    assert!(!answer.stderr.contains("clones"), "{}", answer.stderr);
    assert_eq!(fixture.report("alone/second").second.clones, 0);
    Answer::of(&mut Command::new(&program)).failed(101, &["loops has no clone"]);

    let answer = fixture.run("build --profile alone");
    assert!(answer.stderr.contains(", second build: "), "{}", answer.stderr);
    let audit = fixture.run("audit --profile alone").stdout;
    assert!(audit.contains("second build, for the dispatcher: "), "{audit}");
    let doctor = Answer::of(fixture.command(["doctor"]).arg(&program)).succeeded();
    assert!(doctor.stdout.contains("with a second build for the dispatcher"), "{}", doctor.stdout);
}
