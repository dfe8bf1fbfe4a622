//! The program `simulate`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Parser, ValueEnum};

use super::results::{AtSlo, ClassPoint, Point, Simulations};
use super::source::Source;
use super::study::in_parallel;
use super::trace::Trace;
use super::{Classifier, Counts, Load, Outcome, Setup, Slo, Spread, Study, Tally, policies, presets, table};
use crate::quantum;
use crate::results::Percentiles;

/// Simulate a service: which policy, quantum and k carry how much load
///
/// Runs the runtime's own policies on arrivals in simulated time, with what things cost as parameters.
#[derive(Clone, Debug, Parser)]
#[command(name = "simulate")]
struct Args {
    /// Workload by name, or a mix such as GET=0.9,SCAN=0.1 or short=0.995@0.5us,long=0.005@500us
    #[arg(long, value_name = "NAME|MIX", required_unless_present = "trace")]
    workload: Option<String>,
    /// Instead: a CSV file of lines CLASS,NANOSECONDS
    #[arg(long, value_name = "FILE", conflicts_with = "workload")]
    trace: Option<PathBuf>,
    /// Service times of classes for which the workload states none, in nanoseconds
    #[arg(long, value_name = "CLASS=NS,...")]
    service_ns: Option<String>,
    /// Policies, separated by commas
    #[arg(long, value_name = "LIST", default_value = "ps")]
    policies: String,
    /// Quanta, separated by commas; `none` is no preemption
    #[arg(long, value_name = "LIST", default_value = "5us")]
    quanta: String,
    /// Loads, separated by commas: shares of the workers' time that the offered requests need
    #[arg(long, value_name = "LIST", default_value = "0.5,0.8", conflicts_with = "slo")]
    loads: String,
    /// Instead: find the highest load at which this objective is kept, such as p99.9:50, or p99.9:10:each
    #[arg(long, value_name = "PERCENTILE:SLOWDOWN")]
    slo: Option<Slo>,
    /// Workers
    #[arg(long, value_name = "N", default_value_t = 14)]
    workers: usize,
    /// Requests that a worker holds at most, the running one included [default: 1 when a hand-off costs nothing, else 2]
    #[arg(short = 'k', long, value_name = "K")]
    jbsq_depth: Option<usize>,
    /// What things cost: ideal, this-machine, papers, papers-interrupts, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "ideal")]
    costs: String,
    /// Changes to the costs, in nanoseconds (`work` and `dispatcher_work`: shares)
    #[arg(long, value_name = "KEY=VALUE,...")]
    cost: Option<String>,
    /// Started requests stay on their worker, as in the runtime
    #[arg(long)]
    pinned: bool,
    /// The dispatcher runs requests itself when every inbox is full, for this long at a stretch
    #[arg(long, value_name = "DURATION")]
    assist: Option<String>,
    /// What the policy is told of a request's class
    #[arg(long, value_enum, default_value_t = ClassifierArg::Right)]
    classifier: ClassifierArg,
    /// Requests under way at most; more are dropped and counted
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    queue_bound: usize,
    /// Seeds of each figure
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: u64,
    /// Simulated seconds of each run; the first tenth is left out
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    seconds: f64,
    /// How exactly the load at the objective is found
    #[arg(long, value_name = "SHARE", default_value_t = 0.005)]
    tolerance: f64,
    /// Write the results to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum ClassifierArg {
    /// The truth
    Right,
    /// Any class, by chance
    Random,
    /// The same class for all
    None,
}

/// Reads the command line, simulates, prints.
pub fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let plan = Plan::new(args)?;
    let results = plan.run()?;
    print!("{}", table::render(&results));
    if let Some(file) = &args.json {
        std::fs::write(file, serde_json::to_vec_pretty(&results)?)
            .with_context(|| format!("write the results to {}", file.display()))?;
    }
    Ok(())
}

/// What was meant, checked.
struct Plan {
    source: Source,
    setups: Vec<Setup>,
    loads: Vec<f64>,
    slo: Option<Slo>,
    seeds: u64,
    seconds: f64,
    tolerance: f64,
}

