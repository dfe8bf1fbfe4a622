//! The simulation itself: workers, a dispatcher, and the moments at which they act.
//!
//! A worker acts when its turn ends, or when a quantum does. The dispatcher acts in rounds, as the real one does:
//! collect, take in, assign, end turns; what it does takes its time, and what comes meanwhile waits for the next
//! round. When nothing costs anything a round takes no time.

use std::collections::VecDeque;

use concord::policy::{Item, Policy, Workers};
use concord::{Class, Ticks, Tsc, WorkerId};

use super::cores::{Core, End, NOTHING};
use super::costs::Costs;
use super::events::{Events, NEVER};
use super::observe::{Answered, Observer};
use super::requests::{Arriving, NOBODY, Slot, Table};
use super::{Classifier, Counts, Outcome, Setup};

/// Most requests that are taken in in one round.
const BATCH: usize = 32;

/// A turn that has ended, on its way to the dispatcher.
struct Return {
    slot: u32,
    worker: u16,
    end: End,
    visible: u64,
}

/// The request that the dispatcher itself has begun; one at most.
#[derive(Clone, Copy)]
struct Own {
    slot: u32,
    left: u64,
    /// When its slice began.
    since: u64,
    /// When its slice is over.
    until: u64,
}

/// How often a policy is told that time passes.
const TICK: u64 = 100_000;

/// With nothing but ticks for so long (0.1 s), the policy will never hand out what it holds.
const DEAD_TICKS: u32 = 1_000;

/// See the module.
pub(super) struct Engine<'a, A, O> {
    setup: &'a Setup,
    costs: Costs,
    policy: Box<dyn Policy>,
    arrivals: A,
    /// The next request.
    next: Option<Arriving>,
    observer: &'a mut O,
    events: Events,
    cores: Vec<Core>,
    table: Table,
    returns: VecDeque<Return>,
    /// Until when the dispatcher is busy.
    busy_until: u64,
    /// What the policy is told of the workers.
    workers: Workers,
    /// When the next turn is to be signalled.
    alarm: u64,
    last_tick: u64,
    /// Ticks in a row in which nothing could happen any more.
    dead_ticks: u32,
    own: Option<Own>,
    counts: Counts,
    random: Random,
}

impl<'a, A: Iterator<Item = Arriving>, O: Observer> Engine<'a, A, O> {
    pub(super) fn new(
        setup: &'a Setup,
        policy: Box<dyn Policy>,
        mut arrivals: A,
        observer: &'a mut O,
    ) -> Self {
        let next = arrivals.next();
        Self {
            setup,
            costs: setup.costs,
            policy,
            arrivals,
            next,
            observer,
            events: Events::new(setup.workers + 1),
            cores: vec![Core::new(); setup.workers],
            table: Table::new(setup.queue_bound),
            returns: VecDeque::new(),
            busy_until: 0,
            workers: Workers::new(setup.workers, setup.depth),
            alarm: NEVER,
            last_tick: 0,
            dead_ticks: 0,
            own: None,
            counts: Counts::default(),
            random: Random(setup.seed),
        }
    }

    /// Runs until every request was answered or dropped.
    pub(super) fn run(mut self) -> Outcome {
        self.wake_dispatcher();
        loop {
            let place = self.events.first();
            let now = self.events.at(place);
            if now == NEVER || self.observer.is_done() {
                break;
            }
            self.counts.end_ns = now;
            if place == self.cores.len() {
                self.round(now);
            } else {
                self.end_turn(place, now);
            }
        }
        self.drop_the_starved();
        Outcome { counts: self.counts, report: self.policy.report() }
    }

    fn end_turn(&mut self, worker: usize, now: u64) {
        let core = &mut self.cores[worker];
        let end = core.end().1;
        core.uncollected += 1;
        let (slot, ran) = (core.running, now - core.start);
        let request = self.table.get_mut(slot);
        request.received += ran;
        request.left -= ran.min(request.left);
        self.counts.busy_ns += ran;
        let leaves = match end {
            End::Done => {
                self.observe(slot, now);
                now + self.costs.finish
            }
            End::Preempted => {
                self.counts.preemptions += 1;
                now + self.costs.yield_
            }
        };
        let visible = leaves + self.costs.give_back;
        self.returns.push_back(Return { slot, worker: worker as u16, end, visible });
        self.begin_next(worker, leaves);
        self.wake_dispatcher();
    }

    fn observe(&mut self, slot: u32, now: u64) {
        let request = self.table.get(slot);
        self.observer.answered(Answered {
            class: request.class,
            arrival: request.arrival,
            sojourn: now - request.arrival + self.costs.network,
            service: request.service,
        });
        self.counts.answered += 1;
    }

