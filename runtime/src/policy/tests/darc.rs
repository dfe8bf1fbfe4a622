//! DARC by what it does in virtual time, and by its rules one by one.

use super::driver::{Classifier, Phase, run};
use super::{item, setup};
use crate::id::{Class, WorkerId};
use crate::policy::{Item, Policy, ReservationUpdate, Setup, Spec, Workers};
use crate::sys::clock::{Ticks, Tsc};

const MILLI: u64 = 1_000_000;

fn darc(workers: usize, spec: &str) -> Box<dyn Policy> {
    let setup = Setup { workers, classes: 2, clock: None, ..setup(workers) };
    spec.parse::<Spec>().unwrap().make(&setup).unwrap()
}

fn of(class: u16, slot: u32) -> Item {
    Item { class: Class(class), ..item(slot, None) }
}

/// Lets requests of (class, service) arrive, run and be answered.
fn feed(policy: &mut dyn Policy, requests: &[(u16, u64)]) {
    let workers = Workers::new(16, 1);
    for &(class, service) in requests {
        policy.arrived(of(class, 0), Tsc(0));
        let (worker, item) = policy.next(&workers, Tsc(0)).expect("all are idle");
        policy.done(worker, Item { received: Ticks(service), ..item }, Tsc(0));
    }
}

/// Class 0 takes 500 us and is rare, class 1 takes half a microsecond: 3 workers of 16 for class 1.
fn extreme() -> Box<dyn Policy> {
    let mut policy = darc(16, "darc:window=200");
    let mix: Vec<(u16, u64)> = (0..200).map(|i| if i == 0 { (0, 500_000) } else { (1, 500) }).collect();
    feed(&mut *policy, &mix);
    let report = policy.report();
    assert_eq!(report.updates[0].groups[0].reserved.len(), 3, "{:?}", report.updates);
    policy
}

/// The number of workers reserved for each class of an update.
fn reserved(update: &ReservationUpdate, class: u16) -> usize {
    let group = update.groups.iter().find(|group| group.classes.contains(&Class(class)));
    group.map_or(0, |group| group.reserved.len())
}

#[test]
fn short_requests_may_run_anywhere_long_ones_only_on_their_own_workers() {
    let mut policy = extreme();
    let mut workers = Workers::new(16, 1);
    (0..20).for_each(|slot| policy.arrived(of(0, slot), Tsc(0)));
    let mut of_long = Vec::new();
    while let Some((worker, item)) = policy.next(&workers, Tsc(0)) {
        workers.give(worker, item.slot);
        of_long.push(worker.0);
    }
    assert_eq!(of_long, (3..16).collect::<Vec<_>>());
    policy.arrived(of(1, 30), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)).unwrap().0, WorkerId(0), "its own worker is free");
    (0..3).for_each(|worker| workers.give(WorkerId(worker), 40 + u32::from(worker)));
    policy.arrived(of(1, 31), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)), None);
    workers.take_back(WorkerId(9));
    assert_eq!(policy.next(&workers, Tsc(0)).unwrap(), (WorkerId(9), of(1, 31)), "stolen, before a long one");
}

#[test]
fn behind_a_long_request_no_short_one_is_put() {
    let mut policy = extreme();
    let mut workers = Workers::new(16, 2);
    (3..16).for_each(|worker| workers.give(WorkerId(worker), u32::from(worker)));
    (0..3).for_each(|worker| (0..2).for_each(|_| workers.give(WorkerId(worker), 20 + u32::from(worker))));
    policy.arrived(of(1, 30), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)), None);
}

#[test]
fn an_unknown_class_has_the_spillway_worker_alone_and_is_not_starved_there() {
    let mut policy = extreme();
    let workers = Workers::new(16, 1);
    policy.arrived(of(7, 1), Tsc(10));
    assert_eq!(policy.next(&workers, Tsc(20)), Some((WorkerId(15), of(7, 1))));
    let mut workers = Workers::new(16, 1);
    (0..15).for_each(|worker| workers.give(WorkerId(worker), u32::from(worker)));
    policy.arrived(of(7, 31), Tsc(30));
    policy.arrived(of(0, 32), Tsc(40));
    assert_eq!(policy.next(&workers, Tsc(50)), Some((WorkerId(15), of(7, 31))), "it has waited for longer");
    policy.arrived(of(7, 33), Tsc(60));
    assert_eq!(policy.next(&workers, Tsc(70)), Some((WorkerId(15), of(0, 32))));
}

#[test]
fn a_started_request_goes_back_to_its_worker_whosever_that_is_by_now() {
    let mut policy = extreme();
    let workers = Workers::new(16, 1);
    policy.arrived(of(0, 5), Tsc(0));
    policy.next(&workers, Tsc(0));
    let started = Item { pinned: Some(WorkerId(1)), ..of(0, 5) };
    policy.waits(WorkerId(1), started, Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)), Some((WorkerId(1), started)));
}

