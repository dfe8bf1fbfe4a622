//! The program `loadgen`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

use crate::key_value::{KeyValueRequests, format::CLASSES};
use crate::requests::Requests;
use crate::service_main::{LoadArgs, exit_code, send_load};
use crate::synthetic::SyntheticRequests;
use crate::workload::Workload;

/// Send an open-loop load to a service over UDP
///
/// Latency counts from the intended send time of each request. Every request ends as answered, error, wrong
/// or lost. A run in which fewer than 95 % of the requests were sent on time is void: exit code 3.
#[derive(Parser)]
#[command(name = "loadgen", version)]
struct Cli {
    #[command(flatten)]
    load: LoadArgs,
}

/// Reads the command line and sends the load.
pub fn main() -> ExitCode {
    exit_code(run(Cli::parse().load))
}

fn run(args: LoadArgs) -> Result<ExitCode> {
    send_load(&*requests_for(&args.workload()?)?, args)
}

/// Who makes the requests of `workload`.
fn requests_for(workload: &Workload) -> Result<Box<dyn Requests>> {
    if workload.states_service_times() {
        return Ok(Box::new(SyntheticRequests::default()));
    }
    if let Some(class) = workload.classes().into_iter().find(|class| !CLASSES.contains(class)) {
        bail!(
            "loadgen makes no requests of class `{class}`: a mix is of {}; a service of your own has its \
             client in its mode `load`",
            CLASSES.join(", ")
        );
    }
    Ok(Box::new(KeyValueRequests::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_workload_has_its_family_of_requests() {
        let classes = |name: &str| requests_for(&Workload::find(name).unwrap()).unwrap().classes();
        assert_eq!(classes("zippydb"), CLASSES);
        assert_eq!(classes("PUT=1,GET=2"), CLASSES);
        assert!(classes("rocksdb").contains(&"StockLevel".to_string()), "its times are stated: synthetic");
        let error = requests_for(&Workload::find("GET=1,LIST=1").unwrap()).err().unwrap().to_string();
        assert!(error.contains("`LIST`") && error.contains("mode `load`"), "{error}");
    }
}
