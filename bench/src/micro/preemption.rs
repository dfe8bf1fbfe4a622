//! What a preemption costs when every turn is ended by one: two requests that never stop by themselves.

use concord::testing::probe;
use concord::transport::in_process::{InProcess, Schedule};
use concord::{
    Assist, Config, Error, Nanos, Preemption, Reply, Request, Server, Service, ServiceError, Tsc, WorkerId,
};

/// Both halves of a preemption, medians in nanoseconds.
pub(super) struct Median {
    pub(super) notification: f64,
    pub(super) turnaround: f64,
}

impl Median {
    pub(super) fn to_next(&self) -> f64 {
        self.notification + self.turnaround
    }
}

/// Probes for as long as it is told to, in plain builds too.
struct Probing;

/// How long each of the two requests runs.
const LENGTH: Nanos = Nanos::from_millis(10);

impl Service for Probing {
    type Worker = ();

    fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn handle_request(&self, (): &(), _: &Request<'_>, _: &mut Reply) {
        let end = Tsc::now() + concord::Clock::get().ticks(LENGTH);
        while Tsc::now() < end {
            (0..8).for_each(|_| probe());
        }
    }
}

/// Runs both with a quantum of 5 us; a worker holds both, so that the next one is always at hand.
///
/// # Errors
/// When the server cannot run.
pub(super) fn median(preemption: Preemption) -> Result<Median, Error> {
    // A signal takes longer than this quantum: each turn then lasts for as long as a signal takes.
    let config = Config {
        quantum: Some(Nanos::from_micros(5)),
        preemption,
        assist: Assist::Off,
        jbsq_depth: Some(2),
        ..Config::default()
    };
    let mut schedule = Schedule::new();
    (0..2).for_each(|_| schedule.push(Nanos(0), &[]));
    let mut server = Server::new(Probing, config)?;
    let statistics = server.run(InProcess::new(schedule))?;
    let median = |histogram: &hdrhistogram::Histogram<u64>| histogram.value_at_quantile(0.5) as f64;
    Ok(Median { notification: median(&statistics.notification), turnaround: median(&statistics.turnaround) })
}
