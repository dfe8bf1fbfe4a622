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

#[test]
fn a_build_without_clones_says_so_and_audits_as_such() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fixture = Fixture::new("second").in_target(folder.path());
    let answer = fixture.run("build --profile speed --no-second-build");
    assert!(!answer.stderr.contains("clones"), "{}", answer.stderr);
    assert_eq!(fixture.report("speed/second").second.clones, 0);
    let answer = Answer::of(&mut Command::new(fixture.artefact("speed/second")));
    answer.failed(101, &["loops has no clone"]);

    let answer = fixture.run("build --profile speed");
    assert!(answer.stderr.contains(", second build: "), "{}", answer.stderr);
    let audit = fixture.run("audit --profile speed").stdout;
    assert!(audit.contains("second build, for the dispatcher: "), "{audit}");
    let doctor =
        fixture.command(["doctor"]).arg(fixture.artefact("speed/second")).output().expect("it starts");
    let doctor = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.contains("with a second build for the dispatcher"), "{doctor}");
}
