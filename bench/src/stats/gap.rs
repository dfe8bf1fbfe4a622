//! Intervals in which the host ran something else on one of our processors.

use crate::results::Stolen;

/// A gap this long leaves a backlog behind, in nanoseconds.
pub const BACKLOG_NS: u64 = 100_000;

/// Intervals `[start, end)` in nanoseconds since the run's start, of any thread.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    /// Sorted by start, neither touching nor overlapping.
    merged: Vec<(u64, u64)>,
    /// Of the intervals as they were given.
    stolen: Stolen,
}

impl Gaps {
    /// Takes the intervals of all `threads` threads of a run of `span_ns`; empty ones do not count.
    pub fn new(intervals: impl IntoIterator<Item = (u64, u64)>, threads: usize, span_ns: u64) -> Self {
        let mut sorted: Vec<(u64, u64)> = intervals.into_iter().filter(|(start, end)| start < end).collect();
        sorted.sort_unstable();
        let lengths = sorted.iter().map(|(start, end)| end - start);
        let total_ns = lengths.clone().sum();
        let available = (threads as f64 * span_ns as f64).max(1.0);
        let stolen = Stolen {
            gaps: sorted.len() as u64,
            total_ns,
            longest_ns: lengths.max().unwrap_or(0),
            pct: 100.0 * total_ns as f64 / available,
        };
        Self { merged: merge(sorted), stolen }
    }

    /// The same gaps, those of at least [`BACKLOG_NS`] drawn out until their backlog is worked off: to the first
    /// moment after them at which no request was under way. `requests` are the begin and end of each, in order
    /// of begin.
    pub fn with_backlogs(&self, requests: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let busy = merge(requests);
        let drawn_out = |&(start, end): &(u64, u64)| {
            let period = busy.get(busy.partition_point(|period| period.1 <= end));
            let end = match period {
                Some(period) if end - start >= BACKLOG_NS && period.0 <= end => period.1,
                _ => end,
            };
            (start, end)
        };
        Self { merged: merge(self.merged.iter().map(drawn_out)), stolen: self.stolen }
    }

    /// Whether `[start, end]` and some gap have a moment in common.
    pub fn overlap(&self, start: u64, end: u64) -> bool {
        let first_ending_later = self.merged.partition_point(|gap| gap.1 <= start);
        self.merged.get(first_ending_later).is_some_and(|gap| gap.0 <= end)
    }

    /// How much was taken away.
    pub fn stolen(&self) -> Stolen {
        self.stolen
    }
}

/// Unites intervals, sorted by start, that overlap or touch.
fn merge(sorted: impl IntoIterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in sorted {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backlog_lasts_until_no_request_is_under_way() {
        let long = BACKLOG_NS;
        let gaps =
            Gaps::new([(1_000, 1_010), (2_000, 2_000 + long), (900_000, 900_000 + long)], 1, 2_000_000);
        let requests = [(500, 1_500), (3_000, 150_000), (140_000, 250_000), (300_000, 310_000)];
        let settled = gaps.with_backlogs(requests);
        // The short gap stays; the first long one lasts to the end of its busy period; the second met no request.
        assert_eq!(settled.merged, [(1_000, 1_010), (2_000, 250_000), (900_000, 900_000 + long)]);
        assert_eq!(settled.stolen(), gaps.stolen(), "what was stolen stays what it was");
    }

    #[test]
    fn overlap_is_exact_at_the_edges() {
        let gaps = Gaps::new([(100, 200), (400, 500)], 1, 1_000);
        for (start, end, overlaps) in [
            (0, 99, false),
            (0, 100, true),
            (150, 160, true),
            (199, 300, true),
            (200, 399, false),
            (0, 1_000, true),
            (250, 450, true),
            (500, 900, false),
        ] {
            assert_eq!(gaps.overlap(start, end), overlaps, "[{start}, {end}]");
        }
        assert!(!Gaps::default().overlap(0, u64::MAX));
    }

    #[test]
    fn gaps_of_several_threads_merge_for_the_overlap_and_add_up_for_the_sum() {
        let gaps = Gaps::new([(300, 400), (100, 250), (200, 300), (700, 700)], 2, 1_000);
        assert_eq!(gaps.merged, [(100, 400)]);
        assert_eq!(gaps.stolen(), Stolen { gaps: 3, total_ns: 350, longest_ns: 150, pct: 17.5 });
    }
}
