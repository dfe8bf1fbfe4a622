//! Open-loop Poisson arrivals.

use rand::Rng;
use rand_distr::{Distribution, Exp1};

/// Endless arrival times of a Poisson process.
///
/// With the same random numbers a higher rate gives the same pattern, only denser: two runs at different
/// loads differ in nothing else.
pub struct Poisson<R> {
    rng: R,
    now_ns: f64,
}

impl<R: Rng> Poisson<R> {
    /// Starts at time 0.
    pub fn new(rng: R) -> Self {
        Self { rng, now_ns: 0.0 }
    }

    /// The last arrival, in nanoseconds since the start; 0 before the first.
    pub fn now_ns(&self) -> f64 {
        self.now_ns
    }

    /// The next arrival, in nanoseconds since the start, when arrivals come at `rate` per second.
    pub fn next_ns(&mut self, rate: f64) -> f64 {
        let gap: f64 = Exp1.sample(&mut self.rng);
        self.now_ns += gap * 1e9 / rate;
        self.now_ns
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let mut arrivals = Poisson::new(ChaCha8Rng::seed_from_u64(7));
        let times: Vec<f64> = (0..50_000).map(|_| arrivals.next_ns(1e6)).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean - 1_000.0).abs() < 30.0, "mean {mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.05, "coefficient of variation");
    }
}
