//! Whole runs in process, over services that behave and misbehave.

use clap::Parser;
use concord::{Class, Reply, Request, Service, ServiceError, WorkerId};

use super::in_process::{InProcessArgs, measure};
use super::service_times::ServiceTimesArgs;
use crate::key_value::data::{KEYS, Scan, value};
use crate::key_value::format::{CLASSES, class_index, scan_reply};
use crate::key_value::{Found, KeyValueRequests, Operation};
use crate::results::{ClassRun, Run, ServiceTimesReport};
use crate::synthetic::{SyntheticRequests, SyntheticService};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: InProcessArgs,
}

fn args(line: &str) -> InProcessArgs {
    Line::try_parse_from(std::iter::once("svc").chain(line.split(' '))).unwrap().args
}

/// Answers by what the keys say, without a store; misbehaves on one operation.
struct Fake {
    on_put: fn(&mut Reply),
}

impl Service for Fake {
    type Worker = ();

    fn classes(&self) -> Vec<String> {
        CLASSES.map(String::from).to_vec()
    }

    fn setup_worker(&self, _worker: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn classify(&self, payload: &[u8]) -> Class {
        Class(class_index(payload) as u16)
    }

    fn handle_request(&self, (): &(), request: &Request<'_>, reply: &mut Reply) {
        let written = match Operation::parse(request.payload()).expect("generated requests parse") {
            Operation::Get { key } => reply.write(&[&[Found::Yes as u8], &value(key)[..]].concat()),
            Operation::Put { .. } => return (self.on_put)(reply),
            Operation::Delete { .. } => reply.write(&[Found::Yes as u8]),
            Operation::Scan { .. } => reply.write(&scan_reply(Scan::expected(KEYS))),
        };
        written.expect("replies are short");
    }
}

fn run(on_put: fn(&mut Reply)) -> Run {
    let args = args("--workload GET=1,PUT=1 --rate 20000 --requests 400 --quantum none");
    measure(Fake { on_put }, &KeyValueRequests::default(), &args).unwrap()
}

fn class<'a>(run: &'a Run, name: &str) -> &'a ClassRun {
    run.classes.iter().find(|class| class.name == name).unwrap()
}

#[test]
fn every_request_is_answered_and_checked() {
    let run = run(|reply| reply.write(&[Found::Yes as u8]).unwrap());
    assert_eq!(run.classes.len(), 2, "PUT and GET alone were offered");
    assert_eq!(run.classes.iter().map(|class| class.offered).sum::<u64>(), 400);
    for class in &run.classes {
        assert_eq!((class.offered, class.errors, class.wrong, class.dropped), (class.answered, 0, 0, 0));
        let (sojourn, service) = (class.sojourn_raw_ns.unwrap(), class.service_time_ns);
        assert!(sojourn.p50 > 0.0 && sojourn.p50 <= sojourn.p999);
        assert_eq!(service, None, "no service time was given");
    }
    assert!(run.rate > 10_000.0 && run.rate < 40_000.0, "{}", run.rate);
    assert_eq!((run.quantum_ns, run.preemptions, run.instrumented), (None, 0, false));
}

#[test]
fn wrong_replies_errors_and_panics_are_told_apart() {
    let wrong = run(|reply| reply.write(&[Found::No as u8]).unwrap());
    assert_eq!(class(&wrong, "PUT").wrong, class(&wrong, "PUT").offered);
    assert_eq!(class(&wrong, "GET").answered, class(&wrong, "GET").offered);
    let errors = run(|reply| reply.set_error("the disk is full"));
    assert_eq!(class(&errors, "PUT").errors, class(&errors, "PUT").offered);
    let silent = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let panics = run(|_| panic!("a bug"));
    std::panic::set_hook(silent);
    assert_eq!(class(&panics, "PUT").errors, class(&panics, "PUT").offered);
}

