//! A dispatcher that runs requests itself while no worker has room.

mod common;

use common::{FAILS, LASTS, LONG, PANICS_LATE, SHORT, WAITS_FOR_SHORTS, at_once, order, polite, run};
use concord::transport::in_process::Completion;
use concord::{Assist, Config, Nanos, Status, WorkerId};

const WORKER: WorkerId = WorkerId(0);

/// One worker that holds one request, and no quantum: whatever comes second can only run on the dispatcher.
fn one_at_a_time(assist: Assist) -> Config {
    Config { assist, jbsq_depth: Some(1), ..polite(None) }
}

fn runners(completions: &[Completion]) -> Vec<WorkerId> {
    completions.iter().map(|completion| completion.by).collect()
}

#[test]
fn a_request_that_no_worker_has_room_for_runs_on_the_dispatcher() {
    // The first one occupies the worker until a short one has run.
    let requests: [&[u8]; 2] = [&[WAITS_FOR_SHORTS, 1], &[SHORT]];
    let (statistics, completions) = run(at_once(&requests), one_at_a_time(Assist::On));
    assert_eq!(runners(&completions), [WORKER, WorkerId::DISPATCHER]);
    assert_eq!(order(&completions), [1, 0]);
    assert_eq!((statistics.answered(), statistics.assist.requests), (2, 1));
    assert!(statistics.assist.slices >= 1);
}

#[test]
fn without_assistance_workers_run_everything() {
    for assist in [Assist::Off, Assist::Auto] {
        let requests: [&[u8]; 3] = [&[LASTS], &[SHORT], &[SHORT]];
        let (statistics, completions) = run(at_once(&requests), one_at_a_time(assist));
        assert_eq!(runners(&completions), [WORKER; 3], "{assist:?}: this binary has no probes");
        assert_eq!(statistics.assist.requests, 0);
    }
}

#[test]
fn a_long_request_is_kept_and_finished_in_slices() {
    // The worker is held up until the last short has run, which the dispatcher takes after the long one.
    let requests: [&[u8]; 3] = [&[WAITS_FOR_SHORTS, 1], &[LASTS], &[SHORT]];
    let (statistics, completions) = run(at_once(&requests), one_at_a_time(Assist::On));
    assert_eq!(runners(&completions), [WORKER, WorkerId::DISPATCHER, WorkerId::DISPATCHER]);
    assert_eq!(order(&completions), [1, 2, 0], "it keeps one request at a time");
    assert_eq!(statistics.assist.requests, 2);
    assert!(statistics.assist.slices > 100, "20 ms in slices of 5 us: {:?}", statistics.assist);
    assert!(completions[1].preemptions > 100, "{:?}", completions[1]);
    assert!(statistics.longest_poll_gap >= Nanos(1) && statistics.assist.ran > Nanos::from_millis(1));
}

#[test]
fn what_the_dispatcher_has_begun_it_finishes_after_the_last_arrival() {
    // The worker ends first; the long one is the dispatcher's alone.
    let requests: [&[u8]; 3] = [&[WAITS_FOR_SHORTS, 1], &[SHORT], &[LONG]];
    let (statistics, completions) = run(at_once(&requests), one_at_a_time(Assist::On));
    assert!(completions.iter().all(|completion| completion.status == Status::Ok));
    assert_eq!(statistics.answered(), 3);
}

#[test]
fn panics_and_errors_on_the_dispatcher_are_answered_and_it_lives() {
    let requests: [&[u8]; 4] = [&[WAITS_FOR_SHORTS, 1], &[PANICS_LATE], &[FAILS], &[SHORT]];
    let (statistics, completions) = run(at_once(&requests), one_at_a_time(Assist::On));
    let statuses: Vec<_> = completions.iter().map(|completion| completion.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Panicked, Status::Error, Status::Ok]);
    assert!(runners(&completions)[1..].iter().all(|&by| by == WorkerId::DISPATCHER));
    assert_eq!((statistics.answered(), statistics.errors()), (4, 2));
}

#[test]
fn a_worker_s_quantum_ends_while_the_dispatcher_runs_a_request() {
    // Whoever runs a waiting one needs the short, which only a preemption or a slice lets run.
    let mut requests: Vec<&[u8]> = vec![&[WAITS_FOR_SHORTS, 1]; 8];
    requests.push(&[SHORT]);
    let config = Config { quantum: Some(Nanos::from_micros(5)), ..one_at_a_time(Assist::On) };
    let (statistics, completions) = run(at_once(&requests), config);
    assert_eq!(statistics.answered(), 9);
    let on_worker = || completions.iter().filter(|completion| completion.by == WORKER);
    assert!(on_worker().any(|completion| completion.preemptions > 0), "{completions:?}");
}
