//! `concord-pass`: does one link job; started by `cargo concord`'s linker role.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use concord_job::LinkJob;

/// Turns the bitcode of one link into one instrumented native object.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Do a link job.
    Link {
        /// The job, as JSON.
        #[arg(long)]
        job: PathBuf,
        /// Where the outcome goes, as JSON.
        #[arg(long)]
        outcome: PathBuf,
    },
}

fn main() -> ExitCode {
    let Command::Link { job, outcome } = Cli::parse().command;
    match link(&job, &outcome) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("concord-pass: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn link(job: &std::path::Path, outcome: &std::path::Path) -> anyhow::Result<()> {
    let job: LinkJob = concord_job::read_json(job)?;
    let result = concord_pass::pipeline::run(&job)?;
    concord_job::write_json(outcome, &result)?;
    Ok(())
}
