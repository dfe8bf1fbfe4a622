//! The project's own commands; each does all the set-up that it needs.
//!
//! ```text
//! cargo xtask demo      builds everything, compares quanta on the LevelDB service, prints the table
//! cargo xtask test      format, lints, docs, all tests
//! cargo xtask overhead  what probes cost over real programs and what they buy: table, JSON, picture
//! cargo xtask programs  programs of the registry, built by Cargo and by us: do they do the same, what do builds take
//! cargo xtask figures   the papers' figures by simulation, published values beside ours
//! cargo xtask ablation  what each mechanism of the runtime adds: throughput within an objective, micro-benchmarks
//! cargo xtask setup     installs the system packages that the others need
//! ```

mod ablation;
mod counts;
mod demo;
mod figures;
mod machine_code;
mod overhead;
mod process;
mod programs;
mod setup;
mod test;
mod tools;
mod usage;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the tools and the LevelDB service, compare quanta, print the table
    Demo(demo::Options),
    /// Check format, lints and docs, and run all tests
    Test(test::Options),
    /// Compare three builds of real programs: what probes cost, how long turns really last
    Overhead(overhead::Options),
    /// Build programs of the registry plainly and with probes: same behaviour, own tests, time, memory, size
    Programs(programs::Options),
    /// Simulate the papers' figures: pictures, data, published values beside ours
    Figures(figures::Options),
    /// Compare the runtime with one mechanism more at each step, from emulated interrupts to the whole
    Ablation(ablation::Options),
    /// Install the system packages that builds and tests need
    Setup,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(options) => demo::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Ablation(options) => ablation::run(&options),
        Command::Overhead(options) => overhead::run(&options),
        Command::Programs(options) => programs::run(&options),
        Command::Figures(options) => figures::run(&options),
        Command::Setup => setup::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
