//! A figure's parameters, from `bench/experiments/*.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use concord_bench::quantum;
use concord_bench::sim::source::Source;
use concord_bench::sim::{Classifier, Costs, Setup, Slo, Spec};
use serde::Deserialize;

use crate::process;

/// One file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
    /// Name of the figure, of its files and of `--only`.
    pub(super) figure: String,
    /// Over the picture.
    pub(super) title: String,
    pub(super) kind: Kind,
    pub(super) workload: String,
    /// Service times in nanoseconds of classes for which the workload states none.
    #[serde(default)]
    pub(super) service_ns: Vec<(String, f64)>,
    pub(super) workers: usize,
    /// The objective at which throughputs are compared.
    pub(super) slo: Slo,
    /// Simulated seconds of each run.
    #[serde(default = "one_second")]
    pub(super) seconds: f64,
    /// Loads of curves; the one load of other kinds.
    pub(super) loads: Vec<f64>,
    /// Highest slowdown that is drawn.
    #[serde(default = "two_hundred")]
    pub(super) highest: f64,
    /// Costs by name.
    #[serde(default)]
    costs: std::collections::BTreeMap<String, Costs>,
    pub(super) series: Vec<Series>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// Slowdown over throughput.
    Curves,
    /// Throughput at the objective, a bar for each series.
    Bars,
    /// Slowdown over the number of reserved workers, at one load.
    Reserved,
    /// Latency and reserved workers over time.
    Phases,
}

/// One line or bar.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Series {
    pub(super) name: String,
    /// Policy with options. With kind `reserved`, `{}` stands for the number of reserved workers.
    pub(super) policy: String,
    #[serde(default = "no_quantum")]
    quantum: String,
    /// Name among the experiment's costs.
    #[serde(default)]
    costs: Option<String>,
    /// The k of JBSQ(k).
    #[serde(default = "one")]
    k: usize,
    /// Started requests stay on their worker.
    #[serde(default)]
    pinned: bool,
    /// How long the dispatcher runs requests itself at a stretch.
    #[serde(default)]
    assist: Option<String>,
    /// Turns end at whole quanta only.
    #[serde(default)]
    renews: bool,
    /// The policy is told random classes.
    #[serde(default)]
    random_classes: bool,
    /// What was published.
    #[serde(default)]
    pub(super) published: Vec<Published>,
}

/// A published value.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Published {
    /// Throughput at the objective, in requests per second.
    Rps(f64),
    /// By how many percent the throughput at the objective is above that of another series.
    Gain { over: String, percent: f64 },
    /// By how much the 99.9th percentile of the slowdown is above that of another series, at a load.
    SlowdownAdded { over: String, load: f64, value: f64 },
    /// 99.9th percentile of a class's sojourn time in microseconds at a rate of requests per second.
    Latency { class: String, rate: f64, us: f64 },
    /// How many times lower the slowdown is with this many reserved workers than that of another series: the best.
    Best { over: String, reserved: usize, times: f64 },
    /// Workers reserved for a class in a phase (from 1).
    Reserved { class: String, phase: usize, workers: usize },
    /// Milliseconds until reservations follow a new phase.
    Adapts { ms: f64 },
}

fn one_second() -> f64 {
    1.0
}

fn two_hundred() -> f64 {
    200.0
}

fn one() -> usize {
    1
}

fn no_quantum() -> String {
    "none".into()
}

/// Why a series is not simulated: its policy is not there.
#[derive(Debug)]
pub(super) struct Missing(pub(super) String);