    /// The worker is free from `free` on: begins the next request of its inbox, or waits.
    fn begin_next(&mut self, worker: usize, free: u64) {
        let core = &mut self.cores[worker];
        core.stop = NEVER;
        match core.pop() {
            Some((slot, visible)) => self.begin(worker, slot, free.max(visible)),
            None => {
                core.running = NOTHING;
                core.done = NEVER;
                core.start = free;
                self.events.set(worker, NEVER);
            }
        }
    }

    fn begin(&mut self, worker: usize, slot: u32, at: u64) {
        let core = &mut self.cores[worker];
        let request = self.table.get_mut(slot);
        request.worker = worker as u16;
        core.running = slot;
        core.start = at + self.costs.begin;
        core.done = core.start + request.left;
        self.schedule(worker);
    }

    fn schedule(&mut self, worker: usize) {
        self.events.set(worker, self.cores[worker].end().0);
    }

    /// Sets the moment of the dispatcher's next round.
    fn wake_dispatcher(&mut self) {
        let returned = self.returns.front().map_or(NEVER, |first| first.visible);
        let arriving = self.next.map_or(NEVER, |next| next.at);
        let tick = if self.table.is_empty() { NEVER } else { self.last_tick + TICK };
        let at = returned.min(arriving).min(self.alarm).min(tick).max(self.busy_until);
        let at = match self.own {
            // A round that a worker asks for goes first; what arrives waits for the slice's end.
            Some(own) if self.setup.assist_yields => {
                returned.min(self.alarm).max(self.busy_until).min(own.until)
            }
            Some(own) => own.until,
            None if self.dead_ticks > DEAD_TICKS => NEVER,
            None => at,
        };
        self.events.set(self.cores.len(), at);
    }

    /// One round of the dispatcher.
    fn round(&mut self, now: u64) {
        let mut clock = now;
        self.stop_own(now);
        if self.setup.renews {
            self.renew_turns(now);
        }
        self.collect(now, &mut clock);
        self.take_in(now, &mut clock);
        self.assign(&mut clock);
        self.end_turns(&mut clock);
        if now >= self.last_tick + TICK {
            self.tick(now, clock);
        }
        self.counts.dispatcher_ns += clock - now;
        self.busy_until = clock;
        self.assist(clock);
        self.wake_dispatcher();
    }

    fn tick(&mut self, now: u64, clock: u64) {
        self.last_tick = now;
        self.policy.tick(Tsc(clock));
        let is_dead = self.next.is_none() && self.own.is_none() && self.cores.iter().all(Core::is_idle);
        self.dead_ticks = if is_dead { self.dead_ticks + 1 } else { 0 };
    }

    /// Turns that have lasted for whole quanta while nothing waited begin a new one.
    fn renew_turns(&mut self, now: u64) {
        let Some(quantum) = self.setup.quantum else { return };
        for index in 0..self.cores.len() {
            let worker = WorkerId(index as u16);
            if let Some(since) = self.workers.turn(worker)
                && since.0 + quantum < now
            {
                let renewed = since.0 + (now - since.0) / quantum * quantum;
                self.workers.set_turn(worker, Some(Tsc(renewed)));
            }
        }
    }

    /// Ends the slice of the dispatcher's own request, which is over or gives way.
    fn stop_own(&mut self, now: u64) {
        let Some(own) = &mut self.own else { return };
        let ran = now.saturating_sub(own.since).min(own.left);
        own.left -= ran;
        // It begins again, if at all, when the round is over.
        own.since = u64::MAX;
        self.counts.assisted_ns += ran;
        if own.left == 0 {
            let slot = own.slot;
            self.own = None;
            self.observe(slot, now);
            self.policy.done(WorkerId::DISPATCHER, self.item(slot), Tsc(now));
            self.table.remove(slot);
        }
    }

    /// Runs a request for a slice while all inboxes are full, or goes on with the one that it has begun.
    fn assist(&mut self, clock: u64) {
        let Some(slice) = self.setup.assist else { return };
        if self.own.is_none() && self.policy.waiting() > 0 && self.workers.are_full() {
            let Some(item) = self.policy.take_unstarted(Tsc(clock)) else { return };
            let left = with_overhead(self.table.get(item.slot).service, self.costs.dispatcher_work);
            self.counts.assisted += 1;
            self.own = Some(Own { slot: item.slot, left, since: clock, until: clock });
        }
        if let Some(own) = &mut self.own {
            own.since = clock;
            own.until = clock + own.left.min(slice);
        }
    }

