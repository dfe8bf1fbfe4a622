//! The countdown: how code of the second build knows that its time is up, though nobody signals it.
//!
//! ```text
//!   begin(deadline)        count = what the step is worth
//!   probe                  subl $weight, count; jb -> clock_hit: now
//!                                                       deadline reached? the turn ends, as at any probe
//!                                                       else a new count, for the next step
//!   end                    a count that hardly ever runs out
//! ```
//!
//! A weight says how many instructions were to be expected since the last probe; how long they take is
//! learned from look to look ([`Pace`]). A step lasts for [`STEP`] at the usual pace (so long may the thread fail
//! to see what else ends its turn), and ends before the deadline at the slowest pace seen lately.
//!
//! Invariants:
//! (C1) The count and what belongs to it are this thread's alone; the slow path never meets a probe of its own.
//! (C2) A look that does not end the turn gives a count of at least one: the code goes on.
//! (C3) A turn is late by more than one look's cost only if its code gets slower than it was in the last dozens of looks.
//!
//! Cost: a probe is the worker's with a `sub` to memory in the place of a `cmp`. A look costs some 20 ns, the clock's
//! 10 among them; with steps of 1 us that is 2 %.

use std::cell::Cell;

use crate::context::{Outcome, current};
use crate::sys::clock::Tsc;

use super::decide::{Decision, at_watched_probe, with_pending};
use super::probe::may_switch;
use super::turn::Generation;
use super::{symbols, watch};

/// The longest time between two looks, in ticks: about 1 us.
const STEP: u64 = 2_500;

/// A turn whose deadline is nearer than this ends: another look would cost as much. About 100 ns.
const NEAR: u64 = 256;

/// A deadline that is farther away makes no difference.
const FAR: u64 = 1 << 32;

/// A count that hardly ever runs out: half a second, outside of any turn.
const NEVER: u32 = u32::MAX;

/// The block behind `concord_countdown`; `count` is that word (C1).
#[repr(C, align(128))]
pub(crate) struct Countdown {
    count: Cell<u32>,
    /// What the count was when it was given.
    given: Cell<u32>,
    /// When that was.
    at: Cell<u64>,
    /// When the turn shall end; 0 outside of one.
    deadline: Cell<u64>,
    /// The usual one.
    pace: Cell<Pace>,
    /// The slowest of late.
    slowest: Cell<Pace>,
}

const _: () = assert!(size_of::<Countdown>() == concord_abi::LINE_BYTES);

/// How fast code goes: units of weight for a tick, times 2^16; 0 when nothing is known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pace(u64);

impl Pace {
    /// Half a tick for an instruction: slower than most code, so that the first look comes early.
    const FIRST: Self = Self((1 << 17) / concord_abi::WEIGHT_UNIT as u64);
    const SLOWEST: Self = Self(1 << 2);
    const FASTEST: Self = Self(1 << 22);

    fn of(units: u32, ticks: u64) -> Self {
        Self((u64::from(units) << 16) / ticks.max(1))
    }

    /// The slowest pace of late after `seen`: that at once when it is slower, but eight times at most (what is far
    /// slower was stopped by the host); by and by, when it is faster.
    fn lowest(self, seen: Self) -> Self {
        let old = self.known().0;
        let next = if seen.0 < old { seen.0.max(old / 8) } else { old + (seen.0 - old).min(old) / 64 };
        Self(next).clamp(Self::SLOWEST, Self::FASTEST)
    }

    /// The usual pace after `seen`.
    fn mean(self, seen: Self) -> Self {
        let old = self.known().0;
        Self(old.midpoint(seen.0.clamp(old / 8, old * 8))).clamp(Self::SLOWEST, Self::FASTEST)
    }

    fn known(self) -> Self {
        if self.0 == 0 { Self::FIRST } else { self }
    }

    /// How many units `ticks`, less than 2^33, are worth.
    fn units(self, ticks: u64) -> u32 {
        u32::try_from((ticks * self.known().0) >> 16).unwrap_or(NEVER)
    }
}

impl Countdown {
    fn begin(&self, deadline: Tsc, now: Tsc) {
        self.deadline.set(deadline.0);
        self.give(now.0);
    }

    fn end(&self) {
        self.deadline.set(0);
        self.given.set(NEVER);
        self.count.set(NEVER);
    }

    /// Whether the turn is over at `now`; if it is not, gives a new count.
    fn is_over(&self, now: Tsc) -> bool {
        let deadline = self.deadline.get();
        if deadline == 0 {
            self.end();
            return false;
        }
        let used = self.given.get().wrapping_sub(self.count.get());
        let seen = Pace::of(used, now.0.saturating_sub(self.at.get()));
        self.pace.set(self.pace.get().mean(seen));
        self.slowest.set(self.slowest.get().lowest(seen));
        self.give(now.0);
        now.0 + NEAR >= deadline
    }

    /// Gives a count for the next step.
    fn give(&self, now: u64) {
        let rest = self.deadline.get().saturating_sub(now).min(FAR);
        let count = self.pace.get().units(STEP).min(self.slowest.get().units(rest)).max(1);
        self.at.set(now);
        self.given.set(count);
        self.count.set(count);
    }
}

/// Lets this thread's code of the second build run until `deadline`, from now on.
pub(crate) fn begin(deadline: Tsc) {
    symbols::countdown().begin(deadline, Tsc::now());
}

