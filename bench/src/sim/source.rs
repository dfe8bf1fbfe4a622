//! Where requests come from.

use crate::error::BenchError;
use crate::workload::{Draws, Length, Workload};

use super::Arriving;

/// Requests of a workload: the ones that a [`Schedule`](crate::workload::Schedule) of the same arguments has.
pub struct FromWorkload<'a> {
    draws: Draws<'a>,
    /// Class and service time, where it is the same for all, of each share of each phase.
    classes: Vec<Vec<(u16, Option<u64>)>>,
}

impl<'a> FromWorkload<'a> {
    /// `service_ns` gives the service time of classes for which the workload states none.
    ///
    /// # Errors
    /// When a service time is known to neither, or a rate or the length is not above zero.
    pub fn new(
        workload: &'a Workload,
        rates: &'a [f64],
        length: Length,
        seed: u64,
        service_ns: impl Fn(&str) -> Option<f64>,
    ) -> Result<Self, BenchError> {
        let names = workload.classes();
        let index = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default() as u16;
        let mut classes = Vec::new();
        for mix in &workload.phases {
            let mut phase = Vec::new();
            for share in mix.shares() {
                let own = service_ns(&share.class).map(|ns| (ns.round() as u64).max(1));
                if own.is_none() && share.service.is_none() {
                    let class = share.class.clone();
                    return Err(BenchError::ServiceTime { workload: workload.name.clone(), class });
                }
                phase.push((index(&share.class), own));
            }
            classes.push(phase);
        }
        Ok(Self { draws: Draws::new(workload, rates, length, seed)?, classes })
    }
}

impl Iterator for FromWorkload<'_> {
    type Item = Arriving;

    fn next(&mut self) -> Option<Arriving> {
        let draw = self.draws.next()?;
        let (class, own) = self.classes[draw.phase][draw.share];
        let service = draw.service_ns.or(own).expect("`new` checked that one of them is known");
        Some(Arriving { at: draw.intended_ns, class, service })
    }
}
