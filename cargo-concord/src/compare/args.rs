//! What was typed.

use std::path::PathBuf;

/// Compare quanta and loads on one service
///
/// Builds the service twice (`cargo build --release` and `cargo concord build --release`), measures the
/// service times of both, then runs the instrumented one under an open-loop load at each quantum and load.
/// The service is a program made with `concord_bench::service_main`.
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
    #[arg(long, value_name = "NAME|MIX")]
    pub(crate) workload: String,
    /// Quanta, separated by commas; `none` is no preemption
    #[arg(long, value_name = "LIST", default_value = "none,5us")]
    pub(crate) quanta: String,
    /// Loads, separated by commas: shares of the workers' time that the offered requests need
    ///
    /// The rate is load x workers / mean service time of the plain build.
    #[arg(long, value_name = "LIST", default_value = "0.5")]
    pub(crate) loads: String,
    /// Policies, separated by commas
    #[arg(long, value_name = "LIST", default_value = "ps")]
    pub(crate) policy: String,
    /// Variants of the runtime, separated by commas: `default`, or options of the service joined by `+`
    ///
    /// Such as `default,assist=off+jbsq-depth=1`.
    #[arg(long, value_name = "LIST", default_value = "default")]
    pub(crate) variants: String,
    /// Workers
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) workers: usize,
    /// Seed of the schedules: every run at one load gets the same requests at the same times
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Seconds of load per run
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    pub(crate) seconds: f64,
    /// Write the results to this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Arguments for the service's program, after `--`
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) service_args: Vec<String>,
}
