//! Under any switch of the runtime's mechanisms, each request is answered exactly once, with its own reply.

mod common;

use std::sync::Mutex;

use common::{FAILS, LASTS, LONG, PANICS_LATE, SHORT, WAITS_FOR_SHORTS, at_once, order, polite, run};
use concord::transport::in_process::{InProcess, Schedule};
use concord::transport::{Answer, Egress, Intake, Polled, Transport};
use concord::{Assist, Config, Nanos, Preemption, Rotation, Server, Status, Tsc, policy};
use proptest::prelude::*;

/// Passes everything on, and notes which requests were answered.
struct Noting<'a> {
    inner: InProcess,
    answered: &'a Mutex<Vec<u64>>,
}

struct NotingEgress<'a, E> {
    inner: E,
    answered: &'a Mutex<Vec<u64>>,
}

impl<'a> Transport for Noting<'a> {
    type Egress = NotingEgress<'a, <InProcess as Transport>::Egress>;

    fn open(&mut self, sides: usize, request_size: usize) -> std::io::Result<Vec<Self::Egress>> {
        let inner = self.inner.open(sides, request_size)?;
        Ok(inner.into_iter().map(|inner| NotingEgress { inner, answered: self.answered }).collect())
    }

    fn begin(&mut self, epoch: Tsc) {
        self.inner.begin(epoch);
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        self.inner.poll(now, intake)
    }
}

impl<E: Egress> Egress for NotingEgress<'_, E> {
    fn send(&mut self, answer: &Answer<'_>) -> bool {
        self.answered.lock().unwrap().push(answer.origin.id);
        self.inner.send(answer)
    }
}

fn preemptions() -> impl Strategy<Value = Preemption> {
    prop_oneof![
        Just(Preemption::Line),
        Just(Preemption::Signal),
        (0_u32..5_000).prop_map(|cycles| Preemption::EmulatedInterrupt { cycles }),
        Just(Preemption::Clock),
    ]
}

prop_compose! {
    fn configs()(
        workers in 1_usize..4,
        jbsq_depth in prop::option::of(1_usize..5),
        quantum in prop::option::of(1_u64..30),
        preemption in preemptions(),
        rotation in prop_oneof![Just(Rotation::Dispatcher), Just(Rotation::Worker)],
        assist in prop_oneof![Just(Assist::On), Just(Assist::Off)],
        policy in prop::sample::select(policy::names().collect::<Vec<_>>()),
    ) -> Config {
        let quantum = quantum.map(Nanos::from_micros);
        let policy = policy.to_string();
        Config { workers, jbsq_depth, preemption, rotation, assist, policy, ..polite(quantum) }
    }
}

fn kinds() -> impl Strategy<Value = Vec<u8>> {
    let kind = prop_oneof![8 => Just(SHORT), 3 => Just(LONG), 1 => Just(LASTS), 1 => Just(PANICS_LATE), 1 => Just(FAILS)];
    prop::collection::vec(kind, 1..40)
}

fn expected(kind: u8) -> Status {
    match kind {
        PANICS_LATE => Status::Panicked,
        FAILS => Status::Error,
        _ => Status::Ok,
    }
}

#[test]
fn every_way_of_ending_a_turn_lets_the_short_one_run() {
    // The first one runs until the second has run, on the same worker.
    let schedule = || at_once(&[&[WAITS_FOR_SHORTS, 1], &[SHORT, 0]]);
    let interrupt = Preemption::EmulatedInterrupt { cycles: Preemption::SHINJUKU_CYCLES };
    for preemption in [Preemption::Line, Preemption::Signal, interrupt, Preemption::Clock] {
        for rotation in [Rotation::Dispatcher, Rotation::Worker] {
            let config = Config { preemption, rotation, ..polite(Some(Nanos::from_micros(5))) };
            let (statistics, completions) = run(schedule(), config);
            assert!(statistics.preemptions > 0, "{preemption:?}, {rotation:?}");
            assert_eq!(order(&completions), [1, 0], "{preemption:?}, {rotation:?}");
        }
    }
}

#[test]
fn probes_that_read_the_clock_end_turns_that_nothing_waits_for() {
    let alone = |preemption| {
        let config = Config { preemption, ..polite(Some(Nanos::from_micros(50))) };
        run(at_once(&[&[LASTS]]), config).0.preemptions
    };
    assert_eq!(alone(Preemption::Line), 0);
    assert!(alone(Preemption::Clock) > 0);
}

#[test]
fn a_worker_that_rotates_keeps_what_it_has_begun() {
    // Both need the third, which is in the same inbox: the dispatcher sees none of them before it is done.
    let requests: [&[u8]; 3] = [&[WAITS_FOR_SHORTS, 1], &[WAITS_FOR_SHORTS, 1], &[SHORT, 0]];
    let config =
        Config { rotation: Rotation::Worker, jbsq_depth: Some(3), ..polite(Some(Nanos::from_micros(5))) };
    let (statistics, completions) = run(at_once(&requests), config);
    assert_eq!((statistics.answered(), order(&completions)[0]), (3, 2));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn each_request_is_answered_once_with_its_own_reply(config in configs(), kinds in kinds()) {
        let mut schedule = Schedule::new();
        for (index, &kind) in kinds.iter().enumerate() {
            schedule.push(Nanos(index as u64 * 200), &[kind, index as u8]);
        }
        let answered = Mutex::new(Vec::new());
        let mut transport = Noting { inner: InProcess::new(schedule), answered: &answered };
        let mut server = Server::new(common::Probing::default(), config).unwrap();
        let statistics = server.run(&mut transport).unwrap();
        let mut ids = answered.lock().unwrap().clone();
        ids.sort_unstable();
        // A policy may drop what its bounds refuse; nothing here reaches one.
        prop_assert_eq!(ids, (0..kinds.len() as u64).collect::<Vec<_>>());
        prop_assert_eq!(statistics.answered(), kinds.len() as u64);
        for (index, completion) in transport.inner.completions().into_iter().enumerate() {
            let completion = completion.expect("it was answered");
            prop_assert_eq!(completion.status, expected(kinds[index]));
            if completion.status == Status::Ok {
                prop_assert_eq!(&completion.reply()[..2], &[kinds[index], index as u8]);
            }
        }
    }
}
