//! Service times in a closed loop: one request at a time, on a worker of the runtime, with nothing else to do.
//!
//! The handler alone is timed, by a service that wraps the real one; taking in, switching stacks and replying
//! are not. The transport brings the next request when the last one was answered, so that nothing ever waits.

use std::hint::black_box;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use concord::transport::{Answer, Egress, Intake, Polled, Transport};
use concord::{
    Class, Clock, Config, Origin, Reply, Request, Server, Service, ServiceError, Status, Tsc, WorkerId,
};

use super::report;
use crate::requests::{REPLY_KEPT, Requests};
use crate::results::ServiceTimesReport;
use crate::stats::service_times::{of_class, trimmed};
use crate::workload::{Length, Schedule, Workload};

/// Requests that are made beforehand and run again and again.
const DISTINCT_REQUESTS: usize = 4_096;
/// Requests that are run however little time was given: a median of a few says nothing.
const LEAST_REQUESTS: u64 = 100;

/// `service-times`
#[derive(Clone, Debug, Args)]
pub(super) struct ServiceTimesArgs {
    /// Workload whose classes are measured, in its mix
    #[arg(long, value_name = "NAME|MIX")]
    workload: String,
    /// Seed of the requests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How long to measure
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    seconds: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the mode.
pub(super) fn run<S: Service>(
    service: S,
    requests: &dyn Requests,
    args: ServiceTimesArgs,
) -> Result<ExitCode> {
    let report = measure(service, requests, &args)?;
    if args.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{}", report::service_times(&report));
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs requests of the workload for as long as asked and sums up.
pub(super) fn measure<S: Service>(
    service: S,
    requests: &dyn Requests,
    args: &ServiceTimesArgs,
) -> Result<ServiceTimesReport> {
    let workload = Workload::find(&args.workload)?;
    let limit = Duration::try_from_secs_f64(args.seconds).ok().filter(|limit| !limit.is_zero());
    let limit = limit.with_context(|| format!("--seconds {}: give a length above 0", args.seconds))?;
    // The rate is of no consequence: the requests are run one after the other.
    let rates = vec![1.0; workload.phases.len()];
    let schedule =
        Schedule::new(&workload, &rates, Length::Requests(DISTINCT_REQUESTS), args.seed, requests)?;
    let config = Config { quantum: None, ..Config::default() };
    let mut server = Server::new(Timed::new(service, requests), config)?;
    let loop_state = LoopState { answered: AtomicU64::new(0), wrong: Mutex::new(None) };
    let transport =
        ClosedLoop { schedule: &schedule, requests, state: &loop_state, admitted: 0, limit, end: None };
    let statistics = server.run(transport)?;
    if let Some(wrong) = lock(&loop_state.wrong).take() {
        bail!("a reply was wrong, so its service time means nothing: {wrong}");
    }
    let mut times = lock(&server.service().times);
    let classes = requests.classes();
    Ok(ServiceTimesReport {
        workload: workload.name,
        instrumented: statistics.build.has_probes(),
        trimmed: trimmed(),
        classes: classes
            .iter()
            .zip(times.iter_mut())
            .filter_map(|(name, times)| of_class(name, times))
            .collect(),
    })
}

/// A handler that panicked does not make what was noted before it wrong.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The service, with a clock around its handler.
struct Timed<S> {
    inner: S,
    clock: Clock,
    /// Nanoseconds between two readings of the clock with nothing between them.
    reading: u64,
    /// Nanoseconds of each request, by class.
    times: Mutex<Vec<Vec<u64>>>,
}

impl<S> Timed<S> {
    fn new(inner: S, requests: &dyn Requests) -> Self {
        let clock = Clock::get();
        let times = Mutex::new(vec![Vec::new(); requests.classes().len()]);
        Self { inner, clock, reading: cost_of_reading(clock), times }
    }
}

impl<S: Service> Service for Timed<S> {
    type Worker = S::Worker;

    fn classes(&self) -> Vec<String> {
        self.inner.classes()
    }

    fn setup(&mut self) -> Result<(), ServiceError> {
        self.inner.setup()
    }

    fn setup_worker(&self, worker: WorkerId) -> Result<S::Worker, ServiceError> {
        self.inner.setup_worker(worker)
    }

    fn classify(&self, payload: &[u8]) -> Class {
        self.inner.classify(payload)
    }

    fn handle_request(&self, worker: &S::Worker, request: &Request<'_>, reply: &mut Reply) {
        // As the runtime does: the handler is called through a pointer, not inlined between the readings.
        let handler: fn(&S, &S::Worker, &Request<'_>, &mut Reply) = black_box(S::handle_request);
        let start = Tsc::now();
        handler(&self.inner, worker, request, reply);
        let taken = self.clock.nanos(Tsc::now().since(start)).0;
        if let Some(times) = lock(&self.times).get_mut(request.class().index()) {
            times.push(taken.saturating_sub(self.reading));
        }
    }
}

fn cost_of_reading(clock: Clock) -> u64 {
    let cost = |_| {
        let start = Tsc::now();
        clock.nanos(Tsc::now().since(start)).0
    };
    let mut costs: Vec<u64> = (0..1_001).map(cost).collect();
    costs.sort_unstable();
    costs[costs.len() / 2]
}

/// What the two sides of the transport share.
struct LoopState {
    /// Requests answered: the dispatcher's side brings the next when it sees its last one counted.
    answered: AtomicU64,
    /// What was wrong with the first wrong reply.
    wrong: Mutex<Option<String>>,
}

/// Brings one request at a time.
struct ClosedLoop<'a> {
    schedule: &'a Schedule,
    requests: &'a dyn Requests,
    state: &'a LoopState,
    admitted: u64,
    limit: Duration,
    /// When to stop, once the first request was brought.
    end: Option<Instant>,
}

/// The request with this number; they come again and again.
fn payload(schedule: &Schedule, id: u64) -> &[u8] {
    schedule.payload(id as usize % schedule.arrivals().len())
}

impl<'a> Transport for ClosedLoop<'a> {
    type Egress = Checking<'a>;

    fn open(&mut self, workers: usize, _request_size: usize) -> io::Result<Vec<Checking<'a>>> {
        let side = || Checking { schedule: self.schedule, requests: self.requests, state: self.state };
        Ok((0..workers).map(|_| side()).collect())
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        // Acquire: pairs with the Release in `Checking::send`; what that request wrote is seen by the next.
        if self.state.answered.load(Ordering::Acquire) < self.admitted {
            return Polled::Nothing;
        }
        let end = *self.end.get_or_insert_with(|| Instant::now() + self.limit);
        if self.admitted >= LEAST_REQUESTS && Instant::now() >= end {
            return Polled::Ended;
        }
        let id = self.admitted;
        self.admitted += 1;
        if let Err(refusal) = intake.admit(Origin { id, peer: None }, now, payload(self.schedule, id)) {
            *lock(&self.state.wrong) = Some(format!("refused: {:?}", refusal.status));
            return Polled::Ended;
        }
        Polled::Some
    }

    fn wait(&mut self, _at_most: Duration) {
        std::thread::yield_now();
    }
}

/// The worker's side: checks each reply.
struct Checking<'a> {
    schedule: &'a Schedule,
    requests: &'a dyn Requests,
    state: &'a LoopState,
}

impl Checking<'_> {
    fn check(&self, answer: &Answer<'_>) -> Result<(), String> {
        if answer.status != Status::Ok {
            return Err(format!("{:?}: {}", answer.status, String::from_utf8_lossy(answer.reply)));
        }
        let kept = &answer.reply[..answer.reply.len().min(REPLY_KEPT)];
        self.requests.check(payload(self.schedule, answer.origin.id), kept).map_err(|wrong| wrong.to_string())
    }
}

impl Egress for Checking<'_> {
    fn send(&mut self, answer: &Answer<'_>) -> bool {
        if let Err(wrong) = self.check(answer) {
            lock(&self.state.wrong).get_or_insert(wrong);
        }
        // Release: pairs with the Acquire in `ClosedLoop::poll`.
        self.state.answered.fetch_add(1, Ordering::Release);
        true
    }
}
