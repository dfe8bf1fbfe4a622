//! The schema of `target/overhead/overhead.json`.
//!
//! Times are nanoseconds, names that end in `pct` percents.

use anyhow::Result;
use concord_bench::results::{AchievedQuantum, Machine};
use serde::Serialize;

use super::Kernel;
use super::builds::{Builds, PLAIN, PROBED, UNPROBED};
use super::sampling::Samples;
use super::statistics::{geomean_pct, percent};
use super::vectors;
use crate::machine_code::text_bytes;

/// The whole file.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    /// Worst first.
    pub(super) kernels: Vec<KernelResult>,
    /// Kernels without figures.
    pub(super) failed: Vec<Failure>,
    /// Geometric mean of `overhead_pct`, gains counted as nothing.
    pub(super) geomean_pct: f64,
    /// Largest `overhead_pct`.
    pub(super) max_pct: f64,
    /// Geometric mean of `vs_plain_pct`, gains counted as nothing.
    pub(super) vs_plain_geomean_pct: f64,
    /// Geometric mean of `instructions_pct`, gains counted as nothing.
    pub(super) instructions_geomean_pct: Option<f64>,
    /// Machine code of the whole programs.
    pub(super) text_bytes: PerBuild<u64>,
    /// Innermost loops that calculate with packed registers, in the whole programs.
    pub(super) vector_loops: PerBuild<usize>,
    /// Few samples and no second helping.
    pub(super) is_quick: bool,
    /// Where it ran.
    pub(super) machine: Machine,
}

/// A kernel that ended early, or came to a wrong answer in some build.
#[derive(Debug, Serialize)]
pub(super) struct Failure {
    /// Its name.
    pub(super) name: String,
    /// In which build, and why.
    pub(super) error: String,
}

/// One kernel.
#[derive(Debug, Serialize)]
pub(super) struct KernelResult {
    /// Its name.
    pub(super) name: String,
    /// What most of its time is spent in.
    pub(super) language: String,
    /// Times of single runs, life after life.
    pub(super) samples_ns: PerBuild<Vec<f64>>,
    /// How many of the samples belong to each life.
    pub(super) samples_per_life: PerBuild<Vec<usize>>,
    /// Median of each build.
    pub(super) median_ns: PerBuild<f64>,
    /// Probed against unprobed, medians.
    pub(super) overhead_pct: f64,
    /// 95 % confidence interval of `overhead_pct`.
    pub(super) ci95_pct: [f64; 2],
    /// Unprobed against plain, medians.
    pub(super) vs_plain_pct: f64,
    /// 95 % confidence interval of `vs_plain_pct`.
    pub(super) vs_plain_ci95_pct: [f64; 2],
    /// Instructions of one run, probed against unprobed; `null` when they were not counted.
    pub(super) instructions_pct: Option<f64>,
    /// Instructions of one run.
    pub(super) instructions: Option<PerBuild<u64>>,
    /// Machine code, probed against plain: of the whole program, the same for all kernels.
    pub(super) code_size_pct: f64,
    /// Lengths of turns at a quantum of 5 us.
    pub(super) quantum_5us: Option<AchievedQuantum>,
    /// Lengths of turns at a quantum of 2 us.
    pub(super) quantum_2us: Option<AchievedQuantum>,
}

/// One value for each build.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PerBuild<T> {
    pub(super) plain: T,
    pub(super) unprobed: T,
    pub(super) probed: T,
}

impl<T> PerBuild<T> {
    fn of(value: impl Fn(usize) -> T) -> Self {
        Self { plain: value(PLAIN), unprobed: value(UNPROBED), probed: value(PROBED) }
    }
}

impl KernelResult {
    pub(super) fn new(
        kernel: &Kernel,
        samples: &Samples,
        instructions: Option<[u64; 3]>,
        quantum_5us: Option<AchievedQuantum>,
        quantum_2us: Option<AchievedQuantum>,
    ) -> Self {
        let (overhead, vs_plain) = (samples.overhead(), samples.vs_plain());
        let ends = |(low, high)| [percent(low), percent(high)];
        Self {
            name: kernel.name.clone(),
            language: kernel.language.clone(),
            samples_ns: PerBuild::of(|build| samples.all(build)),
            samples_per_life: PerBuild::of(|build| samples.counts(build)),
            median_ns: PerBuild::of(|build| samples.median_ns(build)),
            overhead_pct: percent(overhead.value),
            ci95_pct: ends(overhead.interval),
            vs_plain_pct: percent(vs_plain.value),
            vs_plain_ci95_pct: ends(vs_plain.interval),
            instructions_pct: instructions
                .map(|counts| percent(counts[PROBED] as f64 / counts[UNPROBED] as f64)),
            instructions: instructions.map(|counts| PerBuild::of(|build| counts[build])),
            code_size_pct: 0.0,
            quantum_5us,
            quantum_2us,
        }
    }
}

