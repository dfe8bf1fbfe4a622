//! The choice of the shortest inbox: exact, whatever has happened before.

use concord::policy::{Item, Policy, Setup, Spec, Workers};
use concord::{Class, Ticks, Tsc, WorkerId};
use proptest::prelude::*;

const DEEPEST: usize = 5;

/// A policy that has nothing but one request that has not started.
fn policy_with_one(workers: usize) -> Box<dyn Policy> {
    let setup = Setup { workers, capacity: 4, classes: 1, quantum: None, ticks_per_micro: 1e3, clock: None };
    let mut policy = "ps".parse::<Spec>().unwrap().make(&setup).unwrap();
    let item = Item { slot: 0, class: Class(0), arrival: Tsc(0), received: Ticks(0), pinned: None };
    policy.arrived(item, Tsc(0));
    policy
}

proptest! {
    #[test]
    fn a_request_goes_to_a_worker_that_holds_the_fewest(
        held in prop::collection::vec(0..=DEEPEST, 1..130),
        k in 1..=DEEPEST,
    ) {
        let mut workers = Workers::new(held.len(), DEEPEST);
        for (index, &held) in held.iter().enumerate() {
            (0..held).for_each(|slot| workers.give(WorkerId(index as u16), slot as u32));
        }
        workers.set_depth(k);
        let naive = held.iter().copied().min().filter(|&fewest| fewest < k);
        let chosen = policy_with_one(held.len()).next(&workers, Tsc(0));
        prop_assert_eq!(chosen.map(|(worker, _)| held[worker.index()]), naive);
        prop_assert_eq!(workers.are_full(), held.iter().all(|&held| held >= k));
    }
}
