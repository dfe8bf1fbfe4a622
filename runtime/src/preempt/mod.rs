//! Preemption: how a dispatcher ends a worker's turn.
//!
//! ```text
//!  dispatcher thread                               worker's thread
//!                                                  clear line
//!        <------- turn word: (start, generation) - begin            turn.rs
//!  start + quantum <= now, something waits
//!        -------- line: generation --------------> probe            line.rs, symbols.rs
//!                                                  slow path        probe.rs
//!                                                    stale?   take it out, go on
//!                                                    guarded? pending; end when the guard does
//!                                                    else     switch stacks
//!        <------- outbox: the task --------------- Preempted
//! ```
//!
//! `line`, `turn` and `decide` hold the protocol over plain atomics and values; `tests/loom.rs` checks them.
//! `watch` and `countdown` end the turns of a thread that nobody signals, the dispatcher's.
//! `signal` is a baseline. `symbols` has the words and stubs that compiled code names, `probe` what the stubs call, `guard` what users
//! mark, `record` what tests watch, `wait` what compiled code calls to wait on a condition variable.
//!
//! Cost budget: nothing but the probe itself while the line is clear. A preemption costs the worker one move of
//! the line, the stub and one switch of stacks, 100 to 300 ns; it waits for the dispatcher's core only once.

pub(crate) mod countdown;
pub(crate) mod decide;
mod guard;
pub(crate) mod line;
mod probe;
mod record;
pub(crate) mod signal;
pub(crate) mod symbols;
pub(crate) mod turn;
mod wait;
pub(crate) mod watch;

pub use guard::{WorkerLocal, no_preempt};
pub use record::{RECORD_LIMIT, record_probes};

use crate::context::{Fiber, Outcome, current};
use crate::sync::AtomicU32;
use crate::sys::clock::Tsc;
use turn::{Generation, Turn, TurnWord};
use watch::Watch;

/// Runs one turn of `fiber` on this thread, whose line is `line`.
pub(crate) fn run_turn(fiber: &mut Fiber, turn: Turn, word: &TurnWord, line: &AtomicU32) -> Outcome {
    symbols::set_guard_word(concord_abi::guard::IDLE);
    current::begin(turn.generation.get());
    word.begin(line, turn);
    let outcome = fiber.resume();
    word.end();
    current::end();
    // A task that ended inside a guard (a lock it forgot) must not leave the next one guarded.
    symbols::set_guard_word(concord_abi::guard::IDLE);
    outcome
}

/// Runs one turn of `fiber` on this thread, which nobody signals, until `watch` says that it shall end or `deadline`
/// has come: code of the second build counts down to it, code that workers run finds its line armed at every probe.
pub(crate) fn run_watched(fiber: &mut Fiber, watch: &Watch, deadline: Tsc, line: &AtomicU32) -> Outcome {
    symbols::set_guard_word(concord_abi::guard::IDLE);
    // Any generation does: nobody arms this line with one.
    current::begin(Generation::NONE.next().get());
    line::arm_for_good(line);
    countdown::begin(deadline);
    let outcome = watch.during(deadline, || fiber.resume());
    countdown::end();
    line::clear(line);
    current::end();
    symbols::set_guard_word(concord_abi::guard::IDLE);
    outcome
}

/// How many guards this thread is in.
pub(crate) fn guard_depth() -> u32 {
    concord_abi::guard::depth(symbols::guard_word())
}

#[cfg(test)]
mod tests;
