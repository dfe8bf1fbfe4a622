//! Simulating a figure.

use anyhow::Result;
use concord_bench::sim::source::Source;
use concord_bench::sim::study::in_parallel;
use concord_bench::sim::{Load, Outcome, Setup, Spread, Study, Tally};
use serde::Serialize;

use super::experiment::{Experiment, Kind, Series};
use super::phases::{self, Timeline};

/// How much is simulated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    pub(super) seeds: u64,
    /// Seeds of the points of curves: what is compared is the throughput at the objective.
    pub(super) curve_seeds: u64,
    /// Share of the experiment's seconds.
    pub(super) length: f64,
    /// How exactly loads at the objective are found.
    pub(super) tolerance: f64,
}

impl Effort {
    pub(super) const FULL: Self = Self { seeds: 5, curve_seeds: 1, length: 1.0, tolerance: 0.008 };
    pub(super) const QUICK: Self = Self { seeds: 2, curve_seeds: 1, length: 0.1, tolerance: 0.01 };
}

/// What a figure shows: `target/figures/<figure>.json`.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    pub(super) figure: String,
    pub(super) title: String,
    pub(super) workload: String,
    pub(super) workers: usize,
    pub(super) slo: String,
    pub(super) seeds: u64,
    pub(super) seconds: f64,
    /// Requests per second that keep the workers busy all the time.
    pub(super) capacity_rps: f64,
    pub(super) series: Vec<Drawn>,
    /// Series whose policy is not there, with the reason.
    pub(super) missing: Vec<String>,
}

/// One series.
#[derive(Debug, Serialize)]
pub(super) struct Drawn {
    pub(super) name: String,
    /// Highest throughput at which the objective is kept, over seeds, in requests per second.
    pub(super) at_slo: Option<Spread>,
    pub(super) points: Vec<Point>,
    pub(super) timeline: Option<Timeline>,
}

/// One point of a series.
#[derive(Debug, Serialize)]
pub(super) struct Point {
    /// Share of the workers' time that the requests need.
    pub(super) load: f64,
    /// Reserved workers, in figures over these.
    pub(super) reserved: usize,
    /// Requests per second.
    pub(super) rps: f64,
    /// 99.9th percentile of the slowdown over all requests.
    pub(super) slowdown: Option<Spread>,
    pub(super) classes: Vec<ClassPoint>,
}

/// One class of a point.
#[derive(Debug, Serialize)]
pub(super) struct ClassPoint {
    pub(super) name: String,
    /// 99.9th percentile of the slowdown.
    pub(super) slowdown: Option<Spread>,
    /// 99.9th percentile of the sojourn time.
    pub(super) sojourn_us: Option<Spread>,
}

/// Simulates all series.
///
/// # Errors
/// When the experiment is impossible.
pub(super) fn run(experiment: &Experiment, effort: Effort, progress: &dyn Fn(&str)) -> Result<Figure> {
    let source = experiment.source()?;
    let mut figure = Figure {
        figure: experiment.figure.clone(),
        title: experiment.title.clone(),
        workload: source.name().into(),
        workers: experiment.workers,
        slo: experiment.slo.to_string(),
        seeds: effort.seeds,
        seconds: experiment.seconds * effort.length,
        capacity_rps: source.mean_rate(1.0, experiment.workers)?,
        series: Vec::new(),
        missing: Vec::new(),
    };
    for series in &experiment.series {
        progress(&series.name);
        match experiment.setup(series, 0)? {
            Ok(setup) => {
                let runner = Runner { experiment, source: &source, effort };
                figure.series.push(runner.series(series, &setup)?);
            }
            Err(missing) => figure.missing.push(format!("{}: {}", series.name, missing.0)),
        }
    }
    Ok(figure)
}

struct Runner<'a> {
    experiment: &'a Experiment,
    source: &'a Source,
    effort: Effort,
}

