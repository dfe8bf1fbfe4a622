//! The slow path: what the two stubs of `symbols` call.

use super::decide::{Decision, at_guard_exit, at_probe, with_pending};
use super::turn::Generation;
use super::{line, record, symbols};
use crate::context::{Outcome, current};

/// A probe found its line armed.
pub(super) extern "C" fn probe_hit() {
    #[cfg(test)]
    super::tests::IN_SLOW_PATH.with(|hook| hook.take().inspect(|hook| hook()));
    let guard_word = symbols::guard_word();
    if record::note(guard_word) {
        return;
    }
    let generation = Generation::from_word(current::generation());
    match at_probe(symbols::line(), generation, guard_word, may_switch, line::clear_seen) {
        Decision::Continue => {}
        Decision::Pend => symbols::set_guard_word(with_pending(guard_word)),
        Decision::Switch => current::suspend(Outcome::Preempted),
    }
}

/// The outermost guard ended with a preemption pending; the guard word is zero.
pub(super) extern "C" fn guard_hit() {
    symbols::set_guard_word(concord_abi::guard::IDLE);
    let generation = Generation::from_word(current::generation());
    match at_guard_exit(symbols::line(), generation, may_switch) {
        Decision::Switch => current::suspend(Outcome::Preempted),
        Decision::Continue | Decision::Pend => {}
    }
}

/// A task that unwinds keeps its worker: the panic count belongs to the thread, so another task would seem to
/// be panicking too (coio-rs#70).
fn may_switch() -> bool {
    !std::thread::panicking()
}
