//! What was typed.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use concord_job::{DEFAULT_BOUND, Probes, Stage};

use crate::config::environment::NO_SECOND_BUILD_VARIABLE;
use crate::config::{Layer, SMALLEST_BOUND, Wish};

/// `cargo concord`, started by Cargo.
#[derive(Debug, Parser)]
#[command(name = "cargo", bin_name = "cargo", disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) cargo: Cargo,
}

/// Cargo passes its subcommand's name as the first word.
#[derive(Debug, Subcommand)]
pub(crate) enum Cargo {
    /// Build services whose code can be preempted every few microseconds
    #[command(version)]
    Concord(Concord),
}

/// The words after `cargo concord`.
#[derive(Debug, Parser)]
pub(crate) struct Concord {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build as `cargo build` does, with probes; takes its flags
    ///
    /// Artefacts are left in `<target directory>/concord/<profile>`, each with a report, `<artefact>.concord.json`.
    #[command(visible_alias = "b", override_usage = "cargo concord build [OPTIONS] [FLAGS OF CARGO BUILD]")]
    Build(OwnOptions),
    /// Build and run as `cargo run` does, with probes; takes its flags
    #[command(visible_alias = "r", override_usage = "cargo concord run [OPTIONS] [FLAGS OF CARGO RUN]")]
    Run(OwnOptions),
    /// Build and run tests as `cargo test` does, with probes; takes its flags
    #[command(visible_alias = "t", override_usage = "cargo concord test [OPTIONS] [FLAGS OF CARGO TEST]")]
    Test(OwnOptions),
    /// Build, then show where code cannot be preempted and how long paths without a probe are, worst first
    ///
    /// Tables: a row per crate, the functions with the longest paths, functions without probes by reason. A path
    /// beyond the bound is marked `!`. Times are estimates from a typical time per instruction.
    #[command(
        override_usage = "cargo concord audit [OPTIONS] [FLAGS OF CARGO BUILD]\n       cargo concord audit --artefact FILE"
    )]
    Audit(AuditOptions),
    /// Build, then show a function's source with its probes, loops and calls, and the reason for each
    #[command(
        override_usage = "cargo concord explain FUNCTION [OPTIONS] [FLAGS OF CARGO BUILD]\n       cargo concord explain FUNCTION --artefact FILE"
    )]
    Explain(ExplainOptions),
    Compare(Box<crate::compare::Args>),
    Simulate(Box<crate::simulate::Args>),
    /// Remove what `cargo concord` built, and its caches
    Clean(CleanOptions),
    /// Check what a build needs on this machine, or show how a binary was built
    Doctor(DoctorOptions),
}

/// Options of build, run and test besides Cargo's.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct OwnOptions {
    /// The same build without guards and probes, to measure against (in `concord/no-probes`)
    #[arg(long, env = "CONCORD_NO_PROBES", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_probes: bool,
    /// Everything that a build with probes does to the code, without the probes' own instructions: what they
    /// are measured against (in `concord/empty-probes`)
    #[arg(long, conflicts_with = "no_probes", env = "CONCORD_EMPTY_PROBES")]
    #[arg(value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) empty_probes: bool,
    /// Crates, modules and functions without probes, by path (my_crate::tables); adds to the lists `exclude` of
    /// [workspace.metadata.concord] and [package.metadata.concord] and to CONCORD_NO_PROBES_IN
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub(crate) no_probes_in: Vec<String>,
    /// Paths with probes although a shorter path has none; adds to the lists `include` and to CONCORD_PROBES_IN
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub(crate) probes_in: Vec<String>,
    /// See [`bound_help`].
    #[arg(long, value_name = "INSTRUCTIONS", value_parser = crate::config::read_bound, help = bound_help())]
    pub(crate) bound: Option<u32>,
    /// No second build of what requests come to, for the dispatcher's own use: less code; requests that the dispatcher
    /// runs itself look at the clock at every probe. Or `second-build = false`
    #[arg(long, env = NO_SECOND_BUILD_VARIABLE, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_second_build: bool,
    /// Keep the inputs of each link here, with a script that repeats it
    #[arg(long, value_name = "DIR", env = "CONCORD_SAVE_DIR")]
    pub(crate) save_dir: Option<PathBuf>,
    /// Stages of the pass whose code is written out: merge, guard, optimise, probe or all
    #[arg(long, value_name = "STAGES", value_delimiter = ',', env = "CONCORD_DUMP_STAGES")]
    #[arg(value_parser = ["merge", "guard", "optimise", "probe", "all"])]
    pub(crate) dump_stages: Vec<String>,
    /// Cargo's own flags; `main` puts them behind `--`
    #[arg(last = true, hide = true)]
    pub(crate) cargo: Vec<String>,
}

