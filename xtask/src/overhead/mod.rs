//! `cargo xtask overhead`: what probes cost over real programs, and what they buy.
//!
//! The kernels of `bench/kernels` are built three times: plainly, by us with every transformation but without
//! the probe's instructions, and by us. What is reported as the probes' overhead is the third against the
//! second; the second against the first says what our pipeline costs by itself.
//!
//! Reading order: `builds`, `sampling`, `statistics`, `quantum`, `results`.

mod builds;
mod callgrind;
mod plot;
mod quantum;
mod results;
mod sampling;
mod statistics;
mod table;
mod vectors;

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, command};
use crate::{setup, tools};
use builds::Builds;
use callgrind::Callgrind;
use results::{Failure, KernelResult, Results};
use sampling::{Effort, Samples};

/// Options of the comparison.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Few samples and no second helping: a first look, in about three minutes after building
    #[arg(long)]
    quick: bool,
    /// Count instructions as well (valgrind): exact, and slow
    #[arg(long)]
    callgrind: bool,
    /// Only these kernels
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Take the programs as they were built before
    #[arg(long)]
    no_build: bool,
}

/// A kernel of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kernel {
    name: String,
    language: String,
}

/// Builds, measures, prints the table, leaves JSON and picture in `target/overhead`.
///
/// # Errors
/// When a build fails, a kernel fails (after all others were measured), or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<()> {
    setup::run()?;
    if !options.no_build {
        tools::build()?;
        builds::build()?;
    }
    let builds = Builds::find()?;
    let kernels = chosen(&list(&builds)?, &options.only)?;
    let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
    let callgrind = options.callgrind.then(|| Callgrind::prepare(&builds, &folder()?)).transpose()?;
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for (index, kernel) in kernels.iter().enumerate() {
        let progress = |what: &str| {
            eprint!("\r\x1b[K{} of {}: {}, {what}", index + 1, kernels.len(), kernel.name);
        };
        match measure(&builds, kernel, effort, callgrind.as_ref(), &progress) {
            Ok(result) => measured.push(result),
            Err(error) => {
                eprintln!("\nerror: {error:#}");
                failed.push(Failure { name: kernel.name.clone(), error: format!("{error:#}") });
            }
        }
    }
    eprintln!("\r\x1b[K{} kernels measured", measured.len());
    report(&Results::new(measured, failed, options.quick, &builds)?)
}

fn measure(
    builds: &Builds,
    kernel: &Kernel,
    effort: Effort,
    callgrind: Option<&Callgrind>,
    progress: &dyn Fn(&str),
) -> Result<KernelResult> {
    let samples = Samples::take(builds, &kernel.name, effort, progress)?;
    let count = |callgrind: &Callgrind| {
        progress("counting instructions");
        callgrind.count(&kernel.name)
    };
    let instructions = callgrind.map(count).transpose()?;
    let run_ns = samples.median_ns(builds::PROBED);
    let quantum = |quantum: &str| {
        progress(&format!("achieved quantum at {quantum}"));
        quantum::achieved(builds, &kernel.name, quantum, run_ns, effort.quantum_seconds)
    };
    let (at_5us, at_2us) = (quantum("5us")?, quantum("2us")?);
    Ok(KernelResult::new(kernel, &samples, instructions, at_5us, at_2us))
}

fn list(builds: &Builds) -> Result<Vec<Kernel>> {
    let output = process::output(command(builds.program(builds::PROBED), &["list"]))?;
    output.lines().map(kernel).collect()
}

fn kernel(line: &str) -> Result<Kernel> {
    let (name, language) = line.split_once('\t').with_context(|| format!("`{line}` names no kernel"))?;
    Ok(Kernel { name: name.to_owned(), language: language.to_owned() })
}

fn chosen(kernels: &[Kernel], only: &[String]) -> Result<Vec<Kernel>> {
    let known = |name: &String| kernels.iter().any(|kernel| kernel.name == *name);
    if let Some(unknown) = only.iter().find(|name| !known(name)) {
        let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        bail!("--only: no kernel `{unknown}`; there are {}", names.join(", "));
    }
    let is_chosen = |kernel: &&Kernel| only.is_empty() || only.contains(&kernel.name);
    let kernels: Vec<Kernel> = kernels.iter().filter(is_chosen).cloned().collect();
    ensure!(!kernels.is_empty(), "the program has no kernels");
    Ok(kernels)
}

/// Where results go.
fn folder() -> Result<PathBuf> {
    let folder = process::root().join("target/overhead");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn report(results: &Results) -> Result<()> {
    let folder = folder()?;
    let (json, picture) = (folder.join("overhead.json"), folder.join("overhead.svg"));
    std::fs::write(&json, serde_json::to_vec(results)?)
        .with_context(|| format!("cannot write {}", json.display()))?;
    plot::draw(results, &picture)?;
    print!("{}", table::render(results));
    println!("raw samples and figures: target/overhead/overhead.json, picture: target/overhead/overhead.svg");
    let failed: Vec<&str> = results.failed.iter().map(|failure| failure.name.as_str()).collect();
    ensure!(failed.is_empty(), "these kernels failed, see above: {}", failed.join(", "));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels() -> Vec<Kernel> {
        ["fib\tRust", "lua\tC"].map(|line| kernel(line).unwrap()).to_vec()
    }

    #[test]
    fn kernels_are_chosen_by_name_and_unknown_names_refused() {
        let only = |names: &[&str]| {
            chosen(&kernels(), &names.iter().map(|name| String::from(*name)).collect::<Vec<_>>())
        };
        assert_eq!(only(&[]).unwrap().len(), 2);
        assert_eq!(only(&["lua"]).unwrap()[0].language, "C");
        let error = only(&["lua", "luas"]).unwrap_err().to_string();
        assert!(error.contains("`luas`") && error.contains("fib, lua"), "{error}");
        assert!(chosen(&[], &[]).is_err());
        assert!(kernel("fib").is_err());
    }

    #[test]
    fn impossible_arguments_are_refused() {
        use clap::Parser as _;
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            options: Options,
        }
        let line = |words: &[&str]| Line::try_parse_from([&["overhead"], words].concat());
        let options = line(&["--quick", "--callgrind", "--only", "fib,lua"]).ok().unwrap().options;
        assert!(options.quick && options.callgrind && options.only == ["fib", "lua"]);
        assert!(line(&["--quack"]).is_err() && line(&["--only"]).is_err());
    }
}
