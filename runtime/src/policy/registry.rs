//! All policies, by name.

use super::spec::Entry;
use super::{
    BorrowedTime, Darc, Fcfs, LeastAttained, LocalSharing, OnDemand, ProcessorSharing, SpreadFcfs,
    borrowed_time, darc, on_demand,
};

/// All policies; the order is that of lists and tables.
pub(super) const REGISTRY: [Entry; 9] = [
    Entry {
        name: "ps",
        summary: "one queue, round robin (Concord)",
        conserves: true,
        options: &[],
        make: |_, setup| Ok(Box::new(ProcessorSharing::new(setup))),
    },
    Entry {
        name: "c-fcfs",
        summary: "one queue, first come, first served; never ends a turn",
        conserves: true,
        options: &[],
        make: |_, setup| Ok(Box::new(Fcfs::new(setup))),
    },
    Entry {
        name: "d-fcfs",
        summary: "a queue for each worker, filled without a look, first come, first served (RSS)",
        conserves: false,
        options: &[],
        make: |_, setup| Ok(Box::new(SpreadFcfs::new(setup))),
    },
    Entry {
        name: "bvt",
        summary: "a queue for each class, by Borrowed Virtual Time (Shinjuku's multi-queue)",
        conserves: true,
        options: borrowed_time::OPTIONS,
        make: |options, setup| Ok(Box::new(BorrowedTime::new(setup, options)?)),
    },
    Entry {
        name: "darc",
        summary: "workers reserved for short classes, by what was seen of each class (Persephone)",
        conserves: false,
        options: darc::OPTIONS,
        make: |options, setup| Ok(Box::new(Darc::new(setup, darc::Settings::read(options)?))),
    },
    Entry {
        name: "darc-static",
        summary: "workers reserved for short classes by hand",
        conserves: false,
        options: darc::STATIC_OPTIONS,
        make: |options, setup| Ok(Box::new(Darc::by_hand(setup, options)?)),
    },
    Entry {
        name: "las",
        summary: "who has received the least service goes first",
        conserves: true,
        options: &[],
        make: |_, setup| Ok(Box::new(LeastAttained::new(setup))),
    },
    Entry {
        name: "local-ps",
        summary: "a request shares the worker that had the fewest when it arrived (Tiny Quanta)",
        conserves: false,
        options: &[],
        make: |_, setup| Ok(Box::new(LocalSharing::new(setup))),
    },
    Entry {
        name: "on-demand",
        summary: "knows no classes: a request's first quantum goes first, later turns end only on demand",
        conserves: true,
        options: on_demand::OPTIONS,
        make: |options, setup| Ok(Box::new(OnDemand::new(setup, &on_demand::Settings::read(options)?))),
    },
];

/// Names of all policies.
pub fn names() -> impl Iterator<Item = &'static str> {
    REGISTRY.iter().map(|entry| entry.name)
}

/// All policies, with their options.
pub fn all() -> &'static [Entry] {
    &REGISTRY
}
