//! Open-loop load from inside the process: the dispatcher itself takes in each request when its time has come.

use std::process::ExitCode;

use anyhow::{Result, bail, ensure};
use clap::Args;
use concord::transport::in_process::{Completion, InProcess, Schedule as Arrivals};
use concord::{Config, Nanos, Server, Service, Statistics, Status};
use hdrhistogram::Histogram;

use super::cli::{RuntimeArgs, WorkloadArgs, parse_service_ns};
use super::{VOID, report};
use crate::requests::Requests;
use crate::results::{AchievedQuantum, Run};
use crate::stats::{Ending, Gaps, Sample, adherence, summarise};
use crate::workload::{Schedule, Workload};

/// `in-process`
#[derive(Clone, Debug, Args)]
pub(super) struct InProcessArgs {
    #[command(flatten)]
    runtime: RuntimeArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Requests per second
    #[arg(long, value_name = "N", required_unless_present = "load")]
    rate: Option<f64>,
    /// Instead of the rate: share of the workers' time that the offered requests need
    #[arg(long, value_name = "SHARE", conflicts_with = "rate")]
    load: Option<f64>,
    /// Service times without instrumentation, in nanoseconds: slowdowns divide by them, --load needs them
    ///
    /// Workloads that state their service times need none.
    #[arg(long, value_name = "CLASS=NS,...")]
    service_ns: Option<String>,
    /// A request taken in at most so late counts as on time
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 20)]
    tolerance_us: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the mode; the exit code is [`VOID`] when the schedule was not kept.
pub(super) fn run<S: Service>(service: S, requests: &dyn Requests, args: InProcessArgs) -> Result<ExitCode> {
    let result = measure(service, requests, &args)?;
    if args.json {
        println!("{}", serde_json::to_string(&result)?);
    } else {
        println!("{}", report::run(&result));
    }
    let wrong: u64 = result.classes.iter().map(|class| class.wrong).sum();
    Ok(match (result.adherence.void, wrong) {
        (true, _) => ExitCode::from(VOID),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::FAILURE,
    })
}

/// Makes the schedule, offers it and sums up.
pub(super) fn measure<S: Service>(service: S, requests: &dyn Requests, args: &InProcessArgs) -> Result<Run> {
    let config = args.runtime.config()?;
    let workload = args.workload.workload()?;
    let service_ns = args.service_ns.as_deref().map(parse_service_ns).transpose()?.unwrap_or_default();
    let schedule = make_schedule(args, &config, &workload, &service_ns, requests)?;
    let offered = offer(service, requests, &schedule, config.clone())?;
    let classes = requests.classes();
    let divisors: Vec<Option<f64>> = classes.iter().map(|class| of_class(&service_ns, class)).collect();
    let samples = samples(&offered, &schedule, requests, &divisors);
    let gaps = host_gaps(&offered.statistics, config.workers + 1);
    let summary = summarise(&samples, &classes, &gaps);
    let statistics = &offered.statistics;
    let late = offered.completions.iter().flatten().map(|completion| completion.lateness().0);
    let longest_turn = config.quantum.map_or(u64::MAX, |quantum| (quantum + config.stolen_threshold).0);
    Ok(Run {
        policy: config.policy.clone(),
        variant: args.runtime.variant(),
        quantum_ns: config.quantum.map(|quantum| quantum.0),
        load: args.load,
        workload: workload.name,
        rate: schedule.arrivals().len() as f64 * 1e9 / schedule.span_ns().max(1) as f64,
        workers: config.workers,
        seed: args.workload.seed,
        seconds: statistics.elapsed.as_secs(),
        instrumented: statistics.build.has_probes(),
        adherence: adherence::judge(late, args.tolerance_us * 1_000),
        excluded_pct: summary.excluded_pct,
        classes: summary.classes,
        achieved_quantum_ns: achieved_quantum(&statistics.achieved_quantum, longest_turn),
        achieved_quantum_raw_ns: achieved_quantum(&statistics.achieved_quantum, u64::MAX),
        preemptions: statistics.preemptions,
        jbsq_depth: statistics.jbsq_depth,
        assisted: statistics.assist.requests,
        policy_report: statistics.policy.to_string(),
        longest_poll_gap_ns: statistics.longest_poll_gap.0,
        stolen: gaps.stolen(),
        trimmed: trimmed(&config, statistics.build.has_probes()),
    })
}

fn make_schedule(
    args: &InProcessArgs,
    config: &Config,
    workload: &Workload,
    service_ns: &[(String, f64)],
    requests: &dyn Requests,
) -> Result<Schedule> {
    let rates = match (args.rate, args.load) {
        (Some(rate), _) => vec![rate; workload.phases.len()],
        (None, Some(load)) => {
            ensure!(load.is_finite() && load > 0.0, "--load {load}: give a share above 0, such as 0.5");
            workload.rates(load, config.workers, |class| of_class(service_ns, class))?
        }
        (None, None) => bail!("give --rate or --load"),
    };
    Ok(Schedule::new(workload, &rates, args.workload.length(), args.workload.seed, requests)?)
}

