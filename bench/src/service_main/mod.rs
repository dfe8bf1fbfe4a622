//! The command line of a service: one call in `main` gives it its modes.
//!
//! ```no_run
//! # struct Echo;
//! # impl concord::Service for Echo {
//! #     type Worker = ();
//! #     fn setup_worker(&self, _: concord::WorkerId) -> Result<(), concord::ServiceError> { Ok(()) }
//! #     fn handle_request(&self, _: &(), _: &concord::Request<'_>, _: &mut concord::Reply) {}
//! # }
//! use concord_bench::synthetic::SyntheticRequests;
//!
//! #[derive(clap::Args)]
//! struct Options {}
//!
//! fn main() -> std::process::ExitCode {
//!     concord_bench::service_main("Echoes", |_: Options| (Echo, SyntheticRequests::default()))
//! }
//! ```

mod cli;
mod for_requests;
mod in_process;
mod load;
mod mechanisms;
mod report;
mod serve;
mod service_times;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use concord::Service;

pub(crate) use cli::parse_service_ns;
pub(crate) use load::{LoadArgs, run as send_load};

use crate::requests::Requests;
use cli::{Cli, Mode};

/// Exit code of a run whose schedule was not kept.
pub const VOID: u8 = 3;

/// Reads the command line and runs the service in the mode that it names.
///
/// `make` gets the service's own options, which clap derives (mark them `global`), and makes the service and
/// its client's side. Failures are printed and become a non-zero exit code.
pub fn service_main<A, S, R>(about: &'static str, make: impl FnOnce(A) -> (S, R)) -> ExitCode
where
    A: clap::Args,
    S: Service,
    R: Requests,
{
    let matches = Cli::<A>::command().about(about).get_matches();
    let cli = Cli::<A>::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let (service, requests) = make(cli.service);
    let result = match cli.mode {
        Mode::Serve(args) => serve::run(service, args),
        Mode::InProcess(args) => in_process::run(service, &requests, args),
        Mode::ServiceTimes(args) => service_times::run(service, &requests, args),
        Mode::Load(args) => load::run(&requests, args),
    };
    exit_code(result)
}

/// Prints an error with its causes.
pub(crate) fn exit_code(result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests;
