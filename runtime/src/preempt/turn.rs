//! The turn word: which turn a worker runs and since when, in one atomic word.
//!
//! ```text
//!   63            32 31             0
//!   +---------------+---------------+
//!   |  start / 16   |  generation   |     0: no turn
//!   +---------------+---------------+
//! ```
//!
//! | Word | Written by | Read by | Ordering | Pairs with |
//! |---|---|---|---|---|
//! | turn word | worker ([`TurnWord::begin`]) | dispatcher ([`TurnWord::running`]) | Release / Acquire | each other; orders the line's clear before its arming (line.rs, I1) |
//! | turn word | worker ([`TurnWord::end`]) | dispatcher | Relaxed | nothing follows: a late sight arms a finished turn, which is a stale signal |
//!
//! Start and generation must be read together: a dispatcher that pairs the old start with the new generation
//! would end a turn that has only begun.

use concord_abi::line::{FIRST_GENERATION, LAST_GENERATION};

use super::line;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Names one turn of one worker; a signal carries it, so that it can only end the turn it was meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Generation(u32);

impl Generation {
    /// No turn runs. Never armed.
    pub(crate) const NONE: Generation = Generation(0);

    /// The generation that follows; after [`Generation::NONE`] and after the last one comes the first.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        if self.0 >= LAST_GENERATION { Self(FIRST_GENERATION) } else { Self(self.0 + 1) }
    }

    /// The generation before: of a turn that has ended, so it ends none.
    pub(crate) fn previous(self) -> Self {
        if self.0 <= FIRST_GENERATION { Self(LAST_GENERATION) } else { Self(self.0 - 1) }
    }

    pub(crate) fn get(self) -> u32 {
        self.0
    }

    pub(crate) fn from_word(word: u32) -> Self {
        Self(word)
    }
}

/// Ticks per unit of a turn's start: 31 bits of it then span 2^35 ticks, more than five seconds on any CPU.
const START_UNIT: u64 = 16;

/// A turn that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) generation: Generation,
    start: u32,
}

impl Turn {
    pub(crate) fn new(generation: Generation, start_ticks: u64) -> Self {
        Self { generation, start: (start_ticks / START_UNIT) as u32 }
    }

    /// Ticks from the turn's begin to `now_ticks`, to within 16 and up to 2^35. Zero when the turn began later:
    /// the dispatcher reads its clock first and the turn word afterwards.
    pub(crate) fn ticks_until(self, now_ticks: u64) -> u64 {
        let units = ((now_ticks / START_UNIT) as u32).wrapping_sub(self.start).cast_signed();
        u64::from(units.max(0).cast_unsigned()) * START_UNIT
    }

    fn pack(self) -> u64 {
        u64::from(self.start) << 32 | u64::from(self.generation.0)
    }

    fn unpack(word: u64) -> Self {
        Self { generation: Generation(word as u32), start: (word >> 32) as u32 }
    }
}

/// See the module. Written by its worker alone.
#[derive(Debug)]
pub(crate) struct TurnWord(AtomicU64);

impl TurnWord {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Clears the worker's line and announces `turn`. Worker only, right before it resumes the task.
    pub(crate) fn begin(&self, line: &AtomicU32, turn: Turn) {
        line::clear(line);
        // Release: pairs with the Acquire in `running`, so that the clear above precedes any arming for `turn`.
        self.0.store(turn.pack(), Ordering::Release);
    }

    /// Announces that no turn runs. Worker only.
    pub(crate) fn end(&self) {
        // Relaxed: nothing follows it; see the table.
        self.0.store(0, Ordering::Relaxed);
    }

    /// The turn that runs now. Dispatcher only.
    pub(crate) fn running(&self) -> Option<Turn> {
        // Acquire: pairs with the Release in `begin`.
        let turn = Turn::unpack(self.0.load(Ordering::Acquire));
        (turn.generation != Generation::NONE).then_some(turn)
    }
}
