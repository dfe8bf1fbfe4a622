//! One worker's counters and histograms: written on its thread, merged after the run.

use hdrhistogram::Histogram;

use super::{ClassStatistics, SLOWDOWN_SCALE};
use crate::id::Class;
use crate::request::Status;
use crate::sys::clock::{Clock, Nanos, Ticks, Tsc};

/// Longest time that histograms tell apart from longer ones.
const LONGEST: Nanos = Nanos::from_millis(100_000);

/// A histogram of nanoseconds (or of thousandths) to three digits; recording never allocates.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST.0, 3).expect("constant bounds that the type allows")
}

fn record(histogram: &mut Histogram<u64>, value: u64) {
    histogram.saturating_record(value);
}

/// The name of the class of requests that the service cannot name.
const UNKNOWN: &str = "unknown";

/// How a worker's turns follow each other.
#[derive(Debug)]
pub(crate) struct Turns {
    pub(crate) turnaround: Histogram<u64>,
    pub(crate) count: u64,
    pub(crate) between: Ticks,
    /// When the last one ended, and whether by preemption.
    last: Option<(Tsc, bool)>,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { turnaround: histogram(), count: 0, between: Ticks(0), last: None }
    }

    /// A turn begins.
    #[inline]
    pub(crate) fn begin(&mut self, clock: Clock, start: Tsc) {
        self.count += 1;
        let Some((ended, was_preempted)) = self.last else { return };
        let gap = start.since(ended);
        self.between = self.between + gap;
        if was_preempted {
            record(&mut self.turnaround, clock.nanos(gap).0);
        }
    }

    /// It has ended.
    #[inline]
    pub(crate) fn end(&mut self, ended: Tsc, was_preempted: bool) {
        self.last = Some((ended, was_preempted));
    }

    pub(crate) fn merge(&mut self, other: &Turns) {
        self.count += other.count;
        self.between = self.between + other.between;
        merge(&mut self.turnaround, &other.turnaround);
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct WorkerRecorder {
    /// The last one is that of unknown requests.
    classes: Vec<ClassStatistics>,
    preemptions: u64,
    achieved_quantum: Histogram<u64>,
}

impl WorkerRecorder {
    pub(crate) fn new(names: &[String]) -> Self {
        let class = |name: &String| ClassStatistics {
            name: name.clone(),
            offered: 0,
            answered: 0,
            errors: 0,
            panics: 0,
            dropped: 0,
            sojourn: histogram(),
            service: histogram(),
            slowdown_thousandths: histogram(),
        };
        let unknown = UNKNOWN.to_owned();
        let classes = names.iter().chain([&unknown]).map(class).collect();
        Self { classes, preemptions: 0, achieved_quantum: histogram() }
    }

    /// A turn was ended by preemption after `ran`.
    pub(crate) fn preempted(&mut self, ran: Nanos) {
        self.preemptions += 1;
        record(&mut self.achieved_quantum, ran.0);
    }

    /// A request was answered.
    pub(crate) fn answered(&mut self, class: Class, status: Status, sojourn: Nanos, service: Nanos) {
        let known = self.classes.len() - 1;
        let class = &mut self.classes[class.index_among(known)];
        class.answered += 1;
        class.errors += u64::from(status != Status::Ok);
        class.panics += u64::from(status == Status::Panicked);
        record(&mut class.sojourn, sojourn.0);
        record(&mut class.service, service.0);
        let slowdown = sojourn.0 as f64 / service.0.max(1) as f64;
        record(&mut class.slowdown_thousandths, (slowdown * SLOWDOWN_SCALE) as u64);
    }

    /// Adds another worker's figures.
    pub(crate) fn merge(&mut self, other: &WorkerRecorder) {
        self.preemptions += other.preemptions;
        merge(&mut self.achieved_quantum, &other.achieved_quantum);
        for (mine, theirs) in self.classes.iter_mut().zip(&other.classes) {
            mine.answered += theirs.answered;
            mine.errors += theirs.errors;
            mine.panics += theirs.panics;
            merge(&mut mine.sojourn, &theirs.sojourn);
            merge(&mut mine.service, &theirs.service);
            merge(&mut mine.slowdown_thousandths, &theirs.slowdown_thousandths);
        }
    }

    pub(crate) fn into_parts(self) -> (Vec<ClassStatistics>, u64, Histogram<u64>) {
        (self.classes, self.preemptions, self.achieved_quantum)
    }
}

fn merge(into: &mut Histogram<u64>, from: &Histogram<u64>) {
    into.add(from).expect("all histograms have the same bounds");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_say_what_passed_between_them() {
        let clock = Clock::get();
        let (mut turns, mut all) = (Turns::new(), Turns::new());
        for (start, ended, was_preempted) in [(0, 100, true), (130, 200, false), (210, 300, true)] {
            turns.begin(clock, Tsc(start));
            turns.end(Tsc(ended), was_preempted);
        }
        all.merge(&turns);
        assert_eq!((all.count, all.between, all.turnaround.len()), (3, Ticks(40), 1));
    }

    #[test]
    fn merged_recorders_hold_both_workers_figures() {
        let names = ["a".to_owned(), "b".to_owned()];
        let (mut one, mut two) = (WorkerRecorder::new(&names), WorkerRecorder::new(&names));
        one.answered(Class(0), Status::Ok, Nanos(3_000), Nanos(1_000));
        two.answered(Class(0), Status::Panicked, Nanos(500), Nanos(500));
        two.answered(Class(1), Status::Error, Nanos(10), Nanos(0));
        two.preempted(Nanos(5_000));
        one.merge(&two);
        let (classes, preemptions, achieved) = one.into_parts();
        assert_eq!((classes[0].answered, classes[0].errors, classes[0].panics), (2, 1, 1));
        assert_eq!((classes[1].answered, classes[1].errors, classes[1].panics), (1, 1, 0));
        assert_eq!((preemptions, achieved.len()), (1, 1));
        assert!((classes[0].slowdown_at(1.0) - 3.0).abs() < 0.01);
    }
}
