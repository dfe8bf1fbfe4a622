//! Many simulations: over loads and seeds, on all cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::slo::{Slo, Verdict, highest_load};
use super::source::Source;
use super::{Observer, Outcome, Setup, Tally, simulate};
use crate::error::BenchError;

/// One load on one setup.
#[derive(Clone, Debug)]
pub struct Load<'a> {
    /// What arrives.
    pub source: &'a Source,
    /// How long it arrives, in seconds.
    pub seconds: f64,
}

/// A setup under loads, each with several seeds.
#[derive(Clone, Debug)]
pub struct Study<'a> {
    /// What is simulated.
    pub setup: &'a Setup,
    /// What arrives.
    pub load: Load<'a>,
    /// How many seeds, from 1.
    pub seeds: u64,
}

/// Share of a run that is left out at its start.
const WARM_UP: f64 = 0.1;

impl Study<'_> {
    /// Runs one load with one seed.
    ///
    /// # Errors
    /// When the setup or the load is impossible.
    pub fn run<O: Observer>(&self, load: f64, seed: u64, observer: &mut O) -> Result<Outcome, BenchError> {
        let source = self.load.source;
        let rates = source.rates(load, self.setup.workers)?;
        let arrivals = source.arrivals(&rates, self.load.seconds, seed)?;
        let setup = Setup { seed, ..self.setup.clone() };
        simulate(&setup, source.classes().len(), arrivals, observer)
    }

    /// Runs one load with one seed and keeps the distributions.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn tally(&self, load: f64, seed: u64) -> Result<(Tally, Outcome), BenchError> {
        let mut tally = Tally::new(self.load.source.classes().len(), self.warm_up_ns());
        let outcome = self.run(load, seed, &mut tally)?;
        Ok((tally, outcome))
    }

    /// As [`tally`](Self::tally), with what arrives in the first tenth as well.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn tally_all(&self, load: f64, seed: u64) -> Result<(Tally, Outcome), BenchError> {
        let mut tally = Tally::new(self.load.source.classes().len(), 0);
        let outcome = self.run(load, seed, &mut tally)?;
        Ok((tally, outcome))
    }

    fn warm_up_ns(&self) -> u64 {
        (self.load.seconds * WARM_UP * 1e9) as u64
    }

    /// Whether one seed keeps the objective at a load.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn keeps(&self, slo: Slo, load: f64, seed: u64) -> Result<bool, BenchError> {
        let expected =
            self.load.source.expected(load, self.setup.workers, self.load.seconds * (1.0 - WARM_UP))?;
        let mut verdict = Verdict::new(slo, self.warm_up_ns(), &expected);
        self.run(load, seed, &mut verdict)?;
        Ok(verdict.keeps())
    }

    /// The highest load at which each seed keeps the objective, to `tolerance`, as shares of the workers' time.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn load_at(&self, slo: Slo, tolerance: f64) -> Result<Spread, BenchError> {
        // A dispatcher that runs requests itself is one worker more.
        let most = if self.setup.assist.is_some() { 1.0 + 1.0 / self.setup.workers as f64 } else { 1.0 };
        let find = |between, seed| highest_load(between, tolerance, |load| self.keeps(slo, load, seed));
        let first = find((0.0, most), 1)?;
        // The other seeds are near; whoever is not is looked for everywhere.
        let near = ((first - NEAR).max(0.0), (first + NEAR).min(most));
        let others: Vec<u64> = (2..=self.seeds).collect();
        let loads = in_parallel(&others, |&seed| {
            let found = find(near, seed)?;
            let is_at_an_end = found < near.0 + tolerance || found > near.1 - tolerance;
            if is_at_an_end { find((0.0, most), seed) } else { Ok(found) }
        });
        let mut loads = loads.into_iter().collect::<Result<Vec<f64>, _>>()?;
        loads.push(first);
        Ok(Spread::of(loads))
    }
}

/// How far seeds are apart, mostly.
const NEAR: f64 = 0.04;

/// Values over seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// Smallest.
    pub low: f64,
    /// Largest.
    pub high: f64,
}

impl Spread {
    /// Of at least one value.
    ///
    /// # Panics
    /// When there is none.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let (low, high) = (values[0], values[values.len() - 1]);
        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            (values[middle - 1] + values[middle]) / 2.0
        } else {
            values[middle]
        };
        Self { median, low, high }
    }

    /// Each value times `factor`, which is above 0.
    pub fn scaled(self, factor: f64) -> Self {
        Self { median: self.median * factor, low: self.low * factor, high: self.high * factor }
    }

    /// From the median to the farther end, in percent of the median.
    pub fn spread_pct(self) -> f64 {
        if self.median == 0.0 {
            return 0.0;
        }
        100.0 * (self.high - self.median).max(self.median - self.low) / self.median
    }
}

/// What `work` makes of each job, in the order of the jobs, on as many threads as there are cores.
pub fn in_parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let take_jobs = || {
        loop {
            // Relaxed: each index is one thread's alone, and the scope's end orders the results.
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(index) else { return };
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(work(job));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(take_jobs);
        }
    });
    let result = |slot: Mutex<Option<R>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|slot| result(slot).expect("every job was done")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        let jobs: Vec<u64> = (0..100).collect();
        assert_eq!(in_parallel(&jobs, |job| job * job), jobs.iter().map(|job| job * job).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u8], |_| 0).is_empty());
    }

    #[test]
    fn spreads_have_a_median_and_two_ends() {
        let spread = Spread::of(vec![3.0, 1.0, 2.0, 10.0]);
        assert_eq!(spread, Spread { median: 2.5, low: 1.0, high: 10.0 });
        assert_eq!(spread.scaled(2.0).high, 20.0);
        assert!((spread.spread_pct() - 300.0).abs() < 1e-9);
    }

    #[test]
    fn more_load_is_carried_by_sharing_than_in_order_of_arrival() {
        let source = Source::workload("extreme-bimodal", &[]).unwrap();
        let load = |policy: &str, quantum| {
            let setup = Setup::ideal(policy.parse().unwrap(), 4, quantum);
            let study = Study { setup: &setup, load: Load { source: &source, seconds: 0.02 }, seeds: 3 };
            study.load_at("p99:10:each".parse().unwrap(), 0.02).unwrap()
        };
        let (shared, in_order) = (load("ps", Some(1_000)), load("c-fcfs", None));
        assert!(shared.low > in_order.high, "{shared:?} {in_order:?}");
    }
}
