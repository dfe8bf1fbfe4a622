//! The greatest load within the objective, by bisection; the steps take turns.

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use concord_bench::quantum;
use concord_bench::results::{ClassRun, Percentiles, Run, ServiceTimesReport};

use super::steps::{STEPS, Step, Workload};
use crate::process::command;
use crate::tools;

/// The objective: no class's slowdown is above this.
pub(super) const OBJECTIVE: f64 = 50.0;

/// The search begins between nothing and this many times what the workers can do: the dispatcher may help.
const HIGHEST_LOAD: f64 = 2.2;

/// A run whose schedule was not kept is made again, so many times in all.
const ATTEMPTS: u64 = 2;

/// Requests that waited behind a gap's backlog are left out as long as they are not more of a class than this.
const MOST_EXCLUDED_PCT: f64 = 50.0;

/// How much is measured.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Bisections with different requests.
    repetitions: u64,
    /// Runs of each bisection.
    rounds: usize,
    /// Length of one run.
    seconds: f64,
}

impl Effort {
    pub(super) const FULL: Self = Self { repetitions: 3, rounds: 6, seconds: 0.6 };
    pub(super) const QUICK: Self = Self { repetitions: 1, rounds: 5, seconds: 0.3 };
}

/// The services.
pub(super) struct Programs {
    folder: PathBuf,
    workers: usize,
}

/// What one run says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Requests per second.
    pub(super) rate: f64,
    /// Worst class's slowdown at p99.9 and p99: without requests that overlap a host gap, and without those behind its
    /// backlog as long as enough are left.
    pub(super) p999: f64,
    pub(super) p99: f64,
    /// At p99.9, of all requests.
    pub(super) raw_p999: f64,
    /// Share of the requests left out.
    pub(super) excluded_pct: f64,
}

/// What was searched for one step: all points of each repetition.
pub(super) struct Searched {
    pub(super) step: &'static str,
    pub(super) repetitions: Vec<Vec<Point>>,
}

impl Programs {
    /// The programs where Cargo left them.
    ///
    /// # Errors
    /// When one is not there.
    pub(super) fn find(workers: usize) -> Result<Self> {
        let folder = tools::target().join("concord/release");
        for program in ["leveldb-svc", "synthetic-svc"] {
            let file = folder.join(program);
            ensure!(file.is_file(), "{} is not there; run without --no-build", file.display());
        }
        Ok(Self { folder, workers })
    }

