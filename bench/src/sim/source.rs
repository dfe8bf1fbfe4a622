//! Where requests come from: a workload, or a trace that is played again.

use super::Arriving;
use super::trace::Trace;
use crate::error::BenchError;
use crate::workload::{Draws, Length, Workload};

/// What can be simulated at any load.
#[derive(Clone, Debug)]
pub enum Source {
    /// Requests drawn from a workload, with the service times of its classes.
    Workload {
        /// The workload.
        workload: Workload,
        /// The service time of each class of each phase for which the workload states none.
        measured: Vec<Vec<Option<u64>>>,
    },
    /// The requests of a trace, again and again, with Poisson arrivals.
    Trace(Trace),
}

impl Source {
    /// The workload called `name`, or the mix that it spells; `service_ns` are service times of classes for
    /// which it states none.
    ///
    /// # Errors
    /// When there is no such workload, or a class has no service time.
    pub fn workload(name: &str, service_ns: &[(String, f64)]) -> Result<Self, BenchError> {
        let workload = Workload::find(name)?;
        let measured = |class: &str| service_ns.iter().find(|(known, _)| known == class).map(|(_, ns)| *ns);
        // Finds the class without a service time, if there is one.
        workload.rates(1.0, 1, measured)?;
        let of_share = |class: &str| measured(class).map(|ns| (ns.round() as u64).max(1));
        let of_phase =
            |mix: &crate::workload::Mix| mix.shares().iter().map(|share| of_share(&share.class)).collect();
        let measured = workload.phases.iter().map(of_phase).collect();
        Ok(Self::Workload { workload, measured })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Workload { workload, .. } => &workload.name,
            Self::Trace(trace) => trace.name(),
        }
    }

    /// Names of the classes.
    pub fn classes(&self) -> Vec<String> {
        match self {
            Self::Workload { workload, .. } => workload.classes().into_iter().map(String::from).collect(),
            Self::Trace(trace) => trace.classes().to_vec(),
        }
    }

    /// Requests per second of each phase at which `workers` workers are busy for the share `load` of their time.
    ///
    /// # Errors
    /// When the load is not above 0.
    pub fn rates(&self, load: f64, workers: usize) -> Result<Vec<f64>, BenchError> {
        if !(load.is_finite() && load > 0.0) {
            return Err(BenchError::Simulation(format!("load {load}: give a share above 0, such as 0.5")));
        }
        match self {
            Self::Workload { workload, .. } => workload.rates(load, workers, |class| self.mean_of(class)),
            Self::Trace(trace) => Ok(vec![load * workers as f64 * 1e9 / trace.mean_service_ns()]),
        }
    }

    fn mean_of(&self, class: &str) -> Option<f64> {
        let Self::Workload { workload, measured } = self else { return None };
        let shares =
            workload.phases.iter().zip(measured).flat_map(|(mix, times)| mix.shares().iter().zip(times));
        shares.filter(|(share, _)| share.class == class).find_map(|(_, ns)| ns.map(|ns| ns as f64))
    }

    /// Mean rate over all phases, in requests per second.
    ///
    /// # Errors
    /// As [`rates`](Self::rates).
    pub fn mean_rate(&self, load: f64, workers: usize) -> Result<f64, BenchError> {
        let rates = self.rates(load, workers)?;
        Ok(rates.iter().sum::<f64>() / rates.len() as f64)
    }

    /// About how many requests of each class arrive in `seconds`.
    ///
    /// # Errors
    /// As [`rates`](Self::rates).
    pub fn expected(&self, load: f64, workers: usize, seconds: f64) -> Result<Vec<f64>, BenchError> {
        let rates = self.rates(load, workers)?;
        match self {
            Self::Trace(trace) => Ok(trace.shares().iter().map(|share| share * rates[0] * seconds).collect()),
            Self::Workload { workload, .. } => {
                let classes = workload.classes();
                let part = seconds / rates.len() as f64;
                let mut expected = vec![0.0; classes.len()];
                for (mix, rate) in workload.phases.iter().zip(&rates) {
                    for share in mix.shares() {
                        let class = classes.iter().position(|class| *class == share.class);
                        expected[class.expect("`classes` has all of them")] += share.share * rate * part;
                    }
                }
                Ok(expected)
            }
        }
    }

    /// The requests of a run.
    ///
    /// # Errors
    /// When a rate or the length is not above zero.
    pub fn arrivals<'a>(
        &'a self,
        rates: &'a [f64],
        seconds: f64,
        seed: u64,
    ) -> Result<Box<dyn Iterator<Item = Arriving> + 'a>, BenchError> {
        Ok(match self {
            Self::Workload { workload, measured } => {
                let length = Length::Seconds(seconds);
                Box::new(FromWorkload::new(workload, measured, rates, length, seed)?)
            }
            Self::Trace(trace) => Box::new(trace.arrivals(rates[0], seconds, seed)),
        })
    }
}

/// Requests of a workload: the ones that a [`Schedule`](crate::workload::Schedule) of the same arguments has.
pub(super) struct FromWorkload<'a> {
    draws: Draws<'a>,
    /// Class of each share of each phase, and its service time, where the workload states none.
    shares: Vec<Vec<(u16, Option<u64>)>>,
}

impl<'a> FromWorkload<'a> {
    pub(super) fn new(
        workload: &'a Workload,
        measured: &[Vec<Option<u64>>],
        rates: &'a [f64],
        length: Length,
        seed: u64,
    ) -> Result<Self, BenchError> {
        let names = workload.classes();
        let index = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default() as u16;
        let of_phase = |(mix, measured): (&crate::workload::Mix, &Vec<Option<u64>>)| {
            mix.shares().iter().zip(measured).map(|(share, ns)| (index(&share.class), *ns)).collect()
        };
        let shares = workload.phases.iter().zip(measured).map(of_phase).collect();
        Ok(Self { draws: Draws::new(workload, rates, length, seed)?, shares })
    }
}

impl Iterator for FromWorkload<'_> {
    type Item = Arriving;

    #[inline]
    fn next(&mut self) -> Option<Arriving> {
        let draw = self.draws.next()?;
        let (class, measured) = self.shares[draw.phase][draw.share];
        let service = draw.service_ns.or(measured).expect("a source knows the time of each class");
        Some(Arriving { at: draw.intended_ns, class, service })
    }
}
