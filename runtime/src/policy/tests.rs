use proptest::prelude::*;

use super::*;

fn item(slot: u32, pinned: Option<u16>) -> Item {
    Item { slot, class: Class(0), arrival: Tsc(0), received: Ticks(0), pinned: pinned.map(WorkerId) }
}

fn next(policy: &mut dyn Policy, worker: u16) -> Option<u32> {
    policy.next(WorkerId(worker), Tsc(0)).map(|item| item.slot)
}

#[test]
fn processor_sharing_puts_a_preempted_request_behind_the_waiting() {
    let mut policy = by_name("ps", 1, 8).unwrap();
    policy.arrived(item(1, None), Tsc(0));
    policy.preempted(item(0, Some(0)), Tsc(0));
    policy.arrived(item(2, None), Tsc(0));
    assert!(policy.preempts());
    assert_eq!([0; 4].map(|worker| next(&mut *policy, worker)), [Some(1), Some(0), Some(2), None]);
}

#[test]
fn fcfs_never_ends_a_turn_and_keeps_a_started_request_s_place() {
    let mut policy = by_name("c-fcfs", 1, 8).unwrap();
    policy.arrived(item(1, None), Tsc(0));
    policy.preempted(item(0, Some(0)), Tsc(0));
    assert!(!policy.preempts());
    assert_eq!([0; 3].map(|worker| next(&mut *policy, worker)), [Some(0), Some(1), None]);
}

#[test]
fn a_task_that_waits_lets_all_others_go_first() {
    for name in names() {
        let mut policy = by_name(name, 1, 8).unwrap();
        policy.arrived(item(1, None), Tsc(0));
        policy.waits(item(0, Some(0)), Tsc(0));
        assert_eq!([0; 3].map(|worker| next(&mut *policy, worker)), [Some(1), Some(0), None], "{name}");
    }
}

#[test]
fn a_started_request_is_offered_to_its_worker_only() {
    for name in names() {
        let mut policy = by_name(name, 2, 8).unwrap();
        policy.preempted(item(7, Some(1)), Tsc(0));
        assert!(!policy.has_work_for(WorkerId(0)) && policy.has_work_for(WorkerId(1)));
        assert_eq!((policy.pinned_to(WorkerId(0)), policy.pinned_to(WorkerId(1))), (0, 1));
        assert_eq!((next(&mut *policy, 0), next(&mut *policy, 1)), (None, Some(7)));
    }
}

#[test]
fn an_unknown_name_makes_no_policy() {
    assert!(by_name("fcfs", 1, 1).is_none());
}

proptest! {
    /// Whatever the order of events: what goes in comes out once, at a worker that may run it, oldest first.
    #[test]
    fn requests_leave_once_in_order_where_they_may_run(
        pins in prop::collection::vec(prop::option::of(0_u16..3), 1..60),
        workers in prop::collection::vec(0_u16..3, 0..60),
    ) {
        for name in names() {
            let mut policy = by_name(name, 3, 64).unwrap();
            let mut waiting = Vec::new();
            for (slot, &pin) in pins.iter().enumerate() {
                policy.arrived(item(slot as u32, pin), Tsc(0));
                waiting.push((slot as u32, pin));
            }
            for &worker in &workers {
                let position = waiting.iter().position(|&(_, pin)| pin.is_none_or(|pin| pin == worker));
                prop_assert_eq!(policy.has_work_for(WorkerId(worker)), position.is_some());
                let expected = position.map(|index| waiting.remove(index).0);
                prop_assert_eq!(next(&mut *policy, worker), expected);
            }
        }
    }
}