impl Plan {
    fn new(args: &Args) -> Result<Self> {
        let source = source(args)?;
        ensure!(args.seeds > 0, "--seeds 0: give at least one");
        ensure!(
            args.seconds.is_finite() && args.seconds > 0.0,
            "--seconds {}: give a length above 0",
            args.seconds
        );
        ensure!(
            args.tolerance > 0.0 && args.tolerance < 0.5,
            "--tolerance {}: give a share above 0 and below 0.5",
            args.tolerance
        );
        let loads = list("--loads", &args.loads, |text| match text.parse::<f64>() {
            Ok(load) if load.is_finite() && load > 0.0 => Ok(load),
            _ => bail!("load `{text}`: give shares above 0, such as 0.5"),
        })?;
        let setups = setups(args, &source)?;
        // What a setup refuses is said before anything runs.
        setups.iter().try_for_each(Setup::check)?;
        let slo = args.slo;
        let loads = if slo.is_some() { Vec::new() } else { loads };
        Ok(Self {
            source,
            setups,
            loads,
            slo,
            seeds: args.seeds,
            seconds: args.seconds,
            tolerance: args.tolerance,
        })
    }

    fn run(&self) -> Result<Simulations> {
        let begin = cpu_seconds();
        let first = &self.setups[0];
        let mut results = Simulations {
            workload: self.source.name().into(),
            workers: first.workers,
            depth: first.depth,
            costs: first.costs,
            seeds: self.seeds,
            seconds: self.seconds,
            capacity_rps: self.source.mean_rate(1.0, first.workers)?,
            simulated_rps: 0.0,
            points: Vec::new(),
            at_slo: Vec::new(),
        };
        let mut simulated = 0;
        for setup in &self.setups {
            let study = self.study(setup);
            for &load in &self.loads {
                let (point, offered) = point(&study, load)?;
                simulated += offered;
                results.points.push(point);
            }
            if let Some(slo) = self.slo {
                let load = study.load_at(slo, self.tolerance)?;
                results.at_slo.push(AtSlo {
                    policy: setup.policy.to_string(),
                    quantum_ns: setup.quantum,
                    slo: slo.to_string(),
                    load,
                    rate: load.scaled(results.capacity_rps),
                });
            }
        }
        results.simulated_rps = simulated as f64 / (cpu_seconds() - begin);
        self.say_what_is_not_steady();
        Ok(results)
    }

    fn study<'a>(&'a self, setup: &'a Setup) -> Study<'a> {
        let load = Load { source: &self.source, seconds: self.seconds };
        Study { setup, load, seeds: self.seeds }
    }

    fn say_what_is_not_steady(&self) {
        for load in self.loads.iter().filter(|load| **load >= 1.0) {
            eprintln!(
                "note: at load {load} more work arrives than the workers can do: queues grow to the bound of {} \
                 requests, and the figures say more of the run's length than of the policy",
                self.setups[0].queue_bound
            );
        }
    }
}

fn source(args: &Args) -> Result<Source> {
    if let Some(trace) = &args.trace {
        return Ok(Source::Trace(Trace::read(trace)?));
    }
    let service_ns = args.service_ns.as_deref().map(crate::service_main::parse_service_ns).transpose()?;
    let name = args.workload.as_deref().unwrap_or_default();
    Ok(Source::workload(name, &service_ns.unwrap_or_default())?)
}

