//! The reservations of a run, in memory that was there before it.

use super::reserve::{Group, Plan};
use crate::id::{Class, WorkerId};
use crate::policy::{Report, Reservation, ReservationUpdate};
use crate::sys::clock::Tsc;

/// Groups, and classes in them, that are kept of all updates together.
const PARTS: usize = 1 << 14;

/// See the module.
#[derive(Debug)]
pub(super) struct Log {
    /// When, and where its groups and its classes begin.
    updates: Vec<(Tsc, usize, usize)>,
    groups: Vec<Group>,
    classes: Vec<u16>,
    lost: u64,
}

impl Log {
    pub(super) fn new() -> Self {
        Self {
            updates: Vec::with_capacity(Report::LIMIT),
            groups: Vec::with_capacity(PARTS),
            classes: Vec::with_capacity(PARTS),
            lost: 0,
        }
    }

    pub(super) fn push(&mut self, at: Tsc, plan: &Plan) {
        let fits = self.updates.len() < Report::LIMIT
            && self.groups.len() + plan.groups.len() <= PARTS
            && self.classes.len() + plan.order.len() <= PARTS;
        if !fits {
            self.lost += 1;
            return;
        }
        self.updates.push((at, self.groups.len(), self.classes.len()));
        self.groups.extend_from_slice(&plan.groups);
        self.classes.extend_from_slice(&plan.order);
    }

    /// All that was kept, of a server with so many workers, and how many updates were not.
    pub(super) fn updates(&self, workers: usize) -> (Vec<ReservationUpdate>, u64) {
        let ends = self.updates.iter().skip(1).map(|&(_, groups, _)| groups).chain([self.groups.len()]);
        let update = |(&(at, groups, classes), end): (&(Tsc, usize, usize), usize)| ReservationUpdate {
            at,
            groups: self.groups[groups..end]
                .iter()
                .map(|group| reservation(group, &self.classes[classes..], workers))
                .collect(),
        };
        (self.updates.iter().zip(ends).map(update).collect(), self.lost)
    }
}

fn reservation(group: &Group, classes: &[u16], workers: usize) -> Reservation {
    let run = |from: usize, to: usize| (from..to).map(|index| WorkerId(index as u16)).collect();
    let end = group.first + group.count;
    Reservation {
        classes: classes[group.classes.0..group.classes.1].iter().map(|&class| Class(class)).collect(),
        demand: group.demand,
        reserved: if group.count > 0 { run(group.first, end) } else { run(workers - 1, workers) },
        stealable: if group.count > 0 { run(end, workers) } else { Vec::new() },
    }
}
