//! `cargo xtask programs`: programs that nobody here wrote, built by Cargo and by `cargo concord`.
//!
//! Each is taken from the registry as it was published. Both builds have to do the same, its own tests have to
//! pass, and what the builds take stands beside each other.
//!
//! Reading order: `catalogue`, `source`, `builds`, `checks`, `suite`, `results`.

mod builds;
mod catalogue;
mod checks;
mod results;
mod source;
mod suite;
mod table;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use concord_bench::results::Machine;

use crate::process::root;
use crate::{setup, tools};
use builds::Building;
use catalogue::Program;
use checks::Pair;
use results::{Failure, Measured, ProgramResult, Results};
use source::Source;

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Neither edits nor the programs' own tests: builds, comparisons, sizes
    #[arg(long)]
    quick: bool,
    /// Only these programs
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
}

/// Builds, compares, prints the table, leaves JSON in `target/programs`.
///
/// # Errors
/// When a program fails (after all others had their turn), or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let programs = catalogue::chosen(&options.only)?;
    setup::run()?;
    tools::build()?;
    let folder = root().join("target/programs");
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for (index, program) in programs.iter().enumerate() {
        let Program { name, version, kind, .. } = program;
        let count = programs.len();
        eprintln!("\n\x1b[1;34m== {} of {count}: {name} {version}, {kind}\x1b[0m", index + 1);
        match measure(program, &folder, options.quick) {
            Ok(result) => measured.push(ProgramResult::new(program, result)),
            Err(error) => {
                eprintln!("error: {name}: {error:#}");
                failed.push(Failure { name, error: format!("{error:#}") });
            }
        }
    }
    report(&Results {
        programs: measured,
        failed,
        is_quick: options.quick,
        seconds: start.elapsed().as_secs_f64(),
        machine: Machine::here(),
    })
}

fn measure(program: &Program, folder: &Path, is_quick: bool) -> Result<Measured> {
    let source = Source::take(program, folder)?;
    let building = Building { program, source: &source };
    let build = building.clean_build()?;
    let (size, code) = (building.sizes()?, building.code()?);
    let work = folder.join("checks").join(program.name);
    let comparisons = (program.check)(&Pair::of(&building), &work)?;
    eprintln!("{comparisons} comparisons, all equal");
    let no_change_seconds = building.without_change()?;
    let (mut root_edit, mut dependency_edit, mut tests) = (None, None, None);
    if !is_quick {
        root_edit = Some(building.after_edit_of_root()?);
        dependency_edit = building.after_edit_of_dependency()?;
        tests = Some(suite::run(&building)?);
    }
    Ok(Measured { build, no_change_seconds, root_edit, dependency_edit, size, code, comparisons, tests })
}

fn report(results: &Results) -> Result<()> {
    let json: PathBuf = root().join("target/programs/programs.json");
    std::fs::write(&json, serde_json::to_vec_pretty(results)?)
        .with_context(|| format!("cannot write {}", json.display()))?;
    print!("{}", table::render(results));
    println!("the same as JSON: target/programs/programs.json");
    let failed_tests =
        |program: &&ProgramResult| program.tests.as_ref().is_some_and(|tests| !tests.failed.is_empty());
    let failed: Vec<&str> = (results.failed.iter().map(|failure| failure.name))
        .chain(results.programs.iter().filter(failed_tests).map(|program| program.name))
        .collect();
    ensure!(failed.is_empty(), "these programs failed, see above: {}", failed.join(", "));
    Ok(())
}
