use super::*;

mod darc;
mod driver;
mod on_demand;
mod world;

const W: [WorkerId; 3] = [WorkerId(0), WorkerId(1), WorkerId(2)];

pub(super) fn item(slot: u32, pinned: Option<u16>) -> Item {
    Item { slot, class: Class(0), arrival: Tsc(0), received: Ticks(0), pinned: pinned.map(WorkerId) }
}

/// A tick is a nanosecond, the quantum 5 us.
fn setup(workers: usize) -> Setup {
    Setup {
        workers,
        capacity: 64,
        classes: 1,
        quantum: Some(Ticks(5_000)),
        ticks_per_micro: 1_000.0,
        clock: None,
    }
}

fn policy(name: &str, workers: usize) -> Box<dyn Policy> {
    name.parse::<Spec>().unwrap().make(&setup(workers)).unwrap()
}

/// Lets a request arrive and be handed to `worker`.
fn start(policy: &mut dyn Policy, slot: u32, worker: WorkerId) {
    let workers = Workers::new(2, 1);
    for _ in 0..100 {
        policy.arrived(item(slot, None), Tsc(0));
        let (chosen, item) = policy.next(&workers, Tsc(0)).expect("all are idle");
        if chosen == worker {
            return;
        }
        policy.done(chosen, item, Tsc(0));
    }
    panic!("{worker} never gets a request");
}

/// All that the policy hands out to workers that answer at once.
fn drain(policy: &mut dyn Policy, workers: &mut Workers) -> Vec<(u16, u32)> {
    let mut handed = Vec::new();
    while let Some((worker, item)) = policy.next(workers, Tsc(0)) {
        workers.give(worker, item.slot);
        workers.take_back(worker);
        policy.done(worker, item, Tsc(0));
        handed.push((worker.0, item.slot));
    }
    handed
}

#[test]
fn processor_sharing_puts_a_preempted_request_behind_the_waiting() {
    let (mut policy, mut workers) = (policy("ps", 1), Workers::new(1, 4));
    policy.arrived(item(1, None), Tsc(0));
    policy.preempted(W[0], item(0, Some(0)), Tsc(0));
    policy.arrived(item(2, None), Tsc(0));
    assert_eq!(drain(&mut *policy, &mut workers), [(0, 1), (0, 0), (0, 2)]);
    workers.give(W[0], 3);
    workers.give(W[0], 4);
    workers.set_turn(W[0], Some(Tsc(7)));
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[0], at: Tsc(5_007) }));
}

#[test]
fn fcfs_never_ends_a_turn_and_keeps_a_started_request_s_place() {
    let (mut policy, mut workers) = (policy("c-fcfs", 1), Workers::new(1, 4));
    policy.arrived(item(1, None), Tsc(0));
    policy.preempted(W[0], item(0, Some(0)), Tsc(0));
    assert_eq!(drain(&mut *policy, &mut workers), [(0, 0), (0, 1)]);
    workers.give(W[0], 3);
    workers.give(W[0], 4);
    workers.set_turn(W[0], Some(Tsc(0)));
    assert_eq!(policy.next_end(&workers), None);
}

#[test]
fn new_work_goes_to_the_worker_that_holds_least_and_has_least_pinned() {
    let (mut policy, mut workers) = (policy("ps", 3), Workers::new(3, 2));
    workers.give(W[0], 9);
    policy.preempted(W[1], item(8, Some(1)), Tsc(0));
    policy.arrived(item(0, None), Tsc(0));
    assert_eq!(policy.next(&workers, Tsc(0)), Some((W[2], item(0, None))));
    workers.give(W[2], 0);
    assert_eq!(drain(&mut *policy, &mut workers), [(1, 8)]);
}

#[test]
fn a_task_that_waits_lets_all_others_go_first() {
    for name in names() {
        let (mut policy, mut workers) = (policy(name, 1), Workers::new(1, 4));
        start(&mut *policy, 0, W[0]);
        policy.arrived(item(1, None), Tsc(0));
        policy.waits(W[0], item(0, Some(0)), Tsc(0));
        assert_eq!(drain(&mut *policy, &mut workers), [(0, 1), (0, 0)], "{name}");
    }
}

#[test]
fn a_started_request_is_offered_to_its_worker_only() {
    for name in names() {
        let (mut policy, mut workers) = (policy(name, 2), Workers::new(2, 1));
        start(&mut *policy, 7, W[0]);
        policy.preempted(W[0], item(7, Some(0)), Tsc(0));
        workers.give(W[0], 9);
        assert_eq!((policy.next(&workers, Tsc(0)), policy.waiting()), (None, 1));
        workers.take_back(W[0]);
        assert_eq!(policy.next(&workers, Tsc(0)), Some((W[0], item(7, Some(0)))));
    }
}

#[test]
fn a_turn_ends_only_while_something_waits_for_its_worker() {
    let (mut policy, mut workers) = (policy("ps", 3), Workers::new(3, 2));
    for (worker, since) in [(W[0], 30), (W[1], 20), (W[2], 10)] {
        workers.give(worker, worker.0.into());
        workers.set_turn(worker, Some(Tsc(since)));
    }
    assert_eq!(policy.next_end(&workers), None, "nothing waits");
    policy.preempted(W[0], item(5, Some(0)), Tsc(0));
    assert_eq!(policy.next_end(&workers).unwrap().worker, W[0], "pinned");
    workers.give(W[1], 6);
    assert_eq!(policy.next_end(&workers).unwrap().worker, W[1], "in its inbox");
    policy.arrived(item(7, None), Tsc(0));
    assert_eq!(policy.next_end(&workers), Some(End { worker: W[2], at: Tsc(5_010) }));
    workers.arm(W[2]);
    assert_eq!(policy.next_end(&workers).unwrap().worker, W[1]);
}

#[test]
fn the_dispatcher_gets_requests_that_have_not_started() {
    for name in names() {
        let mut policy = policy(name, 1);
        start(&mut *policy, 0, W[0]);
        start(&mut *policy, 1, W[0]);
        policy.preempted(W[0], item(0, Some(0)), Tsc(0));
        policy.preempted(W[0], item(1, None), Tsc(0));
        policy.arrived(item(2, None), Tsc(0));
        assert_eq!(policy.take_unstarted(Tsc(0)).map(|item| item.slot), Some(2), "{name}");
        assert_eq!((policy.take_unstarted(Tsc(0)), policy.waiting()), (None, 2), "{name}");
    }
}

#[test]
fn specs_are_checked_word_by_word() {
    let refusal = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    assert_eq!("ps".parse::<Spec>().unwrap().to_string(), "ps");
    assert!(refusal("cfcfs").starts_with("`cfcfs` is unknown; did you mean `c-fcfs`?; known are: ps, "));
    assert!(!refusal("zzz").contains("did you mean"));
    assert_eq!(refusal("ps:a=1"), "policy `ps` has no option `a`; it has none");
    assert_eq!(refusal("ps:a"), "policy `ps`: `a` has no value; write `option=value`");
}
