//! Turns that nobody can signal: their own slow path looks at the clock.
//!
//! The dispatcher runs requests itself while no worker has room, and no thread is left to write to its line. So
//! for the length of such a turn its line is [`PERMANENT`](concord_abi::line::PERMANENT), every probe enters the
//! slow path, and that asks [`is_due`]: whether the turn's time is up, or a worker has given something back. The
//! second is what a dispatcher must react to at once: a task in an outbox is a free place in an inbox.
//! Everything else that may want it has a time known beforehand (the end of a worker's quantum), which
//! the deadline takes in.
//!
//! Cost: a probe reads the clock (some 10 ns) and [`LOOKS`] outboxes, each a line that stays in this core's cache
//! until its worker writes to it.

use std::cell::Cell;

use crate::context::Task;
use crate::ring::spsc::Peek;
use crate::sys::clock::Tsc;

/// Outboxes that one probe looks at; the next probe looks at the next ones. Two probes are at most half a microsecond
/// apart, so all of 64 are seen within some microseconds.
const LOOKS: usize = 4;

/// What ends the turn of a thread that nobody signals.
pub(crate) struct Watch {
    deadline: Cell<Tsc>,
    outboxes: Vec<Peek<Task>>,
    next: Cell<usize>,
}

thread_local! {
    /// The watch of the turn that runs on this thread, null without one. A plain pointer: a thread-local with a
    /// destructor would run initialising code in the slow path.
    static CURRENT: Cell<*const Watch> = const { Cell::new(std::ptr::null()) };
}

impl Watch {
    /// Watches `outboxes` besides the clock; there may be none.
    pub(crate) fn new(outboxes: Vec<Peek<Task>>) -> Self {
        Self { deadline: Cell::new(Tsc(0)), outboxes, next: Cell::new(0) }
    }

    /// Puts this watch in force on this thread, until `turn` returns.
    pub(super) fn during<R>(&self, deadline: Tsc, turn: impl FnOnce() -> R) -> R {
        self.deadline.set(deadline);
        let _end = End;
        CURRENT.with(|current| current.set(self));
        turn()
    }

    /// Whether the turn shall end now.
    fn is_due(&self) -> bool {
        self.has_mail() || Tsc::now() >= self.deadline.get()
    }

    /// Whether one of the outboxes that are looked at this time holds something.
    fn has_mail(&self) -> bool {
        let first = self.next.get();
        let looks = self.outboxes.len().min(LOOKS);
        let (before, after) = self.outboxes.split_at(first.min(self.outboxes.len()));
        let next = first + looks;
        self.next.set(if next < self.outboxes.len() { next } else { next - self.outboxes.len() });
        after.iter().chain(before).take(looks).any(Peek::has_some)
    }
}

/// Takes the watch out of force.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        CURRENT.with(|current| current.set(std::ptr::null()));
    }
}

/// Whether the turn that runs on this thread under a watch shall end now; `false` without a watch.
pub(super) fn is_due() -> bool {
    current().is_some_and(Watch::is_due)
}

/// Whether there is something in those outboxes of this thread's watch that are looked at this time.
pub(super) fn has_mail() -> bool {
    current().is_some_and(Watch::has_mail)
}

/// The watch in force, for the length of one slow path.
fn current<'a>() -> Option<&'a Watch> {
    let watch = CURRENT.with(Cell::get);
    // SAFETY: set by `during` from a reference that lives until it has taken the pointer out again, on this thread.
    unsafe { watch.as_ref() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::spsc::{Producer, ring};

    fn outboxes(count: usize) -> (Vec<Producer<Task>>, Watch) {
        let (producers, consumers): (Vec<_>, Vec<_>) = (0..count).map(|_| ring(1)).unzip();
        (producers, Watch::new(consumers.iter().map(|consumer| consumer.peek()).collect()))
    }

    #[test]
    fn without_a_watch_nothing_is_due() {
        assert!(!is_due());
    }

    #[test]
    fn a_turn_is_due_at_its_deadline() {
        let watch = Watch::new(Vec::new());
        assert!(watch.during(Tsc(0), is_due));
        assert!(!watch.during(Tsc(u64::MAX), is_due));
        assert!(!is_due(), "the watch has ended");
    }

    #[test]
    fn every_outbox_is_seen_within_a_round_of_probes() {
        for count in [1, 3, 4, 5, 11] {
            for full in 0..count {
                let (mut producers, watch) = outboxes(count);
                let probes = count.div_ceil(LOOKS) + 1;
                watch.during(Tsc(u64::MAX), || {
                    assert!((0..probes).all(|_| !is_due()));
                    producers[full].push(Task::new(0, 1)).unwrap();
                    assert!((0..probes).any(|_| is_due()), "outbox {full} of {count}");
                });
            }
        }
    }
}
