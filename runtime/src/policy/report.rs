//! What a policy has to say of itself after a run.

use std::fmt;

use crate::id::{Class, WorkerId};
use crate::sys::clock::{Ticks, Tsc};

/// See the module. Empty for policies that have nothing to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// DARC: each time that workers were reserved anew, the first [`Report::LIMIT`] of them.
    pub updates: Vec<ReservationUpdate>,
    /// Updates beyond those kept.
    pub updates_lost: u64,
    /// What the policy's bookkeeping has cost.
    pub costs: Costs,
}

impl Report {
    /// Updates that are kept.
    pub const LIMIT: usize = 1024;
}

impl fmt::Display for Report {
    /// The last reservations and the costs; nothing for a policy that has nothing to say.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(last) = self.updates.last() {
            let updates = self.updates.len() as u64 + self.updates_lost;
            writeln!(f, "reservations after {updates} update(s), the shortest classes first:")?;
            last.groups.iter().try_for_each(|group| writeln!(f, "  {group}"))?;
        }
        let Costs { profile, check, update } = self.costs;
        for (name, cost) in [("profile", profile), ("check", check), ("update", update)] {
            if let Some(mean) = cost.mean() {
                writeln!(f, "{name}: {} time(s), {mean:.0} ticks each", cost.count)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reservation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<String> = self.classes.iter().map(|class| class.0.to_string()).collect();
        write!(f, "class {}: demand {:.2} workers, ", classes.join(", "), self.demand)?;
        write!(f, "has {}", Run(&self.reserved))?;
        if self.stealable.is_empty() { Ok(()) } else { write!(f, ", may use {}", Run(&self.stealable)) }
    }
}

/// Workers in a row.
struct Run<'a>(&'a [WorkerId]);

impl fmt::Display for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "none"),
            [only] => write!(f, "{only}"),
            [first, .., last] => write!(f, "{first} to {}", last.0),
        }
    }
}

/// A new reservation of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct ReservationUpdate {
    /// When.
    pub at: Tsc,
    /// What is reserved for whom, the shortest group first.
    pub groups: Vec<Reservation>,
}

/// What is reserved for one group of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reservation {
    /// Its classes, the shortest first.
    pub classes: Vec<Class>,
    /// The workers that it needs by its share of the load.
    pub demand: f64,
    /// Workers that are its own; the spillway worker, when it got no other.
    pub reserved: Vec<WorkerId>,
    /// Workers of longer groups that it may use too.
    pub stealable: Vec<WorkerId>,
}

/// What the bookkeeping of a policy has cost, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Adding a completion to the profile.
    pub profile: Cost,
    /// Looking whether the reservations are still right.
    pub check: Cost,
    /// Reserving anew.
    pub update: Cost,
}

/// What one kind of work has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How often it was done.
    pub count: u64,
    /// How often it was measured.
    pub measured: u64,
    /// The sum of what was measured.
    pub total: Ticks,
}

impl Cost {
    /// Ticks at a time, on average; `None` when nothing was measured.
    pub fn mean(&self) -> Option<f64> {
        (self.measured > 0).then(|| self.total.0 as f64 / self.measured as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_who_has_which_workers_and_what_it_cost() {
        let workers = |range: std::ops::Range<u16>| range.map(WorkerId).collect::<Vec<_>>();
        let group = |class, demand, reserved, stealable| Reservation {
            classes: vec![Class(class)],
            demand,
            reserved: workers(reserved),
            stealable: workers(stealable),
        };
        let groups = vec![group(1, 0.14, 0..1, 1..14), group(0, 13.86, 1..14, 14..14)];
        let report = Report {
            updates: vec![ReservationUpdate { at: Tsc(0), groups }],
            updates_lost: 2,
            costs: Costs { check: Cost { count: 3, measured: 2, total: Ticks(600) }, ..Costs::default() },
        };
        assert_eq!(
            report.to_string(),
            "reservations after 3 update(s), the shortest classes first:\n  \
             class 1: demand 0.14 workers, has worker 0, may use worker 1 to 13\n  \
             class 0: demand 13.86 workers, has worker 1 to 13\n\
             check: 3 time(s), 300 ticks each\n"
        );
        assert_eq!(Report::default().to_string(), "");
    }
}
