//! Requests from a schedule made before the run, within the process.
//!
//! The dispatcher's own thread takes each arrival in when its time has come: no sender competes for a core, and
//! one worker and the dispatcher fill two cores. The run is an open loop: latency counts from the *intended*
//! arrival, however late the dispatcher was ("coordinated omission" cannot happen), and how late it was is
//! recorded beside it.

use std::cell::UnsafeCell;
use std::io;
use std::time::Duration;

use super::{Answer, Egress, Intake, Polled, Transport};
use crate::request::{Origin, Status};
use crate::service::Class;
use crate::sync::{Arc, AtomicU8, Ordering};
use crate::sys::clock::{Clock, Nanos, Ticks, Tsc};

/// Arrivals in order of time, with all their payloads in one block of memory.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    payloads: Vec<u8>,
    arrivals: Vec<Arrival>,
}

/// One arrival.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Nanos,
    /// End of its payload, which begins where the previous one's ends.
    end: usize,
}

impl Schedule {
    /// An empty schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty schedule with room for `requests` whose payloads take `payload_bytes` together.
    pub fn with_capacity(requests: usize, payload_bytes: usize) -> Self {
        Self { payloads: Vec::with_capacity(payload_bytes), arrivals: Vec::with_capacity(requests) }
    }

    /// Appends an arrival `at` nanoseconds after the run's begin.
    ///
    /// # Panics
    /// When `at` is before the last arrival.
    pub fn push(&mut self, at: Nanos, payload: &[u8]) {
        let last = self.arrivals.last().map_or(Nanos(0), |arrival| arrival.at);
        assert!(at >= last, "arrival at {at} is before the previous one at {last}; sort the schedule");
        self.payloads.extend_from_slice(payload);
        self.arrivals.push(Arrival { at, end: self.payloads.len() });
    }

    /// Requests in it.
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// When request `index` is to arrive.
    ///
    /// # Panics
    /// When there is no such request.
    pub fn at(&self, index: usize) -> Nanos {
        self.arrivals[index].at
    }

    /// The payload of request `index`.
    ///
    /// # Panics
    /// When there is no such request.
    pub fn payload(&self, index: usize) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |previous| self.arrivals[previous].end);
        &self.payloads[begin..self.arrivals[index].end]
    }
}

/// Bytes of a reply that a [`Completion`] keeps.
pub const KEPT_REPLY: usize = 64;

