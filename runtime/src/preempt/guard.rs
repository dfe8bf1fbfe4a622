//! Guards that a user marks: regions where a pending preemption waits.

use std::cell::{Cell, UnsafeCell};
use std::fmt;

use super::symbols;

/// Runs `body` without being preempted: a preemption that falls due inside happens right after it.
///
/// Costs two instructions on thread-local memory. Calls may nest. Keep the body short: it extends the turn.
///
/// ```
/// let sum = concord::no_preempt(|| 1 + 1);
/// assert_eq!(sum, 2);
/// ```
pub fn no_preempt<R>(body: impl FnOnce() -> R) -> R {
    let _guard = Guard::enter();
    body()
}

/// One level of guard depth, left when dropped, panics included.
struct Guard;

impl Guard {
    fn enter() -> Self {
        symbols::guard_enter();
        Self
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        symbols::guard_exit();
    }
}

/// State of one worker that requests may change, one at a time.
///
/// [`Service::handle_request`](crate::Service::handle_request) gets its worker's state by `&`, because requests
/// on a worker interleave at any probe. `WorkerLocal` hands out `&mut` for the length of a closure that is not
/// preempted.
///
/// ```
/// let hits = concord::WorkerLocal::new(0_u64);
/// hits.with(|hits| *hits += 1);
/// assert_eq!(hits.with(|hits| *hits), 1);
/// ```
///
/// The reference cannot leave the closure, where a preemption could let a second one come into being:
///
/// ```compile_fail
/// let hits = concord::WorkerLocal::new(0_u64);
/// let outside: &mut u64 = hits.with(|hits| hits);
/// *outside += 1;
/// ```
///
/// Nor can another thread have one, as the worker's state never leaves its thread:
///
/// ```compile_fail
/// fn shared_by_threads<T: Sync>() {}
/// shared_by_threads::<concord::WorkerLocal<u64>>();
/// ```
pub struct WorkerLocal<T> {
    lent: Cell<bool>,
    value: UnsafeCell<T>,
}

impl<T> WorkerLocal<T> {
    /// Wraps `value`.
    pub const fn new(value: T) -> Self {
        Self { lent: Cell::new(false), value: UnsafeCell::new(value) }
    }

    /// Lends the value to `body`, which is not preempted.
    ///
    /// # Panics
    /// When called inside of itself on the same value.
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        // Order matters: the loan ends before the guard does, whose end may switch to another request.
        let _guard = Guard::enter();
        assert!(!self.lent.replace(true), "WorkerLocal::with was called inside of itself on the same value");
        let _loan = Loan(&self.lent);
        // SAFETY: one thread only (not Sync). On that thread `lent` excludes a second loan from inside `body`,
        // and the guard keeps other requests from running before this one ends.
        body(unsafe { &mut *self.value.get() })
    }

    /// Takes the value out.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: Default> Default for WorkerLocal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> fmt::Debug for WorkerLocal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerLocal").field("lent", &self.lent).finish_non_exhaustive()
    }
}

struct Loan<'a>(&'a Cell<bool>);

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
