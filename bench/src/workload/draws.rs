//! Arrivals one by one, for as long as a run lasts.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{Workload, arrivals::Poisson};
use crate::error::BenchError;

/// Draws of different things come from different streams of one seed: a change of the rate leaves classes,
/// service times and payloads as they were, and so for each of the others.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Arrivals,
    Classes,
    ServiceTimes,
    Payloads,
}

pub(super) fn stream(seed: u64, stream: Stream) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream as u64);
    rng
}

/// The random numbers of a seed's arrival times.
pub fn arrivals_stream(seed: u64) -> ChaCha8Rng {
    stream(seed, Stream::Arrivals)
}

/// How long a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// So many requests; each phase gets an equal part of them.
    Requests(usize),
    /// So many seconds; each phase gets an equal part of them.
    Seconds(f64),
}

/// One request, before it has bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// When it is to be sent, in nanoseconds since the run's start.
    pub intended_ns: u64,
    /// Index into the workload's phases.
    pub phase: usize,
    /// Index into the shares of that phase.
    pub share: usize,
    /// How long it works, where the workload says so.
    pub service_ns: Option<u64>,
}

/// The requests of a run in order of intended time, made as they are asked for. The same arguments make the same
/// ones on every machine; a [`Schedule`](super::Schedule) is these with their bytes.
pub struct Draws<'a> {
    workload: &'a Workload,
    rates: &'a [f64],
    length: Length,
    poisson: Poisson<ChaCha8Rng>,
    classes: ChaCha8Rng,
    times: ChaCha8Rng,
    done: usize,
}

impl<'a> Draws<'a> {
    /// `rates` has one rate per phase, in requests per second ([`Workload::rates`]).
    ///
    /// # Errors
    /// When a rate or the length is not above zero.
    ///
    /// # Panics
    /// When there are not as many rates as phases.
    pub fn new(
        workload: &'a Workload,
        rates: &'a [f64],
        length: Length,
        seed: u64,
    ) -> Result<Self, BenchError> {
        check(workload, rates, length)?;
        Ok(Self {
            workload,
            rates,
            length,
            poisson: Poisson::new(stream(seed, Stream::Arrivals)),
            classes: stream(seed, Stream::Classes),
            times: stream(seed, Stream::ServiceTimes),
            done: 0,
        })
    }
}

impl Iterator for Draws<'_> {
    type Item = Draw;

    fn next(&mut self) -> Option<Draw> {
        let phase = phase_at(self.length, self.workload.phases.len(), self.done, self.poisson.now_ns())?;
        let intended = self.poisson.next_ns(self.rates[phase]);
        if matches!(self.length, Length::Seconds(seconds) if intended >= seconds * 1e9) {
            return None;
        }
        self.done += 1;
        let mix = &self.workload.phases[phase];
        let share = mix.draw(&mut self.classes);
        let service_ns = mix.shares()[share].service.map(|service| service.sample_ns(&mut self.times));
        Some(Draw { intended_ns: intended as u64, phase, share, service_ns })
    }
}

fn check(workload: &Workload, rates: &[f64], length: Length) -> Result<(), BenchError> {
    assert_eq!(rates.len(), workload.phases.len(), "one rate per phase");
    if !rates.iter().all(|rate| rate.is_finite() && *rate > 0.0) {
        return Err(BenchError::Schedule("the rate must be above 0 requests per second".into()));
    }
    match length {
        Length::Requests(0) => Err(BenchError::Schedule("the number of requests must be above 0".into())),
        Length::Seconds(seconds) if !(seconds.is_finite() && seconds > 0.0) => {
            Err(BenchError::Schedule("the length must be above 0 seconds".into()))
        }
        _ => Ok(()),
    }
}

/// The phase of the request after `done` ones at `now_ns`; `None` when the run is over.
fn phase_at(length: Length, phases: usize, done: usize, now_ns: f64) -> Option<usize> {
    let progress = match length {
        Length::Requests(requests) => done as f64 / requests as f64,
        Length::Seconds(seconds) => now_ns / (seconds * 1e9),
    };
    (progress < 1.0).then(|| ((progress * phases as f64) as usize).min(phases - 1))
}
