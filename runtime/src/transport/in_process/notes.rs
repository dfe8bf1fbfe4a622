//! What became of each request: noted during the run by whoever answers it, read after the run.

use std::cell::UnsafeCell;

use crate::id::{Class, WorkerId};
use crate::request::Status;
use crate::sync::{Arc, AtomicU8, Ordering};
use crate::sys::clock::{Clock, Nanos, Ticks, Tsc};
use crate::transport::Answer;

/// Bytes of a reply that a [`Completion`] keeps.
pub const KEPT_REPLY: usize = 64;

/// What became of one request; times since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Who ran it; for a refused request the dispatcher.
    pub by: WorkerId,
    /// When it was to arrive.
    pub intended: Nanos,
    /// When the dispatcher took it in.
    pub taken_in: Nanos,
    /// When its handler returned; for a refused request, when it was refused.
    pub done: Nanos,
    /// Service it received: the sum of its turns.
    pub received: Nanos,
    /// How often it was preempted.
    pub preemptions: u32,
    /// Its class.
    pub class: Class,
    /// How it was answered.
    pub status: Status,
    /// The reply's length.
    pub reply_len: u32,
    /// The reply's first bytes.
    pub reply: [u8; KEPT_REPLY],
}

impl Completion {
    /// From the intended arrival to the end.
    pub fn sojourn(&self) -> Nanos {
        self.done - self.intended
    }

    /// How late the dispatcher took it in.
    pub fn lateness(&self) -> Nanos {
        self.taken_in - self.intended
    }

    /// The reply as far as it was kept.
    pub fn reply(&self) -> &[u8] {
        &self.reply[..KEPT_REPLY.min(self.reply_len as usize)]
    }
}

/// A completion as it is noted during the run, in ticks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    taken_in: Tsc,
    done: Tsc,
    received: Ticks,
    preemptions: u32,
    reply_len: u32,
    by: WorkerId,
    class: Class,
    status: Status,
    reply: [u8; KEPT_REPLY],
}

impl Note {
    const EMPTY: Note = Note {
        taken_in: Tsc(0),
        done: Tsc(0),
        received: Ticks(0),
        preemptions: 0,
        reply_len: 0,
        by: WorkerId::DISPATCHER,
        class: Class(0),
        status: Status::Ok,
        reply: [0; KEPT_REPLY],
    };

    pub(super) fn of(answer: &Answer<'_>) -> Self {
        let kept = answer.reply.len().min(KEPT_REPLY);
        let mut note = Note {
            taken_in: answer.taken_in,
            done: answer.done,
            received: answer.received,
            preemptions: answer.preemptions,
            reply_len: u32::try_from(answer.reply.len()).unwrap_or(u32::MAX),
            by: answer.by,
            class: answer.class,
            status: answer.status,
            reply: [0; KEPT_REPLY],
        };
        note.reply[..kept].copy_from_slice(&answer.reply[..kept]);
        note
    }

    /// In nanoseconds since `epoch`, for a request that was `due` so long after it.
    pub(super) fn completion(&self, clock: Clock, epoch: Tsc, due: Ticks) -> Completion {
        let since = |moment: Tsc| clock.nanos(moment.since(epoch));
        Completion {
            by: self.by,
            // From ticks too: rounded like the others, so that no request ends before it arrives.
            intended: clock.nanos(due),
            taken_in: since(self.taken_in),
            done: since(self.done),
            received: clock.nanos(self.received),
            preemptions: self.preemptions,
            class: self.class,
            status: self.status,
            reply_len: self.reply_len,
            reply: self.reply,
        }
    }
}

/// A place for one request's note, made and touched before the run. It is written once, by whoever answers the
/// request, so it fills the pair of cache lines that the CPU moves at once.
///
/// | Word | Written by | Read by | Ordering | Pairs with |
/// |---|---|---|---|---|
/// | state | who answers | who answers, reader | Release / Acquire | each other: a `NOTED` slot's note is seen whole |
/// | note | who moved state from `EMPTY` to `WRITING` | reader of a `NOTED` slot | none | through state |
#[repr(align(128))]
pub(super) struct Slot {
    state: AtomicU8,
    note: UnsafeCell<Note>,
}

const _: () = assert!(size_of::<Slot>() == concord_abi::LINE_BYTES);

const EMPTY: u8 = 0;
const WRITING: u8 = 1;
const NOTED: u8 = 2;

// SAFETY: the note is written by the one thread that moved the state away from `EMPTY`, which nothing undoes,
// and read only after that thread has moved it to `NOTED`.
unsafe impl Sync for Slot {}

impl Slot {
    fn new() -> Self {
        Self { state: AtomicU8::new(EMPTY), note: UnsafeCell::new(Note::EMPTY) }
    }

    pub(super) fn write(&self, note: Note) {
        // Relaxed: claims the slot, reads nothing that another thread wrote.
        let claim = self.state.compare_exchange(EMPTY, WRITING, Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_ok() {
            // SAFETY: see `Sync`; this thread has the claim.
            unsafe { *self.note.get() = note };
            // Release: pairs with the Acquire in `read`.
            self.state.store(NOTED, Ordering::Release);
        }
    }

    pub(super) fn read(&self) -> Option<Note> {
        // Acquire: pairs with the Release in `write`.
        // SAFETY: see `Sync`; a noted slot is not written again.
        (self.state.load(Ordering::Acquire) == NOTED).then(|| unsafe { *self.note.get() })
    }
}

/// One slot per request.
pub(super) type Slots = Arc<[Slot]>;

pub(super) fn slots(requests: usize) -> Slots {
    (0..requests).map(|_| Slot::new()).collect()
}
