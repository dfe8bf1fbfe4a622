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

    /// Reads `GET=0.9,SCAN=0.1`, weights that need not add up to anything, or `short=0.9@1us,long=0.1@100us`, shares
    /// with service times, which must add up to 1.
    ///
    /// # Errors
    /// When a part is not of that form, a weight is not above zero, a class comes twice, or shares with service
    /// times do not add up to 1.
    pub fn parse(mix: &str) -> Result<Self, BenchError> {
        let error = |reason: String| BenchError::Mix { mix: mix.into(), reason };
        let mut classes: Vec<(String, f64, Option<ServiceTime>)> = Vec::new();
        for part in mix.split(',') {
            let (class, weight) =
                part.split_once('=').ok_or_else(|| error(format!("`{part}` has no weight")))?;
            let class = class.trim();
            let (weight, service) = match weight.split_once('@') {
                Some((weight, time)) => (weight, Some(parse_time(time.trim()).map_err(&error)?)),
                None => (weight, None),
            };
            let weight =
                weight.trim().parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight > 0.0);
            let weight = weight.ok_or_else(|| error(format!("`{part}` has no weight above 0")))?;
            if class.is_empty() || classes.iter().any(|(known, ..)| known == class) {
                return Err(error(format!("`{part}` names no class, or one that came before")));
            }
            classes.push((class.into(), weight, service));
        }
        let total: f64 = classes.iter().map(|(_, weight, _)| weight).sum();
        let timed = classes.iter().filter(|(.., service)| service.is_some()).count();
        if timed > 0 && timed < classes.len() {
            return Err(error("some classes have a service time and some have none".into()));
        }
        if timed > 0 && (total - 1.0).abs() > 1e-6 {
            return Err(error(format!("the shares add up to {total}, not to 1")));
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

/// `0.5us`: a number with its unit, which may have a fraction.
fn parse_time(text: &str) -> Result<ServiceTime, String> {
    let wrong = |problem: &str| format!("service time `{text}` {problem}, such as 0.5us, 20us or 1ms");
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(|| wrong("needs a unit"))?;
    let ns_per_unit = match &text[unit_at..] {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        _ => return Err(wrong("must be in ns, us or ms")),
    };
    match text[..unit_at].trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value * ns_per_unit >= 1.0 => {
            Ok(ServiceTime::Fixed(value * ns_per_unit))
        }
        _ => Err(wrong("must be a number of at least 1 ns")),
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
    fn shares_with_service_times_must_add_up() {
        let mix = Mix::parse("short=0.995@0.5us, long=0.005@500us").unwrap();
        assert_eq!(mix.mean_service_ns(|_| None), Ok(2_997.5));
        for (mix, part) in [
            ("a=0.5@1us,b=0.4@2us", "add up to 0.9"),
            ("a=0.5@1us,b=0.5", "some have none"),
            ("a=1@-5us", "at least 1 ns"),
            ("a=1@5", "needs a unit"),
            ("a=1@5s", "in ns, us or ms"),
            ("a=1@us", "at least 1 ns"),
        ] {
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
