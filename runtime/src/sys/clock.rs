//! Time: the CPU's time stamp counter, and its rate against `CLOCK_MONOTONIC`.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A moment, read from the CPU's time stamp counter. Comparable between cores of one machine (the counter is
/// invariant and synchronised on every x86-64 server of the last decade).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tsc(pub u64);

impl Tsc {
    /// Now. About 10 ns; not ordered with the memory accesses around it.
    #[inline]
    pub fn now() -> Self {
        // SAFETY: every x86-64 CPU has the instruction, and Linux lets user code run it.
        Self(unsafe { std::arch::x86_64::_rdtsc() })
    }

    /// Ticks from `earlier` to `self`; zero when `earlier` is later.
    #[inline]
    pub fn since(self, earlier: Tsc) -> Ticks {
        Ticks(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Ticks> for Tsc {
    type Output = Tsc;

    fn add(self, span: Ticks) -> Tsc {
        Tsc(self.0 + span.0)
    }
}

/// A span of time in ticks of the time stamp counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

impl Add for Ticks {
    type Output = Ticks;

    fn add(self, other: Ticks) -> Ticks {
        Ticks(self.0 + other.0)
    }
}

/// A span of time in nanoseconds; as a moment, nanoseconds since a run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// In microseconds.
    pub fn as_micros(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// In seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<Duration> for Nanos {
    /// Saturates after 584 years.
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Duration::from_nanos(nanos.0)
    }
}

impl Add for Nanos {
    type Output = Nanos;

    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0 + other.0)
    }
}

impl Sub for Nanos {
    type Output = Nanos;

    /// Zero when `other` is longer.
    fn sub(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Nanos {
    /// In the largest unit that leaves a whole number: `5us`, `1500ns`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            n if n != 0 && n % 1_000_000_000 == 0 => (n / 1_000_000_000, "s"),
            n if n != 0 && n % 1_000_000 == 0 => (n / 1_000_000, "ms"),
            n if n != 0 && n % 1_000 == 0 => (n / 1_000, "us"),
            n => (n, "ns"),
        };
        write!(f, "{value}{unit}")
    }
}

/// A text that is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time is a number and a unit: ns, us, ms or s")]
pub struct NotATime;

impl FromStr for Nanos {
    type Err = NotATime;

    /// A number, whole or decimal, and a unit: `500ns`, `1.5us`, `2ms`, `1s`.
    fn from_str(text: &str) -> Result<Self, NotATime> {
        let unit = text.find(|c: char| c.is_ascii_alphabetic()).ok_or(NotATime)?;
        let (number, unit) = text.split_at(unit);
        let scale = match unit {
            "ns" => 1.0,
            "us" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            _ => return Err(NotATime),
        };
        let value = number.parse::<f64>().map_err(|_| NotATime)? * scale;
        let is_possible = (0.0..=1e18).contains(&value);
        if is_possible { Ok(Self(value.round() as u64)) } else { Err(NotATime) }
    }
}

/// The counter's rate.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Nanoseconds per tick, in units of 2^-32.
    nanos_per_tick: u64,
    /// Ticks per nanosecond, in units of 2^-32.
    ticks_per_nano: u64,
}

/// Whether the CPU says that its counter's rate never changes, whatever the cores' clocks and sleep states do.
pub(crate) fn has_invariant_counter() -> bool {
    use std::arch::x86_64::__cpuid;
    /// The highest extended leaf, the leaf on power management, and its bit (AMD APM vol. 3, E.4.6; Intel SDM vol. 3B, 18.17.1).
    const HIGHEST: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    __cpuid(HIGHEST).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0
}

/// How long the rate is measured: a reading is exact to some tens of nanoseconds, so the rate is to some 1e-6.
const CALIBRATION: Duration = Duration::from_millis(20);

impl Clock {
    /// The machine's clock, calibrated by the first caller, who waits 20 ms for it.
    pub fn get() -> Self {
        static CLOCK: OnceLock<Clock> = OnceLock::new();
        *CLOCK.get_or_init(|| {
            let (begin_tsc, begin) = read_both();
            std::thread::sleep(CALIBRATION);
            let (end_tsc, end) = read_both();
            Self::from_rate(end_tsc.since(begin_tsc), end.duration_since(begin).into())
        })
    }

    fn from_rate(ticks: Ticks, nanos: Nanos) -> Self {
        let ratio = |a: u64, b: u64| ((u128::from(a) << 32) / u128::from(b.max(1))) as u64;
        Self { nanos_per_tick: ratio(nanos.0, ticks.0), ticks_per_nano: ratio(ticks.0, nanos.0) }
    }

    /// A span in nanoseconds.
    #[inline]
    pub fn nanos(self, span: Ticks) -> Nanos {
        Nanos(((u128::from(span.0) * u128::from(self.nanos_per_tick)) >> 32) as u64)
    }

    /// A span in ticks.
    #[inline]
    pub fn ticks(self, span: Nanos) -> Ticks {
        Ticks(((u128::from(span.0) * u128::from(self.ticks_per_nano)) >> 32) as u64)
    }
}

/// Both clocks at one moment: of several tries the one with the least time between its two counter readings,
/// since the host may stop the thread between them.
fn read_both() -> (Tsc, Instant) {
    let tries = (0..32).map(|_| {
        let before = Tsc::now();
        let instant = Instant::now();
        let after = Tsc::now();
        (after.since(before), before, instant)
    });
    let (width, before, instant) = tries.min_by_key(|&(width, ..)| width).expect("32 is not zero");
    (before + Ticks(width.0 / 2), instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_convert_both_ways() {
        let clock = Clock::from_rate(Ticks(2_600_000_000), Nanos(1_000_000_000));
        assert_eq!(clock.ticks(Nanos::from_micros(5)), Ticks(12_999));
        let back = clock.nanos(clock.ticks(Nanos::from_millis(3_600_000)));
        assert!(Nanos::from_millis(3_600_000).0.abs_diff(back.0) <= 10_000, "an hour comes back as {back}");
    }

    #[test]
    fn the_calibrated_rate_is_the_monotonic_clock_s() {
        let clock = Clock::get();
        let (begin_tsc, begin) = read_both();
        std::thread::sleep(Duration::from_millis(5));
        let (end_tsc, end) = read_both();
        let measured = clock.nanos(end_tsc.since(begin_tsc)).0 as f64;
        let elapsed = end.duration_since(begin).as_nanos() as f64;
        assert!((measured / elapsed - 1.0).abs() < 0.01, "{measured} against {elapsed}");
    }

    #[test]
    fn times_are_read_with_their_unit() {
        let read = ["500ns", "1.5us", "2ms", "1s", "0ns"].map(|text| text.parse().ok());
        assert_eq!(read, [500, 1_500, 2_000_000, 1_000_000_000, 0].map(|nanos| Some(Nanos(nanos))));
        for text in ["5", "us", "5 us", "-1us", "1m", "1us2", "", "1e30s", "infs"] {
            assert_eq!(text.parse::<Nanos>(), Err(NotATime), "{text}");
        }
    }

    #[test]
    fn nanos_print_in_their_largest_whole_unit() {
        let printed = [0, 1_500, 5_000, 20_000_000, 3_000_000_000].map(|n| Nanos(n).to_string());
        assert_eq!(printed, ["0ns", "1500ns", "5us", "20ms", "3s"]);
    }
}