fn bound_help() -> String {
    format!(
        "Longest path without a probe, in instructions, at least {SMALLEST_BOUND} [default: {DEFAULT_BOUND}]; or `bound`, \
         or CONCORD_BOUND"
    )
}

impl OwnOptions {
    /// What stands at the sites.
    pub(crate) fn probes(&self) -> Probes {
        match (self.no_probes, self.empty_probes) {
            (true, _) => Probes::None,
            (false, true) => Probes::Empty,
            (false, false) => Probes::Full,
        }
    }

    /// The settings among the flags.
    ///
    /// # Errors
    /// When a path is none.
    pub(crate) fn layer(&self) -> Result<Layer> {
        let second_build = self.no_second_build.then_some(false);
        let mut layer = Layer { bound: self.bound, second_build, ..Layer::default() };
        layer.add(Wish::Exclude, self.no_probes_in.iter().map(String::as_str), "--no-probes-in")?;
        layer.add(Wish::Include, self.probes_in.iter().map(String::as_str), "--probes-in")?;
        Ok(layer)
    }

    /// The stages to write out, in order.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        let asked = |stage: &Stage| self.dump_stages.iter().any(|name| name == stage.name() || name == "all");
        Stage::ALL.into_iter().filter(asked).collect()
    }
}

/// Options of audit.
#[derive(Debug, clap::Args)]
pub(crate) struct AuditOptions {
    /// Read the report of this artefact of an earlier build, and build nothing
    #[arg(long, alias = "artifact", value_name = "FILE")]
    pub(crate) artefact: Option<PathBuf>,
    /// Answer in JSON, with all functions
    #[arg(long)]
    pub(crate) json: bool,
    /// Show all functions
    #[arg(long, conflicts_with = "top")]
    pub(crate) all: bool,
    /// Show that many functions
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) build: OwnOptions,
}

/// Options of explain.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainOptions {
    /// A function's path, the end of one or a part of one; or its symbol
    pub(crate) function: String,
    /// Read the report of this artefact of an earlier build, and build nothing
    #[arg(long, alias = "artifact", value_name = "FILE")]
    pub(crate) artefact: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) build: OwnOptions,
}

/// Options of clean.
#[derive(Debug, clap::Args)]
pub(crate) struct CleanOptions {
    /// The workspace's Cargo.toml, when not above this folder
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Cargo's target directory
    #[arg(long, value_name = "DIR")]
    pub(crate) target_dir: Option<PathBuf>,
}

/// Options of doctor.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorOptions {
    /// A binary to look into
    pub(crate) binary: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(words: &[&str]) -> OwnOptions {
        let words = ["cargo", "concord", "build"].iter().chain(words);
        let Cargo::Concord(concord) = Cli::try_parse_from(words).unwrap().cargo;
        match concord.command {
            Command::Build(own) => own,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn own_options_and_cargos_words_are_told_apart() {
        let options = own(&["--no-probes", "--dump-stages", "probe,merge", "--", "-p", "x", "--", "-h"]);
        assert!(options.no_probes);
        assert_eq!(options.stages(), [Stage::Merge, Stage::Probe]);
        assert_eq!(options.cargo, ["-p", "x", "--", "-h"]);
        assert_eq!(own(&["--dump-stages=all"]).stages(), Stage::ALL);
    }
}
