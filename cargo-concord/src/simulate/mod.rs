//! `cargo concord simulate`: which policy and quantum for a service, on how many cores one likes.
//!
//! ```text
//! args -> everything that can be wrong is refused, before anything is built
//!      -> builds -> service times of both -> simulator: throughput at the objective -> recommendation
//!      -> check: the runtime beside the simulator at one worker -> table, JSON
//! ```

mod args;
mod check;
mod results;
mod table;

pub(crate) use args::Args;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, ensure};
use concord_bench::quantum;
use concord_bench::results::{Machine, ServiceTimePair};
use concord_bench::sim::results::AtSlo;
use concord_bench::sim::source::Source;
use concord_bench::sim::{Costs, Load, Setup, Slo, Spec, Study, policies, presets};

use crate::compare::{self, CargoBuilds, Plan, Programs, Progress};
use results::{Recommended, ServiceSimulation};

/// How exactly the load at the objective is found.
const TOLERANCE: f64 = 0.005;
/// What the runtime's dispatcher runs itself at a stretch.
const SLICE_NS: u64 = 5_000;
/// The load at which runtime and simulator are compared.
const CHECK_LOAD: &str = "0.5";

/// Runs the subcommand.
///
/// # Errors
/// Bad arguments, a build that failed, or a service program that failed.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let wish = Wish::new(args)?;
    let programs = CargoBuilds::new(&wish.compared)?;
    let results = simulate(args, &wish, &programs)?;
    print!("{}", table::render(&results));
    if let Some(file) = &args.json {
        let json = serde_json::to_vec_pretty(&results)?;
        std::fs::write(file, json).with_context(|| format!("write the results to {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was meant, checked.
struct Wish {
    policies: Vec<Spec>,
    quanta: Vec<Option<u64>>,
    slo: Slo,
    costs: Costs,
    /// For the measurements on this machine.
    compared: compare::Args,
    plan: Plan,
}

impl Wish {
    fn new(args: &Args) -> Result<Self> {
        ensure!(args.seeds > 0, "--seeds 0: give at least one");
        let is_length = |seconds: f64| seconds.is_finite() && seconds > 0.0;
        ensure!(is_length(args.seconds), "--seconds {}: give a length above 0", args.seconds);
        let check = args.check_seconds;
        ensure!(check == 0.0 || is_length(check), "--check-seconds {check}: give a length, or 0 for none");
        let parse = |text: &str| quantum::parse(text).map_err(|error| anyhow!("--quanta: {error}"));
        let quanta: Vec<Option<u64>> = args.quanta.split(',').map(parse).collect::<Result<_>>()?;
        let policies = policies::parse(&args.policies)?;
        let slo = args.slo.parse().map_err(|error| anyhow!("--slo: {error}"))?;
        let compared = compared(args);
        let plan = Plan::new(&compared)?;
        let costs = match args.costs.as_str() {
            "this-machine" => presets::this_machine(&ablation(args)?)?,
            name => presets::by_name(name)?,
        };
        let wish = Self { policies, quanta, slo, costs, compared, plan };
        wish.setups(args, wish.costs).iter().try_for_each(Setup::check)?;
        Ok(wish)
    }

    /// One setup for each policy and quantum.
    fn setups(&self, args: &Args, costs: Costs) -> Vec<Setup> {
        let setup = |policy: &Spec, quantum: Option<u64>| Setup {
            depth: args.jbsq_depth,
            costs,
            migrates: false,
            assist: (!args.no_assist).then_some(SLICE_NS),
            ..Setup::ideal(policy.clone(), args.workers, quantum)
        };
        let of_policy = |policy| self.quanta.iter().map(move |&quantum| setup(policy, quantum));
        self.policies.iter().flat_map(of_policy).collect()
    }
}

/// What `cargo concord compare` would be asked for: builds, service times and one run at one worker.
fn compared(args: &Args) -> compare::Args {
    compare::Args {
        package: args.package.clone(),
        bin: args.bin.clone(),
        manifest_path: args.manifest_path.clone(),
        workload: args.workload.clone(),
        quanta: "5us".into(),
        loads: CHECK_LOAD.into(),
        policy: "ps".into(),
        variants: "assist=off".into(),
        workers: 1,
        seed: 1,
        seconds: if args.check_seconds > 0.0 { args.check_seconds } else { 1.0 },
        json: args.json.clone(),
        service_args: args.service_args.clone(),
    }
}

/// Where the costs of this machine are.
fn ablation(args: &Args) -> Result<PathBuf> {
    let mut metadata = cargo_metadata::MetadataCommand::new();
    metadata.no_deps();
    if let Some(manifest) = &args.manifest_path {
        metadata.manifest_path(manifest);
    }
    let metadata = metadata.exec().context("read the workspace")?;
    Ok(metadata.workspace_root.join(presets::ABLATION).into_std_path_buf())
}

fn simulate(args: &Args, wish: &Wish, programs: &dyn Programs) -> Result<ServiceSimulation> {
    let setups = wish.policies.len() * wish.quanta.len();
    let checks = usize::from(args.check_seconds > 0.0);
    let progress = Progress::new(compare::SERVICE_TIME_STEPS + setups + checks);
    let service_times = compare::service_times(&wish.plan, programs, &progress)?;
    let source = source(args, &service_times)?;
    let costs = Costs { work: overhead(&source, &service_times), ..wish.costs };
    let capacity_rps = source.mean_rate(1.0, args.workers)?;
    let mut at_slo = Vec::new();
    for setup in wish.setups(args, costs) {
        progress.begin(format!("{}, quantum {}", setup.policy, quantum::format(setup.quantum)));
        let load = Load { source: &source, seconds: args.seconds };
        let load = Study { setup: &setup, load, seeds: args.seeds }.load_at(wish.slo, TOLERANCE)?;
        at_slo.push(AtSlo {
            policy: setup.policy.to_string(),
            quantum_ns: setup.quantum,
            slo: wish.slo.to_string(),
            load,
            rate: load.scaled(capacity_rps),
        });
        progress.done();
    }
    at_slo.sort_by(|a, b| b.rate.median.total_cmp(&a.rate.median));
    let check = if checks == 0 {
        Vec::new()
    } else {
        let setup = Setup {
            depth: args.jbsq_depth,
            costs,
            migrates: false,
            ..Setup::ideal("ps".parse()?, 1, wish.plan.points[0].quantum_ns)
        };
        check::check(&wish.plan, programs, &service_times, &source, &setup, &progress)?
    };
    progress.finish();
    Ok(ServiceSimulation {
        service: args.package.clone(),
        machine: Machine::here(),
        workload: source.name().into(),
        workers: args.workers,
        service_times,
        costs,
        capacity_rps,
        recommended: recommend(&at_slo),
        at_slo,
        check,
    })
}

/// The workload with the service times of the build without probes: slowdowns divide by these.
fn source(args: &Args, service_times: &[ServiceTimePair]) -> Result<Source> {
    let times: Vec<(String, f64)> =
        service_times.iter().map(|pair| (pair.name.clone(), pair.plain.mean_ns)).collect();
    Ok(Source::workload(&args.workload, &times)?)
}

/// What probes take more of the workload's time, as a share.
fn overhead(source: &Source, service_times: &[ServiceTimePair]) -> f64 {
    let expected = source.expected(1.0, 1, 1.0).unwrap_or_default();
    let sum = |time: fn(&ServiceTimePair) -> f64| -> f64 {
        let classes = source.classes();
        let of_class = |(class, count): (&String, &f64)| {
            service_times.iter().find(|pair| pair.name == *class).map_or(0.0, |pair| count * time(pair))
        };
        classes.iter().zip(&expected).map(of_class).sum()
    };
    let plain = sum(|pair| pair.plain.mean_ns);
    if plain > 0.0 { (sum(|pair| pair.instrumented.mean_ns) / plain - 1.0).max(0.0) } else { 0.0 }
}

/// The best of `at_slo`, which has at least one and the best first.
fn recommend(at_slo: &[AtSlo]) -> Recommended {
    let (best, others) = at_slo.split_first().expect("there is a policy and a quantum");
    let is_as_good = |other: &&AtSlo| other.rate.high >= best.rate.low;
    let name = |other: &AtSlo| format!("{} at {}", other.policy, quantum::format(other.quantum_ns));
    let as_good: Vec<String> = others.iter().filter(is_as_good).map(name).collect();
    let next = others.first().map(|other| other.rate.median).filter(|median| *median > 0.0);
    Recommended {
        policy: best.policy.clone(),
        quantum_ns: best.quantum_ns,
        is_certain: as_good.is_empty(),
        margin_pct: next.map(|next| 100.0 * (best.rate.median / next - 1.0)),
        as_good,
    }
}

#[cfg(test)]
mod tests;