impl Runner<'_> {
    fn study<'b>(&'b self, setup: &'b Setup) -> Study<'b> {
        let seconds = self.experiment.seconds * self.effort.length;
        Study { setup, load: Load { source: self.source, seconds }, seeds: self.effort.seeds }
    }

    fn series(&self, series: &Series, setup: &Setup) -> Result<Drawn> {
        let name = series.name.clone();
        Ok(match self.experiment.kind {
            Kind::Curves => {
                let loads: Vec<f64> = self
                    .experiment
                    .loads
                    .iter()
                    .copied()
                    .chain(series.rates_to_see(self.source, setup)?)
                    .collect();
                Drawn {
                    name,
                    at_slo: Some(self.at_slo(setup)?),
                    points: self.curve(setup, &loads)?,
                    timeline: None,
                }
            }
            Kind::Bars => {
                Drawn { name, at_slo: Some(self.at_slo(setup)?), points: Vec::new(), timeline: None }
            }
            Kind::Reserved => {
                Drawn { name, at_slo: None, points: self.reserved(series, setup)?, timeline: None }
            }
            Kind::Phases => {
                let timeline = phases::run(&self.study(setup), self.experiment.loads[0])?;
                Drawn { name, at_slo: None, points: Vec::new(), timeline: Some(timeline) }
            }
        })
    }

    fn at_slo(&self, setup: &Setup) -> Result<Spread> {
        let load = self.study(setup).load_at(self.experiment.slo, self.effort.tolerance)?;
        Ok(load.scaled(self.source.mean_rate(1.0, setup.workers)?))
    }

    fn curve(&self, setup: &Setup, loads: &[f64]) -> Result<Vec<Point>> {
        let points = loads.iter().map(|&load| self.point(setup, load, 0, self.effort.curve_seeds));
        points.collect()
    }

    fn reserved(&self, series: &Series, setup: &Setup) -> Result<Vec<Point>> {
        let load = self.experiment.loads[0];
        if !series.policy.contains("{}") {
            return Ok(vec![self.point(setup, load, 0, self.effort.seeds)?]);
        }
        let mut points = Vec::new();
        for reserved in 0..=setup.workers {
            let Ok(setup) = self.experiment.setup(series, reserved)? else { continue };
            points.push(self.point(&setup, load, reserved, self.effort.seeds)?);
        }
        Ok(points)
    }

    fn point(&self, setup: &Setup, load: f64, reserved: usize, seeds: u64) -> Result<Point> {
        let study = self.study(setup);
        let seeds: Vec<u64> = (1..=seeds).collect();
        let tallies = in_parallel(&seeds, |&seed| study.tally(load, seed));
        let tallies: Vec<(Tally, Outcome)> = tallies.into_iter().collect::<Result<_, _>>()?;
        let classes = self.source.classes().into_iter().enumerate().map(|(index, name)| ClassPoint {
            name,
            slowdown: spread(tallies.iter().map(|(tally, _)| p999(&tally.classes()[index].slowdown))),
            sojourn_us: spread(tallies.iter().map(|(tally, _)| p999(&tally.classes()[index].sojourn)))
                .map(|ns| ns.scaled(1e-3)),
        });
        Ok(Point {
            load,
            reserved,
            rps: self.source.mean_rate(load, setup.workers)?,
            slowdown: spread(tallies.iter().map(|(tally, outcome)| of_all(tally, outcome))),
            classes: classes.collect(),
        })
    }
}

/// The slowdown over all requests; infinite when more than one in a thousand was never answered.
fn of_all(tally: &Tally, outcome: &Outcome) -> Option<f64> {
    let counts = outcome.counts;
    if counts.dropped as f64 > 0.001 * counts.offered as f64 {
        Some(f64::INFINITY)
    } else {
        p999(&tally.slowdown())
    }
}

fn p999(distribution: &concord_bench::stats::Distribution) -> Option<f64> {
    (!distribution.is_empty()).then(|| distribution.quantile(0.999))
}

fn spread(values: impl Iterator<Item = Option<f64>>) -> Option<Spread> {
    let values: Vec<f64> = values.flatten().collect();
    (!values.is_empty()).then(|| Spread::of(values))
}
