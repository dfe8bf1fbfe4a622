//! The client over UDP.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Args;

use super::cli::WorkloadArgs;
use super::{VOID, report};
use crate::loadgen;
use crate::requests::Requests;
use crate::results::ClassRun;
use crate::workload::{Schedule, Workload};

/// `load`, and all options of the program `loadgen`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoadArgs {
    /// Where the service listens
    #[arg(long, value_name = "ADDRESS:PORT")]
    server: SocketAddr,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Requests per second
    #[arg(long, value_name = "N")]
    rate: f64,
    /// A request sent at most so late counts as on time
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 100)]
    tolerance_us: u64,
    /// How long to wait for replies after the last request
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1_000)]
    patience_ms: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl LoadArgs {
    /// The workload.
    ///
    /// # Errors
    /// When there is none of this name.
    pub(crate) fn workload(&self) -> Result<Workload> {
        self.workload.workload()
    }
}

/// Sends the load; the exit code is [`VOID`] when the schedule was not kept.
pub(crate) fn run(requests: &dyn Requests, args: LoadArgs) -> Result<ExitCode> {
    let workload = args.workload()?;
    ensure!(
        args.rate.is_finite() && args.rate > 0.0,
        "--rate {}: give requests per second above 0",
        args.rate
    );
    let rates = vec![args.rate; workload.phases.len()];
    let schedule = Schedule::new(&workload, &rates, args.workload.length(), args.workload.seed, requests)?;
    let options = loadgen::Options {
        server: args.server,
        patience: Duration::from_millis(args.patience_ms),
        tolerance_ns: args.tolerance_us * 1_000,
    };
    let run = loadgen::run(&schedule, requests, options)?;
    if args.json {
        println!("{}", serde_json::to_string(&run)?);
    } else {
        println!("{}", report::client_run(&workload.name, &run));
    }
    let sum = |count: fn(&ClassRun) -> u64| run.classes.iter().map(count).sum::<u64>();
    ensure!(
        sum(|class| class.answered) > 0,
        "not one request was answered; the service only refused or failed"
    );
    Ok(match (run.adherence.void, sum(|class| class.wrong)) {
        (true, _) => ExitCode::from(VOID),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::FAILURE,
    })
}
