//! Service times from requests that ran one at a time.

use crate::results::ServiceTimes;

/// Samples above this multiple of their class's median are trimmed from the mean: they hold a host gap.
pub const TRIM_ABOVE_MEDIANS: f64 = 20.0;

/// Summarises the times of one class, in nanoseconds; `None` when there are none.
pub fn of_class(name: &str, times: &mut [u64]) -> Option<ServiceTimes> {
    times.sort_unstable();
    let median = *times.get(times.len() / 2)? as f64;
    let kept = &times[..times.partition_point(|time| *time as f64 <= median * TRIM_ABOVE_MEDIANS)];
    Some(ServiceTimes {
        name: name.into(),
        samples: times.len() as u64,
        median_ns: median,
        mean_ns: kept.iter().sum::<u64>() as f64 / kept.len() as f64,
        trimmed_pct: 100.0 * (times.len() - kept.len()) as f64 / times.len() as f64,
    })
}

/// What [`of_class`] trims, in words.
pub fn trimmed() -> String {
    format!("means leave out samples above {TRIM_ABOVE_MEDIANS} times their class's median (host gaps)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_leave_the_mean_and_are_counted() {
        let mut times = vec![100; 98];
        times.extend([200, 1_000_000]);
        let service = of_class("GET", &mut times).unwrap();
        assert_eq!((service.samples, service.median_ns), (100, 100.0));
        assert!((service.mean_ns - 10_000.0 / 99.0).abs() < 1e-9);
        assert!((service.trimmed_pct - 1.0).abs() < 1e-9);
        assert_eq!(of_class("GET", &mut []), None);
    }
}
