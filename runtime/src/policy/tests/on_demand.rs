//! on-demand by its rules one by one, and its bound on starvation in virtual time.

use super::driver::{Classifier, Phase, run};
use super::{W, item, policy};
use crate::policy::{End, Item, Policy, Workers};
use crate::sys::clock::{Ticks, Tsc};

const MILLI: u64 = 1_000_000;

/// Hands the request in `slot` to an idle worker, where its turn begins at `now`.
fn begin(policy: &mut dyn Policy, workers: &mut Workers, slot: u32, now: u64) {
    policy.arrived(Item { arrival: Tsc(now), ..item(slot, None) }, Tsc(now));
    let (worker, item) = policy.next(workers, Tsc(now)).expect("one is idle");
    assert_eq!(item.slot, slot);
    workers.give(worker, slot);
    workers.set_turn(worker, Some(Tsc(now)));
}

#[test]
fn a_turn_ends_after_its_quantum_only_and_when_another_has_waited() {
    let (mut policy, mut workers) = (policy("on-demand", 1), Workers::new(1, 1));
    begin(&mut *policy, &mut workers, 0, 0);
    assert_eq!(policy.next_end(&workers), None, "nobody waits");
    policy.arrived(item(1, None), Tsc(100));
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[0], at: Tsc(5_000) }), "its quantum");
    let (mut policy, mut workers) = (super::policy("on-demand", 1), Workers::new(1, 1));
    begin(&mut *policy, &mut workers, 0, 0);
    policy.arrived(item(1, None), Tsc(90_000));
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[0], at: Tsc(91_000) }), "1 us of waiting");
}

#[test]
fn one_turn_is_ended_for_each_that_waits() {
    let (mut policy, mut workers) = (policy("on-demand", 3), Workers::new(3, 1));
    (0..3).for_each(|slot| begin(&mut *policy, &mut workers, slot, u64::from(slot)));
    policy.arrived(item(7, None), Tsc(100_000));
    policy.arrived(item(8, None), Tsc(100_500));
    let first = policy.next_end(&workers).unwrap();
    assert_eq!(first, End { worker: W[2], at: Tsc(101_000) }, "the youngest");
    workers.arm(first.worker);
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[1], at: Tsc(101_500) }));
    workers.arm(W[1]);
    assert_eq!(policy.next_end(&workers), None, "two are about to be free");
}

#[test]
fn a_preempted_request_keeps_its_place_among_the_long_ones() {
    let (mut policy, mut workers) = (policy("on-demand", 2), Workers::new(2, 1));
    begin(&mut *policy, &mut workers, 0, 0);
    begin(&mut *policy, &mut workers, 1, 10);
    for (slot, arrival) in [(1, 10), (0, 0)] {
        let long = Item { received: Ticks(300_000), arrival: Tsc(arrival), ..item(slot, None) };
        workers.take_back(W[usize::from(slot == 1)]);
        policy.preempted(W[usize::from(slot == 1)], long, Tsc(300_000));
    }
    assert_eq!(policy.next(&workers, Tsc(300_000)).unwrap().1.slot, 0, "it arrived first");
}

#[test]
fn a_long_request_gives_way_to_an_older_one_of_its_worker() {
    let (mut policy, mut workers) = (policy("on-demand:levels=2", 1), Workers::new(1, 1));
    begin(&mut *policy, &mut workers, 0, 0);
    workers.take_back(W[0]);
    policy.arrived(Item { arrival: Tsc(90_000), ..item(1, None) }, Tsc(90_000));
    policy.preempted(W[0], Item { received: Ticks(91_000), ..item(0, Some(0)) }, Tsc(91_000));
    let (worker, next) = policy.next(&workers, Tsc(91_000)).unwrap();
    assert_eq!((worker, next.slot), (W[0], 1), "its first quantum comes before what is long");
    workers.give(W[0], 1);
    workers.set_turn(W[0], Some(Tsc(91_000)));
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[0], at: Tsc(96_000) }), "no longer than that");
}

#[test]
fn where_nearly_all_are_short_some_of_them_may_be_done_first() {
    let (mut policy, mut workers) = (policy("on-demand", 1), Workers::new(1, 1));
    begin(&mut *policy, &mut workers, 0, 0);
    (0..2_000).for_each(|_| policy.done(W[0], Item { received: Ticks(750), ..item(9, None) }, Tsc(0)));
    policy.arrived(item(1, None), Tsc(100_000));
    let end = policy.next_end(&workers).unwrap();
    assert!((102_990..=103_000).contains(&end.at.0), "{end:?}: four times the mean, not 1 us");
}

#[test]
fn inboxes_are_filled_only_when_nearly_all_requests_are_short() {
    let (mut policy, mut workers) = (policy("on-demand", 1), Workers::new(1, 2));
    begin(&mut *policy, &mut workers, 0, 0);
    policy.arrived(item(1, None), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)), None, "nothing is known yet");
    (0..2_000).for_each(|_| policy.done(W[0], Item { received: Ticks(500), ..item(9, None) }, Tsc(0)));
    let (worker, next) = policy.next(&workers, Tsc(0)).expect("the turn will soon be over");
    workers.give(worker, next.slot);
    let end = policy.next_end(&workers).unwrap();
    assert!((1_990..=2_000).contains(&end.at.0), "{end:?}: four times the mean");
    assert_eq!(policy.waiting(), 0);
}

#[test]
fn a_load_without_long_requests_is_never_preempted() {
    let phases = [Phase { ticks: 10 * MILLI, load: 0.95, mix: vec![(1_000, 1.0)] }];
    assert_eq!(run("on-demand", 4, &phases, Classifier::Right).preemptions, 0);
}

/// Shorts alone need more than there is, for a while: the long ones come to run nevertheless.
#[test]
fn no_long_request_waits_much_longer_than_the_patience() {
    let phases = [
        Phase { ticks: 2 * MILLI, load: 1.5, mix: vec![(1_000, 0.9), (200_000, 0.1)] },
        Phase { ticks: 20 * MILLI, load: 1.2, mix: vec![(1_000, 1.0), (200_000, 0.0)] },
    ];
    let impatient = run("on-demand:patience=1ms", 2, &phases, Classifier::Right);
    let patient = run("on-demand:patience=1s", 2, &phases, Classifier::Right);
    assert!(patient.longest_wait > 15 * MILLI, "{} ns: the load is no test", patient.longest_wait);
    // Several may be old at once on a worker; each gets a quantum in turn.
    assert!(impatient.longest_wait < 5 * MILLI, "{} ns", impatient.longest_wait);
    assert!(impatient.preemptions > 10);
}

#[test]
fn it_knows_no_classes() {
    let phases = [Phase { ticks: 20 * MILLI, load: 0.9, mix: vec![(1_000, 0.9), (100_000, 0.1)] }];
    let [right, random] = [Classifier::Right, Classifier::Random]
        .map(|classifier| run("on-demand", 4, &phases, classifier).answers);
    assert!(right.len() > 5_000 && right == random);
}
