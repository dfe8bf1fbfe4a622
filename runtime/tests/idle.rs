//! Threads that have a core each poll; threads that share one sleep.

mod common;

use std::sync::Mutex;

use common::polite;
use concord::transport::in_process::{InProcess, Schedule};
use concord::{Class, Config, Idle, Nanos, Pinning, Reply, Request, Server, Service, ServiceError, WorkerId};

/// Notes how often the dispatcher's thread has gone to sleep, at each request.
#[derive(Default)]
struct Sleeps(Mutex<Vec<i64>>);

impl Service for Sleeps {
    type Worker = ();

    fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn classify(&self, _: &[u8]) -> Class {
        // SAFETY: an all-zero value of this plain struct is valid, and the call fills it.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
            usage
        };
        self.0.lock().unwrap().push(usage.ru_nvcsw);
        Class(0)
    }

    fn handle_request(&self, (): &(), _: &Request<'_>, _: &mut Reply) {}
}

/// How often the dispatcher sleeps between two requests with half a second between them: on a busy machine each of the
/// yields before its first sleep may take milliseconds.
fn sleeps(config: Config) -> i64 {
    let mut schedule = Schedule::new();
    schedule.push(Nanos(0), b"");
    schedule.push(Nanos::from_millis(500), b"");
    let mut server = Server::new(Sleeps::default(), config).unwrap();
    server.run(InProcess::new(schedule)).unwrap();
    let sleeps = server.service().0.lock().unwrap();
    sleeps[1] - sleeps[0]
}

#[test]
fn a_polite_dispatcher_sleeps_while_nothing_comes() {
    let sleeps = sleeps(polite(None));
    assert!(sleeps >= 10, "slept {sleeps} times");
}

/// Its thread is pinned before it runs, and a pinned thread sees one core only: how to idle must have been
/// decided before.
#[test]
fn a_pinned_dispatcher_with_a_core_for_each_thread_never_sleeps() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        eprintln!("skipped: this machine has one core, so no thread has one of its own");
        return;
    }
    let config = Config { pinning: Pinning::Auto, idle: Idle::Auto, ..polite(None) };
    let sleeps = sleeps(config);
    assert!(sleeps <= 5, "slept {sleeps} times");
}
