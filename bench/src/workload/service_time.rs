//! How long a request of a synthetic class works.

use rand::Rng;
use rand_distr::{Distribution, Exp1};

/// A distribution of service times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServiceTime {
    /// Always the same, in nanoseconds.
    Fixed(f64),
    /// Exponential with this mean, in nanoseconds.
    Exponential(f64),
}

impl ServiceTime {
    /// Always `us` microseconds.
    pub const fn fixed_us(us: f64) -> Self {
        Self::Fixed(us * 1e3)
    }

    /// Mean in nanoseconds.
    pub fn mean_ns(self) -> f64 {
        match self {
            Self::Fixed(ns) | Self::Exponential(ns) => ns,
        }
    }

    /// Draws one service time in whole nanoseconds, at least 1.
    ///
    /// A fixed time draws too, so that the next class's times do not depend on how many came before.
    pub fn sample_ns(self, rng: &mut impl Rng) -> u64 {
        let factor: f64 = Exp1.sample(rng);
        let ns = match self {
            Self::Fixed(ns) => ns,
            Self::Exponential(mean) => mean * factor,
        };
        (ns.round() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn samples_have_the_stated_mean() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert_eq!(ServiceTime::fixed_us(0.5).sample_ns(&mut rng), 500);
        let exponential = ServiceTime::Exponential(1_000.0);
        let sum: u64 = (0..100_000).map(|_| exponential.sample_ns(&mut rng)).sum();
        assert!((sum as f64 / 100_000.0 - 1_000.0).abs() < 20.0, "{sum}");
    }
}
