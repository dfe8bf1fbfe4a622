//! `cargo concord`: builds crates, and the C and C++ below them, with probes.
//!
//! One program in several roles. Cargo starts the subcommand (`cli`, `driver`); the driver starts Cargo with
//! this program as rustc (`rustc`), linker (`link`) and C compiler (`compiler`). The roles know each other
//! by environment variables (`context`, `rustc::profile`). LLVM is not in here: `link` starts `concord-pass`.
#![forbid(unsafe_code)]

mod answer;
mod artefacts;
mod audit;
mod cargo_args;
mod clean;
mod cli;
mod compare;
mod compiler;
mod config;
mod context;
mod doctor;
mod driver;
mod explain;
mod link;
mod mirror;
mod process;
mod reports;
mod role;
mod rustc;
mod simulate;
mod toolchain;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;

use cli::{Cargo, Cli, Command};
use compiler::Language;
use role::Role;

fn main() -> ExitCode {
    match run(std::env::args_os().collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("concord: error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: Vec<OsString>) -> Result<ExitCode> {
    let words = words
        .into_iter()
        .map(|word| word.into_string().map_err(|word| anyhow::anyhow!("argument {word:?} is not UTF-8")))
        .collect::<Result<Vec<_>>>()?;
    let (program, rest) =
        words.split_first().map(|(program, rest)| (program.as_str(), rest)).unwrap_or_default();
    match Role::of_program(program.as_ref()) {
        Some(Role::Rustc) => rustc::run(rest.to_vec()),
        Some(Role::Rustdoc) => rustc::run_rustdoc(rest.to_vec()),
        Some(Role::Linker) => link::run(rest.to_vec()),
        Some(Role::C) => compiler::run(Language::C, rest),
        Some(Role::Cxx) => compiler::run(Language::Cxx, rest),
        None => subcommand(&words),
    }
}

fn subcommand(words: &[String]) -> Result<ExitCode> {
    let Cargo::Concord(concord) = Cli::parse_from(own_options_first(words)).cargo;
    match concord.command {
        Command::Build(own) => driver::run("build", &own),
        Command::Run(own) => driver::run("run", &own),
        Command::Test(own) => driver::run("test", &own),
        Command::Audit(options) => audit::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Compare(args) => compare::run(*args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Clean(options) => clean::run(&options),
        Command::Doctor(options) => doctor::run(&options),
    }
}

/// Subcommands that build take our options anywhere between Cargo's; clap wants them in front, and Cargo's
/// words behind `--`.
fn own_options_first(words: &[String]) -> Vec<String> {
    const BEFORE: usize = 3;
    let Some(subcommand) = words.get(BEFORE - 1) else { return words.to_vec() };
    if !matches!(subcommand.as_str(), "build" | "b" | "run" | "r" | "test" | "t" | "audit" | "explain") {
        return words.to_vec();
    }
    let (mut own, cargo) = cargo_args::take_own(&words[BEFORE..], subcommand);
    if cargo_args::asks_for_help(&cargo, subcommand) {
        own.push("--help".to_owned());
    }
    [&words[..BEFORE], &own, &["--".to_owned()], &cargo].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(text: &str) -> String {
        own_options_first(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn our_options_go_first_and_cargos_words_behind_dashes() {
        assert_eq!(
            ordered("cargo concord build --release --no-probes -p x"),
            "cargo concord build --no-probes -- --release -p x"
        );
        assert_eq!(ordered("cargo concord test -- --nocapture"), "cargo concord test -- -- --nocapture");
        assert_eq!(ordered("cargo concord run --help"), "cargo concord run --help -- --help");
        assert_eq!(ordered("cargo concord run -- --help"), "cargo concord run -- -- --help");
        assert_eq!(ordered("cargo concord explain -p x f -r"), "cargo concord explain f -- -p x -r");
        assert_eq!(ordered("cargo concord doctor --json"), "cargo concord doctor --json");
    }
}
