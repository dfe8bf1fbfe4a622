//! The clock of the turns: arms the line of a worker whose turn has lasted for the quantum.

use super::slots::{Armed, Slot, Slots};
use crate::metrics::IntervalLog;
use crate::policy::Policy;
use crate::preempt::line;
use crate::service::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

/// See the module.
#[derive(Debug)]
pub(crate) struct Quantum {
    /// `None`: no turn is ever ended.
    length: Option<Ticks>,
    /// How long after its arming a turn may go on before that is noted.
    tolerance: Ticks,
    overruns: IntervalLog<WorkerId>,
}

impl Quantum {
    pub(crate) fn new(length: Option<Ticks>, tolerance: Ticks) -> Self {
        Self { length, tolerance, overruns: IntervalLog::new() }
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
        let is_due = turn.ticks_until(now.0) >= length.0;
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
