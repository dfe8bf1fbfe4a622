//! Ratios of medians with 95 % confidence intervals.
//!
//! Runs within one process share its addresses, so they are not independent: the intervals come from a
//! bootstrap over whole lives of processes (Efron 1979, percentile method), in which the two builds of a ratio
//! are drawn together, because a slow minute of the machine met both.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

const RESAMPLES: usize = 1_000;

/// A ratio and its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    /// Median of one over median of the other.
    pub(super) value: f64,
    /// Lower and upper end of the 95 % interval.
    pub(super) interval: (f64, f64),
}

impl Ratio {
    /// Width of the interval as a share of the base.
    pub(super) fn width(&self) -> f64 {
        self.interval.1 - self.interval.0
    }
}

/// The median; NaN when there is no value.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if is_even { (below.iter().copied().fold(f64::NEG_INFINITY, f64::max) + *upper) / 2.0 } else { *upper }
}

/// `own` over `base`, each a list of samples per life; life by life the two ran side by side.
///
/// The same samples give the same interval.
pub(super) fn ratio(own: &[Vec<f64>], base: &[Vec<f64>]) -> Ratio {
    let lives = own.len().min(base.len());
    let of = |chosen: &[usize]| median(pooled(own, chosen)) / median(pooled(base, chosen));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let chosen: Vec<usize> =
                (0..lives).map(|_| (random.next_u64() % lives as u64) as usize).collect();
            of(&chosen)
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let tail = RESAMPLES / 40;
    let all: Vec<usize> = (0..lives).collect();
    Ratio { value: of(&all), interval: (ratios[tail], ratios[RESAMPLES - 1 - tail]) }
}

fn pooled(lives: &[Vec<f64>], chosen: &[usize]) -> Vec<f64> {
    chosen.iter().flat_map(|life| lives[*life].iter().copied()).collect()
}

/// Of ratios given as percents; less than nothing counts as nothing.
pub(super) fn geomean_pct(percents: impl IntoIterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> =
        percents.into_iter().map(|percent| (percent.max(0.0) / 100.0).ln_1p()).collect();
    let mean = logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64;
    mean.exp_m1() * 100.0
}

/// A ratio as a percentage above 1.
pub(super) fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `lives` of 20 samples around `centre`, noise of `noise` in each and of `between` from life to life.
    fn samples(seed: u64, lives: usize, centre: f64, noise: f64, between: f64) -> Vec<Vec<f64>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut unit = move || random.next_u64() as f64 / u64::MAX as f64 - 0.5;
        (0..lives)
            .map(|_| {
                let own = centre + between * unit();
                (0..20).map(|_| own + noise * unit()).collect()
            })
            .collect()
    }

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(vec![7.0]), 7.0);
        assert!(median(vec![]).is_nan());
    }

    #[test]
    fn a_known_ratio_lies_in_its_interval_and_more_lives_narrow_it() {
        let of = |lives| ratio(&samples(1, lives, 103.0, 4.0, 2.0), &samples(2, lives, 100.0, 4.0, 2.0));
        let (few, many) = (of(5), of(80));
        for ratio in [few, many] {
            assert!(ratio.interval.0 <= ratio.value && ratio.value <= ratio.interval.1, "{ratio:?}");
        }
        assert!(many.interval.0 < 1.03 && 1.03 < many.interval.1, "{many:?}");
        assert!(many.width() < few.width() && many.width() < 0.01, "{few:?} {many:?}");
    }

    #[test]
    fn the_interval_covers_the_truth_about_as_often_as_it_says() {
        let covers = |seed: u64| {
            let (low, high) =
                ratio(&samples(2 * seed, 15, 100.0, 1.0, 3.0), &samples(2 * seed + 1, 15, 100.0, 1.0, 3.0))
                    .interval;
            low <= 1.0 && 1.0 <= high
        };
        let covered = (10..50).filter(|seed| covers(*seed)).count();
        assert!((32..=40).contains(&covered), "{covered} of 40");
    }

    #[test]
    fn differences_between_lives_widen_the_interval() {
        let quiet = ratio(&samples(3, 10, 100.0, 1.0, 0.0), &samples(4, 10, 100.0, 1.0, 0.0));
        let uneven = ratio(&samples(3, 10, 100.0, 1.0, 10.0), &samples(4, 10, 100.0, 1.0, 10.0));
        assert!(uneven.width() > 3.0 * quiet.width(), "{quiet:?} {uneven:?}");
    }

    #[test]
    fn gains_count_as_nothing_in_the_mean() {
        assert!((geomean_pct([21.0, -50.0]) - 10.0).abs() < 1e-9, "the root of 1.21");
        assert_eq!(geomean_pct([]), 0.0);
        assert!((percent(1.034) - 3.4).abs() < 1e-9);
    }
}