    fn run(&self, workload: &Workload, arguments: &[&str]) -> Result<String> {
        let mut service = command(self.folder.join(workload.program), arguments);
        service.args(["--workload", workload.workload]);
        let output = service.output().with_context(|| format!("cannot start {}", workload.program))?;
        // A void run fails too, but with its results, which say so.
        ensure!(
            !output.stdout.trim_ascii().is_empty(),
            "{} {} failed: {}",
            workload.program,
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Service times: the mean of the mix, and each class's median as `--service-ns` has it.
struct ServiceTimes {
    mean_ns: f64,
    by_class: Option<String>,
}

fn service_times(programs: &Programs, workload: &Workload) -> Result<ServiceTimes> {
    if let Some(mean_ns) = workload.mean_ns {
        return Ok(ServiceTimes { mean_ns, by_class: None });
    }
    let output = programs.run(workload, &["service-times", "--json", "--seconds", "1"])?;
    let report: ServiceTimesReport = serde_json::from_str(&output).context("read the service times")?;
    let mean_ns =
        report.classes.iter().map(|class| class.mean_ns).sum::<f64>() / report.classes.len().max(1) as f64;
    let medians = report.classes.iter().map(|class| format!("{}={}", class.name, class.median_ns));
    Ok(ServiceTimes { mean_ns, by_class: Some(medians.collect::<Vec<_>>().join(",")) })
}

/// Searches for all steps at once.
///
/// # Errors
/// When a service fails or a reply is wrong.
pub(super) fn search(
    programs: &Programs,
    workload: &Workload,
    quantum_ns: u64,
    effort: Effort,
) -> Result<Vec<Searched>> {
    let times = service_times(programs, workload)?;
    let highest = HIGHEST_LOAD * programs.workers as f64 * 1e9 / times.mean_ns;
    let mut searched: Vec<Searched> =
        STEPS.iter().map(|step| Searched { step: step.name, repetitions: Vec::new() }).collect();
    for seed in 1..=effort.repetitions {
        let mut ranges = [(0.0, highest); STEPS.len()];
        searched.iter_mut().for_each(|step| step.repetitions.push(Vec::new()));
        for round in 0..effort.rounds {
            for ((step, range), searched) in STEPS.iter().zip(&mut ranges).zip(&mut searched) {
                let rate = (range.0 + range.1) / 2.0;
                eprint!("\r\x1b[K  repetition {seed}, round {}, {}: {rate:.0}/s", round + 1, step.name);
                let point = Measurement { programs, workload, times: &times, quantum_ns, seed, effort }
                    .point(step, rate)?;
                if point.p999 <= OBJECTIVE {
                    range.0 = rate
                } else {
                    range.1 = rate
                }
                searched.repetitions.last_mut().expect("pushed above").push(point);
            }
        }
    }
    eprint!("\r\x1b[K");
    Ok(searched)
}

struct Measurement<'a> {
    programs: &'a Programs,
    workload: &'a Workload,
    times: &'a ServiceTimes,
    quantum_ns: u64,
    seed: u64,
    effort: Effort,
}

impl Measurement<'_> {
    fn point(&self, step: &Step, rate: f64) -> Result<Point> {
        let seconds = self.effort.seconds * self.workload.length;
        let mut attempt = 1;
        loop {
            let run = self.run(step, rate, seconds)?;
            if !run.adherence.void || attempt == ATTEMPTS {
                return point_of(&run, rate);
            }
            attempt += 1;
        }
    }

    fn run(&self, step: &Step, rate: f64, seconds: f64) -> Result<Run> {
        let (workers, quantum) = (self.programs.workers.to_string(), quantum::format(Some(self.quantum_ns)));
        let (rate, seed, seconds) = (rate.to_string(), self.seed.to_string(), seconds.to_string());
        let mut arguments = vec!["in-process", "--json", "--workers", &workers, "--quantum", &quantum];
        arguments.extend(["--rate", &rate, "--seed", &seed, "--seconds", &seconds]);
        arguments.extend(self.times.by_class.iter().flat_map(|times| ["--service-ns", times]));
        arguments.extend(step.options);
        let output = self.programs.run(self.workload, &arguments)?;
        serde_json::from_str(&output).with_context(|| format!("the service answered `{output}`"))
    }
}

/// A void run and one with dropped requests are over the objective: they were not served in time.
fn point_of(run: &Run, rate: f64) -> Result<Point> {
    let wrong: u64 = run.classes.iter().map(|class| class.wrong + class.errors).sum();
    ensure!(wrong == 0, "{wrong} requests of {} had a wrong answer", run.workload);
    let is_lost = run.adherence.void || run.classes.iter().any(|class| class.dropped > 0);
    // An overloaded run has hardly a request that was not under way with others before it: then what is left after
    // the host's gaps would say nothing of it.
    let is_settled = run.classes.iter().all(|class| class.settled_excluded_pct <= MOST_EXCLUDED_PCT);
    let kept = |class: &ClassRun| if is_settled { class.slowdown_settled } else { class.slowdown };
    let worst = |figures: &dyn Fn(&ClassRun) -> Option<Percentiles>, at: fn(Percentiles) -> f64| {
        let slowdowns = run.classes.iter().filter_map(figures).map(at);
        if is_lost { f64::INFINITY } else { slowdowns.fold(0.0, f64::max) }
    };
    Ok(Point {
        rate,
        p999: worst(&kept, |figures| figures.p999),
        p99: worst(&kept, |figures| figures.p99),
        raw_p999: worst(&|class| class.slowdown_raw, |figures| figures.p999),
        excluded_pct: excluded_pct(run, is_settled),
    })
}

/// Share of the requests that the figures leave out: of the worst class when those behind a gap's backlog are out too.
fn excluded_pct(run: &Run, is_settled: bool) -> f64 {
    let of_classes = run.classes.iter().map(|class| class.settled_excluded_pct);
    if is_settled { of_classes.fold(0.0, f64::max) } else { run.excluded_pct }
}

/// Requests per second within the objective by `slowdown`: the greatest rate below which nothing failed.
pub(super) fn rate_within(points: &[Point], slowdown: impl Fn(&Point) -> f64) -> f64 {
    let fails = |point: &&Point| slowdown(point) > OBJECTIVE;
    let least_failed = points.iter().filter(fails).map(|point| point.rate).fold(f64::INFINITY, f64::min);
    let kept = points.iter().map(|point| point.rate).filter(|rate| *rate < least_failed);
    kept.fold(0.0, f64::max)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn point(rate: f64, p999: f64) -> Point {
        Point { rate, p999, p99: p999 / 2.0, raw_p999: p999 * 2.0, excluded_pct: 1.0 }
    }

    #[test]
    fn the_rate_is_the_greatest_below_every_failure() {
        let points = [point(100.0, 10.0), point(200.0, 60.0), point(150.0, 40.0), point(175.0, 51.0)];
        assert_eq!(rate_within(&points, |point| point.p999), 150.0);
        assert_eq!(rate_within(&points, |point| point.raw_p999), 100.0);
        assert_eq!(rate_within(&points, |point| point.p99), 200.0);
        assert_eq!(rate_within(&[point(100.0, f64::INFINITY)], |point| point.p999), 0.0);
    }
}
