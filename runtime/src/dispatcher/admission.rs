//! Taking requests in: class, bound, counts.

use super::tasks::TaskTable;
use crate::context::Meta;
use crate::id::Class;
use crate::policy::{Item, Policy};
use crate::request::{Origin, Status};
use crate::service::{Service, classify};
use crate::sys::clock::{Ticks, Tsc};
use crate::transport::{Intake, Refusal};

/// Counts of what arrived; by class, the last one counts the unknown.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) offered: Vec<u64>,
    pub(crate) dropped: Vec<u64>,
    pub(crate) malformed: u64,
    pub(crate) oversized: u64,
    pub(crate) unclassified: u64,
}

impl Counts {
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            offered: vec![0; classes + 1],
            dropped: vec![0; classes + 1],
            malformed: 0,
            oversized: 0,
            unclassified: 0,
        }
    }
}

/// What a transport hands requests to, for the length of one poll.
pub(super) struct Admission<'a, S> {
    pub(super) service: &'a S,
    pub(super) tasks: &'a mut TaskTable,
    pub(super) policy: &'a mut dyn Policy,
    pub(super) counts: &'a mut Counts,
    /// Classes that the service names.
    pub(super) classes: usize,
    pub(super) request_size: usize,
    pub(super) now: Tsc,
}

impl<S: Service> Intake for Admission<'_, S> {
    fn admit(&mut self, origin: Origin, arrival: Tsc, payload: &[u8]) -> Result<(), Refusal> {
        if payload.len() > self.request_size {
            self.oversized();
            return Err(Refusal { status: Status::Oversized, class: Class(0) });
        }
        let class = match classify(self.service, self.classes, payload) {
            Ok(class) => class,
            Err(status) => {
                self.counts.unclassified += 1;
                return Err(Refusal { status, class: Class(0) });
            }
        };
        let index = class.index_among(self.classes);
        self.counts.offered[index] += 1;
        if !self.tasks.admit(class) {
            self.counts.dropped[index] += 1;
            return Err(Refusal { status: Status::Dropped, class });
        }
        let meta = Meta { class, origin, arrival, taken_in: self.now, ..Meta::default() };
        let slot = self.tasks.fill(meta, payload);
        self.policy.arrived(Item { slot, class, arrival, received: Ticks(0), pinned: None }, self.now);
        Ok(())
    }

    fn malformed(&mut self) {
        self.counts.malformed += 1;
    }

    fn oversized(&mut self) {
        self.counts.oversized += 1;
    }
}
