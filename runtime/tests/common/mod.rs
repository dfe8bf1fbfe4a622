//! A service with explicit probes, driven by its payloads.

#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use concord::testing::probe;
use concord::transport::in_process::{Completion, InProcess, Schedule};
use concord::{
    Class, Config, Idle, Nanos, Pinning, Reply, Request, Server, Service, ServiceError, Statistics, WorkerId,
    WorkerLocal,
};

/// First byte of a payload: what the handler does.
pub(crate) const SHORT: u8 = b's';
/// Runs, probing, until as many shorts are done as the second byte says.
pub(crate) const WAITS_FOR_SHORTS: u8 = b'w';
/// Probes for many quanta, long enough for the dispatcher to have its turn on a busy machine.
pub(crate) const LASTS: u8 = b't';
/// Probes a fixed number of times.
pub(crate) const LONG: u8 = b'l';
/// Panics.
pub(crate) const PANICS: u8 = b'p';
/// Panics after some probes.
pub(crate) const PANICS_LATE: u8 = b'q';
/// Sets an error.
pub(crate) const FAILS: u8 = b'e';
/// `classify` panics.
pub(crate) const UNCLASSIFIABLE: u8 = b'u';
/// `classify` names a class that is none.
pub(crate) const NO_SUCH_CLASS: u8 = b'n';

/// A short request of which `classify` says that it knows no class.
pub(crate) const UNKNOWN: u8 = b'x';

/// Long after any test should have ended.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct Probing {
    pub(crate) shorts_done: AtomicU32,
}

impl Service for Probing {
    type Worker = WorkerLocal<u64>;

    fn classes(&self) -> Vec<String> {
        vec!["short".into(), "long".into()]
    }

    fn setup_worker(&self, _: WorkerId) -> Result<WorkerLocal<u64>, ServiceError> {
        Ok(WorkerLocal::new(0))
    }

    fn classify(&self, payload: &[u8]) -> Class {
        match payload[0] {
            UNCLASSIFIABLE => panic!("asked to"),
            NO_SUCH_CLASS => Class(2),
            UNKNOWN => Class::UNKNOWN,
            SHORT => Class(0),
            _ => Class(1),
        }
    }

    fn handle_request(&self, worker: &WorkerLocal<u64>, request: &Request<'_>, reply: &mut Reply) {
        worker.with(|requests| {
            let before = *requests;
            probe();
            *requests = before + 1;
        });
        let thread = std::thread::current().id();
        match request.payload()[0] {
            SHORT | UNKNOWN => {
                self.shorts_done.fetch_add(1, Ordering::Relaxed);
            }
            WAITS_FOR_SHORTS => self.wait_for_shorts(u32::from(request.payload()[1])),
            LASTS => {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(20) {
                    probe();
                }
            }
            LONG => (0..20_000).for_each(|_| probe()),
            PANICS => panic!("asked to"),
            PANICS_LATE => {
                (0..20_000).for_each(|_| probe());
                panic!("asked to");
            }
            FAILS => return reply.set_error("asked to"),
            other => panic!("unknown request {other}"),
        }
        assert_eq!(std::thread::current().id(), thread, "a started task stays on its worker");
        reply.write(request.payload()).expect("payloads are shorter than replies");
        let done = self.shorts_done.load(Ordering::Relaxed);
        reply.write(&done.to_le_bytes()).expect("payloads are shorter than replies");
    }
}

impl Probing {
    fn wait_for_shorts(&self, shorts: u32) {
        let begin = Instant::now();
        while self.shorts_done.load(Ordering::Relaxed) < shorts {
            probe();
            assert!(begin.elapsed() < PATIENCE, "the shorts never ran");
        }
    }
}

/// Options that leave the machine to others.
pub(crate) fn polite(quantum: Option<Nanos>) -> Config {
    Config { quantum, pinning: Pinning::Off, idle: Idle::Polite, prepared_stacks: 4, ..Config::default() }
}

/// All at once, in this order.
pub(crate) fn at_once(payloads: &[&[u8]]) -> Schedule {
    let mut schedule = Schedule::new();
    payloads.iter().for_each(|payload| schedule.push(Nanos(0), payload));
    schedule
}

pub(crate) fn run(schedule: Schedule, config: Config) -> (Statistics, Vec<Completion>) {
    let mut transport = InProcess::new(schedule);
    let statistics = Server::new(Probing::default(), config).unwrap().run(&mut transport).unwrap();
    let completions = transport.completions().into_iter().map(|c| c.expect("every request is answered"));
    (statistics, completions.collect())
}

/// Indices of the requests in the order in which they ended.
pub(crate) fn order(completions: &[Completion]) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..completions.len()).collect();
    indices.sort_by_key(|&index| completions[index].done);
    indices
}
