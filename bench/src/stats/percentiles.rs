//! A distribution with three significant digits.

use hdrhistogram::Histogram;

use crate::results::Percentiles;

/// Values of one kind; percentiles are exact to three significant digits.
pub struct Distribution {
    histogram: Histogram<u64>,
    scale: f64,
}

impl Distribution {
    /// For values that are whole numbers, such as nanoseconds.
    pub fn whole() -> Self {
        Self::scaled(1.0)
    }

    /// For ratios such as slowdowns: kept in thousandths.
    pub fn ratios() -> Self {
        Self::scaled(1e3)
    }

    fn scaled(scale: f64) -> Self {
        let histogram = Histogram::new(3).expect("three digits are within 0..=5");
        Self { histogram, scale }
    }

    /// Adds one value; negative ones count as 0.
    pub fn add(&mut self, value: f64) {
        let value = (value * self.scale).round() as u64;
        self.histogram.record(value).expect("a histogram made by `new` grows as it must");
    }

    /// Adds the values of `other`, which must be of the same kind.
    pub fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.scale, other.scale, "values of one kind");
        self.histogram.add(&other.histogram).expect("a histogram made by `new` grows as it must");
    }

    /// How many values there are.
    pub fn len(&self) -> u64 {
        self.histogram.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.histogram.is_empty()
    }

    /// The value that the share `quantile` (0 to 1) of all values does not pass; 0 when there is none.
    pub fn quantile(&self, quantile: f64) -> f64 {
        self.histogram.value_at_quantile(quantile) as f64 / self.scale
    }

    /// The percentiles of the results; `None` when there is no value.
    pub fn percentiles(&self) -> Option<Percentiles> {
        (!self.is_empty()).then(|| Percentiles {
            p50: self.quantile(0.5),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut values = Distribution::whole();
        assert_eq!(values.percentiles(), None);
        (1..=1_000).for_each(|value| values.add(f64::from(value)));
        assert_eq!(values.percentiles(), Some(Percentiles { p50: 500.0, p99: 990.0, p999: 999.0 }));
    }

    #[test]
    fn ratios_keep_their_fraction_and_large_values_are_kept() {
        let mut ratios = Distribution::ratios();
        ratios.add(1.25);
        assert_eq!(ratios.quantile(1.0), 1.25);
        let mut large = Distribution::whole();
        large.add(1e15);
        assert!((large.quantile(1.0) / 1e15 - 1.0).abs() < 1e-3);
    }
}
