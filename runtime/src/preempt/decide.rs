//! What a probe that found its line armed has to do: a decision over plain values, without stacks or TLS.
//!
//! The guard word belongs to one thread (the ABI crate draws it); it is passed in and out by value.

use concord_abi::guard;
use concord_abi::line::PERMANENT;

use super::line;
use super::turn::Generation;
use crate::sync::AtomicU32;

/// The outcome of a slow path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Decision {
    /// Go on: the signal was for another turn, or cannot be obeyed yet and stays in the line.
    Continue,
    /// Go on, and note in the guard word that the turn must end when the guard does.
    Pend,
    /// End the turn here. The line keeps the signal: the next turn's begin erases it, by a store that nobody
    /// waits for, where a compare-exchange would wait for the dispatcher's core.
    Switch,
}

/// Decides at a probe. `current` is the thread's turn, [`Generation::NONE`] outside of one; `is_due` is asked
/// when the line is armed for good; `clear` is [`line::clear_seen`], a parameter only so that the model can show
/// what a plain store would break.
pub(crate) fn at_probe(
    line: &AtomicU32,
    current: Generation,
    guard_word: u32,
    is_due: impl FnOnce() -> bool,
    may_switch: impl FnOnce() -> bool,
    clear: impl FnOnce(&AtomicU32, u32),
) -> Decision {
    let seen = line::read(line);
    if seen == PERMANENT {
        return at_watched_probe(current, guard_word, is_due, may_switch);
    }
    if seen != current.get() || current == Generation::NONE {
        clear(line, seen);
        return Decision::Continue;
    }
    if guard::depth(guard_word) != 0 {
        clear(line, seen);
        return Decision::Pend;
    }
    if !may_switch() {
        // The signal stays: it will be obeyed by the first probe that may.
        return Decision::Continue;
    }
    Decision::Switch
}

/// Decides at a probe of a turn that nobody signals; its line stays armed throughout.
pub(crate) fn at_watched_probe(
    current: Generation,
    guard_word: u32,
    is_due: impl FnOnce() -> bool,
    may_switch: impl FnOnce() -> bool,
) -> Decision {
    if current == Generation::NONE || !is_due() {
        Decision::Continue
    } else if guard::depth(guard_word) != 0 {
        Decision::Pend
    } else if may_switch() {
        Decision::Switch
    } else {
        Decision::Continue
    }
}

/// Decides at the exit of the outermost guard, with a preemption pending.
pub(crate) fn at_guard_exit(
    line: &AtomicU32,
    current: Generation,
    may_switch: impl FnOnce() -> bool,
) -> Decision {
    if current == Generation::NONE {
        return Decision::Continue;
    }
    if !may_switch() {
        line::rearm(line, current);
        return Decision::Continue;
    }
    Decision::Switch
}

/// The guard word with "a preemption is pending" noted.
pub(crate) fn with_pending(guard_word: u32) -> u32 {
    guard_word & !guard::NOT_PENDING
}