/// Ends what [`begin`] began.
pub(crate) fn end() {
    symbols::countdown().end();
}

/// A probe has used up its count.
pub(super) extern "C" fn clock_hit() {
    let is_due = symbols::countdown().is_over(Tsc::now()) || watch::has_mail();
    let (current, guard_word) = (Generation::from_word(current::generation()), symbols::guard_word());
    match at_watched_probe(current, guard_word, || is_due, may_switch) {
        Decision::Continue => {}
        Decision::Pend => symbols::set_guard_word(with_pending(guard_word)),
        Decision::Switch => current::suspend(Outcome::Preempted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code that runs in phases, each of its own pace; a virtual clock.
    struct Code<'a> {
        countdown: &'a Countdown,
        now: f64,
        looks: u32,
    }

    impl Code<'_> {
        /// Runs `probes` probes of `weight`, each unit taking `ticks`; whether the turn was over meanwhile.
        fn run(&mut self, probes: u32, weight: u32, ticks: f64) -> bool {
            for _ in 0..probes {
                self.now += f64::from(weight) * ticks;
                let (rest, is_out) = self.countdown.count.get().overflowing_sub(weight);
                self.countdown.count.set(rest);
                if is_out {
                    self.looks += 1;
                    self.now += 50.0;
                    if self.countdown.is_over(Tsc(self.now as u64)) {
                        return true;
                    }
                }
            }
            false
        }
    }

    fn countdown() -> Countdown {
        let number = || Cell::new(0);
        let pace = || Cell::new(Pace(0));
        Countdown {
            count: number(),
            given: number(),
            at: Cell::new(0),
            deadline: Cell::new(0),
            pace: pace(),
            slowest: pace(),
        }
    }

    const SLICE: u64 = 12_500;

    /// Slices of code whose phases have these paces, `length` units each: lengths, and looks for each slice.
    fn slices(paces: &[f64], length: u32, weight: u32, count: usize) -> (Vec<f64>, f64) {
        let countdown = countdown();
        let mut code = Code { countdown: &countdown, now: 1e6, looks: 0 };
        let (mut lengths, mut begin) = (Vec::new(), code.now);
        countdown.begin(Tsc(begin as u64 + SLICE), Tsc(begin as u64));
        for &pace in paces.iter().cycle() {
            for _ in 0..length / weight {
                if code.run(1, weight, pace) {
                    lengths.push(code.now - begin);
                    begin = code.now;
                    countdown.begin(Tsc(begin as u64 + SLICE), Tsc(begin as u64));
                }
            }
            if lengths.len() >= count {
                break;
            }
        }
        let looks = f64::from(code.looks) / lengths.len() as f64;
        (lengths, looks)
    }

    fn worst(lengths: &[f64]) -> f64 {
        lengths.iter().map(|length| (length - SLICE as f64).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_slice_of_steady_code_ends_at_its_deadline_after_few_looks() {
        for weight in [1, 5, 60] {
            let (lengths, looks) = slices(&[6.4], 1 << 16, weight, 200);
            let late = worst(&lengths[2..]);
            assert!(late <= 300.0 + 6.4 * f64::from(weight), "{weight}: {late}");
            assert!(looks < 9.0, "{weight}: {looks} looks");
        }
    }

    #[test]
    fn a_change_of_pace_costs_less_than_a_microsecond() {
        for length in [200, 2_500, 30_000] {
            let (lengths, looks) = slices(&[4.0, 10.0, 24.0, 5.0], length, 3, 500);
            let late = lengths.iter().filter(|length| (*length - SLICE as f64).abs() > 2_500.0).count();
            assert!(late * 100 <= lengths.len(), "{length}: {late} of {}", lengths.len());
            assert!(looks < 30.0, "{length}: {looks} looks");
        }
    }

    #[test]
    fn what_the_host_takes_away_is_forgotten_within_a_slice() {
        let countdown = countdown();
        let mut code = Code { countdown: &countdown, now: 0.0, looks: 0 };
        let slice = |code: &mut Code<'_>| {
            let begin = code.now;
            countdown.begin(Tsc(begin as u64 + SLICE), Tsc(begin as u64));
            assert!(code.run(u32::MAX, 2, 8.0));
            code.now - begin
        };
        (0..10).for_each(|_| assert!(slice(&mut code) > 0.0));
        countdown.begin(Tsc(code.now as u64 + SLICE), Tsc(code.now as u64));
        code.now += 1e7;
        assert!(code.run(u32::MAX, 2, 8.0), "it is over at the next look");
        code.looks = 0;
        assert!((slice(&mut code) - SLICE as f64).abs() < 400.0);
        assert!(code.looks < 60, "{}", code.looks);
    }

    #[test]
    fn outside_of_a_turn_a_count_that_ran_out_is_given_anew() {
        let countdown = countdown();
        assert!(!countdown.is_over(Tsc(5)));
        assert_eq!(countdown.count.get(), NEVER);
    }

    #[test]
    fn paces_have_limits() {
        let mut pace = Pace(0);
        (0..60).for_each(|_| pace = pace.mean(Pace::of(0, u64::MAX)));
        assert_eq!((pace, pace.units(1)), (Pace::SLOWEST, 0));
        (0..60).for_each(|_| pace = pace.mean(Pace::of(u32::MAX, 0)));
        assert_eq!((pace, pace.units(u64::from(u32::MAX))), (Pace::FASTEST, NEVER));
    }
}
