//! Whether a run kept its schedule.
//!
//! An open-loop generator that falls behind sends a gentler load than it claims. Latencies count from the
//! intended time, so a late request is never flattered; but when many are late, the run is void.

use super::Distribution;
use crate::results::Adherence;

/// Least share of requests on time, in percent, for a run to count.
pub const LEAST_KEPT_PCT: f64 = 95.0;

/// Judges a run by how late each of its requests was sent (0 when early), in nanoseconds.
pub fn judge(lateness_ns: impl IntoIterator<Item = u64>, tolerance_ns: u64) -> Adherence {
    let mut late = Distribution::whole();
    let mut kept = 0_u64;
    for lateness in lateness_ns {
        kept += u64::from(lateness <= tolerance_ns);
        late.add(lateness as f64);
    }
    let kept_pct = if late.is_empty() { 100.0 } else { 100.0 * kept as f64 / late.len() as f64 };
    Adherence {
        kept_pct,
        tolerance_ns,
        late_p99_ns: late.quantile(0.99) as u64,
        void: kept_pct < LEAST_KEPT_PCT,
    }
}

/// One line for people.
pub fn describe(adherence: Adherence) -> String {
    format!(
        "schedule: {:.2} % of the requests sent within {} us of their intended time (p99 {:.1} us late){}",
        adherence.kept_pct,
        adherence.tolerance_ns as f64 / 1e3,
        adherence.late_p99_ns as f64 / 1e3,
        if adherence.void {
            format!("; below {LEAST_KEPT_PCT} %, THE RUN IS VOID: lower the rate or free a core")
        } else {
            String::new()
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_void_below_95_percent() {
        let late = |on_time: usize| (0..100).map(move |index| if index < on_time { 10 } else { 11 });
        let kept = judge(late(95), 10);
        assert_eq!((kept.kept_pct, kept.void), (95.0, false));
        assert!(!describe(kept).contains("VOID"));
        let void = judge(late(94), 10);
        assert_eq!((void.kept_pct, void.void, void.late_p99_ns), (94.0, true, 11));
        assert!(describe(void).contains("VOID"));
    }

    #[test]
    fn nothing_sent_is_nothing_late() {
        assert!(!judge([], 10).void);
    }
}
