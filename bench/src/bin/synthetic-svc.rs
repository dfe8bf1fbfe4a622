//! A service whose requests say how long they work: `synthetic-svc --help`.

use std::process::ExitCode;

use concord_bench::synthetic::{SyntheticRequests, SyntheticService};

#[derive(clap::Args)]
struct Options {}

fn main() -> ExitCode {
    concord_bench::service_main("The synthetic workloads, as calibrated work", |_: Options| {
        (SyntheticService::default(), SyntheticRequests::default())
    })
}