#[test]
fn the_rate_follows_from_the_load_and_slowdowns_from_the_stated_times() {
    let args = args("--workload fixed-100 --load 0.5 --requests 100 --quantum none --workers 1");
    let run = measure(SyntheticService::default(), &SyntheticRequests::default(), &args).unwrap();
    assert!(run.rate > 3_000.0 && run.rate < 8_000.0, "5,000 per second are meant: {}", run.rate);
    assert_eq!(run.load, Some(0.5));
    let class = class(&run, "fixed");
    assert_eq!(class.service_time_ns, Some(100_000.0));
    let (slowdown, sojourn) = (class.slowdown_raw.unwrap().p50, class.sojourn_raw_ns.unwrap().p50);
    assert!((slowdown - sojourn / 100_000.0).abs() / slowdown < 0.01, "{slowdown}, {sojourn}");
}

#[test]
fn slowdowns_divide_by_given_service_times() {
    let args =
        args("--workload GET=1 --rate 20000 --requests 100 --quantum none --service-ns GET=250,SCAN=9");
    let run = measure(Fake { on_put: |_| () }, &KeyValueRequests::default(), &args).unwrap();
    assert_eq!(class(&run, "GET").service_time_ns, Some(250.0));
}

#[derive(Parser)]
struct TimesLine {
    #[command(flatten)]
    args: ServiceTimesArgs,
}

fn service_times(on_put: fn(&mut Reply), line: &str) -> anyhow::Result<ServiceTimesReport> {
    let line = TimesLine::try_parse_from(std::iter::once("svc").chain(line.split(' '))).unwrap();
    super::service_times::measure(Fake { on_put }, &KeyValueRequests::default(), &line.args)
}

#[test]
fn service_times_are_those_of_the_workloads_classes() {
    let fine: fn(&mut Reply) = |reply| reply.write(&[Found::Yes as u8]).unwrap();
    let report = service_times(fine, "--workload GET=1,PUT=1 --seconds 0.001").unwrap();
    let names: Vec<&str> = report.classes.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["GET", "PUT"]);
    assert!(report.classes.iter().map(|class| class.samples).sum::<u64>() >= 100, "{report:?}");
    assert!(!report.instrumented);
}

#[test]
fn service_times_of_wrong_replies_are_refused() {
    let line = "--workload GET=1,PUT=1 --seconds 0.001";
    let wrong = service_times(|reply| reply.write(b"?").unwrap(), line).unwrap_err().to_string();
    assert!(wrong.contains("means nothing") && wrong.contains("3f"), "{wrong}");
    let failed = service_times(|reply| reply.set_error("the disk is full"), line).unwrap_err().to_string();
    assert!(failed.contains("the disk is full"), "{failed}");
    let length = service_times(|_| (), "--workload GET=1 --seconds 0").unwrap_err().to_string();
    assert!(length.contains("--seconds 0"), "{length}");
}

#[test]
fn what_cannot_be_run_is_refused() {
    let refused = |line: &str| {
        let error = measure(Fake { on_put: |_| () }, &KeyValueRequests::default(), &args(line));
        error.expect_err("refused").to_string()
    };
    assert!(refused("--workload zippyd --rate 1").contains("did you mean `zippydb`"));
    assert!(refused("--workload tpcc --rate 1").contains("Payment"), "a class that the service lacks");
    assert!(refused("--workload zippydb --load 0.5").contains("--service-ns"));
    assert!(refused("--workload zippydb --rate 0").contains("above 0"));
    assert!(refused("--workload zippydb --rate 1 --workers 0").contains("workers"));
    assert!(refused("--workload zippydb --rate 1 --policy none").contains("policy"));
}

#[test]
fn a_service_whose_classes_are_not_those_of_its_requests_is_refused() {
    let args = args("--workload fixed-1 --rate 1000 --requests 1");
    let error = measure(Fake { on_put: |_| () }, &SyntheticRequests::default(), &args).err().unwrap();
    assert!(error.to_string().contains("are not those of its requests"), "{error}");
}
