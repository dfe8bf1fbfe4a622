//! Transports: where requests come from and where replies go.
//!
//! ```text
//!   dispatcher's thread                        worker's thread
//!   Transport::poll -> Intake::admit -> ...  ... -> Egress::send
//!                      (refused: the transport answers itself)
//! ```
//!
//! A transport is one object on the dispatcher's thread plus one [`Egress`] for each thread that runs requests,
//! so that it sends its replies itself.

pub mod in_process;
pub mod udp;

use std::io;
use std::time::Duration;

use crate::id::{Class, WorkerId};
use crate::request::{Origin, Status};
use crate::sys::clock::{Ticks, Tsc};

/// What a poll found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Polled {
    /// Nothing now.
    Nothing,
    /// At least one packet, good or bad.
    Some,
    /// Nothing, and nothing will ever come: the run ends when all that is under way is answered.
    Ended,
}

/// The dispatcher's side of a transport.
pub trait Transport: Send {
    /// A worker's side.
    type Egress: Egress;

    /// Called once before the threads start: makes this many sides, one for each worker and, when the dispatcher
    /// may run requests itself, one more for it.
    ///
    /// # Errors
    /// What the system said.
    fn open(&mut self, sides: usize, request_size: usize) -> io::Result<Vec<Self::Egress>>;

    /// Called once on the dispatcher's thread, right before its loop: `epoch` is the run's zero.
    fn begin(&mut self, epoch: Tsc) {
        let _ = epoch;
    }

    /// Called in each round of the loop: hands a few requests that have arrived to `intake`. Must not block.
    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled;

    /// Called when a polite dispatcher has nothing to do: waits for a packet, `at_most` this long.
    fn wait(&mut self, at_most: Duration) {
        std::thread::sleep(at_most);
    }

    /// Called after the run: packets that were lost before a poll could see them, as far as the system says.
    fn lost(&self) -> u64 {
        0
    }
}

impl<T: Transport> Transport for &mut T {
    type Egress = T::Egress;

    fn open(&mut self, sides: usize, request_size: usize) -> io::Result<Vec<Self::Egress>> {
        (**self).open(sides, request_size)
    }

    fn begin(&mut self, epoch: Tsc) {
        (**self).begin(epoch);
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        (**self).poll(now, intake)
    }

    fn wait(&mut self, at_most: Duration) {
        (**self).wait(at_most);
    }

    fn lost(&self) -> u64 {
        (**self).lost()
    }
}

/// Where a transport hands over what arrived; counts what it is told.
pub trait Intake {
    /// Takes in a request that arrived at `arrival`, from where latency counts.
    ///
    /// # Errors
    /// The status with which the transport has to answer a request that was refused.
    fn admit(&mut self, origin: Origin, arrival: Tsc, payload: &[u8]) -> Result<(), Refusal>;

    /// A packet was no request and has been dropped.
    fn malformed(&mut self);

    /// A request was longer than `request_size`; the transport answers it by [`Status::Oversized`].
    fn oversized(&mut self);
}

/// Why a request was not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What to answer.
    pub status: Status,
    /// Its class, as far as known.
    pub class: Class,
}

/// A worker's side of a transport.
pub trait Egress: Send {
    /// Sends a reply; `false` when that failed and the reply is lost.
    fn send(&mut self, answer: &Answer<'_>) -> bool;
}

/// A request's end.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Who ran it; for a refused request the dispatcher.
    pub by: WorkerId,
    /// Where it came from.
    pub origin: Origin,
    /// Its class.
    pub class: Class,
    /// How it went.
    pub status: Status,
    /// The reply, or an error's message.
    pub reply: &'a [u8],
    /// When it arrived.
    pub arrival: Tsc,
    /// When the dispatcher took it in.
    pub taken_in: Tsc,
    /// When its handler returned.
    pub done: Tsc,
    /// Service it received: the sum of its turns.
    pub received: Ticks,
    /// How often it was preempted.
    pub preemptions: u32,
}