impl Results {
    pub(super) fn new(
        kernels: Vec<KernelResult>,
        failed: Vec<Failure>,
        is_quick: bool,
        builds: &Builds,
    ) -> Result<Self> {
        let (text_bytes, vector_loops) = (builds.each(text_bytes)?, builds.each(vectors::count)?);
        Ok(Self { failed, ..Self::of(kernels, is_quick, text_bytes, vector_loops) })
    }

    fn of(
        mut kernels: Vec<KernelResult>,
        is_quick: bool,
        text_bytes: [u64; 3],
        vector_loops: [usize; 3],
    ) -> Self {
        kernels.sort_by(|left, right| right.overhead_pct.total_cmp(&left.overhead_pct));
        for kernel in &mut kernels {
            kernel.code_size_pct = percent(text_bytes[PROBED] as f64 / text_bytes[PLAIN] as f64);
        }
        let counted: Option<Vec<f64>> = kernels.iter().map(|kernel| kernel.instructions_pct).collect();
        Self {
            geomean_pct: geomean_pct(kernels.iter().map(|kernel| kernel.overhead_pct)),
            max_pct: kernels.first().map_or(0.0, |worst| worst.overhead_pct),
            vs_plain_geomean_pct: geomean_pct(kernels.iter().map(|kernel| kernel.vs_plain_pct)),
            instructions_geomean_pct: counted.map(geomean_pct),
            text_bytes: PerBuild::of(|build| text_bytes[build]),
            vector_loops: PerBuild::of(|build| vector_loops[build]),
            is_quick,
            machine: Machine::here(),
            failed: Vec::new(),
            kernels,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn kernel(name: &str, probed_ns: f64) -> KernelResult {
        let lives = |nanoseconds: f64| vec![vec![nanoseconds, nanoseconds + 1.0, nanoseconds + 2.0]; 4];
        let samples = Samples::of([lives(99.0), lives(99.0), lives(probed_ns - 1.0)]);
        let kernel = Kernel { name: name.into(), language: "Rust".into() };
        let quantum = AchievedQuantum {
            p50: 5_100.0,
            p99: 5_200.0,
            p999: 5_900.0,
            mean: 5_110.0,
            sd: 100.0,
            max: 40_000.0,
            excluded_pct: 0.1,
        };
        KernelResult::new(&kernel, &samples, Some([100, 100, 101]), Some(quantum), None)
    }

    pub(in super::super) fn results() -> Results {
        Results::of(
            vec![kernel("gain", 90.0), kernel("worst", 110.25), kernel("same", 100.0)],
            true,
            [1_000, 1_050, 1_100],
            [9, 10, 10],
        )
    }

    /// The keys that scripts read.
    #[test]
    fn the_promised_keys_are_there_and_the_worst_comes_first() {
        let json = serde_json::to_value(results()).unwrap();
        let worst = &json["kernels"][0];
        assert_eq!((worst["name"].as_str(), worst["language"].as_str()), (Some("worst"), Some("Rust")));
        for build in ["plain", "unprobed", "probed"] {
            assert_eq!(worst["samples_ns"][build].as_array().unwrap().len(), 12);
        }
        let near = |value: &serde_json::Value, expected: f64| {
            assert!((value.as_f64().unwrap() - expected).abs() < 1e-9, "{value} is not {expected}");
        };
        near(&worst["overhead_pct"], 10.25);
        near(&worst["ci95_pct"][0], 10.25);
        near(&worst["ci95_pct"][1], 10.25);
        near(&worst["vs_plain_pct"], 0.0);
        near(&worst["instructions_pct"], 1.0);
        near(&worst["code_size_pct"], 10.0);
        for key in ["p50", "p99", "p999", "sd", "mean", "max", "excluded_pct"] {
            assert!(worst["quantum_5us"][key].is_f64(), "{key}");
        }
        assert!(worst["quantum_2us"].is_null());
        near(&json["max_pct"], 10.25);
        near(&json["geomean_pct"], (1.1025f64.cbrt() - 1.0) * 100.0);
    }
}