    /// What is left when nothing more can happen: no worker may run it.
    fn drop_the_starved(&mut self) {
        if self.observer.is_done() {
            return;
        }
        for class in self.table.classes_under_way() {
            self.counts.dropped += 1;
            self.observer.dropped(class);
        }
    }

    fn collect(&mut self, now: u64, clock: &mut u64) {
        while let Some(first) = self.returns.front()
            && first.visible <= now
        {
            let Return { slot, worker, end, .. } = self.returns.pop_front().expect("there is a front");
            *clock += self.costs.collect;
            self.cores[usize::from(worker)].uncollected -= 1;
            let worker = WorkerId(worker);
            self.workers.take_back(worker);
            self.tell_turn(worker);
            let item = self.item(slot);
            match end {
                End::Done => {
                    self.policy.done(worker, item, Tsc(*clock));
                    self.table.remove(slot);
                }
                End::Preempted => self.policy.preempted(worker, item, Tsc(*clock)),
            }
        }
    }

    fn tell_turn(&mut self, worker: WorkerId) {
        let since = self.cores[worker.index()].known_turn();
        self.workers.set_turn(worker, since.map(|since| Tsc(since.saturating_sub(self.costs.lead))));
    }

    fn item(&self, slot: u32) -> Item {
        let request = self.table.get(slot);
        let is_tied = request.worker != NOBODY && !self.setup.migrates;
        Item {
            slot,
            class: Class(request.told),
            arrival: Tsc(request.arrival),
            received: Ticks(request.received),
            pinned: is_tied.then_some(WorkerId(request.worker)),
        }
    }

    fn take_in(&mut self, now: u64, clock: &mut u64) {
        for _ in 0..BATCH {
            let Some(arriving) = self.next.filter(|next| next.at <= now) else { return };
            self.next = self.arrivals.next();
            self.counts.offered += 1;
            *clock += self.costs.admit;
            self.admit(arriving, *clock);
        }
    }

    fn admit(&mut self, arriving: Arriving, clock: u64) {
        let told = match self.setup.classifier {
            Classifier::Right => arriving.class,
            Classifier::Random { classes } => (self.random.below(u64::from(classes))) as u16,
            Classifier::None => 0,
        };
        let left = with_overhead(arriving.service, self.costs.work);
        let slot = Slot {
            arrival: arriving.at,
            service: arriving.service,
            left,
            received: 0,
            class: arriving.class,
            told,
            worker: NOBODY,
        };
        match self.table.insert(slot) {
            Some(slot) => self.policy.arrived(self.item(slot), Tsc(clock)),
            None => {
                self.counts.dropped += 1;
                self.observer.dropped(arriving.class);
            }
        }
    }

    /// Fills inboxes, as the policy says.
    fn assign(&mut self, clock: &mut u64) {
        while let Some((worker, item)) = self.policy.next(&self.workers, Tsc(*clock)) {
            *clock += self.costs.assign;
            self.workers.give(worker, item.slot);
            let visible = *clock + self.costs.handoff;
            let core = &mut self.cores[worker.index()];
            if core.is_idle() {
                // It may have become free later than the dispatcher has seen.
                let at = visible.max(core.start);
                self.begin(worker.index(), item.slot, at);
                self.tell_turn(worker);
            } else {
                core.push(item.slot, visible);
            }
        }
    }

    /// Signals the turns that are to end by now; the alarm is when the next one is.
    fn end_turns(&mut self, clock: &mut u64) {
        self.alarm = NEVER;
        while let Some(end) = self.policy.next_end(&self.workers) {
            if end.at.0 > *clock {
                self.alarm = end.at.0;
                return;
            }
            let core = &self.cores[end.worker.index()];
            if core.known_turn().is_some() {
                *clock += self.costs.arm;
                self.workers.arm(end.worker);
                self.signal(end.worker.index(), *clock);
            } else {
                // It has just ended.
                self.workers.set_turn(end.worker, None);
            }
        }
    }

    fn signal(&mut self, worker: usize, now: u64) {
        let to_probe = match self.costs.granularity {
            0 => 0,
            granularity => self.random.below(granularity),
        };
        let core = &mut self.cores[worker];
        core.stop = now.max(core.start) + self.costs.notify + to_probe;
        self.schedule(worker);
    }
}

fn with_overhead(ns: u64, share: f64) -> u64 {
    if share == 0.0 { ns } else { (ns as f64 * (1.0 + share)).round() as u64 }
}

/// SplitMix64 (Steele et al., OOPSLA'14): for delays to the next probe, where a better one would be wasted.
struct Random(u64);

impl Random {
    /// A number below `bound`, which is not 0.
    #[inline]
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((u128::from(z) * u128::from(bound)) >> 64) as u64
    }
}
