//! Kernels of checked work, to compare builds of the same source with; `cargo xtask overhead` does.
//!
//! ```text
//! concord-kernels list              name and language of each
//! concord-kernels once KERNEL       runs it once, to count instructions
//! concord-kernels samples KERNEL    reads numbers of runs, one a line; answers each by as many times in ns
//! concord-kernels once-second KERNEL            runs its clone once, to count instructions
//! concord-kernels second KERNEL SLICE_US RUNS   both builds of it, and slices, see `second.rs`
//! concord-kernels in-process ..     serves requests that run a kernel, see `--help`
//! ```
//!
//! A kernel whose answer is wrong ends the program: a build that computes something else has no speed.

mod codecs;
mod compression;
mod data;
mod data_formats;
mod dynamic;
mod graphs;
mod kernel;
mod languages;
mod leveldb;
mod linear;
mod maps;
mod native;
mod numbers;
mod own;
mod scenes;
mod second;
mod service;
mod text;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use concord::Nanos;

use kernel::{Kernel, Work};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["list"] => list(),
        ["once", name] => find(name).and_then(once),
        ["samples", name] => {
            pin();
            find(name).and_then(|kernel| samples(kernel, std::io::stdin().lock(), std::io::stdout().lock()))
        }
        ["once-second", name] => find(name).and_then(second::once),
        ["second", name, slice, runs] => {
            pin();
            find(name).and_then(|kernel| {
                let number =
                    |text: &str| text.parse::<u32>().with_context(|| format!("`{text}` is no number"));
                let slice = Nanos::from_micros(number(slice)?.into());
                second::compare(kernel, slice, number(runs)?, std::io::stdout())
            })
        }
        _ => return service::main(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn find(name: &str) -> Result<&'static Kernel> {
    Kernel::find(name).with_context(|| format!("no kernel `{name}`; `concord-kernels list` names all"))
}

fn list() -> Result<()> {
    kernel::all().for_each(|kernel| println!("{}\t{}", kernel.name, kernel.language.name()));
    Ok(())
}

fn once(kernel: &Kernel) -> Result<()> {
    Ok(kernel.run(&mut (kernel.prepare)())?)
}

/// To one core, the same in every build that is compared.
fn pin() {
    if let Some(core) = core_affinity::get_core_ids().and_then(|cores| cores.last().copied()) {
        core_affinity::set_for_current(core);
    }
}

/// Runs the kernel as often as each line of `requests` says and writes the times, in nanoseconds, as one line.
fn samples(kernel: &Kernel, requests: impl BufRead, mut times: impl Write) -> Result<()> {
    let mut work = (kernel.prepare)();
    for request in requests.lines() {
        let request = request.context("cannot read how often to run")?;
        let runs: u32 =
            request.trim().parse().with_context(|| format!("`{request}` is no number of runs"))?;
        for _ in 0..runs {
            write!(times, "{} ", time(kernel, &mut work)?).context("cannot write the times")?;
        }
        writeln!(times).and_then(|()| times.flush()).context("cannot write the times")?;
    }
    Ok(())
}

fn time(kernel: &Kernel, work: &mut Work) -> Result<u128> {
    let start = Instant::now();
    kernel.run(work)?;
    Ok(start.elapsed().as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_answered_by_as_many_times() {
        let mut times = Vec::new();
        let kernel = Kernel::rust("two", || Box::new(|| 2), 2);
        samples(&kernel, &b"3\n0\n1\n"[..], &mut times).unwrap();
        let lines = String::from_utf8(times).unwrap();
        let counts: Vec<usize> = lines.lines().map(|line| line.split_whitespace().count()).collect();
        assert_eq!(counts, [3, 0, 1]);
    }

    #[test]
    fn wrong_answers_unknown_kernels_and_bad_lines_are_errors() {
        let wrong = Kernel::rust("two", || Box::new(|| 2), 3);
        assert!(samples(&wrong, &b"1\n"[..], Vec::new()).unwrap_err().to_string().contains("wrong answer"));
        let bad = samples(&wrong, &b"many\n"[..], Vec::new()).unwrap_err().to_string();
        assert!(bad.contains("`many`"), "{bad}");
        assert!(find("sieves").err().unwrap().to_string().contains("`sieves`"));
    }
}
