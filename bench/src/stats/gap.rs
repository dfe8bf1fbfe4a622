//! Intervals in which the host ran something else on one of our processors.

use crate::results::Stolen;

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
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(sorted.len());
        for (start, end) in sorted {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        Self { merged, stolen }
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

#[cfg(test)]
mod tests {
    use super::*;

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
