//! Intervals of time, and finding those that a spinning thread did not run in.

use crate::sys::clock::{Clock, Nanos, Ticks, Tsc};

/// A stretch of time, in nanoseconds since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Begin.
    pub start: Nanos,
    /// End.
    pub end: Nanos,
}

impl Interval {
    /// Its length.
    pub fn length(self) -> Nanos {
        self.end - self.start
    }

    /// Whether the two share a moment.
    pub fn overlaps(self, other: Interval) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    pub(crate) fn new(clock: Clock, epoch: Tsc, start: Tsc, end: Tsc) -> Self {
        Self { start: clock.nanos(start.since(epoch)), end: clock.nanos(end.since(epoch)) }
    }
}

/// Intervals that one log keeps; more are counted.
const LOG_LIMIT: usize = 1 << 14;

/// Intervals with a name each, in a buffer made before the run.
#[derive(Debug)]
pub(crate) struct IntervalLog<N = ()> {
    entries: Vec<(N, Tsc, Tsc)>,
    lost: u64,
}

impl<N: Copy> IntervalLog<N> {
    pub(crate) fn new() -> Self {
        Self { entries: Vec::with_capacity(LOG_LIMIT), lost: 0 }
    }

    pub(crate) fn push(&mut self, name: N, start: Tsc, end: Tsc) {
        if self.entries.len() < LOG_LIMIT {
            self.entries.push((name, start, end));
        } else {
            self.lost += 1;
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    pub(crate) fn intervals(&self, clock: Clock, epoch: Tsc) -> Vec<(N, Interval)> {
        let interval = |&(name, start, end)| (name, Interval::new(clock, epoch, start, end));
        self.entries.iter().map(interval).collect()
    }
}

/// Watches the clock readings of a spinning loop: two that are far apart have stolen time between them.
#[derive(Debug)]
pub(crate) struct GapDetector {
    threshold: Ticks,
    last: Option<Tsc>,
    /// Whether the next gap is known to be no theft.
    is_excused: bool,
    longest: Ticks,
    log: IntervalLog,
}

impl GapDetector {
    pub(crate) fn new(threshold: Ticks) -> Self {
        Self { threshold, last: None, is_excused: false, longest: Ticks(0), log: IntervalLog::new() }
    }

    /// The loop has read the clock.
    pub(crate) fn tick(&mut self, now: Tsc) {
        let is_excused = std::mem::take(&mut self.is_excused);
        if let Some(last) = self.last.replace(now) {
            let gap = now.since(last);
            self.longest = self.longest.max(gap);
            if gap > self.threshold && !is_excused {
                self.log.push((), last, now);
            }
        }
    }

    /// The loop is about to do something that may take long by itself: the next gap is no theft.
    pub(crate) fn pause(&mut self) {
        self.last = None;
    }

    /// The loop is about to do some other work: the next gap is no theft, however long, but counts as a gap.
    pub(crate) fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// The longest gap, with those below the threshold.
    pub(crate) fn longest(&self) -> Ticks {
        self.longest
    }

    pub(crate) fn log(&self) -> &IntervalLog {
        &self.log
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_gaps_over_the_threshold_are_logged() {
        let mut gaps = GapDetector::new(Ticks(10));
        for now in [100, 110, 121, 125] {
            gaps.tick(Tsc(now));
        }
        gaps.pause();
        gaps.tick(Tsc(1_000));
        gaps.tick(Tsc(1_050));
        gaps.excuse();
        gaps.tick(Tsc(1_110));
        gaps.tick(Tsc(1_120));
        assert_eq!(gaps.log().entries, [((), Tsc(110), Tsc(121)), ((), Tsc(1_000), Tsc(1_050))]);
        assert_eq!(gaps.longest(), Ticks(60));
    }

    #[test]
    fn a_full_log_counts_what_it_loses() {
        let mut log = IntervalLog::new();
        for _ in 0..LOG_LIMIT + 3 {
            log.push((), Tsc(0), Tsc(1));
        }
        assert_eq!((log.entries.len(), log.lost()), (LOG_LIMIT, 3));
    }

    #[test]
    fn intervals_overlap_when_they_share_a_moment() {
        let interval = |start, end| Interval { start: Nanos(start), end: Nanos(end) };
        assert!(interval(10, 20).overlaps(interval(15, 16)));
        assert!(interval(10, 20).overlaps(interval(20, 30)));
        assert!(!interval(10, 20).overlaps(interval(21, 30)));
    }
}
