//! The whole comparison over a scripted service.

use std::process::ExitCode;

use super::fake::FakePrograms;
use super::plan::Plan;
use super::plan::tests::args;
use super::{Args, Build, compare, measure, table, verdict};

fn plan(change: impl FnOnce(&mut Args)) -> Plan {
    let mut args = args();
    change(&mut args);
    Plan::new(&args).unwrap()
}

fn failed(code: ExitCode) -> bool {
    format!("{code:?}") == format!("{:?}", ExitCode::FAILURE)
}

#[test]
fn load_is_relative_to_the_plain_build() {
    let programs = FakePrograms::default();
    let comparison = compare(&plan(|args| args.workers = 2), &programs).unwrap();
    // 0.5 x 2 workers / 300 us
    for run in &comparison.runs {
        assert!((run.rate - 1e6 / 300.0).abs() < 1e-6, "{}", run.rate);
        assert_eq!(run.load, Some(0.5));
    }
    let ratios: Vec<f64> = comparison.service_times.iter().map(|pair| pair.ratio).collect();
    assert!(ratios.iter().all(|ratio| (ratio - 1.02).abs() < 1e-9), "{ratios:?}");
    let (build, call) = programs.calls_of("in-process")[0].clone();
    assert_eq!(build, Build::Instrumented);
    assert!(call.contains("--service-ns GET=500,SCAN=599500"), "{call}");
}

#[test]
fn builds_take_turns_and_points_keep_their_order() {
    let programs = FakePrograms::default();
    compare(&plan(|args| args.quanta = "none,20us,5us".into()), &programs).unwrap();
    let measured: Vec<Build> =
        programs.calls_of("service-times").into_iter().map(|(build, _)| build).collect();
    assert_eq!(measured, [Build::Plain, Build::Instrumented].repeat(measure::ROUNDS));
    let calls = programs.calls_of("in-process");
    assert_eq!(calls.len(), 3);
    for ((_, call), quantum) in calls.iter().zip(["none", "20us", "5us"]) {
        assert_eq!(
            call.replace(&format!("--quantum {quantum}"), ""),
            calls[0].1.replace("--quantum none", "")
        );
    }
}

#[test]
fn workloads_that_state_their_times_get_the_load_itself() {
    let programs = FakePrograms::default();
    // The scripted service only knows GET and SCAN.
    compare(&plan(|args| args.workload = "rocksdb".into()), &programs).unwrap();
    let call = &programs.calls_of("in-process")[0].1;
    assert!(call.contains("--load 0.5") && !call.contains("--rate"), "{call}");
}

#[test]
fn a_void_run_is_made_again_and_then_fails() {
    let programs = FakePrograms { void_runs: 2, ..Default::default() };
    let comparison = compare(&plan(|_| ()), &programs).unwrap();
    assert_eq!(programs.calls_of("in-process").len(), 4, "two void ones, then one per quantum");
    assert!(!failed(verdict(&comparison)));
    let programs = FakePrograms { void_runs: 9, ..Default::default() };
    let comparison = compare(&plan(|_| ()), &programs).unwrap();
    assert!(failed(verdict(&comparison)));
    assert!(table::render(&comparison).contains("VOID"));
}

#[test]
fn variants_reach_the_program_and_the_table() {
    let programs = FakePrograms::default();
    let plan = plan(|args| {
        args.quanta = "5us".into();
        args.variants = "default,assist=off+jbsq-depth=1".into();
    });
    let comparison = compare(&plan, &programs).unwrap();
    let calls = programs.calls_of("in-process");
    assert!(!calls[0].1.contains("--assist"), "{}", calls[0].1);
    assert!(calls[1].1.contains("--assist off --jbsq-depth 1"), "{}", calls[1].1);
    assert!(table::render(&comparison).contains("ps assist=off+jbsq-depth=1"));
}

#[test]
fn wrong_replies_fail_the_comparison() {
    let programs = FakePrograms { wrong: 1, ..Default::default() };
    let comparison = compare(&plan(|_| ()), &programs).unwrap();
    assert!(failed(verdict(&comparison)));
    assert!(table::render(&comparison).contains("+1 WRONG"));
}

#[test]
fn a_program_without_probes_is_no_instrumented_build() {
    let programs = FakePrograms { uninstrumented: true, ..Default::default() };
    let message = compare(&plan(|_| ()), &programs).unwrap_err().to_string();
    assert!(message.contains("mixed up"), "{message}");
}

#[test]
fn the_table_has_every_figure_and_says_what_was_trimmed() {
    let comparison = compare(&plan(|_| ()), &FakePrograms::default()).unwrap();
    let text = table::render(&comparison);
    for part in [
        "1.020",
        "GET settled",
        "5.0 %",
        "GET raw",
        "SCAN raw",
        "none",
        "5us",
        "1.50 / 30.0 / 60.0",
        "2.0 %",
        "slowdown = sojourn / median service time",
        "turns that overlap a host gap",
        "schedule kept: at least 99.5 %",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}
