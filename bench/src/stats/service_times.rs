//! Service times from requests that ran one at a time.

use crate::results::ServiceTimes;

/// Samples further above the upper quartile than this many interquartile ranges are "far out" (Tukey,
/// "Exploratory Data Analysis", 1977) ...
const FAR_OUT: f64 = 3.0;
/// ... but never those below this multiple of the median, however narrow the rest is.
const NEVER_BELOW_MEDIANS: f64 = 2.0;

/// Summarises the times of one class, in nanoseconds; `None` when there are none.
pub fn of_class(name: &str, times: &mut [u64]) -> Option<ServiceTimes> {
    times.sort_unstable();
    let quantile = |quarters: usize| times.get(times.len() * quarters / 4).map(|time| *time as f64);
    let (lower, median, upper) = (quantile(1)?, quantile(2)?, quantile(3)?);
    let limit = (upper + FAR_OUT * (upper - lower)).max(NEVER_BELOW_MEDIANS * median);
    let kept = &times[..times.partition_point(|time| *time as f64 <= limit)];
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
    format!(
        "Mean service times leave out samples that hold a host gap: more than {FAR_OUT} interquartile ranges above the \
         upper quartile, and above {NEVER_BELOW_MEDIANS} medians."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_leave_the_mean_and_are_counted() {
        let mut times = vec![100; 98];
        times.extend([1_000_000, 200]);
        let service = of_class("GET", &mut times).unwrap();
        assert_eq!((service.samples, service.median_ns), (100, 100.0));
        assert!((service.mean_ns - 10_000.0 / 99.0).abs() < 1e-9);
        assert!((service.trimmed_pct - 1.0).abs() < 1e-9);
        assert_eq!(of_class("GET", &mut []), None);
    }

    #[test]
    fn a_wide_distribution_keeps_its_tail() {
        let mut times: Vec<u64> = (0..1_000).collect();
        assert_eq!(of_class("GET", &mut times).unwrap().trimmed_pct, 0.0);
    }
}