impl Experiment {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()))?;
        let experiment: Self = toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
        experiment.check().with_context(|| format!("in {}", path.display()))?;
        Ok(experiment)
    }

    fn check(&self) -> Result<()> {
        self.source()?;
        ensure!(!self.loads.is_empty(), "`loads` names no load");
        for series in &self.series {
            series.parts()?;
            self.costs(series)?;
            for over in series.published.iter().filter_map(Published::over) {
                ensure!(self.series.iter().any(|other| other.name == *over), "no series `{over}`");
            }
        }
        Ok(())
    }

    /// What arrives.
    pub(super) fn source(&self) -> Result<Source> {
        Ok(Source::workload(&self.workload, &self.service_ns)?)
    }

    fn costs(&self, series: &Series) -> Result<Costs> {
        let Some(name) = &series.costs else { return Ok(Costs::default()) };
        self.costs.get(name).copied().with_context(|| format!("series `{}`: no costs `{name}`", series.name))
    }

    /// The setup of `series` with `reserved` in the place of `{}`, or why there is none.
    ///
    /// # Errors
    /// When the series is malformed.
    pub(super) fn setup(&self, series: &Series, reserved: usize) -> Result<Result<Setup, Missing>> {
        let policy = series.policy.replace("{}", &reserved.to_string());
        let policy = match policy.parse::<Spec>() {
            Ok(policy) => policy,
            Err(error) => return Ok(Err(Missing(error.to_string()))),
        };
        let (quantum, assist) = series.parts()?;
        let classes = self.source()?.classes().len() as u16;
        Ok(Ok(Setup {
            depth: series.k,
            costs: self.costs(series)?,
            migrates: !series.pinned,
            assist,
            // The paper's runs for a whole quantum.
            assist_yields: false,
            renews: series.renews,
            classifier: match series.random_classes {
                true => Classifier::Random { classes },
                false => Classifier::Right,
            },
            ..Setup::ideal(policy, self.workers, quantum)
        }))
    }
}

impl Series {
    /// Quantum and slice of the dispatcher.
    fn parts(&self) -> Result<(Option<u64>, Option<u64>)> {
        let parse =
            |text: &str| quantum::parse(text).map_err(|error| anyhow!("series `{}`: {error}", self.name));
        Ok((parse(&self.quantum)?, self.assist.as_deref().map(parse).transpose()?.flatten()))
    }
}

impl Series {
    /// Loads of the rates at which something was published.
    pub(super) fn rates_to_see(&self, source: &Source, setup: &Setup) -> Result<Vec<f64>> {
        let capacity = source.mean_rate(1.0, setup.workers)?;
        let of = |published: &Published| match published {
            Published::Latency { rate, .. } => Some(rate / capacity),
            Published::SlowdownAdded { load, .. } => Some(*load),
            _ => None,
        };
        let mut loads: Vec<f64> = self.published.iter().filter_map(of).collect();
        loads.dedup();
        Ok(loads)
    }
}

impl Published {
    fn over(&self) -> Option<&String> {
        match self {
            Self::Gain { over, .. } | Self::SlowdownAdded { over, .. } | Self::Best { over, .. } => {
                Some(over)
            }
            _ => None,
        }
    }
}

/// All experiments, in order of their files' names.
///
/// # Errors
/// When a file cannot be read, or says something impossible.
pub(super) fn read_all() -> Result<Vec<Experiment>> {
    let folder = process::root().join("bench/experiments");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort_unstable();
    files.iter().map(|file| Experiment::read(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_is_well_formed_and_its_file_is_named_for_the_figure() {
        let all = read_all().unwrap();
        assert!(all.len() >= 12, "{}", all.len());
        for experiment in &all {
            let file = process::root().join(format!("bench/experiments/{}.toml", experiment.figure));
            assert!(file.is_file(), "{}", file.display());
        }
    }

    #[test]
    fn a_value_without_a_series_to_compare_with_is_refused() {
        let text = r#"
            figure = "x"
            title = "x"
            kind = "curves"
            workload = "fixed-1"
            workers = 1
            slo = "p99:10"
            loads = [0.5]
            [[series]]
            name = "a"
            policy = "ps"
            published = [{ gain = { over = "b", percent = 5.0 } }]
        "#;
        let experiment: Experiment = toml::from_str(text).unwrap();
        assert!(experiment.check().unwrap_err().to_string().contains("no series `b`"));
    }
}
