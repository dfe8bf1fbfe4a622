//! A task: a request plus its stack.
//!
//! ```text
//!   dispatcher          worker                         fiber (on the worker)
//!   fills payload  -->  start: takes a stack, resume ->  reads payload, writes reply
//!                  <--  Preempted                    <-  suspended
//!                  -->  resume                       ->  goes on
//!                  <--  finish: reads reply          <-  ended
//! ```
//!
//! Invariants:
//!
//! * **I1** A [`Task`] is the only handle of its body; who holds it is alone with the body's `meta`.
//! * **I2** `payload` and `reply` belong to the fiber from `start` until it has ended, to the holder otherwise.
//! * **I3** A started task is resumed by one thread only: the dispatcher gives it back to its worker.

use std::fmt;
use std::ptr::NonNull;

use super::current;
use super::fiber::{Fiber, Outcome, Stack};
use crate::id::Class;
use crate::request::{Origin, Reply, Request};
use crate::sys::clock::{Ticks, Tsc};

/// What is known of a task besides its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meta {
    /// Where the dispatcher keeps it.
    pub(crate) slot: u32,
    pub(crate) class: Class,
    pub(crate) origin: Origin,
    /// When latency begins to count.
    pub(crate) arrival: Tsc,
    /// When the dispatcher took it in.
    pub(crate) taken_in: Tsc,
    /// Sum of its turns.
    pub(crate) received: Ticks,
    /// Length of the last of them, and when it ended.
    pub(crate) turn: Ticks,
    pub(crate) ended: Tsc,
    /// Whether it was ended by preemption.
    pub(crate) was_preempted: bool,
    pub(crate) preemptions: u32,
    /// Whether it has been answered.
    pub(crate) is_over: bool,
}

struct Body {
    meta: Meta,
    payload: Vec<u8>,
    reply: Reply,
    fiber: Option<Fiber>,
}

/// The owner of a task.
pub(crate) struct Task(NonNull<Body>);

// SAFETY: what crosses is a suspended fiber, with whatever the handler has on its stack, `!Send` values and
// addresses of thread-locals included. It may cross because the dispatcher only stores it: it is resumed and
// dropped-with-a-live-stack by no thread but the one it started on (I3; `Drop` leaks a suspended fiber).
unsafe impl Send for Task {}

impl Task {
    /// A task without a request; its replies have at most `reply_size` bytes.
    pub(crate) fn new(slot: u32, reply_size: usize) -> Self {
        let body = Body {
            meta: Meta { slot, ..Meta::default() },
            payload: Vec::new(),
            reply: Reply::without_memory(reply_size),
            fiber: None,
        };
        Self(NonNull::from(Box::leak(Box::new(body))))
    }

    /// Gives an unstarted task memory for payloads of up to `request_size` bytes and for replies; does nothing
    /// when it has it.
    pub(crate) fn prepare(&mut self, request_size: usize) {
        debug_assert!(!self.is_started());
        // SAFETY: I1, and I2 as the task is not started.
        let (payload, reply) = unsafe { (&mut (*self.0.as_ptr()).payload, &mut (*self.0.as_ptr()).reply) };
        if payload.capacity() < request_size {
            payload.reserve_exact(request_size);
            reply.give_memory();
        }
    }

    pub(crate) fn meta(&self) -> &Meta {
        // SAFETY: I1; a reference to this field alone, the fiber may be using others.
        unsafe { &(*self.0.as_ptr()).meta }
    }

    pub(crate) fn meta_mut(&mut self) -> &mut Meta {
        // SAFETY: as in `meta`.
        unsafe { &mut (*self.0.as_ptr()).meta }
    }

    /// Takes in a request: `payload` must not be longer than the task was prepared for.
    pub(crate) fn fill(&mut self, meta: Meta, payload: &[u8]) {
        debug_assert!(!self.is_started());
        *self.meta_mut() = Meta { slot: self.meta().slot, ..meta };
        // SAFETY: I1, and I2 as the task is not started.
        let (bytes, reply) = unsafe { (&mut (*self.0.as_ptr()).payload, &mut (*self.0.as_ptr()).reply) };
        debug_assert!(payload.len() <= bytes.capacity());
        bytes.clear();
        bytes.extend_from_slice(payload);
        reply.clear();
    }

    pub(crate) fn is_started(&self) -> bool {
        // SAFETY: as in `meta`.
        unsafe { (*self.0.as_ptr()).fiber.is_some() }
    }

    /// Puts the request's handler on `stack`; it runs at the next [`Task::fiber`]'s resume.
    pub(crate) fn start(
        &mut self,
        stack: Stack,
        handler: impl FnOnce(&Request<'_>, &mut Reply) -> Outcome + 'static,
    ) {
        let body = self.0;
        let Meta { class, origin, .. } = *self.meta();
        let fiber = Fiber::new(stack, move |suspender| {
            current::enter(suspender);
            // SAFETY: I2: from here to the end of this closure both fields are the fiber's; the body outlives
            // it, since `Drop` frees no body with a started fiber.
            let (payload, reply) = unsafe { (&(*body.as_ptr()).payload, &mut (*body.as_ptr()).reply) };
            handler(&Request::new(payload, class, origin.id), reply)
        });
        // SAFETY: as in `meta`.
        unsafe { (*self.0.as_ptr()).fiber = Some(fiber) };
    }

    /// The started fiber, to be run on this thread (I3).
    pub(crate) fn fiber(&mut self) -> &mut Fiber {
        // SAFETY: as in `meta`.
        unsafe { (*self.0.as_ptr()).fiber.as_mut() }.expect("a task is started before it runs")
    }

    /// Takes the stack from a task whose fiber has ended.
    pub(crate) fn finish(&mut self) -> Stack {
        // SAFETY: as in `meta`.
        let fiber = unsafe { (*self.0.as_ptr()).fiber.take() };
        fiber.expect("a task is started before it ends").into_stack()
    }

    /// The reply of a task that is not started, or whose fiber has ended and given its stack back.
    pub(crate) fn reply(&mut self) -> &mut Reply {
        debug_assert!(!self.is_started());
        // SAFETY: I1, and I2 as the task is not started.
        unsafe { &mut (*self.0.as_ptr()).reply }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        // A suspended handler is never unwound: code that holds a lock or is inside C would not survive it.
        // That happens only while the runtime itself goes down, so its memory is left alone.
        if !self.is_started() {
            // SAFETY: made by `Box::leak` in `new`; I1, and no fiber refers to it.
            drop(unsafe { Box::from_raw(self.0.as_ptr()) });
        }
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(self.meta()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_carries_one_request_after_another() {
        let mut task = Task::new(3, 16);
        task.prepare(16);
        let mut stack = Stack::new(64 << 10).unwrap();
        for payload in [b"first".as_slice(), b"2nd"] {
            task.fill(Meta { class: Class(1), ..Meta::default() }, payload);
            task.start(stack, |request, reply| {
                reply.write(request.payload()).unwrap();
                current::suspend(Outcome::Preempted);
                reply.write(b"!").unwrap();
                Outcome::Done
            });
            assert_eq!(task.fiber().resume(), Outcome::Preempted);
            assert_eq!((task.meta().slot, task.meta().class), (3, Class(1)));
            assert_eq!(task.fiber().resume(), Outcome::Done);
            stack = task.finish();
            assert_eq!(task.reply().as_bytes(), [payload, b"!"].concat());
        }
    }
}
