//! The clock of the turns: arms the line of a worker whose turn has lasted for the quantum.
//!
//! From the look at the clock until the task has left its worker some 100 to 300 ns pass: the loop's round, two
//! moves of a cache line, the way to the next probe, the switch. The dispatcher arms ahead by that much, which
//! it learns from the turns themselves: after each preempted turn the lead moves by a small step, up when the
//! turn was longer than the quantum and down when it was shorter, so that it settles where as many turns end
//! early as late: the median turn lasts for the quantum. (A mean would follow the host's gaps.)
//!
//! A turn that is not armed for long gets a *beat* now and then: a signal for no turn, which the worker takes out
//! of the line at its next probe and goes on. A beat or an arming that nothing answers in time is noted as an
//! overrun: the host has stopped the worker, or it is in a long call without probes.

use hdrhistogram::Histogram;

use super::slots::{Signal, Slot, Slots};
use crate::id::WorkerId;
use crate::metrics::{IntervalLog, histogram};
use crate::policy::{End, Policy};
use crate::preempt::line;
use crate::preempt::turn::{Generation, Turn};
use crate::sys::clock::{Clock, Ticks, Tsc};

/// What a [`Quantum`] goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long a turn may last; `None`: no turn is ever ended.
    pub(crate) quantum: Option<Ticks>,
    /// How long a signal may go unanswered before that is noted.
    pub(crate) tolerance: Ticks,
    /// How often a turn that is not armed gets a beat; `None` without probes, which alone can answer one.
    pub(crate) beat: Option<Ticks>,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Quantum {
    limits: Limits,
    leads: Vec<Lead>,
    overruns: IntervalLog<WorkerId>,
    /// Nanoseconds from an arming to the end of its turn.
    notification: Histogram<u64>,
    clock: Clock,
}

impl Quantum {
    pub(crate) fn new(limits: Limits, workers: usize) -> Self {
        let leads = vec![Lead::default(); workers];
        let (overruns, notification) = (IntervalLog::new(), histogram());
        Self { limits, leads, overruns, notification, clock: Clock::get() }
    }

    /// A preempted turn of `slot` has lasted for `ran`. Tells something of its delay when it was armed for having
    /// lasted for the quantum.
    pub(crate) fn learn(&mut self, slot: &Slot<'_>, ran: Ticks, ended: Tsc) {
        if slot.last_armed != Generation::NONE {
            self.notification.saturating_record(self.clock.nanos(ended.since(slot.armed_at)).0);
        }
        if let (Some(quantum), true) = (self.limits.quantum, slot.was_due) {
            self.leads[slot.worker.index()].learn(quantum, ran);
        }
    }

    /// Arms what is due, and notes which signals have been answered.
    pub(crate) fn check(&mut self, slots: &mut Slots<'_>, policy: &dyn Policy, now: Tsc) {
        for slot in &mut slots.all {
            let since = self.look_at(slot, now);
            slots.workers.set_turn(slot.worker, since);
        }
        while let Some(end) = policy.next_end(&slots.workers)
            && end.at <= now
        {
            self.end(slots, end, now);
        }
    }

    /// Since when a turn runs that can be armed, less what it takes to end it.
    fn look_at(&mut self, slot: &mut Slot<'_>, now: Tsc) -> Option<Tsc> {
        let running = slot.running();
        if slot.signal.is_some_and(|signal| signal.is_answered(running, slot.line)) {
            self.note_answer(slot, now);
        }
        let turn = running.filter(|turn| turn.generation != slot.last_armed)?;
        if self.is_due_for_beat(slot, turn, now) {
            // After I2 of line.rs, no turn will ever be given an earlier generation than its own.
            let value = turn.generation.previous();
            line::arm(slot.line, value);
            slot.last_beat = now;
            slot.signal = Some(Signal { turn: turn.generation, value, at: now });
        }
        let lead = self.leads[slot.worker.index()].ticks;
        Some(Tsc(now.0.saturating_sub(turn.ticks_until(now.0) + lead)))
    }

