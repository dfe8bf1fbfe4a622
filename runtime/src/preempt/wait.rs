//! Waiting on condition variables: what compiled code calls in place of the native waits.
//!
//! A native wait blocks the worker, and with it every other task that started there. When one of those is to
//! give the signal, nobody ever does: LevelDB's writers queue up so. POSIX lets a wait return without a signal
//! and makes every caller look at its condition again, so a task's wait is: let go of the mutex, let others run,
//! take the mutex, return.
//!
//! A task that holds another guard besides the mutex must not leave its worker, and waits natively; so does
//! any thread outside of a task.

use concord_abi::guard::{IDLE, LEVEL};
use libc::{c_int, pthread_cond_t, pthread_mutex_t};

use super::{guard_depth, symbols};
use crate::context::{Outcome, current};

/// The functions below, for `keep_linked`.
pub(super) const ENTRIES: [*const (); 2] =
    [concord_condition_wait as *const (), concord_cxx_condition_wait as *const ()];

/// Stands in for `pthread_cond_wait`.
///
/// # Safety
/// As of `pthread_cond_wait`: both are initialised, and the caller holds `mutex`.
#[unsafe(no_mangle)]
unsafe extern "C" fn concord_condition_wait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
) -> c_int {
    // The mutex is the one guard: compiled code counts it.
    if !current::is_task() || guard_depth() != 1 || std::thread::panicking() {
        // SAFETY: the caller's word.
        return unsafe { libc::pthread_cond_wait(condition, mutex) };
    }
    // SAFETY: the caller holds the mutex.
    let failed = unsafe { libc::pthread_mutex_unlock(mutex) };
    if failed != 0 {
        return failed;
    }
    // Depth 0; a preemption that was pending happens right here.
    symbols::set_guard_word(IDLE);
    current::suspend(Outcome::Waiting);
    symbols::set_guard_word(IDLE + LEVEL);
    // SAFETY: the mutex outlives the wait by the caller's word. No task that holds it is suspended on this
    // worker, so that its holder runs on another thread, and lets go of it.
    unsafe { libc::pthread_mutex_lock(mutex) }
}

/// Stands in for libstdc++'s `std::condition_variable::wait(std::unique_lock<std::mutex>&)`.
///
/// # Safety
/// As of the C++ function: `lock` owns its mutex. In libstdc++'s ABI a `std::unique_lock` begins with the
/// pointer to its mutex, a `std::mutex` with the POSIX one, and a `std::condition_variable` likewise.
#[unsafe(no_mangle)]
unsafe extern "C" fn concord_cxx_condition_wait(
    condition: *mut pthread_cond_t,
    lock: *const *mut pthread_mutex_t,
) {
    // SAFETY: see above. The C++ function ignores the result as well.
    let _ = unsafe { concord_condition_wait(condition, *lock) };
}

#[cfg(test)]
mod tests {
    use std::cell::UnsafeCell;
    use std::sync::Arc;

    use super::*;

    struct Pair(UnsafeCell<pthread_mutex_t>, UnsafeCell<pthread_cond_t>);
    // SAFETY: both are made to be shared between threads.
    unsafe impl Sync for Pair {}
    // SAFETY: as above; neither is moved while it is in use.
    unsafe impl Send for Pair {}

    fn pair() -> Pair {
        Pair(
            UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER),
            UnsafeCell::new(libc::PTHREAD_COND_INITIALIZER),
        )
    }

    #[test]
    fn outside_of_a_task_a_wait_blocks_until_the_signal() {
        let pair = Arc::new(pair());
        let ready = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let (mutex, condition) = (pair.0.get(), pair.1.get());
        // SAFETY: initialised above, shared as POSIX allows; the other thread is joined.
        unsafe {
            libc::pthread_mutex_lock(mutex);
            let signaller = std::thread::spawn({
                let (pair, ready) = (Arc::clone(&pair), Arc::clone(&ready));
                move || {
                    libc::pthread_mutex_lock(pair.0.get());
                    ready.store(true, std::sync::atomic::Ordering::Relaxed);
                    libc::pthread_cond_signal(pair.1.get());
                    libc::pthread_mutex_unlock(pair.0.get());
                }
            });
            while !ready.load(std::sync::atomic::Ordering::Relaxed) {
                assert_eq!(concord_condition_wait(condition, mutex), 0);
            }
            libc::pthread_mutex_unlock(mutex);
            signaller.join().unwrap();
        }
    }

    #[test]
    fn in_a_task_a_wait_lets_go_of_the_mutex_and_ends_the_turn() {
        use crate::context::Stack;
        let pair: &'static Pair = Box::leak(Box::new(pair()));
        let mut fiber = crate::context::Fiber::new(Stack::new(64 << 10).unwrap(), |suspender| {
            current::enter(suspender);
            // SAFETY: initialised, locked here, and waited on as C++ code would.
            unsafe {
                libc::pthread_mutex_lock(pair.0.get());
                symbols::guard_enter();
                let lock = pair.0.get();
                concord_cxx_condition_wait(pair.1.get(), &raw const lock);
                assert_eq!(guard_depth(), 1);
                symbols::guard_exit();
                libc::pthread_mutex_unlock(pair.0.get());
            }
            Outcome::Done
        });
        assert_eq!(fiber.resume(), Outcome::Waiting);
        current::end();
        // SAFETY: the mutex is free now; it is let go of before the task goes on.
        unsafe {
            assert_eq!(libc::pthread_mutex_trylock(pair.0.get()), 0);
            libc::pthread_mutex_unlock(pair.0.get());
        }
        assert_eq!(guard_depth(), 0);
        assert_eq!(fiber.resume(), Outcome::Done);
        current::end();
    }
}
