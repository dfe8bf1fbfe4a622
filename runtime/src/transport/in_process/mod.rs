//! Requests from a schedule made before the run, within the process.
//!
//! The dispatcher's own thread takes each arrival in when its time has come: no sender competes for a core, and
//! one worker and the dispatcher fill two cores. The run is an open loop: latency counts from the *intended*
//! arrival, however late the dispatcher was ("coordinated omission" cannot happen), and how late it was is
//! recorded beside it.

mod notes;
mod schedule;

pub use notes::{Completion, KEPT_REPLY};
pub use schedule::Schedule;

use std::io;
use std::time::Duration;

use super::{Answer, Egress, Intake, Polled, Transport};
use crate::id::WorkerId;
use crate::request::Origin;
use crate::sync::Arc;
use crate::sys::clock::{Clock, Ticks, Tsc};
use notes::{Note, Slots, slots};

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
        let due = (0..schedule.len()).map(|index| clock.ticks(schedule.at(index))).collect();
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
        let completion = |(slot, &due): (&notes::Slot, &Ticks)| {
            slot.read().map(|note| note.completion(clock, self.epoch, due))
        };
        self.slots.iter().zip(&self.due).map(completion).collect()
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
                by: WorkerId::DISPATCHER,
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

    fn open(&mut self, sides: usize, _request_size: usize) -> io::Result<Vec<InProcessEgress>> {
        // Fresh ones, so that the same schedule can be run again.
        self.slots = slots(self.schedule.len());
        Ok((0..sides).map(|_| InProcessEgress(Arc::clone(&self.slots))).collect())
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
