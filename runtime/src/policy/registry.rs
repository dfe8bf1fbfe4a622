//! All policies, by name.

use super::spec::Entry;
use super::{Fcfs, OnDemand, ProcessorSharing, on_demand};

/// All policies; the order is that of lists and tables.
pub(super) const REGISTRY: [Entry; 3] = [
    Entry {
        name: "ps",
        summary: "one queue, round robin (Concord)",
        options: &[],
        make: |_, setup| Ok(Box::new(ProcessorSharing::new(setup))),
    },
    Entry {
        name: "c-fcfs",
        summary: "one queue, first come, first served; never ends a turn",
        options: &[],
        make: |_, setup| Ok(Box::new(Fcfs::new(setup))),
    },
    Entry {
        name: "on-demand",
        summary: "knows no classes: a request's first quantum goes first, later turns end only on demand",
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