/// What became of one request; times since the run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
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
struct Note {
    taken_in: Tsc,
    done: Tsc,
    received: Ticks,
    preemptions: u32,
    reply_len: u32,
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
        class: Class(0),
        status: Status::Ok,
        reply: [0; KEPT_REPLY],
    };

    fn of(answer: &Answer<'_>) -> Self {
        let kept = answer.reply.len().min(KEPT_REPLY);
        let mut note = Note {
            taken_in: answer.taken_in,
            done: answer.done,
            received: answer.received,
            preemptions: answer.preemptions,
            reply_len: u32::try_from(answer.reply.len()).unwrap_or(u32::MAX),
            class: answer.class,
            status: answer.status,
            reply: [0; KEPT_REPLY],
        };
        note.reply[..kept].copy_from_slice(&answer.reply[..kept]);
        note
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
struct Slot {
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

    fn write(&self, note: Note) {
        // Relaxed: claims the slot, reads nothing that another thread wrote.
        let claim = self.state.compare_exchange(EMPTY, WRITING, Ordering::Relaxed, Ordering::Relaxed);
        if claim.is_ok() {
            // SAFETY: see `Sync`; this thread has the claim.
            unsafe { *self.note.get() = note };
            // Release: pairs with the Acquire in `read`.
            self.state.store(NOTED, Ordering::Release);
        }
    }

    fn read(&self) -> Option<Note> {
        // Acquire: pairs with the Release in `write`.
        // SAFETY: see `Sync`; a noted slot is not written again.
        (self.state.load(Ordering::Acquire) == NOTED).then(|| unsafe { *self.note.get() })
    }
}

type Slots = Arc<[Slot]>;

fn slots(requests: usize) -> Slots {
    (0..requests).map(|_| Slot::new()).collect()
}

/// Requests that one poll takes in at most, so that the loop gets round to the workers in between.
const BATCH: usize = 16;

/// Runs a [`Schedule`]. Lend it to [`Server::run`](crate::Server::run) by `&mut`, then ask for
/// [`completions`](InProcess::completions).
pub struct InProcess {
    schedule: Schedule,
    slots: Slots,
    epoch: Tsc,
    next: usize,
    /// The arrivals in ticks since the epoch, so that the loop converts nothing.
    due: Vec<Ticks>,
}

impl InProcess {
    /// Prepares to run `schedule`.
    pub fn new(schedule: Schedule) -> Self {
        let clock = Clock::get();
        let due = schedule.arrivals.iter().map(|arrival| clock.ticks(arrival.at)).collect();
        Self { slots: slots(schedule.len()), schedule, epoch: Tsc(0), next: 0, due }
    }

    /// The schedule.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What became of each request, by its index in the schedule; `None` for those that a shutdown or a failed
    /// start left out.
    pub fn completions(&self) -> Vec<Option<Completion>> {
        let clock = Clock::get();
        let since = |moment: Tsc| clock.nanos(moment.since(self.epoch));
        let complete = |(index, slot): (usize, &Slot)| {
            slot.read().map(|note| Completion {
                // From ticks too: rounded like the others, so that no request ends before it arrives.
                intended: clock.nanos(self.due[index]),
                taken_in: since(note.taken_in),
                done: since(note.done),
                received: clock.nanos(note.received),
                preemptions: note.preemptions,
                class: note.class,
                status: note.status,
                reply_len: note.reply_len,
                reply: note.reply,
            })
        };
        self.slots.iter().enumerate().map(complete).collect()
    }

    fn is_due(&self, now: Tsc) -> bool {
        self.due.get(self.next).is_some_and(|&due| self.epoch + due <= now)
    }

    fn take_next<I: Intake>(&mut self, now: Tsc, intake: &mut I) {
        let index = self.next;
        self.next += 1;
        let arrival = self.epoch + self.due[index];
        let origin = Origin { id: index as u64, peer: None };
        if let Err(refusal) = intake.admit(origin, arrival, self.schedule.payload(index)) {
            self.slots[index].write(Note::of(&Answer {
                origin,
                class: refusal.class,
                status: refusal.status,
                reply: &[],
                arrival,
                taken_in: now,
                done: now,
                received: Ticks(0),
                preemptions: 0,
            }));
        }
    }
}

impl Transport for InProcess {
    type Egress = InProcessEgress;

    fn open(&mut self, workers: usize, _request_size: usize) -> io::Result<Vec<InProcessEgress>> {
        // Fresh ones, so that the same schedule can be run again.
        self.slots = slots(self.schedule.len());
        Ok((0..workers).map(|_| InProcessEgress(Arc::clone(&self.slots))).collect())
    }

    fn begin(&mut self, epoch: Tsc) {
        self.epoch = epoch;
        self.next = 0;
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        if self.next == self.due.len() {
            return Polled::Ended;
        }
        let first = self.next;
        while self.next - first < BATCH && self.is_due(now) {
            self.take_next(now, intake);
        }
        if self.next == first { Polled::Nothing } else { Polled::Some }
    }

    fn wait(&mut self, at_most: Duration) {
        let Some(&due) = self.due.get(self.next) else { return std::thread::sleep(at_most) };
        let left = Clock::get().nanos((self.epoch + due).since(Tsc::now()));
        std::thread::sleep(at_most.min(left.into()));
    }
}

/// A worker's side: notes what became of a request.
pub struct InProcessEgress(Slots);

impl Egress for InProcessEgress {
    fn send(&mut self, answer: &Answer<'_>) -> bool {
        self.0[answer.origin.id as usize].write(Note::of(answer));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_keeps_its_payloads_apart() {
        let mut schedule = Schedule::with_capacity(3, 8);
        for (at, payload) in [(1, "ab"), (1, ""), (5, "c")] {
            schedule.push(Nanos(at), payload.as_bytes());
        }
        let payloads: Vec<_> = (0..schedule.len()).map(|index| schedule.payload(index)).collect();
        assert_eq!(payloads, [b"ab".as_slice(), b"", b"c"]);
        assert_eq!((schedule.at(2), schedule.is_empty()), (Nanos(5), false));
    }

    #[test]
    #[should_panic(expected = "sort the schedule")]
    fn a_schedule_refuses_to_go_back_in_time() {
        let mut schedule = Schedule::new();
        schedule.push(Nanos(2), &[]);
        schedule.push(Nanos(1), &[]);
    }
}