    /// Arms the turn that `end` names, unless it has just ended.
    fn end(&self, slots: &mut Slots<'_>, end: End, now: Tsc) {
        let slot = &mut slots.all[end.worker.index()];
        let since = slots.workers.turn(end.worker);
        // The turn that the policy means is that of the oldest request not collected.
        let turn = slot.running().filter(|_| slot.outbox.is_empty());
        if let Some(turn) = turn.filter(|turn| turn.generation != slot.last_armed) {
            slot.armed_at = Tsc::now();
            slot.end(turn.generation);
            slot.last_armed = turn.generation;
            slot.was_due = since.is_some_and(|since| Some(end.at.since(since)) == self.limits.quantum);
            slot.signal = Some(Signal { turn: turn.generation, value: turn.generation, at: now });
            slots.workers.arm(end.worker);
        } else {
            slots.workers.set_turn(end.worker, None);
        }
    }

    /// The earliest moment at which some turn, one that begins now included, may have to be ended.
    pub(crate) fn next_end(&self, slots: &Slots<'_>, policy: &dyn Policy, now: Tsc) -> Tsc {
        let lead = self.leads.iter().map(|lead| lead.ticks).max().unwrap_or(0);
        let of_new = self.limits.quantum.map(|quantum| now + Ticks(quantum.0.saturating_sub(lead)));
        let of_running = policy.next_end(&slots.workers).map(|end| end.at);
        of_new.into_iter().chain(of_running).min().unwrap_or(Tsc(u64::MAX))
    }

    fn is_due_for_beat(&self, slot: &Slot<'_>, turn: Turn, now: Tsc) -> bool {
        let Some(beat) = self.limits.beat else { return false };
        slot.signal.is_none() && turn.ticks_until(now.0) >= beat.0 && now.since(slot.last_beat) >= beat
    }

    fn note_answer(&mut self, slot: &mut Slot<'_>, now: Tsc) {
        if let Some(signal) = slot.signal.take() {
            self.note_end(slot.worker, signal.at, now);
        }
    }

    /// A turn of `worker` that was to end at `due` has ended at `now`.
    pub(crate) fn note_end(&mut self, worker: WorkerId, due: Tsc, now: Tsc) {
        if now.since(due) > self.limits.tolerance {
            self.overruns.push(worker, due, now);
        }
    }

