//! One program under each profile.

use std::collections::BTreeSet;

use concord_job::Report;
use concord_tests::{Answer, Fixture, instrumented_below};

/// Functions of the fixture that must get probes under each profile, whatever the optimiser does.
const SELECTED: [&str; 5] = [
    "profiles_kernels::fib",
    "profiles_kernels::primes_below",
    "profiles_kernels::weighted_sum",
    "profiles_kernels::add_up_under_a_lock",
    "profiles::main",
];

/// Runs the fixture's program as it lies where Cargo would have put it.
#[track_caller]
fn check_program(fixture: &Fixture, folder: &str) -> Report {
    let program = fixture.artefact(&format!("{folder}/profiles"));
    let answer = Answer::of(&mut std::process::Command::new(program)).succeeded();
    assert_eq!(answer.stdout.trim(), "profiles ok");
    let report = fixture.report(&format!("{folder}/profiles"));
    for name in SELECTED {
        assert!(report.instrumented.iter().any(|function| function == name), "{name} is not instrumented");
    }
    assert!(report.probes > 0 && report.loops > 0, "{} probes, {} loops", report.probes, report.loops);
    report
}

fn names(report: &Report) -> BTreeSet<&str> {
    report.instrumented.iter().map(String::as_str).collect()
}

#[test]
fn debug_build() {
    let fixture = Fixture::new("profiles");
    let answer = fixture.run("build");
    let report = check_program(&fixture, "debug");
    let summary = format!(
        "concord: {} functions instrumented, {} probes, {} loops (profiles)",
        report.instrumented.len(),
        report.probes,
        report.loops
    );
    assert!(answer.stderr.contains(&summary), "no `{summary}` in {}", answer.stderr);
}

#[test]
fn release_builds_instrument_the_same_functions_under_each_lto() {
    let fixture = Fixture::new("profiles");
    let reports = ["release", "thin", "fat"].map(|profile| {
        fixture.run(&format!("build --profile {profile}"));
        check_program(&fixture, profile)
    });
    assert_eq!(names(&reports[0]), names(&reports[1]), "lto = false and thin differ");
    assert_eq!(names(&reports[0]), names(&reports[2]), "lto = false and fat differ");
}

#[test]
fn std_where_it_keeps_state_of_the_thread_stays_without_probes() {
    let fixture = Fixture::new("profiles");
    fixture.run("build --release");
    let report = fixture.report("release/profiles");
    for module in ["std::sys::", "std::panicking::", "std::alloc::", "alloc::alloc::", "std::thread::"] {
        let mut selected = instrumented_below(&report, module);
        selected.extend(instrumented_below(&report, &format!("<{module}")));
        // `LocalKey::with` runs the user's closure: it has probes, under a guard.
        selected.retain(|name| !name.starts_with("std::thread::local::"));
        assert_eq!(selected, [""; 0], "functions of {module} have probes");
    }
    assert!(report.skipped.iter().all(|skipped| !skipped.reason.is_empty()));
    assert!(!report.skipped.is_empty(), "std's allocator shims are skipped in every program");
}

#[test]
fn panic_abort() {
    let fixture = Fixture::new("profiles");
    fixture.run("build --profile abort");
    check_program(&fixture, "abort");
}

#[test]
fn target_cpu_native() {
    let fixture = Fixture::new("profiles");
    let target = tempfile::tempdir().unwrap();
    let fixture = fixture.in_target(target.path());
    let mut command = fixture.command(["build", "--release"]);
    Answer::of(command.env("RUSTFLAGS", "-C target-cpu=native")).succeeded();
    check_program(&fixture, "release");
}

#[test]
fn a_path_with_spaces() {
    let folder = tempfile::Builder::new().prefix("with two spaces ").tempdir().unwrap();
    let fixture = Fixture::new("profiles").copied_to(folder.path()).unwrap();
    fixture.run("build");
    check_program(&fixture, "debug");
}