#[test]
fn a_class_that_is_delayed_and_a_demand_that_has_moved_lead_to_an_update_together_only() {
    let moved: Vec<(u16, u64)> = (0..200).map(|i| if i < 100 { (0, 500_000) } else { (1, 500) }).collect();
    let same: Vec<(u16, u64)> = (0..200).map(|i| if i == 0 { (0, 500_000) } else { (1, 500) }).collect();
    for (mix, waited, updates) in [(&moved, 400, 1), (&same, 40_000, 1), (&moved, 40_000, 2)] {
        let mut policy = extreme();
        // One request waits and is not handed out: only the passing of time tells of it.
        policy.arrived(of(1, 9), Tsc(0));
        policy.tick(Tsc(waited));
        assert_eq!(policy.take_unstarted(Tsc(waited)), Some(of(1, 9)));
        feed(&mut *policy, mix);
        assert_eq!(policy.report().updates.len(), updates, "{waited}");
    }
}

#[test]
fn costs_are_counted_and_some_are_measured() {
    fn clock() -> Tsc {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NOW: AtomicU64 = AtomicU64::new(0);
        // Relaxed: a counter.
        Tsc(NOW.fetch_add(10, Ordering::Relaxed))
    }
    let setup = Setup { classes: 2, clock: Some(clock), ..setup(16) };
    let mut policy = "darc:window=200".parse::<Spec>().unwrap().make(&setup).unwrap();
    feed(&mut *policy, &[(1, 500); 400]);
    let costs = policy.report().costs;
    assert_eq!((costs.profile.count, costs.check.count, costs.update.count), (400, 2, 1));
    assert!(costs.profile.measured >= 6 && costs.profile.measured < 100, "{costs:?}");
    assert!(costs.update.mean().unwrap() >= 10.0);
}

#[test]
fn by_hand_the_short_class_gets_what_it_is_given() {
    let mut policy = darc(4, "darc-static:order=1/0,reserved=2");
    let mut workers = Workers::new(4, 1);
    (0..4).for_each(|slot| policy.arrived(of(0, slot), Tsc(0)));
    let mut handed = Vec::new();
    while let Some((worker, item)) = policy.next(&workers, Tsc(0)) {
        workers.give(worker, item.slot);
        handed.push(worker.0);
    }
    assert_eq!(handed, [2, 3]);
    assert_eq!(reserved(&policy.report().updates[0], 1), 2);
    let message = "darc-static:order=1/1".parse::<Spec>().unwrap_err().to_string();
    assert!(message.contains("names no class twice"), "{message}");
}

#[test]
fn nothing_reserved_by_hand_is_fixed_priority() {
    let mut policy = darc(2, "darc-static:order=1/0,reserved=0");
    let workers = Workers::new(2, 1);
    policy.arrived(of(0, 0), Tsc(0));
    policy.arrived(of(1, 1), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)).unwrap().1.slot, 1);
    assert_eq!(policy.next(&workers, Tsc(0)).unwrap().1.slot, 0);
}

/// Persephone's figure 7, ten times as fast: windows of 5,000 instead of 50,000 completions, phases of 0.1 s.
#[test]
fn reservations_follow_the_four_phases() {
    let phase =
        |a, b, weight_a, weight_b, ticks| Phase { ticks, load: 0.8, mix: vec![(a, weight_a), (b, weight_b)] };
    let phases = [
        phase(100_000, 1_000, 0.5, 0.5, 100 * MILLI),
        phase(1_000, 100_000, 0.5, 0.5, 100 * MILLI),
        phase(1_000, 100_000, 0.95, 0.05, 50 * MILLI),
        phase(1_000, 100_000, 1.0, 0.0, 10 * MILLI),
    ];
    let run = run("darc:window=5000", 14, &phases, Classifier::Right);
    let updates = &run.report.updates;
    // What holds at a moment, as (A's workers, B's).
    let at = |time: u64| {
        let update = updates.iter().rev().find(|update| update.at.0 <= time).expect("there is one by then");
        (reserved(update, 0), reserved(update, 1))
    };
    assert!(updates[0].at.0 > 15 * MILLI, "first come, first served at the beginning");
    assert_eq!(at(99 * MILLI), (13, 1));
    // About 500 ms in the paper: two windows.
    assert_eq!(at(155 * MILLI), (1, 13), "{updates:?}");
    assert_eq!(at(249 * MILLI), (2, 12), "{updates:?}");
    let short = run.sojourn(0, 0.999, 160 * MILLI, 200 * MILLI);
    assert!(short < 10_000, "{short} ns: shorts are protected once the reservations are right");
    assert!(updates.len() < 12, "{} updates", updates.len());
}

/// Persephone's figure 9.
#[test]
fn a_random_classifier_makes_it_first_come_first_served() {
    let phases = [Phase { ticks: 400 * MILLI, load: 0.7, mix: vec![(1_000, 0.5), (100_000, 0.5)] }];
    let darc = run("darc:window=2000", 8, &phases, Classifier::Random);
    let fcfs = run("c-fcfs", 8, &phases, Classifier::Random);
    let last = darc.report.updates.last().expect("it has reserved");
    assert_eq!((last.groups.len(), last.groups[0].reserved.len()), (1, 8), "{last:?}");
    for class in [0, 1] {
        let [ours, theirs] = [&darc, &fcfs].map(|run| run.sojourn(class, 0.999, 0, u64::MAX) as f64);
        assert!((ours / theirs - 1.0).abs() < 0.02, "class {class}: {ours} and {theirs}");
    }
}
