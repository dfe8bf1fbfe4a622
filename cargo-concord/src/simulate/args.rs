//! What was typed.

use std::path::PathBuf;

/// Find the policy and quantum for a service on more cores than are here, by simulation
///
/// Builds the service, measures the service times of its classes without and with probes, and simulates the
/// runtime's policies with this machine's costs: throughput at the objective for each policy and quantum, and
/// which to choose. Then the runtime itself is compared with the simulator at one worker.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Package of the service
    #[arg(short, long, value_name = "NAME")]
    pub(crate) package: String,
    /// Program of the package, when it has several
    #[arg(long, value_name = "NAME")]
    pub(crate) bin: Option<String>,
    /// The workspace's Cargo.toml, when not above this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Workload by name, or a mix of the service's classes such as GET=0.9,SCAN=0.1
    #[arg(long, value_name = "NAME|MIX", default_value = "get-scan-50-50")]
    pub(crate) workload: String,
    /// Workers to simulate
    #[arg(long, value_name = "N", default_value_t = 14)]
    pub(crate) workers: usize,
    /// Policies, separated by commas; options follow a colon, such as on-demand:arm=2us
    #[arg(long, value_name = "LIST", default_value = "ps,on-demand,darc,c-fcfs")]
    pub(crate) policies: String,
    /// Quanta, separated by commas; `none` is no preemption
    #[arg(long, value_name = "LIST", default_value = "5us,2us")]
    pub(crate) quanta: String,
    /// Objective: percentile of the slowdown and its limit; `:each` asks it of each class
    #[arg(long, value_name = "PERCENTILE:SLOWDOWN", default_value = "p99.9:50")]
    pub(crate) slo: String,
    /// Requests that a worker holds at most, the running one included
    #[arg(short = 'k', long, value_name = "K", default_value_t = 2)]
    pub(crate) jbsq_depth: usize,
    /// What things cost: this-machine, ideal, papers, papers-interrupts, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "this-machine")]
    pub(crate) costs: String,
    /// The dispatcher runs no requests itself
    #[arg(long)]
    pub(crate) no_assist: bool,
    /// Seeds of each figure
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) seeds: u64,
    /// Simulated seconds of each run
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub(crate) seconds: f64,
    /// Seconds of the real run that is compared with the simulator; 0 for none
    #[arg(long, value_name = "SECONDS", default_value_t = 3.0)]
    pub(crate) check_seconds: f64,
    /// Write the results to this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Arguments for the service's program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) service_args: Vec<String>,
}