fn of_class(service_ns: &[(String, f64)], class: &str) -> Option<f64> {
    service_ns.iter().find(|(name, _)| name == class).map(|(_, ns)| *ns)
}

/// What a run leaves behind.
struct Offered {
    completions: Vec<Option<Completion>>,
    statistics: Statistics,
}

fn offer<S: Service>(
    service: S,
    requests: &dyn Requests,
    schedule: &Schedule,
    config: Config,
) -> Result<Offered> {
    ensure!(
        service.classes() == requests.classes(),
        "the service's classes ({}) are not those of its requests ({})",
        service.classes().join(", "),
        requests.classes().join(", ")
    );
    let mut arrivals = Arrivals::new();
    for (index, arrival) in schedule.arrivals().iter().enumerate() {
        arrivals.push(Nanos(arrival.intended_ns), schedule.payload(index));
    }
    let mut transport = InProcess::new(arrivals);
    let mut server = Server::new(service, config)?;
    let statistics = server.run(&mut transport)?;
    Ok(Offered { completions: transport.completions(), statistics })
}

/// Every request of the schedule with its fate.
fn samples(
    offered: &Offered,
    schedule: &Schedule,
    requests: &dyn Requests,
    divisors: &[Option<f64>],
) -> Vec<Sample> {
    let end = offered.statistics.elapsed.0;
    let sample = |index: usize, completion: &Option<Completion>| {
        let arrival = schedule.arrivals()[index];
        Sample {
            class: arrival.class,
            intended_ns: arrival.intended_ns,
            completed_ns: completion.map_or(end, |completion| completion.done.0),
            service_ns: completion.map(|completion| completion.received.0),
            divisor_ns: arrival.service_ns.map(|ns| ns as f64).or(divisors[arrival.class]),
            preemptions: completion.map_or(0, |completion| u64::from(completion.preemptions)),
            ending: ending(requests, schedule.payload(index), completion.as_ref()),
        }
    };
    offered.completions.iter().enumerate().map(|(index, completion)| sample(index, completion)).collect()
}

fn ending(requests: &dyn Requests, payload: &[u8], completion: Option<&Completion>) -> Ending {
    match completion {
        None => Ending::Dropped,
        Some(completion) => match completion.status {
            Status::Ok if requests.check(payload, completion.reply()).is_ok() => Ending::Answered,
            Status::Ok => Ending::Wrong,
            Status::Dropped => Ending::Dropped,
            _ => Ending::Error,
        },
    }
}

/// Gaps that spinning threads saw, and turns that did not end long after they were told to.
fn host_gaps(statistics: &Statistics, threads: usize) -> Gaps {
    let seen = statistics.stolen.iter().flat_map(|thread| &thread.intervals);
    let overruns = statistics.overruns.iter().map(|overrun| &overrun.interval);
    let intervals = seen.chain(overruns).map(|interval| (interval.start.0, interval.end.0));
    Gaps::new(intervals, threads, statistics.elapsed.0)
}

/// Over the turns that were at most `longest` nanoseconds; `None` when there is none.
fn achieved_quantum(turns: &Histogram<u64>, longest: u64) -> Option<AchievedQuantum> {
    let mut kept = turns.clone();
    kept.reset();
    for bar in turns.iter_recorded().filter(|bar| bar.value_iterated_to() <= longest) {
        kept.saturating_record_n(bar.value_iterated_to(), bar.count_at_value());
    }
    (!kept.is_empty()).then(|| AchievedQuantum {
        p50: kept.value_at_quantile(0.5) as f64,
        p99: kept.value_at_quantile(0.99) as f64,
        p999: kept.value_at_quantile(0.999) as f64,
        mean: kept.mean(),
        max: kept.max() as f64,
        sd: kept.stdev(),
        excluded_pct: 100.0 * (turns.len() - kept.len()) as f64 / turns.len() as f64,
    })
}

fn trimmed(config: &Config, has_probes: bool) -> String {
    let unseen = if has_probes { "" } else { " Without probes, what the host took from a turn is not seen." };
    format!(
        "Host gaps: two clock readings of a spinning thread more than {0} apart, and turns that went on for more than {0} \
         after they were told to end (the host stopped the worker, or code without probes ran); such turns are left out \
         of the achieved quantum that is not called raw.{unseen}",
        config.stolen_threshold
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_turns_leave_the_achieved_quantum_and_are_counted() {
        let mut turns = Histogram::<u64>::new(3).unwrap();
        turns.record_n(5_000, 99).unwrap();
        turns.record(2_000_000).unwrap();
        let kept = achieved_quantum(&turns, 15_000).unwrap();
        assert!((kept.p99 - 5_000.0).abs() < 10.0 && kept.sd < 10.0, "{kept:?}");
        assert!(kept.max < 5_010.0 && kept.p999 <= kept.max, "{kept:?}");
        assert!((kept.excluded_pct - 1.0).abs() < 1e-9);
        let raw = achieved_quantum(&turns, u64::MAX).unwrap();
        assert!(raw.sd > 100_000.0 && raw.excluded_pct == 0.0, "{raw:?}");
        assert_eq!(achieved_quantum(&turns, 100), None);
    }
}