    pub(crate) fn notification(&self) -> &Histogram<u64> {
        &self.notification
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

/// One to two microseconds: a round of a dispatcher that calls the kernel.
const LONGEST_LEAD: u64 = 4096;

impl Lead {
    fn learn(&mut self, length: Ticks, ran: Ticks) {
        // However late a dispatcher is that shares its core, the turns that it sees in time must not end at once.
        self.ticks = match ran > length {
            true => (self.ticks + LEAD_STEP).min(length.0 / 2).min(LONGEST_LEAD),
            false => self.ticks.saturating_sub(LEAD_STEP),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Class;
    use crate::policy::{Item, Setup, Spec};
    use crate::ring::spsc::ring;
    use crate::sync::{AtomicU32, Ordering};
    use crate::worker::Shared;

    const LIMITS: Limits =
        Limits { quantum: Some(Ticks(1_600)), tolerance: Ticks(800), beat: Some(Ticks(16_000)) };

    /// One worker, whose side the test plays, and a quantum that looks at it.
    struct Bench {
        shared: &'static Shared,
        slots: Slots<'static>,
        policy: Box<dyn Policy>,
        quantum: Quantum,
    }

    impl Bench {
        fn new(policy: &str, limits: Limits) -> Self {
            let shared: &Shared = Box::leak(Box::new(Shared::new()));
            let line: &AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
            let (inbox, _) = ring(1);
            let (_, outbox) = ring(1);
            let slot = Slot::new(WorkerId(0), (inbox, outbox), shared, line, std::thread::current(), None);
            let slots = Slots::new(vec![slot], 2, 2, false);
            let setup = Setup {
                workers: 1,
                capacity: 4,
                classes: 1,
                quantum: limits.quantum,
                ticks_per_micro: 1.0,
                clock: None,
            };
            let policy = policy.parse::<Spec>().unwrap().make(&setup).unwrap();
            Self { shared, slots, policy, quantum: Quantum::new(limits, 1) }
        }

        fn begin(&self, generation: u32, start: u64) {
            let turn = Turn::new(Generation::from_word(generation), start);
            self.shared.turn.begin(self.slots.all[0].line, turn);
        }

        fn let_one_wait(&mut self) {
            let item = Item { slot: 0, class: Class(0), arrival: Tsc(0), received: Ticks(0), pinned: None };
            self.policy.arrived(item, Tsc(0));
        }

        /// Looks at `now`; what the line then holds.
        fn check(&mut self, now: u64) -> u32 {
            self.quantum.check(&mut self.slots, &*self.policy, Tsc(now));
            line::read(self.slots.all[0].line)
        }

        fn answer_beat(&self) {
            // Relaxed: one thread.
            self.slots.all[0].line.store(0, Ordering::Relaxed);
        }

        fn overruns(&self) -> usize {
            self.quantum.overruns().len()
        }
    }

    #[test]
    fn a_turn_is_armed_once_when_it_is_due_and_something_waits() {
        let mut bench = Bench::new("ps", LIMITS);
        bench.begin(5, 0);
        assert_eq!(bench.check(3_200), 0, "nothing waits");
        bench.let_one_wait();
        bench.begin(6, 3_200);
        assert_eq!((bench.check(4_000), bench.check(4_800)), (0, 6));
        bench.answer_beat();
        assert_eq!(bench.check(9_600), 0, "a generation is armed once");
        bench.begin(7, 9_600);
        assert_eq!((bench.check(9_616), bench.check(11_200)), (0, 7));
    }

    #[test]
    fn nothing_is_armed_without_a_quantum_or_by_a_policy_that_does_not_preempt() {
        for mut bench in [Bench::new("c-fcfs", LIMITS), Bench::new("ps", Limits { quantum: None, ..LIMITS })]
        {
            bench.begin(5, 0);
            bench.let_one_wait();
            assert_eq!(bench.check(8_000), 0);
        }
    }

    #[test]
    fn a_turn_that_ends_long_after_it_was_armed_is_an_overrun() {
        let mut bench = Bench::new("ps", LIMITS);
        bench.let_one_wait();
        for (generation, end, overruns) in [(1, 2_000, 0), (2, 2_600, 1)] {
            bench.begin(generation, 0);
            assert_eq!(bench.check(1_600), generation);
            bench.shared.turn.end();
            bench.check(end);
            assert_eq!(bench.overruns(), overruns);
        }
    }

    #[test]
    fn a_beat_that_is_answered_late_is_an_overrun() {
        let mut bench = Bench::new("c-fcfs", LIMITS);
        bench.begin(1, 0);
        assert_eq!(bench.check(15_000), 0);
        assert_eq!(bench.check(16_000), concord_abi::line::LAST_GENERATION, "of no turn soon to come");
        bench.answer_beat();
        assert_eq!((bench.check(16_200), bench.overruns()), (0, 0));
        assert_ne!(bench.check(32_000), 0);
        bench.check(64_000);
        bench.answer_beat();
        bench.check(64_100);
        assert_eq!(bench.overruns(), 1);
    }

    #[test]
    fn a_beat_gives_way_to_the_turn_s_own_signal() {
        let mut bench = Bench::new("ps", LIMITS);
        bench.begin(9, 0);
        assert_eq!(bench.check(16_000), 8);
        bench.let_one_wait();
        assert_eq!((bench.check(16_016), bench.check(64_000)), (9, 9));
    }

    #[test]
    fn without_probes_there_are_no_beats() {
        let mut bench = Bench::new("c-fcfs", Limits { beat: None, ..LIMITS });
        bench.begin(1, 0);
        assert_eq!(bench.check(64_000), 0);
    }

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
    fn the_lead_stays_below_half_the_quantum_and_two_microseconds() {
        let mut lead = Lead::default();
        (0..10_000).for_each(|_| lead.learn(Ticks(1_000_000), Ticks(2_000_000)));
        assert_eq!(lead.ticks, LONGEST_LEAD);
        let mut lead = Lead::default();
        (0..10_000).for_each(|_| lead.learn(Ticks(100), Ticks(1_000)));
        assert_eq!(lead.ticks, 50);
        (0..10_000).for_each(|_| lead.learn(Ticks(100), Ticks(10)));
        assert_eq!(lead.ticks, 0);
    }
}
