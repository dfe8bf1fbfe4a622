//! What keeps a server from starting: reported, never a hang, never a request lost.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use common::{SHORT, at_once, polite};
use concord::transport::in_process::InProcess;
use concord::{Config, Error, Reply, Request, Server, Service, ServiceError, WorkerId};

/// Fails where it is told to.
#[derive(Default)]
struct Failing {
    setup: bool,
    worker: Option<WorkerId>,
    worker_panics: Option<WorkerId>,
    classes: usize,
    setups: AtomicU32,
    workers: Mutex<Vec<WorkerId>>,
}

impl Service for Failing {
    type Worker = ();

    fn classes(&self) -> Vec<String> {
        vec!["any".into(); self.classes]
    }

    fn setup(&mut self) -> Result<(), ServiceError> {
        self.setups.fetch_add(1, Ordering::Relaxed);
        if self.setup { Err("no database".into()) } else { Ok(()) }
    }

    fn setup_worker(&self, worker: WorkerId) -> Result<(), ServiceError> {
        assert!(Some(worker) != self.worker_panics, "asked to");
        self.workers.lock().unwrap().push(worker);
        if Some(worker) == self.worker { Err("no table".into()) } else { Ok(()) }
    }

    fn handle_request(&self, (): &(), _: &Request<'_>, _: &mut Reply) {}
}

fn two_workers() -> Config {
    Config { workers: 2, ..polite(None) }
}

fn run(service: Failing) -> Result<(), Error> {
    let mut transport = InProcess::new(at_once(&[&[SHORT]]));
    let result = Server::new(service, two_workers())?.run(&mut transport).map(drop);
    assert_eq!(transport.completions()[0].is_some(), result.is_ok());
    result
}

#[test]
fn an_impossible_configuration_is_refused_before_the_setup() {
    let service = Failing { setup: true, classes: 1, ..Failing::default() };
    let error = Server::new(service, Config { jbsq_depth: Some(0), ..polite(None) }).err().unwrap();
    assert!(error.to_string().contains("`jbsq_depth`"), "{error}");
}

#[test]
fn a_failing_setup_is_reported() {
    let error = run(Failing { setup: true, classes: 1, ..Failing::default() }).unwrap_err();
    assert_eq!(error.to_string(), "the service's setup failed: no database");
}

#[test]
fn a_failing_worker_ends_the_start() {
    for worker in [WorkerId(0), WorkerId(1), WorkerId::DISPATCHER] {
        let error = run(Failing { worker: Some(worker), classes: 1, ..Failing::default() }).unwrap_err();
        assert_eq!(error.to_string(), format!("the service's setup_worker failed for {worker}: no table"));
    }
}

#[test]
fn a_worker_that_panics_in_its_setup_ends_the_start() {
    for worker in [WorkerId(0), WorkerId(1), WorkerId::DISPATCHER] {
        let error =
            run(Failing { worker_panics: Some(worker), classes: 1, ..Failing::default() }).unwrap_err();
        assert!(matches!(error, Error::WorkerLost), "{error}");
    }
}

#[test]
fn a_service_without_classes_is_refused() {
    assert!(matches!(run(Failing::default()), Err(Error::Classes(0))));
}

#[test]
fn each_thread_is_set_up_once() {
    let mut server = Server::new(Failing { classes: 1, ..Failing::default() }, two_workers()).unwrap();
    server.run(InProcess::new(at_once(&[&[SHORT]]))).unwrap();
    let mut workers = server.service().workers.lock().unwrap().clone();
    workers.sort();
    assert_eq!(workers, [WorkerId(0), WorkerId(1), WorkerId::DISPATCHER]);
    assert_eq!(server.service().setups.load(Ordering::Relaxed), 1);
}
