//! Shares of classes in a workload.

use rand::{Rng, RngExt};

use super::ServiceTime;
use crate::error::BenchError;

/// One class of a mix.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The class's name, as the service calls it.
    pub class: String,
    /// Its share of the requests; the shares of a mix add up to 1.
    pub share: f64,
    /// How long its requests work, for services whose work is synthetic.
    pub service: Option<ServiceTime>,
}

/// Classes with shares that add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Mix {
    shares: Vec<Share>,
}

impl Mix {
    /// A mix of `classes`; weights need not add up to anything.
    ///
    /// # Panics
    /// When there is no class or a weight is not above zero.
    pub fn new(classes: impl IntoIterator<Item = (String, f64, Option<ServiceTime>)>) -> Self {
        let mut shares: Vec<Share> =
            classes.into_iter().map(|(class, share, service)| Share { class, share, service }).collect();
        assert!(!shares.is_empty() && shares.iter().all(|share| share.share > 0.0), "weights above 0");
        let total: f64 = shares.iter().map(|share| share.share).sum();
        for share in &mut shares {
            share.share /= total;
        }
        Self { shares }
    }

    /// Reads `GET=0.9,SCAN=0.1`.
    ///
    /// # Errors
    /// When a part is not `CLASS=WEIGHT`, a weight is not above zero, or a class comes twice.
    pub fn parse(mix: &str) -> Result<Self, BenchError> {
        let error = |reason: String| BenchError::Mix { mix: mix.into(), reason };
        let mut classes: Vec<(String, f64, Option<ServiceTime>)> = Vec::new();
        for part in mix.split(',') {
            let (class, weight) =
                part.split_once('=').ok_or_else(|| error(format!("`{part}` has no weight")))?;
            let class = class.trim();
            let weight =
                weight.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
            let weight = weight.ok_or_else(|| error(format!("`{part}` has no weight above 0")))?;
            if class.is_empty() || classes.iter().any(|(known, ..)| known == class) {
                return Err(error(format!("`{part}` names no class, or one that came before")));
            }
            classes.push((class.into(), weight, None));
        }
        Ok(Self::new(classes))
    }

    /// The classes, at least one.
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// Draws the index of one class.
    pub fn draw(&self, rng: &mut impl Rng) -> usize {
        let mut left: f64 = rng.random();
        let before_last = &self.shares[..self.shares.len() - 1];
        // The last class takes what rounding leaves over.
        before_last
            .iter()
            .position(|share| {
                left -= share.share;
                left < 0.0
            })
            .unwrap_or(before_last.len())
    }

    /// Mean service time in nanoseconds; `service_ns` is asked for classes without a time of their own.
    ///
    /// # Errors
    /// The class whose time is unknown.
    pub fn mean_service_ns(&self, service_ns: impl Fn(&str) -> Option<f64>) -> Result<f64, String> {
        self.shares.iter().try_fold(0.0, |mean, share| {
            let own = share.service.map(|service| service.mean_ns());
            let time = own.or_else(|| service_ns(&share.class)).ok_or_else(|| share.class.clone())?;
            Ok(mean + share.share * time)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn draws_follow_the_shares() {
        let mix = Mix::parse("GET=78,PUT=13,DELETE=6,SCAN=3").unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0_u32; 4];
        for _ in 0..100_000 {
            counts[mix.draw(&mut rng)] += 1;
        }
        for (count, share) in counts.iter().zip(mix.shares()) {
            let drawn = f64::from(*count) / 100_000.0;
            assert!((drawn - share.share).abs() < 0.01, "{counts:?}");
        }
    }

    #[test]
    fn a_malformed_mix_says_which_part() {
        for (mix, part) in
            [("GET=1,SCAN", "`SCAN`"), ("GET=-1", "`GET=-1`"), ("A=1,A=2", "`A=2`"), ("=1", "`=1`")]
        {
            let message = Mix::parse(mix).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn the_mean_asks_only_for_unknown_times() {
        let mix = Mix::new([("a".into(), 1.0, Some(ServiceTime::fixed_us(10.0))), ("b".into(), 3.0, None)]);
        assert_eq!(mix.mean_service_ns(|_| Some(2_000.0)), Ok(4_000.0));
        assert_eq!(mix.mean_service_ns(|_| None), Err("b".to_string()));
    }
}
