//! End to end within the process, with explicit probes.

mod common;

use common::*;
use concord::transport::in_process::{InProcess, Schedule};
use concord::{Config, Nanos, Server, Status};

const QUANTUM: Option<Nanos> = Some(Nanos::from_micros(5));

#[test]
fn shorts_overtake_a_long_request_under_processor_sharing() {
    let schedule = at_once(&[&[WAITS_FOR_SHORTS, 3], &[SHORT], &[SHORT], &[SHORT]]);
    let (statistics, completions) = run(schedule, polite(QUANTUM));
    // Last of all; the shorts among themselves may change places, when the host stops one for a quantum.
    assert_eq!(order(&completions).last(), Some(&0));
    assert!(statistics.preemptions >= 1);
    assert!(completions[0].preemptions >= 1);
    assert_eq!(completions[0].reply(), [WAITS_FOR_SHORTS, 3, 3, 0, 0, 0]);
    assert_eq!(statistics.preemptions, completions.iter().map(|c| u64::from(c.preemptions)).sum::<u64>());
    assert_eq!(statistics.achieved_quantum.len(), statistics.preemptions);
    assert!(statistics.achieved_quantum.min() >= 2_400, "a turn ended before half its quantum was over");
}

#[test]
fn nothing_overtakes_without_a_quantum_or_under_fcfs() {
    let fcfs = Config { policy: "c-fcfs".into(), ..polite(QUANTUM) };
    for config in [polite(None), fcfs] {
        let schedule = at_once(&[&[LASTS], &[SHORT], &[LASTS], &[SHORT]]);
        let (statistics, completions) = run(schedule, config);
        assert_eq!(order(&completions), [0, 1, 2, 3]);
        assert_eq!(statistics.preemptions, 0);
        assert_eq!(completions[0].reply(), [LASTS, 0, 0, 0, 0]);
    }
}

#[test]
fn nothing_is_preempted_while_nothing_waits() {
    let (statistics, completions) = run(at_once(&[&[LASTS]]), polite(QUANTUM));
    assert_eq!((statistics.preemptions, completions[0].preemptions), (0, 0));
}

#[test]
fn every_request_of_a_mix_is_answered_on_every_number_of_workers() {
    for (workers, jbsq_depth) in [(1, 1), (1, 2), (2, 2), (3, 4)] {
        let mut schedule = Schedule::new();
        for index in 0..2_000_u64 {
            let kind = if index % 7 == 0 { LONG } else { SHORT };
            schedule.push(Nanos(index * 1_000), &[kind, index as u8]);
        }
        let config = Config { workers, jbsq_depth: Some(jbsq_depth), ..polite(Some(Nanos::from_micros(2))) };
        let (statistics, completions) = run(schedule, config);
        assert_eq!((statistics.offered(), statistics.answered()), (2_000, 2_000));
        assert_eq!((statistics.dropped(), statistics.errors()), (0, 0));
        let [shorts, longs] = &statistics.classes[..] else { panic!("two classes") };
        assert_eq!((longs.answered, longs.sojourn.len()), (286, 286));
        assert_eq!((shorts.answered, shorts.service.len()), (1_714, 1_714));
        for (index, completion) in completions.iter().enumerate() {
            let kind = if index % 7 == 0 { LONG } else { SHORT };
            assert_eq!((completion.status, &completion.reply()[..2]), (Status::Ok, &[kind, index as u8][..]));
            assert!(completion.taken_in >= completion.intended && completion.done >= completion.taken_in);
            assert!(completion.received <= completion.sojourn());
        }
    }
}

#[test]
fn panics_and_errors_are_replies_and_the_worker_lives() {
    let (statistics, completions) =
        run(at_once(&[&[PANICS], &[PANICS_LATE], &[FAILS], &[SHORT], &[PANICS], &[SHORT]]), polite(QUANTUM));
    let statuses: Vec<Status> = completions.iter().map(|c| c.status).collect();
    use Status::{Error, Ok, Panicked};
    assert_eq!(statuses, [Panicked, Panicked, Error, Ok, Panicked, Ok]);
    assert_eq!(
        (completions[0].reply(), completions[2].reply()),
        (&b"the handler panicked"[..], &b"asked to"[..])
    );
    assert_eq!((statistics.answered(), statistics.errors()), (6, 4));
    assert_eq!(statistics.classes[1].panics, 3);
}

#[test]
fn what_classify_cannot_name_is_refused_and_counted() {
    let (statistics, completions) =
        run(at_once(&[&[UNCLASSIFIABLE], &[NO_SUCH_CLASS], &[SHORT]]), polite(None));
    let statuses: Vec<Status> = completions.iter().map(|c| c.status).collect();
    assert_eq!(statuses, [Status::Unclassified, Status::Unclassified, Status::Ok]);
    assert_eq!((statistics.unclassified, statistics.offered(), statistics.answered()), (2, 3, 1));
}

#[test]
fn overload_is_dropped_at_the_bound_and_counted() {
    let payloads = [[LONG].as_slice(); 40];
    let config = Config { queue_bound: 4, ..polite(QUANTUM) };
    let (statistics, completions) = run(at_once(&payloads), config);
    let dropped = completions.iter().filter(|c| c.status == Status::Dropped).count() as u64;
    assert!(dropped >= 40 - 16, "one poll takes in 16 at most, of which 4 fit");
    assert_eq!(statistics.dropped(), dropped);
    assert_eq!(statistics.answered() + dropped, 40);
}

#[test]
fn a_payload_beyond_the_limit_is_refused() {
    let config = Config { request_size: 8, ..polite(None) };
    let (statistics, completions) = run(at_once(&[&[SHORT; 9], &[SHORT; 8]]), config);
    assert_eq!((completions[0].status, completions[1].status), (Status::Oversized, Status::Ok));
    assert_eq!((statistics.oversized, statistics.answered()), (1, 1));
}

#[test]
fn a_shutdown_drains_what_was_taken_in() {
    let mut schedule = at_once(&[&[WAITS_FOR_SHORTS, 1], &[SHORT]]);
    schedule.push(Nanos::from_millis(3_600_000), &[SHORT]);
    let mut transport = InProcess::new(schedule);
    let mut server = Server::new(Probing::default(), polite(QUANTUM)).unwrap();
    let handle = server.shutdown_handle();
    let statistics = std::thread::scope(|scope| {
        let run = scope.spawn(|| server.run(&mut transport).unwrap());
        // Not earlier than the first poll, which takes both requests in: they are there from the start.
        std::thread::sleep(std::time::Duration::from_millis(100));
        handle.shutdown();
        run.join().unwrap()
    });
    assert_eq!(statistics.answered(), statistics.offered());
    let completions = transport.completions();
    assert!(completions[2].is_none(), "the request of an hour later was not awaited");
}

#[test]
fn a_server_runs_again_with_other_options() {
    let mut server = Server::new(Probing::default(), polite(None)).unwrap();
    let mut transport = InProcess::new(at_once(&[&[LONG], &[SHORT]]));
    for quantum in [None, QUANTUM, None] {
        server.reconfigure(polite(quantum)).unwrap();
        let statistics = server.run(&mut transport).unwrap();
        assert_eq!(statistics.answered(), 2);
        assert!(transport.completions().iter().all(Option::is_some));
    }
    assert!(server.reconfigure(Config { workers: 0, ..polite(None) }).is_err());
}
