//! The clock of the turns: arms the line of a worker whose turn has lasted for the quantum.
//!
//! From the look at the clock until the task has left its worker some 100 to 300 ns pass: the loop's round, two
//! moves of a cache line, the way to the next probe, the switch. The dispatcher arms ahead by that much, which
//! it learns from the turns themselves: after each preempted turn the lead moves by a small step, up when the
//! turn was longer than the quantum and down when it was shorter, so that it settles where as many turns end
//! early as late: the median turn lasts for the quantum. (A mean would follow the host's gaps.)

use super::slots::{Armed, Slot, Slots};
use crate::id::WorkerId;
use crate::metrics::IntervalLog;
use crate::policy::Policy;
use crate::preempt::line;
use crate::sys::clock::{Ticks, Tsc};

/// See the module.
#[derive(Debug)]
pub(crate) struct Quantum {
    /// `None`: no turn is ever ended.
    length: Option<Ticks>,
    /// How long after its arming a turn may go on before that is noted.
    tolerance: Ticks,
    leads: Vec<Lead>,
    overruns: IntervalLog<WorkerId>,
}

impl Quantum {
    pub(crate) fn new(length: Option<Ticks>, tolerance: Ticks, workers: usize) -> Self {
        Self { length, tolerance, leads: vec![Lead::default(); workers], overruns: IntervalLog::new() }
    }

    /// A preempted turn of `worker` has lasted for `ran`.
    pub(crate) fn learn(&mut self, worker: WorkerId, ran: Ticks) {
        if let Some(length) = self.length {
            self.leads[worker.index()].learn(length, ran);
        }
    }

    /// Arms what is due, and notes which armed turns have ended.
    pub(crate) fn check(&mut self, slots: &mut Slots<'_>, policy: &dyn Policy, now: Tsc) {
        let Some(length) = self.length else { return };
        if !policy.preempts() {
            return;
        }
        for slot in &mut slots.all {
            self.check_worker(slot, policy, length, now);
        }
    }

    fn check_worker(&mut self, slot: &mut Slot<'_>, policy: &dyn Policy, length: Ticks, now: Tsc) {
        let running = slot.running();
        if let Some(armed) = slot.armed {
            if running.is_some_and(|turn| turn.generation == armed.generation) {
                return;
            }
            self.note_end(slot, armed, now);
        }
        let Some(turn) = running else { return };
        let something_waits = slot.held > 1 || policy.has_work_for(slot.worker);
        let is_due = turn.ticks_until(now.0) + self.leads[slot.worker.index()].ticks >= length.0;
        if something_waits && is_due && turn.generation != slot.last_armed {
            line::arm(slot.line, turn.generation);
            slot.armed = Some(Armed { generation: turn.generation, at: now });
            slot.last_armed = turn.generation;
        }
    }

    fn note_end(&mut self, slot: &mut Slot<'_>, armed: Armed, now: Tsc) {
        slot.armed = None;
        if now.since(armed.at) > self.tolerance {
            self.overruns.push(slot.worker, armed.at, now);
        }
    }

    pub(crate) fn overruns(&self) -> &IntervalLog<WorkerId> {
        &self.overruns
    }
}

/// How far ahead of the quantum's end one worker's line is armed.
#[derive(Clone, Copy, Debug, Default)]
struct Lead {
    ticks: u64,
}

/// One step of a lead: about 2 ns, so that it follows in hundreds of turns and wanders by little.
const LEAD_STEP: u64 = 4;

impl Lead {
    fn learn(&mut self, length: Ticks, ran: Ticks) {
        // At most half the quantum: a worker that the host keeps from running must not end all turns at once.
        self.ticks = match ran > length {
            true => (self.ticks + LEAD_STEP).min(length.0 / 2),
            false => self.ticks.saturating_sub(LEAD_STEP),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lead_settles_where_the_median_turn_lasts_for_the_quantum() {
        let (length, mut lead) = (Ticks(10_000), Lead::default());
        // Delays of 500 to 900 ticks in turn, and now and then a gap of the host's.
        let mut last = 0;
        for turn in 0..5_000_u64 {
            let gap = if turn % 10 == 0 { 1_000_000 } else { 0 };
            last = length.0 - lead.ticks + 500 + (turn % 5) * 100 + gap;
            lead.learn(length, Ticks(last));
        }
        assert!((600..=850).contains(&lead.ticks), "{}", lead.ticks);
        assert!(last <= length.0 + 400);
    }

    #[test]
    fn the_lead_stays_below_half_the_quantum() {
        let mut lead = Lead::default();
        (0..10_000).for_each(|_| lead.learn(Ticks(100), Ticks(1_000)));
        assert_eq!(lead.ticks, 50);
        (0..10_000).for_each(|_| lead.learn(Ticks(100), Ticks(10)));
        assert_eq!(lead.ticks, 0);
    }
}
