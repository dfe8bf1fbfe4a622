use super::*;

fn ideal(policy: &str, workers: usize, quantum: Option<u64>) -> Setup {
    Setup::ideal(policy.parse().unwrap(), workers, quantum)
}

/// All answers, as they come.
#[derive(Default)]
struct Log(Vec<Answered>);

impl Observer for Log {
    fn answered(&mut self, answered: Answered) {
        self.0.push(answered);
    }
}

impl Log {
    /// The longest sojourn of a class.
    fn slowest(&self, class: u16) -> u64 {
        let of_class = self.0.iter().filter(|answered| answered.class == class);
        of_class.map(|answered| answered.sojourn).max().unwrap()
    }
}

/// Runs requests of (moment, class, service).
fn run(setup: &Setup, requests: &[(u64, u16, u64)]) -> (Log, Counts) {
    let mut log = Log::default();
    let arrivals = requests.iter().map(|&(at, class, service)| Arriving { at, class, service });
    let outcome = simulate(setup, 2, arrivals, &mut log).unwrap();
    (log, outcome.counts)
}

#[test]
fn a_short_request_overtakes_a_long_one_at_the_end_of_its_quantum() {
    let requests = [(0, 1, 100_000), (1_000, 0, 500)];
    let (log, counts) = run(&ideal("ps", 1, Some(5_000)), &requests);
    assert_eq!((log.slowest(0), counts.preemptions), (4_500, 1));
    let (log, counts) = run(&ideal("c-fcfs", 1, Some(5_000)), &requests);
    assert!(log.slowest(0) == 99_500);
    assert_eq!((counts.preemptions, counts.end_ns), (0, 100_500));
}

#[test]
fn a_turn_that_is_overdue_ends_at_once_or_at_its_next_quantum() {
    let requests = [(0, 1, 100_000), (12_000, 0, 500)];
    let at_once = ideal("ps", 1, Some(5_000));
    assert_eq!(run(&at_once, &requests).0.slowest(0), 500);
    let renewed = Setup { renews: true, ..at_once };
    assert_eq!(run(&renewed, &requests).0.slowest(0), 3_500);
}

#[test]
fn every_cost_is_paid_where_it_arises() {
    let costs = Costs {
        admit: 10,
        assign: 20,
        handoff: 40,
        begin: 80,
        work: 0.5,
        network: 1_000,
        finish: 160,
        give_back: 320,
        ..Costs::default()
    };
    let setup = Setup { costs, ..ideal("ps", 1, None) };
    let (log, counts) = run(&setup, &[(0, 0, 100)]);
    assert_eq!(log.slowest(0), 10 + 20 + 40 + 80 + 150 + 1_000);
    assert_eq!(counts.dispatcher_ns, 30);
    // The second is behind the first in the inbox, or waits until the first has come back.
    let two = [(0, 0, 100), (0, 1, 100)];
    let deep = Setup { depth: 2, ..setup.clone() };
    assert_eq!(run(&deep, &two).0.slowest(1), 10 + 10 + 20 + 40 + 80 + 150 + 160 + 80 + 150 + 1_000);
    let shallow = 20 + 20 + 40 + 80 + 150 + 160 + 320 + 20 + 40 + 80 + 150 + 1_000;
    assert_eq!(run(&setup, &two).0.slowest(1), shallow);
}

#[test]
fn a_preemption_takes_its_worker_time_and_goes_on_until_a_probe() {
    let costs = Costs { notify: 100, yield_: 1_000, ..Costs::default() };
    let setup = Setup { costs, ..ideal("ps", 1, Some(5_000)) };
    let (log, counts) = run(&setup, &[(0, 1, 10_000), (0, 0, 500)]);
    assert_eq!(log.slowest(0), 5_000 + 100 + 1_000 + 500);
    assert!(log.slowest(1) == 11_500, "one preemption, 10 us of work, the short one");
    assert_eq!(counts.busy_ns, 10_500);
}

#[test]
fn a_pinned_request_waits_for_its_worker() {
    // The first is preempted by the third, which has its worker for 8 us; the second's is free from 8 us on.
    let requests = [(0, 1, 20_000), (0, 1, 8_000), (4_000, 0, 8_000)];
    let migrating = ideal("ps", 2, Some(5_000));
    let pinned = Setup { migrates: false, ..migrating.clone() };
    let end = |setup: &Setup| run(setup, &requests).1.end_ns;
    assert_eq!(end(&pinned), 28_000);
    assert!(end(&migrating) < 25_000, "{}", end(&migrating));
}

#[test]
fn the_dispatcher_runs_what_no_worker_has_room_for() {
    let requests = [(0, 1, 100_000), (1_000, 0, 2_000), (1_500, 0, 2_000)];
    let alone = ideal("c-fcfs", 1, None);
    assert!(run(&alone, &requests).0.slowest(0) > 90_000);
    let assisted = Setup { assist: Some(500), ..alone };
    let (log, counts) = run(&assisted, &requests);
    assert_eq!((counts.assisted, counts.assisted_ns), (2, 4_000));
    assert_eq!(log.slowest(0), 3_500, "one after the other");
}

#[test]
fn what_no_worker_may_run_ends_the_run_and_is_dropped() {
    let setup = ideal("darc-static:reserved=2", 2, None);
    let (log, counts) = run(&setup, &[(0, 0, 500), (10, 1, 500), (20, 1, 500)]);
    assert_eq!(counts.answered + counts.dropped, 3);
    assert_eq!(log.0.len(), 1);
}

#[test]
fn beyond_the_bound_requests_are_dropped_and_counted() {
    let setup = Setup { queue_bound: 10, ..ideal("c-fcfs", 1, None) };
    let requests: Vec<(u64, u16, u64)> = (0..100).map(|_| (0, 0, 1_000)).collect();
    let (_, counts) = run(&setup, &requests);
    assert_eq!((counts.offered, counts.answered, counts.dropped), (100, 10, 90));
}

#[test]
fn impossible_setups_are_refused() {
    let refused = |setup: Setup, part: &str| {
        let error = simulate(&setup, 1, std::iter::empty(), &mut Tally::new(1, 0)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(ideal("ps", 0, None), "number of workers is 0");
    refused(ideal("ps", 5_000, None), "1024");
    refused(ideal("ps", 1, Some(0)), "quantum of 0");
    refused(Setup { depth: 17, ..ideal("ps", 1, None) }, "depth k is 17");
    refused(Setup { queue_bound: 0, ..ideal("ps", 1, None) }, "under way is 0");
}
