//! Whether nearly all requests are short, by what those were that are done.

use crate::sys::clock::Ticks;

/// Moving averages, each new request counting for [`WEIGHT`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortness {
    /// Share of requests that leave the first level.
    long: f64,
    /// Service of those that do not, in ticks.
    mean: f64,
}

const WEIGHT: f64 = 1.0 / 256.0;

/// Up to this share of long ones a request may wait behind another in an inbox.
const FEW: f64 = 0.03;

/// A turn that has lasted for so many times the short ones' mean is taken for a long one's.
const MANY_TIMES: f64 = 4.0;

impl Default for Shortness {
    /// Nothing is known: all may be long.
    fn default() -> Self {
        Self { long: 1.0, mean: 0.0 }
    }
}

impl Shortness {
    /// A request is done; `limit`: that of the first level.
    #[inline]
    pub(super) fn add(&mut self, received: Ticks, limit: Ticks) {
        let is_long = received >= limit;
        self.long += (f64::from(u8::from(is_long)) - self.long) * WEIGHT;
        if !is_long {
            self.mean += (received.0 as f64 - self.mean) * WEIGHT;
        }
    }

    #[inline]
    pub(super) fn most_are_short(&self) -> bool {
        self.long < FEW
    }

    /// The service after which a request is likely to be a long one.
    pub(super) fn limit(&self) -> Ticks {
        Ticks((self.mean * MANY_TIMES) as u64)
    }
}
