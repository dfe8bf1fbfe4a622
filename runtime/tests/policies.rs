//! Every policy on real threads, and what the runtime does by class.

mod common;

use common::{FAILS, LASTS, LONG, SHORT, UNKNOWN, at_once, polite, run};
use concord::transport::in_process::Schedule;
use concord::{Class, Config, Nanos, Server, Status, policy};

const QUANTUM: Option<Nanos> = Some(Nanos::from_micros(2));

#[test]
fn every_policy_answers_every_request_of_a_mix() {
    let hasty = ["darc:window=20,delay=0,deviation=0", "on-demand:levels=4,growth=2,arm=0us,patience=50us"];
    for policy in policy::names().chain(hasty) {
        for (workers, jbsq_depth) in [(1, 1), (2, 2), (3, 1)] {
            let mut schedule = Schedule::new();
            for index in 0..400_u64 {
                let kind = [LONG, SHORT, UNKNOWN, SHORT, FAILS, SHORT, SHORT][index as usize % 7];
                schedule.push(Nanos(index * 1_000), &[kind]);
            }
            let config =
                Config { workers, jbsq_depth: Some(jbsq_depth), policy: policy.into(), ..polite(QUANTUM) };
            let (statistics, completions) = run(schedule, config);
            assert_eq!(
                (statistics.offered(), statistics.answered(), statistics.dropped()),
                (400, 400, 0),
                "{policy}"
            );
            let failed = completions.iter().filter(|completion| completion.status == Status::Error).count();
            assert_eq!((failed, statistics.errors()), (57, 57), "{policy}");
            let [_, _, unknown] = &statistics.classes[..] else { panic!("two classes and the unknown") };
            assert_eq!(
                (unknown.name.as_str(), unknown.offered, unknown.answered),
                ("unknown", 57, 57),
                "{policy}"
            );
        }
    }
}

#[test]
fn of_unknown_requests_nothing_is_said_when_there_were_none() {
    let (statistics, _) = run(at_once(&[&[SHORT]]), polite(None));
    assert_eq!(statistics.classes.len(), 2);
}

#[test]
fn an_overloaded_class_alone_is_shed() {
    // The worker is held up by the first one, and more longs come than there is room for; shorts come after them.
    let mut schedule = Schedule::new();
    schedule.push(Nanos(0), &[LASTS]);
    (0..60).for_each(|_| schedule.push(Nanos(0), &[LONG]));
    schedule.push(Nanos(0), &[SHORT]);
    let config = Config { queue_bound: 27, ..polite(None) };
    let (statistics, completions) = run(schedule, config);
    let [shorts, longs] = &statistics.classes[..] else { panic!("two classes") };
    assert!(longs.dropped > 0, "the load is no overload");
    assert_eq!((shorts.answered, shorts.dropped), (1, 0));
    assert_eq!(completions.last().unwrap().status, Status::Ok);
}

#[test]
fn reservations_are_in_the_statistics() {
    let mut schedule = Schedule::new();
    for index in 0..200_u64 {
        schedule.push(Nanos(index * 1_000), &[if index % 2 == 0 { LONG } else { SHORT }]);
    }
    let config = Config { workers: 2, policy: "darc:window=100".into(), ..polite(None) };
    let report = run(schedule, config).0.policy;
    let groups = &report.updates.first().expect("a window was full").groups;
    assert_eq!(
        (groups[0].classes[..].as_ref(), groups[1].classes[..].as_ref()),
        (&[Class(0)][..], &[Class(1)][..])
    );
    assert_eq!((groups[0].reserved.len(), groups[1].reserved.len()), (1, 1));
    assert!(groups[0].demand < groups[1].demand);
    assert_eq!(report.costs.profile.count, 200);
    assert!(report.costs.update.mean().is_some());
}

#[test]
fn impossible_policies_are_refused_by_name() {
    for (policy, expected) in [
        ("on-demnd", "did you mean `on-demand`?"),
        ("darc:windw=3", "did you mean `window`?"),
        ("darc:window=0", "it must be a number from 1 to"),
        ("on-demand:arm=3", "it must be a time such as"),
        ("on-demand:arm=1us,arm=2us", "is given twice"),
        ("on-demand:levels=9", "it must be a number from 2 to 8"),
        ("bvt:target=1/x", "`auto`, or numbers from"),
    ] {
        let config = Config { policy: policy.into(), ..Config::default() };
        let error = Server::new(common::Probing::default(), config).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with("option `policy`: ") && error.contains(expected), "{error}");
    }
}
