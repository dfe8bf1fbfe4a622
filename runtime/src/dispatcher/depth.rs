//! The k of JBSQ(k), from what is measured while requests run.
//!
//! A worker that has ended a turn and holds nothing more idles for a hand-off: until the dispatcher has seen the end,
//! and until the next request has come. It idles for no longer when it holds as many requests besides the running one as it
//! can run in that time (Concord, SOSP'23, section 3.2):
//!
//! ```text
//!   k = hand-off / length of a turn, rounded up, + 1
//! ```
//!
//! Each request more than that waits behind one that another worker might have run earlier. So k is not chosen
//! once for all services: it is 2 when turns last for microseconds, and more when handlers are shorter than a hand-off.

use crate::sys::clock::Ticks;

/// Least and most that is derived. One would idle for a hand-off after each request.
const SHALLOWEST: usize = 2;
/// See [`SHALLOWEST`].
pub(crate) const DEEPEST: usize = 16;

/// Turns between two looks at the means.
const PERIOD: u32 = 256;

/// A turn or a hand-off beyond this, in ticks, says more of the host than of the service: some 10 us and more.
const LONGEST: u64 = 1 << 15;

/// See the module.
#[derive(Debug)]
pub(crate) struct Depth {
    is_fixed: bool,
    depth: usize,
    seen: u32,
    /// Sums over the period.
    turns: u64,
    ways: u64,
}

impl Depth {
    /// `fixed`: what was asked for; `None`: to be derived.
    pub(crate) fn new(fixed: Option<usize>) -> Self {
        let depth = fixed.unwrap_or(SHALLOWEST);
        Self { is_fixed: fixed.is_some(), depth, seen: 0, turns: 0, ways: 0 }
    }

    /// k now.
    pub(crate) fn get(&self) -> usize {
        self.depth
    }

    /// A turn has lasted for `turn`, and its end was seen `way` later. Whether k may have changed.
    #[inline]
    pub(crate) fn learn(&mut self, turn: Ticks, way: Ticks) -> bool {
        if self.is_fixed {
            return false;
        }
        self.turns += turn.0.min(LONGEST);
        self.ways += way.0.min(LONGEST);
        self.seen += 1;
        if self.seen < PERIOD {
            return false;
        }
        // There and back.
        let in_turns = (2 * self.ways).div_ceil(self.turns.max(1));
        self.depth = usize::try_from(in_turns + 1).unwrap_or(DEEPEST).clamp(SHALLOWEST, DEEPEST);
        (self.seen, self.turns, self.ways) = (0, 0, 0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(turn: u64, way: u64) -> usize {
        let mut depth = Depth::new(None);
        while !depth.learn(Ticks(turn), Ticks(way)) {}
        depth.get()
    }

    #[test]
    fn k_is_the_hand_off_in_turns_and_one_more() {
        assert_eq!(derived(2_500, 400), 2, "1 us, 0.3 us");
        assert_eq!(derived(800, 400), 2, "as long as the hand-off");
        assert_eq!(derived(400, 400), 3);
        assert_eq!(derived(399, 400), 4);
        assert_eq!(derived(100, 400), 9);
    }

    #[test]
    fn k_has_limits_and_a_gap_of_the_host_s_does_not_move_it() {
        assert_eq!(derived(0, u64::MAX), DEEPEST);
        assert_eq!(derived(u64::MAX, 0), SHALLOWEST);
        let mut depth = Depth::new(None);
        for index in 0..PERIOD {
            depth.learn(Ticks(12_500), Ticks(if index == 0 { u64::MAX } else { 400 }));
        }
        assert_eq!(depth.get(), 2);
    }

    #[test]
    fn what_was_asked_for_stays() {
        let mut depth = Depth::new(Some(1));
        assert!((0..10 * PERIOD).all(|_| !depth.learn(Ticks(1), Ticks(1_000))));
        assert_eq!(depth.get(), 1);
    }
}
