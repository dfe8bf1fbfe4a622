//! The loop that synthetic requests run, and its calibration.
//!
//! One step is `x = A * x + C` modulo 2^64. Each step needs the one before, so the loop takes the same time
//! per step wherever it runs; and `n` steps can be checked in `log n` ([`jump`]), so a client can tell
//! that the work was done, in full and undisturbed.

use std::hint::black_box;
use std::time::Instant;

/// Knuth's MMIX generator.
const A: u64 = 6_364_136_223_846_793_005;
const C: u64 = 1_442_695_040_888_963_407;

/// Does `steps` steps from `start`.
#[inline(never)]
pub fn work(start: u64, steps: u64) -> u64 {
    let mut x = start;
    for _ in 0..steps {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

/// What [`work`] returns, in `log steps` multiplications (Brown, "Random number generation with arbitrary
/// strides", 1994).
pub fn jump(start: u64, mut steps: u64) -> u64 {
    let (mut factor, mut addend) = (A, C);
    let (mut all_factor, mut all_addend) = (1_u64, 0_u64);
    while steps > 0 {
        if steps & 1 == 1 {
            all_factor = all_factor.wrapping_mul(factor);
            all_addend = all_addend.wrapping_mul(factor).wrapping_add(addend);
        }
        addend = factor.wrapping_add(1).wrapping_mul(addend);
        factor = factor.wrapping_mul(factor);
        steps >>= 1;
    }
    start.wrapping_mul(all_factor).wrapping_add(all_addend)
}

/// How fast this machine works.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    steps_per_ns: f64,
}

impl Calibration {
    /// Times the loop for a few milliseconds.
    ///
    /// The fastest of many short rounds counts: an interruption can only make a round slower.
    pub fn measure() -> Self {
        const STEPS: u64 = 50_000;
        const ROUNDS: u64 = 60;
        let round = |start: u64| {
            let begin = Instant::now();
            black_box(work(black_box(start), STEPS));
            begin.elapsed().as_nanos().max(1)
        };
        let fastest = (0..ROUNDS).map(round).min().unwrap_or(1);
        Self { steps_per_ns: STEPS as f64 / fastest as f64 }
    }

    /// Steps that take `service_ns`, at least one.
    pub fn steps(self, service_ns: u64) -> u64 {
        ((service_ns as f64 * self.steps_per_ns).round() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_lands_where_the_work_does() {
        for steps in [0, 1, 2, 3, 7, 100, 12_345] {
            assert_eq!(work(42, steps), jump(42, steps), "{steps} steps");
        }
    }

    #[test]
    fn steps_are_proportional_to_the_time() {
        let calibration = Calibration { steps_per_ns: 0.25 };
        assert_eq!(calibration.steps(1_000), 250);
        assert_eq!(calibration.steps(1), 1);
        let measured = Calibration::measure();
        assert!(measured.steps(1_000_000) > 10 * measured.steps(10_000));
    }
}
