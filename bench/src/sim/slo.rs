//! Throughput at a service level objective: the highest load at which a percentile of the slowdown keeps a limit.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::{Answered, Observer};

/// A limit on a percentile of the slowdown.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Slo {
    /// The share of the requests that must keep the limit, such as 0.999.
    pub quantile: f64,
    /// Sojourn time over service time at most.
    pub slowdown: f64,
    /// Whether each class must keep it, or all requests together.
    pub each_class: bool,
}

impl FromStr for Slo {
    type Err = String;

    /// Reads `p99.9:50`; `p99.9:50:each` asks it of each class.
    fn from_str(text: &str) -> Result<Self, String> {
        let advice = || {
            format!(
                "SLO `{text}`: write a percentile of the slowdown and its limit, such as p99.9:50, or p99.9:50:each for \
                 each class"
            )
        };
        let mut parts = text.trim().split(':');
        let percent =
            parts.next().and_then(|part| part.strip_prefix('p')).and_then(|part| part.parse::<f64>().ok());
        let slowdown = parts.next().and_then(|part| part.parse::<f64>().ok());
        let each_class = match parts.next() {
            None => false,
            Some("each") => true,
            Some(_) => return Err(advice()),
        };
        let (Some(percent), Some(slowdown), None) = (percent, slowdown, parts.next()) else {
            return Err(advice());
        };
        if !(percent > 0.0 && percent < 100.0 && slowdown >= 1.0 && slowdown.is_finite()) {
            return Err(format!("{}; percentiles are above 0 and below 100, limits at least 1", advice()));
        }
        Ok(Self { quantile: percent / 100.0, slowdown, each_class })
    }
}

impl TryFrom<String> for Slo {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Slo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // 0.999 * 100 has digits that nobody wrote.
        let percent = (self.quantile * 1e6).round() / 1e4;
        write!(f, "p{percent}:{}{}", self.slowdown, if self.each_class { ":each" } else { "" })
    }
}

/// Counts who keeps a limit, and nothing else: several times faster than a distribution.
pub struct Verdict {
    slo: Slo,
    warm_up_ns: u64,
    /// Per class: answered, and of these too slow.
    classes: Vec<(u64, u64)>,
    dropped: u64,
    /// With so many too slow in one class, the rest need not be run.
    hopeless: Vec<u64>,
    is_hopeless: bool,
}

impl Verdict {
    /// `expected` is about how many requests of each class will count.
    pub fn new(slo: Slo, warm_up_ns: u64, expected: &[f64]) -> Self {
        let all: f64 = expected.iter().sum();
        let hopeless = |count: &f64| {
            let allowed = (1.0 - slo.quantile) * if slo.each_class { *count } else { all };
            (2.0 * allowed + 20.0) as u64
        };
        Self {
            slo,
            warm_up_ns,
            classes: vec![(0, 0); expected.len()],
            dropped: 0,
            hopeless: expected.iter().map(hopeless).collect(),
            is_hopeless: false,
        }
    }

    /// Whether the limit was kept; a dropped request was not answered in any time.
    pub fn keeps(&self) -> bool {
        let keeps = |answered: u64, slow: u64| slow as f64 <= (1.0 - self.slo.quantile) * answered as f64;
        if self.is_hopeless || self.dropped > 0 {
            return false;
        }
        if self.slo.each_class {
            return self.classes.iter().all(|&(answered, slow)| keeps(answered, slow));
        }
        let sum = |part: fn(&(u64, u64)) -> u64| self.classes.iter().map(part).sum();
        keeps(sum(|class| class.0), sum(|class| class.1))
    }
}

impl Observer for Verdict {
    #[inline]
    fn answered(&mut self, answered: Answered) {
        if answered.arrival < self.warm_up_ns {
            return;
        }
        let index = usize::from(answered.class);
        let class = &mut self.classes[index];
        class.0 += 1;
        if answered.sojourn as f64 > self.slo.slowdown * answered.service as f64 {
            class.1 += 1;
            self.is_hopeless |= class.1 > self.hopeless[index];
        }
    }

    fn dropped(&mut self, _class: u16) {
        self.dropped += 1;
    }

    #[inline]
    fn is_done(&self) -> bool {
        self.is_hopeless || self.dropped > 0
    }
}

/// The highest load between the ends of `between` that `keeps`, to `tolerance`; the lower end when none does.
///
/// # Errors
/// The first error of `keeps`.
pub fn highest_load<E>(
    between: (f64, f64),
    tolerance: f64,
    mut keeps: impl FnMut(f64) -> Result<bool, E>,
) -> Result<f64, E> {
    let (mut low, mut high) = between;
    while high - low > tolerance {
        let middle = (low + high) / 2.0;
        if keeps(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slos_are_read_and_written() {
        for text in ["p99.9:50", "p99:10:each", "p99.99:2.5"] {
            assert_eq!(text.parse::<Slo>().unwrap().to_string(), text);
        }
        for text in
            ["", "99.9:50", "p99.9", "p100:50", "p0:1", "p99:0.5", "p99:x", "p99:5:all", "p99:5:each:1"]
        {
            assert!(text.parse::<Slo>().unwrap_err().contains("p99.9:50"), "{text}");
        }
    }

    fn verdict(slo: &str, samples: &[(u16, u64)]) -> Verdict {
        let mut verdict = Verdict::new(slo.parse().unwrap(), 10, &[100.0, 100.0]);
        for &(class, sojourn) in samples {
            verdict.answered(Answered { class, arrival: 10, sojourn, service: 100 });
        }
        verdict
    }

    #[test]
    fn a_limit_is_kept_by_all_or_by_each() {
        let one_slow_long: Vec<(u16, u64)> =
            [(1, 1_001), (1, 1_000)].into_iter().chain(vec![(0, 100); 98]).collect();
        assert!(verdict("p99:10", &one_slow_long).keeps());
        assert!(!verdict("p99:10:each", &one_slow_long).keeps());
        let mut dropped = verdict("p99:10", &one_slow_long);
        dropped.dropped(0);
        assert!(!dropped.keeps() && dropped.is_done());
        assert!(verdict("p99:10", &vec![(0, 5_000); 25]).is_done());
        let mut early = verdict("p99:10", &[]);
        early.answered(Answered { class: 0, arrival: 9, sojourn: 9_999, service: 1 });
        assert!(early.keeps(), "what arrives in the warm-up does not count");
    }

    #[test]
    fn the_highest_load_is_found() {
        let keeps = |limit: f64| move |load: f64| Ok::<_, ()>(load <= limit);
        assert!((highest_load((0.0, 1.0), 0.001, keeps(0.734)).unwrap() - 0.734).abs() <= 0.001);
        assert_eq!(highest_load((0.0, 1.0), 0.001, keeps(-1.0)), Ok(0.0));
        assert!(highest_load((0.0, 1.0), 0.001, keeps(2.0)).unwrap() > 0.998);
        assert_eq!(highest_load((0.0, 1.0), 0.1, |_| Err(7)), Err(7));
    }
}
