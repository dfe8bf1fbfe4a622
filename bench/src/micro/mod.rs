//! Micro-benchmarks: what the parts of the runtime cost by themselves, on this machine.
//!
//! Figures of one thread are the least of many batches: what the host and other programs take only ever adds.

pub mod flood;
mod parts;
mod preemption;

use serde::{Deserialize, Serialize};

use concord::{Assist, Config, Error, Preemption};

pub use parts::{PARTS, Part, part};

/// What `concord-micro --json` writes. Times in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Micro {
    /// A probe that finds its line clear.
    pub probe_ns: f64,
    /// One reading of the clock.
    pub clock_ns: f64,
    /// A switch to a task and back.
    pub switch_pair_ns: f64,
    /// A push to a ring and the pop of it, on one thread.
    pub ring_push_pop_ns: f64,
    /// A value handed to another core and one handed back.
    pub ring_round_trip_ns: f64,
    /// A dispatcher's steps for one request, with one worker and with 64.
    pub dispatch_step_ns: f64,
    /// See `dispatch_step_ns`.
    pub dispatch_step_64_workers_ns: f64,
    /// Classification of a synthetic request by its bytes.
    pub classify_ns: f64,
    /// From the writing to a line to the begin of the worker's next turn: medians of both halves, added.
    pub preempt_to_next_ns_p50: f64,
    /// Its first half: from the writing to the line until the task had left the worker.
    pub notification_ns_p50: f64,
    /// The same as `preempt_to_next_ns_p50`, by POSIX signals.
    pub signal_preempt_ns_p50: f64,
    /// The same by emulated interrupts of Shinjuku's cost.
    pub emulated_interrupt_preempt_ns_p50: f64,
    /// Requests per second with empty handlers and one worker, k derived: the best of several runs.
    pub empty_handler_rps: f64,
    /// The same by k.
    pub by_depth: Vec<ByDepth>,
}

/// Empty handlers at one k.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByDepth {
    /// k; 0: derived.
    pub jbsq_depth: usize,
    /// Requests per second.
    pub rps: f64,
    /// Mean time of the worker between two requests, polling included.
    pub worker_idle_ns: f64,
}

/// k of the runs with empty handlers; `None`: derived.
const DEPTHS: [Option<usize>; 6] = [Some(1), Some(2), Some(4), Some(8), Some(16), None];

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Batches of each part.
    pub batches: u32,
    /// Requests of each run with empty handlers, and runs for each k.
    pub requests: u64,
    /// See `requests`.
    pub runs: u32,
}

impl Effort {
    /// Some ten seconds.
    pub const FULL: Self = Self { batches: 60, requests: 200_000, runs: 5 };
    /// About a second.
    pub const QUICK: Self = Self { batches: 8, requests: 100_000, runs: 2 };
}

/// Measures everything.
///
/// # Errors
/// When a server cannot run.
pub fn measure(effort: Effort) -> Result<Micro, Error> {
    let time = |name: &str| parts::least_ns(part(name).expect("it is one of the parts"), effort.batches);
    let by_depth = DEPTHS.into_iter().map(|depth| empty_handlers(depth, effort));
    let by_depth = by_depth.collect::<Result<Vec<_>, _>>()?;
    let line = preemption::median(Preemption::Line)?;
    let interrupt = Preemption::EmulatedInterrupt { cycles: Preemption::SHINJUKU_CYCLES };
    Ok(Micro {
        probe_ns: time("probe"),
        clock_ns: time("clock"),
        switch_pair_ns: time("switch_pair"),
        ring_push_pop_ns: time("ring_push_pop"),
        ring_round_trip_ns: time("ring_round_trip"),
        dispatch_step_ns: time("dispatch_step"),
        dispatch_step_64_workers_ns: time("dispatch_step_64_workers"),
        classify_ns: time("classify"),
        preempt_to_next_ns_p50: line.to_next(),
        notification_ns_p50: line.notification,
        signal_preempt_ns_p50: preemption::median(Preemption::Signal)?.to_next(),
        emulated_interrupt_preempt_ns_p50: preemption::median(interrupt)?.to_next(),
        empty_handler_rps: by_depth.last().map_or(0.0, |derived| derived.rps),
        by_depth,
    })
}

fn empty_handlers(depth: Option<usize>, effort: Effort) -> Result<ByDepth, Error> {
    let config = Config {
        quantum: None,
        assist: Assist::Off,
        jbsq_depth: depth,
        queue_bound: 1_024,
        ..Config::default()
    };
    let mut best = ByDepth { jbsq_depth: depth.unwrap_or(0), rps: 0.0, worker_idle_ns: f64::INFINITY };
    for _ in 0..effort.runs {
        let statistics = flood::flood(effort.requests, config.clone())?;
        let rps = statistics.answered() as f64 / statistics.elapsed.as_secs().max(1e-9);
        if rps > best.rps {
            let idle = statistics.between_turns.0 as f64 / statistics.turns.max(1) as f64;
            best = ByDepth { rps, worker_idle_ns: idle, ..best };
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_measured() {
        let micro = measure(Effort { batches: 1, requests: 2_000, runs: 1 }).unwrap();
        assert_eq!(micro.by_depth.len(), DEPTHS.len());
        let json = serde_json::to_value(&micro).unwrap();
        for (name, value) in json.as_object().unwrap() {
            assert!(!value.is_number() || value.as_f64().unwrap() > 0.0, "{name} = {value}");
        }
    }
}
