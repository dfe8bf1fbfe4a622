//! Times kernels of checked work: `concord-kernels [--seconds S] [NAME..]` prints a line `name nanoseconds`
//! for each, the median time of one run.
//!
//! The same source is built plainly, with Concord but without probes, and with probes; `cargo xtask kernels`
//! does that and compares. A kernel whose answer is wrong ends the program: a build that computes something
//! else has no speed.

mod data;
mod kernels;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kernels::{KERNELS, Kernel};

fn main() -> ExitCode {
    let mut budget = Duration::from_millis(300);
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            match arguments.next().and_then(|value| value.parse().ok()).map(Duration::try_from_secs_f64) {
                Some(Ok(seconds)) => budget = seconds,
                _ => return usage("--seconds takes a positive number"),
            }
        } else {
            names.push(argument);
        }
    }
    if let Some(unknown) =
        names.iter().find(|name| !KERNELS.iter().any(|kernel| kernel.name == name.as_str()))
    {
        return usage(&format!("no kernel '{unknown}'"));
    }
    for kernel in
        KERNELS.iter().filter(|kernel| names.is_empty() || names.iter().any(|name| name == kernel.name))
    {
        match time(kernel, budget) {
            Ok(nanoseconds) => println!("{} {nanoseconds:.0}", kernel.name),
            Err(answer) => {
                eprintln!("kernel {}: wrong answer {answer:#x}, expected {:#x}", kernel.name, kernel.answer);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn usage(problem: &str) -> ExitCode {
    let names: Vec<_> = KERNELS.iter().map(|kernel| kernel.name).collect();
    eprintln!("{problem}; usage: concord-kernels [--seconds S] [NAME..], names: {}", names.join(" "));
    ExitCode::from(2)
}

/// Median time of a run in nanoseconds; the answer when it is wrong.
fn time(kernel: &Kernel, budget: Duration) -> Result<f64, u64> {
    let mut input = (kernel.prepare)();
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < 5 || start.elapsed() < budget {
        let before = Instant::now();
        let answer = black_box((kernel.run)(black_box(&mut input)));
        times.push(before.elapsed().as_nanos() as f64);
        if answer != kernel.answer {
            return Err(answer);
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
