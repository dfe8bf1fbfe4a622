//! Latency over time, and how reservations follow.

use anyhow::Result;
use concord_bench::sim::{Answered, Observer, Report, Study};
use concord_bench::stats::Distribution;
use serde::Serialize;

/// Parts of a run for which latencies are taken together.
const PARTS: usize = 100;

/// One run over time.
#[derive(Debug, Serialize)]
pub(super) struct Timeline {
    /// Length of the run.
    pub(super) seconds: f64,
    /// When each phase ends.
    pub(super) phase_ends: Vec<f64>,
    pub(super) classes: Vec<ClassLine>,
    /// Each time that workers were reserved anew.
    pub(super) updates: Vec<Update>,
    /// How long after the start of each phase but the first the first new reservation came, in milliseconds;
    /// `null` without one.
    pub(super) adapted_ms: Vec<Option<f64>>,
}

/// One class over time, by arrival.
#[derive(Debug, Serialize)]
pub(super) struct ClassLine {
    pub(super) name: String,
    /// 99.9th percentile of the sojourn time of each part; `null` where nothing arrived.
    pub(super) p999_us: Vec<Option<f64>>,
}

/// Reservations from a moment on.
#[derive(Debug, Serialize)]
pub(super) struct Update {
    pub(super) second: f64,
    /// Workers that each class has to itself.
    pub(super) reserved: Vec<usize>,
}

impl Timeline {
    /// Workers that `class` had to itself when a phase (from 1) ended.
    pub(super) fn reserved(&self, class: &str, phase: usize) -> Option<f64> {
        let class = self.classes.iter().position(|own| own.name == class)?;
        let end = *self.phase_ends.get(phase - 1)?;
        let last = self.updates.iter().rfind(|update| update.second <= end)?;
        Some(last.reserved[class] as f64)
    }
}

struct OverTime {
    part_ns: u64,
    /// By class, then by part.
    sojourns: Vec<Vec<Distribution>>,
}

impl Observer for OverTime {
    fn answered(&mut self, answered: Answered) {
        let part = ((answered.arrival / self.part_ns) as usize).min(PARTS - 1);
        self.sojourns[usize::from(answered.class)][part].add(answered.sojourn as f64);
    }
}

/// Runs `study` at `load` with its first seed.
///
/// # Errors
/// When the setup is impossible.
pub(super) fn run(study: &Study<'_>, load: f64) -> Result<Timeline> {
    let (seconds, source) = (study.load.seconds, study.load.source);
    let classes = source.classes();
    let parts = || (0..PARTS).map(|_| Distribution::whole()).collect();
    let part_ns = ((seconds * 1e9) as u64 / PARTS as u64).max(1);
    let mut observer = OverTime { part_ns, sojourns: classes.iter().map(|_| parts()).collect() };
    let outcome = study.run(load, 1, &mut observer)?;
    let phases = source.rates(load, study.setup.workers)?.len();
    let phase_ends: Vec<f64> = (1..=phases).map(|phase| seconds * phase as f64 / phases as f64).collect();
    let updates = updates(&outcome.report, classes.len());
    let adapted_ms = adapted(&updates, &phase_ends);
    let line = |(name, parts): (String, Vec<Distribution>)| ClassLine {
        name,
        p999_us: parts.iter().map(|part| (!part.is_empty()).then(|| part.quantile(0.999) / 1e3)).collect(),
    };
    let classes = classes.into_iter().zip(observer.sojourns).map(line).collect();
    Ok(Timeline { seconds, phase_ends, classes, updates, adapted_ms })
}

fn updates(report: &Report, classes: usize) -> Vec<Update> {
    let update = |update: &concord_bench::sim::ReservationUpdate| {
        let mut reserved = vec![0; classes];
        for group in &update.groups {
            for class in &group.classes {
                if let Some(count) = reserved.get_mut(class.index()) {
                    *count = group.reserved.len();
                }
            }
        }
        Update { second: update.at.0 as f64 / 1e9, reserved }
    };
    report.updates.iter().map(update).collect()
}

/// Of each phase but the first: when the first update after its start that changed anything came.
fn adapted(updates: &[Update], phase_ends: &[f64]) -> Vec<Option<f64>> {
    let phase = |bounds: &[f64]| {
        let (start, end) = (bounds[0], bounds[1]);
        let before = updates.iter().rfind(|update| update.second <= start).map(|update| &update.reserved);
        let within = updates.iter().filter(|update| update.second > start && update.second <= end);
        within
            .filter(|update| before != Some(&update.reserved))
            .map(|update| (update.second - start) * 1e3)
            .next()
    };
    phase_ends.windows(2).map(phase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_adapted_to_by_the_first_update_that_changes_something() {
        let update = |second, reserved: [usize; 2]| Update { second, reserved: reserved.to_vec() };
        let updates =
            [update(0.4, [13, 1]), update(5.2, [13, 1]), update(5.5, [1, 13]), update(10.1, [2, 12])];
        let adapted = adapted(&updates, &[5.0, 10.0, 15.0, 20.0]);
        assert_eq!(adapted.len(), 3);
        assert!((adapted[0].unwrap() - 500.0).abs() < 1e-6 && (adapted[1].unwrap() - 100.0).abs() < 1e-6);
        assert_eq!(adapted[2], None);
    }
}
