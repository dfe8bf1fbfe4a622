//! A transport that ends after so many requests.

use std::io;
use std::time::Duration;

use concord::transport::{Intake, Polled, Refusal, Transport};
use concord::{Origin, Tsc};

/// Hands on what its inner transport receives, and has ended once enough requests arrived. The poll in which
/// that happens may bring a few more.
pub(super) struct ForRequests<T> {
    inner: T,
    left: Option<u64>,
}

impl<T> ForRequests<T> {
    /// Ends after `requests`, or never.
    pub(super) fn new(inner: T, requests: Option<u64>) -> Self {
        Self { inner, left: requests }
    }
}

impl<T: Transport> Transport for ForRequests<T> {
    type Egress = T::Egress;

    fn open(&mut self, workers: usize, request_size: usize) -> io::Result<Vec<T::Egress>> {
        self.inner.open(workers, request_size)
    }

    fn begin(&mut self, epoch: Tsc) {
        self.inner.begin(epoch);
    }

    fn poll<I: Intake>(&mut self, now: Tsc, intake: &mut I) -> Polled {
        match &mut self.left {
            Some(0) => Polled::Ended,
            Some(left) => self.inner.poll(now, &mut Counting { intake, left }),
            None => self.inner.poll(now, intake),
        }
    }

    fn wait(&mut self, at_most: Duration) {
        self.inner.wait(at_most);
    }

    fn lost(&self) -> u64 {
        self.inner.lost()
    }
}

/// Counts the requests, served or refused; what is no request does not count.
struct Counting<'a, I> {
    intake: &'a mut I,
    left: &'a mut u64,
}

impl<I: Intake> Intake for Counting<'_, I> {
    fn admit(&mut self, origin: Origin, arrival: Tsc, payload: &[u8]) -> Result<(), Refusal> {
        *self.left = self.left.saturating_sub(1);
        self.intake.admit(origin, arrival, payload)
    }

    fn malformed(&mut self) {
        self.intake.malformed();
    }

    fn oversized(&mut self) {
        *self.left = self.left.saturating_sub(1);
        self.intake.oversized();
    }
}
