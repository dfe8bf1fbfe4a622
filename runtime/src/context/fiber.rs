//! A body of code on a stack of its own, that can stop in the middle and go on later.
//!
//! The only file that names `corosensei`.

use std::fmt;
use std::io;
use std::ptr::NonNull;

use corosensei::stack::{DefaultStack, Stack as _};
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::registers::Registers;

/// A stack with a guard page below it: an overflow faults instead of writing to its neighbour.
pub(crate) struct Stack(DefaultStack);

impl Stack {
    /// Maps a stack of at least `bytes`; its pages are committed when they are first touched.
    pub(crate) fn new(bytes: usize) -> io::Result<Self> {
        DefaultStack::new(bytes).map(Self)
    }

    /// Commits the pages that every task uses, so that its first turn does not wait for the kernel.
    pub(crate) fn commit_top(&mut self) {
        const PAGE: usize = 4096;
        let top = self.0.base().get();
        debug_assert!(top - self.0.limit().get() > 2 * PAGE);
        for page in 0..2 {
            let word = (top - page * PAGE - size_of::<u64>()) as *mut u64;
            // SAFETY: inside the mapping, of which nothing else has a reference while no fiber runs on it.
            unsafe { word.write_volatile(0) };
        }
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Outcome {
    /// The handler returned.
    Done,
    /// The handler was stopped by a preemption and can be resumed.
    Preempted,
    /// The handler waits for something that another task is to do, and can be resumed to look again.
    Waiting,
    /// The handler panicked; the panic has been caught.
    Panicked,
}

/// The way out of a running fiber; valid on the fiber's own stack, while it runs.
#[derive(Clone, Copy)]
pub(crate) struct Suspender(NonNull<Yielder<(), Outcome>>);

impl Suspender {
    /// Returns to whoever resumed the fiber, for whom the turn ends as `outcome`; comes back at the next resume.
    ///
    /// # Safety
    /// The caller must run on the fiber that this suspender was handed to.
    pub(crate) unsafe fn suspend(self, outcome: Outcome) {
        let registers = Registers::save();
        // SAFETY: the yielder lives at the base of the fiber's stack as long as the fiber's body runs, and
        // the caller is that body.
        unsafe { self.0.as_ref() }.suspend(outcome);
        registers.restore();
    }
}

/// A body that has been given a stack.
pub(crate) struct Fiber(Coroutine<(), Outcome, Outcome, DefaultStack>);

impl Fiber {
    /// Puts `body` on `stack` without running it. `body` must not unwind.
    pub(crate) fn new(stack: Stack, body: impl FnOnce(Suspender) -> Outcome + 'static) -> Self {
        Self(Coroutine::with_stack(stack.0, |yielder, ()| body(Suspender(NonNull::from(yielder)))))
    }

    /// Runs the body until it suspends itself or ends.
    ///
    /// # Panics
    /// When the body has ended.
    pub(crate) fn resume(&mut self) -> Outcome {
        let registers = Registers::save();
        let result = self.0.resume(());
        registers.restore();
        match result {
            CoroutineResult::Yield(outcome) | CoroutineResult::Return(outcome) => outcome,
        }
    }

    /// The stack of a body that has ended, for the next one.
    ///
    /// # Panics
    /// When the body has not ended.
    pub(crate) fn into_stack(self) -> Stack {
        Stack(self.0.into_stack())
    }
}

impl fmt::Debug for Fiber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fiber").field("ended", &self.0.done()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    const BYTES: usize = 64 << 10;

    #[test]
    fn fibers_interleave_and_hand_their_stack_on() {
        let log = Rc::new(RefCell::new(Vec::new()));
        let body = |name: &'static str| {
            let log = Rc::clone(&log);
            move |suspender: Suspender| {
                for step in 0..2 {
                    log.borrow_mut().push((name, step));
                    // SAFETY: this closure is the fiber's body.
                    unsafe { suspender.suspend(Outcome::Preempted) };
                }
                Outcome::Done
            }
        };
        let mut a = Fiber::new(Stack::new(BYTES).unwrap(), body("a"));
        let mut b = Fiber::new(Stack::new(BYTES).unwrap(), body("b"));
        for _ in 0..2 {
            assert_eq!((a.resume(), b.resume()), (Outcome::Preempted, Outcome::Preempted));
        }
        assert_eq!((a.resume(), b.resume()), (Outcome::Done, Outcome::Done));
        assert_eq!(*log.borrow(), [("a", 0), ("b", 0), ("a", 1), ("b", 1)]);
        let mut c = Fiber::new(a.into_stack(), |_| Outcome::Panicked);
        assert_eq!(c.resume(), Outcome::Panicked);
    }

    #[test]
    fn errno_of_a_fiber_survives_another_ones_turn() {
        let errno = || std::io::Error::last_os_error().raw_os_error();
        let with_errno = move |value: i32| {
            move |suspender: Suspender| {
                // SAFETY: errno's address is valid on every thread.
                unsafe { *libc::__errno_location() = value };
                // SAFETY: this closure is the fiber's body.
                unsafe { suspender.suspend(Outcome::Preempted) };
                if errno() == Some(value) { Outcome::Done } else { Outcome::Panicked }
            }
        };
        let mut a = Fiber::new(Stack::new(BYTES).unwrap(), with_errno(11));
        let mut b = Fiber::new(Stack::new(BYTES).unwrap(), with_errno(22));
        assert_eq!((a.resume(), b.resume()), (Outcome::Preempted, Outcome::Preempted));
        assert_eq!((a.resume(), b.resume()), (Outcome::Done, Outcome::Done));
    }
}