fn setups(args: &Args, source: &Source) -> Result<Vec<Setup>> {
    let mut costs = presets::by_name(&args.costs)?;
    if let Some(changes) = &args.cost {
        costs = presets::with_changes(costs, changes)?;
    }
    let assist = args.assist.as_deref().map(quantum::parse).transpose().map_err(anyhow::Error::msg)?;
    let classes = u16::try_from(source.classes().len()).context("too many classes")?;
    let quanta = list("--quanta", &args.quanta, |text| quantum::parse(text).map_err(anyhow::Error::msg))?;
    let policies = policies::parse(&args.policies)?;
    let mut setups = Vec::new();
    for policy in &policies {
        for &quantum in &quanta {
            setups.push(Setup {
                depth: args.jbsq_depth.unwrap_or(if costs.handoff == 0 { 1 } else { 2 }),
                costs,
                queue_bound: args.queue_bound,
                migrates: !args.pinned,
                assist: assist.flatten(),
                classifier: match args.classifier {
                    ClassifierArg::Right => Classifier::Right,
                    ClassifierArg::Random => Classifier::Random { classes },
                    ClassifierArg::None => Classifier::None,
                },
                ..Setup::ideal(policy.clone(), args.workers, quantum)
            });
        }
    }
    Ok(setups)
}

fn list<T: PartialEq>(option: &str, text: &str, parse: impl Fn(&str) -> Result<T>) -> Result<Vec<T>> {
    let mut values = Vec::new();
    for part in text.split(',').map(str::trim) {
        ensure!(!part.is_empty(), "{option} `{text}`: an empty entry; separate values by single commas");
        let value = parse(part)?;
        ensure!(!values.contains(&value), "{option} `{text}`: `{part}` comes twice");
        values.push(value);
    }
    Ok(values)
}

/// Processor time of this program so far, all threads together.
fn cpu_seconds() -> f64 {
    // Fields 14 and 15 of proc(5), in hundredths of a second; the program's name, field 2, ends in a bracket.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// One load over all seeds, and how many requests were simulated.
fn point(study: &Study<'_>, load: f64) -> Result<(Point, u64)> {
    let seeds: Vec<u64> = (1..=study.seeds).collect();
    let runs = in_parallel(&seeds, |&seed| study.tally(load, seed));
    let runs: Vec<(Tally, Outcome)> = runs.into_iter().collect::<Result<_, _>>()?;
    let sum =
        |part: fn(&Counts) -> u64| runs.iter().map(|(_, outcome)| part(&outcome.counts)).sum::<u64>() as f64;
    let offered = sum(|counts| counts.offered);
    let slowdowns: Vec<f64> = runs
        .iter()
        .map(|(tally, _)| tally.slowdown())
        .filter(|slowdown| !slowdown.is_empty())
        .map(|slowdown| slowdown.quantile(0.999))
        .collect();
    let source = study.load.source;
    let classes = source.classes().into_iter().enumerate().map(|(index, name)| {
        let of = |tally: &Tally, kind: fn(&super::observe::ClassTally) -> &crate::stats::Distribution| {
            kind(&tally.classes()[index]).percentiles()
        };
        ClassPoint {
            name,
            sojourn_ns: median(runs.iter().filter_map(|(tally, _)| of(tally, |class| &class.sojourn))),
            slowdown: median(runs.iter().filter_map(|(tally, _)| of(tally, |class| &class.slowdown))),
        }
    });
    let point = Point {
        policy: study.setup.policy.to_string(),
        quantum_ns: study.setup.quantum,
        load,
        rate: source.mean_rate(load, study.setup.workers)?,
        slowdown_p999: (!slowdowns.is_empty()).then(|| Spread::of(slowdowns)),
        preemptions_per_request: sum(|counts| counts.preemptions) / offered.max(1.0),
        dropped_pct: 100.0 * sum(|counts| counts.dropped) / offered.max(1.0),
        assisted_pct: 100.0 * sum(|counts| counts.assisted) / offered.max(1.0),
        dispatcher_busy_pct: 100.0 * sum(|counts| counts.dispatcher_ns)
            / sum(|counts| counts.end_ns).max(1.0),
        classes: classes.collect(),
    };
    Ok((point, offered as u64))
}

/// The median of each percentile.
fn median(values: impl Iterator<Item = Percentiles>) -> Option<Percentiles> {
    let values: Vec<Percentiles> = values.collect();
    let of = |part: fn(&Percentiles) -> f64| Spread::of(values.iter().map(part).collect()).median;
    (!values.is_empty()).then(|| Percentiles { p50: of(|p| p.p50), p99: of(|p| p.p99), p999: of(|p| p.p999) })
}
