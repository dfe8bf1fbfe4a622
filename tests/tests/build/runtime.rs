//! Programs on the runtime: what the pass put in and what the runtime makes of it fit together.

use std::process::Command;

use concord_tests::{Answer, Fixture};

/// Builds both programs under `profile` and runs them.
#[track_caller]
fn run_programs(profile: &str, folder: &str) {
    let fixture = Fixture::new("with-runtime");
    fixture.run(&format!("build --profile {profile}"));
    for program in ["guards", "service"] {
        let answer = Answer::of(&mut Command::new(fixture.artefact(&format!("{folder}/{program}"))));
        assert_eq!(answer.succeeded().stdout.trim(), format!("{program} ok"));
    }
    let report = fixture.report(&format!("{folder}/guards"));
    for entry in ["std::sync::Mutex", "std::sync::RwLock", "std::thread::LocalKey", "lock_api::RawRwLock"] {
        let found = report.guards.iter().any(|guard| guard.entry == entry && guard.acquires > 0);
        assert!(found, "no guard of {entry} in {:?}", report.guards);
    }
}

#[test]
fn guards_and_preemption_without_optimisation() {
    run_programs("dev", "debug");
}

#[test]
fn guards_and_preemption_at_opt_level_3() {
    run_programs("release", "release");
}

#[test]
fn guards_and_preemption_at_opt_level_3_with_fat_lto() {
    run_programs("fat", "fat");
}

#[test]
fn guards_and_preemption_at_opt_level_s() {
    run_programs("size", "size");
}

#[test]
fn guards_and_preemption_at_opt_level_s_with_fat_lto() {
    run_programs("size-fat", "size-fat");
}

#[test]
fn without_probes_the_guard_programs_checks_fail() {
    let fixture = Fixture::new("with-runtime");
    fixture.run("build --no-probes --bin guards");
    let answer = Answer::of(&mut Command::new(fixture.artefact("no-probes/debug/guards")));
    assert_eq!(answer.code, Some(1), "{}", answer.stdout);
    assert!(answer.stdout.contains("Mutex::lock: depths inside are []"), "{}", answer.stdout);
}
