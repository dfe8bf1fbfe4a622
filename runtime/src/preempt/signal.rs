//! The baseline of preemption by POSIX signals: what it costs to be told by the kernel.
//!
//! ```text
//!   dispatcher                      kernel             worker's thread
//!   pthread_sigqueue(generation) -> interrupt, frame -> handler: line = generation; return -> next probe switches
//! ```
//!
//! The handler does what the dispatcher does otherwise, and no more: code that a signal interrupts may hold the
//! allocator's lock or be in C code, so a switch is safe at probes alone. The signal carries the generation, so a
//! late one ends no other turn (I3 of `line` covers it: the handler is one more writer of what the dispatcher chose).
//! It is queued, so that two signals arrive in their order.

use std::io;
use std::sync::Once;

use libc::{c_int, c_void, pthread_t, siginfo_t, sigval};

use super::turn::Generation;
use super::{line, symbols};

unsafe extern "C" {
    // Of glibc; the `libc` crate does not declare it.
    fn pthread_sigqueue(thread: pthread_t, signal: c_int, value: sigval) -> c_int;
}

/// A thread that can be signalled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target(pthread_t);

/// The signal: one that queues, and that nobody uses by convention.
fn number() -> c_int {
    libc::SIGRTMIN() + 7
}

/// Installs the handler, once for the process.
///
/// # Errors
/// What the system said.
pub(crate) fn install() -> io::Result<()> {
    static ONCE: Once = Once::new();
    let mut result = Ok(());
    ONCE.call_once(|| {
        // SAFETY: an all-zero `sigaction` is valid: an empty mask.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_signal as extern "C" fn(c_int, *mut siginfo_t, *mut c_void) as usize;
        // Restart: handlers that are in a system call shall not see it fail.
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // SAFETY: the handler only stores to a thread-local word.
        if unsafe { libc::sigaction(number(), &action, std::ptr::null_mut()) } != 0 {
            result = Err(io::Error::last_os_error());
        }
    });
    result
}

/// The calling thread.
pub(crate) fn this_thread() -> Target {
    // SAFETY: has no precondition.
    Target(unsafe { libc::pthread_self() })
}

/// Signals `target` that its turn `generation` is over. When the kernel's queue is full, the signal is lost, and the
/// turn goes on until its handler returns; a dispatcher has one signal per worker under way, so it is not.
pub(crate) fn send(target: Target, generation: Generation) {
    let value = sigval { sival_ptr: std::ptr::without_provenance_mut(generation.get() as usize) };
    // SAFETY: the thread lives: a server joins its workers after its dispatcher.
    let error = unsafe { pthread_sigqueue(target.0, number(), value) };
    debug_assert_eq!(error, 0);
}

/// Arms the line of the thread that it interrupts. Async-signal-safe: one store.
extern "C" fn on_signal(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel passes a valid record, and SI_QUEUE says that it has a value.
    let value = unsafe { ((*info).si_code == libc::SI_QUEUE).then(|| (*info).si_value()) };
    if let Some(value) = value {
        line::arm(symbols::line(), Generation::from_word(value.sival_ptr.addr() as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_arms_the_line_of_the_thread_that_it_is_for() {
        install().unwrap();
        let generation = Generation::from_word(4_711);
        send(this_thread(), generation);
        // A thread's own signal is delivered before the call returns.
        assert_eq!(line::read(symbols::line()), 4_711);
        line::clear(symbols::line());
    }
}
