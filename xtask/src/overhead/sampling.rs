//! Times of single runs, from three programs that take turns.
//!
//! In each *life* one process of each build is started; then they take turns of some milliseconds, so that
//! the machine's slow moments meet all three. Where a process's memory lies is decided once in its life, and
//! costs or gains up to percents: several lives are needed, and the intervals are made over lives.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::builds::{Builds, NAMES, PLAIN, PROBED, UNPROBED};
use super::statistics::{Ratio, median, ratio};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effort {
    /// Lives that every kernel has.
    lives: usize,
    /// Lives at most, for kernels whose interval is wide.
    most_lives: usize,
    /// Turns that each process has in its life.
    turns: usize,
    /// Seconds of load for each achieved quantum.
    pub(super) quantum_seconds: f64,
}

impl Effort {
    pub(super) const QUICK: Self = Self { lives: 4, most_lives: 4, turns: 5, quantum_seconds: 0.3 };
    pub(super) const FULL: Self = Self { lives: 12, most_lives: 96, turns: 10, quantum_seconds: 2.0 };
}

/// An interval wider than this asks for more lives.
const WIDE: f64 = 0.01;
/// How long a process runs until it is the next one's turn, in nanoseconds.
const TURN_NS: f64 = 10e6;

/// What was measured of one kernel: for each build, the samples of each life in nanoseconds.
#[derive(Debug, Default)]
pub(super) struct Samples([Vec<Vec<f64>>; 3]);

impl Samples {
    /// Measures until the interval of the probes' overhead is narrow, or the effort is spent.
    ///
    /// # Errors
    /// When a program fails, for instance because its answer is wrong.
    pub(super) fn take(
        builds: &Builds,
        kernel: &str,
        effort: Effort,
        progress: &dyn Fn(&str),
    ) -> Result<Self> {
        let mut samples = Self::default();
        let mut wanted = effort.lives;
        loop {
            while samples.lives() < wanted {
                progress(&format!("life {} of {wanted}", samples.lives() + 1));
                samples.add_life(builds, kernel, effort.turns)?;
            }
            if wanted >= effort.most_lives || samples.overhead().width() <= WIDE {
                return Ok(samples);
            }
            wanted = (wanted + wanted.div_ceil(4)).min(effort.most_lives);
        }
    }

    fn add_life(&mut self, builds: &Builds, kernel: &str, turns: usize) -> Result<()> {
        let mut runners =
            [PLAIN, UNPROBED, PROBED].map(|build| (build, Runner::start(builds.program(build), kernel)));
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        // The first runs fill caches and find out how long one takes.
        let mut runs = [0; 3];
        for (build, runner) in &mut runners {
            let warm = with_context(runner, kernel, *build, 3)?;
            runs[*build] = (TURN_NS / median(warm)).clamp(1.0, 1_000.0) as usize;
        }
        for turn in 0..turns {
            for place in 0..runners.len() {
                let (build, runner) = &mut runners[(place + turn + self.lives()) % 3];
                times[*build].extend(with_context(runner, kernel, *build, runs[*build])?);
            }
        }
        for (lives, times) in self.0.iter_mut().zip(times) {
            lives.push(times);
        }
        Ok(())
    }

    /// How many lives each build had.
    pub(super) fn lives(&self) -> usize {
        self.0[PLAIN].len()
    }

    /// Probed against unprobed.
    pub(super) fn overhead(&self) -> Ratio {
        ratio(&self.0[PROBED], &self.0[UNPROBED])
    }

    /// Unprobed against plain.
    pub(super) fn vs_plain(&self) -> Ratio {
        ratio(&self.0[UNPROBED], &self.0[PLAIN])
    }

    /// Median of all runs of a build.
    pub(super) fn median_ns(&self, build: usize) -> f64 {
        median(self.all(build))
    }

    /// All samples of a build, life after life.
    pub(super) fn all(&self, build: usize) -> Vec<f64> {
        self.0[build].concat()
    }

    /// How many samples of a build belong to each life.
    pub(super) fn counts(&self, build: usize) -> Vec<usize> {
        self.0[build].iter().map(Vec::len).collect()
    }

    #[cfg(test)]
    pub(super) fn of(lives: [Vec<Vec<f64>>; 3]) -> Self {
        Self(lives)
    }
}

fn with_context(runner: &mut Result<Runner>, kernel: &str, build: usize, runs: usize) -> Result<Vec<f64>> {
    let times = match runner {
        Ok(runner) => runner.run(runs),
        Err(error) => bail!("kernel {kernel}, {} build: {error:#}", NAMES[build]),
    };
    times.with_context(|| format!("kernel {kernel}, {} build", NAMES[build]))
}

/// A process that runs a kernel as often as it is told.
struct Runner {
    child: Child,
    requests: ChildStdin,
    times: BufReader<ChildStdout>,
}

impl Runner {
    fn start(program: &Path, kernel: &str) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(["samples", kernel]).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Result<Self> {
        let mut child =
            command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let requests = child.stdin.take().context("no standard input")?;
        let times = BufReader::new(child.stdout.take().context("no standard output")?);
        Ok(Self { child, requests, times })
    }

    /// Times of `runs` runs in nanoseconds.
    fn run(&mut self, runs: usize) -> Result<Vec<f64>> {
        // A process that has ended says why on standard error; what it left unanswered shows below.
        let _ = writeln!(self.requests, "{runs}");
        let mut line = String::new();
        self.times.read_line(&mut line).context("cannot read its times")?;
        let times = line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        ensure!(
            times.len() == runs,
            "the program ended early ({} of {runs} runs); see its message above",
            times.len()
        );
        Ok(times)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // It may have ended; either way nobody waits for its result.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Runner {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        Runner::spawn(command).unwrap()
    }

    #[test]
    fn a_runner_answers_each_request_and_its_end_is_an_error() {
        let mut runner = shell("read runs; echo 10 20 30; read runs; echo 5; exit 1");
        assert_eq!(runner.run(3).unwrap(), [10.0, 20.0, 30.0]);
        assert!(runner.run(2).unwrap_err().to_string().contains("1 of 2"));
        assert!(runner.run(1).unwrap_err().to_string().contains("ended early"));
    }

    #[test]
    fn ratios_are_of_the_builds_they_name() {
        let lives = |nanoseconds: f64| vec![vec![nanoseconds; 4]; 3];
        let samples = Samples::of([lives(100.0), lives(110.0), lives(121.0)]);
        assert!((samples.overhead().value - 1.1).abs() < 1e-12);
        assert!((samples.vs_plain().value - 1.1).abs() < 1e-12);
        assert_eq!((samples.lives(), samples.median_ns(PROBED)), (3, 121.0));
        assert_eq!((samples.all(PLAIN).len(), samples.counts(PLAIN)), (12, vec![4, 4, 4]));
    }
}
