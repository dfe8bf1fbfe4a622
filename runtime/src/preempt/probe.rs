//! The slow path: what the two stubs of `symbols` call.

use concord_abi::guard;

use super::decide::{Decision, at_guard_exit, at_probe, with_pending};
use super::turn::Generation;
use super::{line, record, symbols, watch};
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
    match at_probe(symbols::line(), generation, guard_word, watch::is_due, may_switch, line::clear_seen) {
        Decision::Continue => {}
        Decision::Pend => symbols::set_guard_word(with_pending(guard_word)),
        Decision::Switch => current::suspend(Outcome::Preempted),
    }
}

/// The outermost guard ended with a preemption pending, or one ended that had not begun: the guard word is zero
/// or below.
pub(super) extern "C" fn guard_hit() {
    let is_below_zero = guard::is_below_zero(symbols::guard_word());
    symbols::set_guard_word(guard::IDLE);
    if is_below_zero {
        return warn_of_unknown_guard();
    }
    let generation = Generation::from_word(current::generation());
    match at_guard_exit(symbols::line(), generation, may_switch) {
        Decision::Switch => current::suspend(Outcome::Preempted),
        Decision::Continue | Decision::Pend => {}
    }
}

/// Says once that a lock was taken out of sight. Its region was not guarded; the depth, set back to zero, keeps
/// the guards that follow from being taken for none.
///
/// The pass knows it by name: alone in the slow path it comes to code with probes (formatting), under a guard.
#[cold]
#[inline(never)]
fn warn_of_unknown_guard() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    super::no_preempt(|| {
        ONCE.call_once(|| {
            eprintln!(
                "concord: a lock was released that was not seen to be taken, so requests may have been preempted \
                 while they held it; mark its use with concord::no_preempt, and report the lock's type"
            );
        });
    });
}

/// A task that unwinds keeps its worker: the panic count belongs to the thread, so another task would seem to
/// be panicking too (coio-rs#70).
pub(super) fn may_switch() -> bool {
    !std::thread::panicking()
}
