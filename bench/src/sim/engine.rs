//! The simulation itself: workers, a dispatcher, and the moments at which they act.
//!
//! A worker acts when its turn ends, or when a quantum does. The dispatcher acts in rounds, as the real one does:
//! collect, take in, assign, end turns; what it does takes its time, and what comes meanwhile waits for the next
//! round. When nothing costs anything a round takes no time.

use std::collections::VecDeque;

use concord::policy::{Item, Policy};
use concord::{Class, Ticks, Tsc, WorkerId};

use super::cores::{Core, End, NOTHING};
use super::costs::Costs;
use super::events::{Events, NEVER};
use super::observe::{Answered, Observer};
use super::requests::{Arriving, NOBODY, Slot, Table};
use super::{Classifier, Counts, Setup};

/// Most requests that are taken in in one round.
const BATCH: usize = 32;

/// A turn that has ended, on its way to the dispatcher.
struct Return {
    slot: u32,
    worker: u16,
    end: End,
    visible: u64,
}

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
    /// Requests that the policy holds.
    queued: usize,
    /// Workers whose turn has lasted for its quantum and was not signalled, one bit each.
    overdue: u64,
    counts: Counts,
    random: Random,
}

impl<'a, A: Iterator<Item = Arriving>, O: Observer> Engine<'a, A, O> {
    pub(super) fn new(setup: &'a Setup, policy: Box<dyn Policy>, mut arrivals: A, observer: &'a mut O) -> Self {
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
            queued: 0,
            overdue: 0,
            counts: Counts::default(),
            random: Random(setup.seed),
        }
    }

    /// Runs until every request was answered or dropped.
    pub(super) fn run(mut self) -> Counts {
        self.wake_dispatcher();
        loop {
            let place = self.events.first();
            let now = self.events.at(place);
            if now == NEVER {
                break;
            }
            self.counts.end_ns = now;
            if place == self.cores.len() {
                self.round(now);
            } else {
                self.worker_acts(place, now);
            }
        }
        assert!(self.table.is_empty() && self.queued == 0, "the policy kept a request although a worker was free");
        self.counts
    }

    fn worker_acts(&mut self, worker: usize, now: u64) {
        match self.cores[worker].next().1 {
            Some(end) => self.end_turn(worker, end, now),
            None => {
                self.cores[worker].due = NEVER;
                self.overdue |= 1 << worker;
                self.schedule(worker);
                let dispatcher = self.cores.len();
                let at = self.events.at(dispatcher).min(now.max(self.busy_until));
                self.events.set(dispatcher, at);
            }
        }
    }

    fn end_turn(&mut self, worker: usize, end: End, now: u64) {
        let core = &mut self.cores[worker];
        let (slot, ran) = (core.running, now - core.start);
        self.overdue &= !(1 << worker);
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
        (core.due, core.stop) = (NEVER, NEVER);
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
        core.due = match self.setup.quantum {
            Some(quantum) => core.start + quantum.saturating_sub(self.costs.lead).max(1),
            None => NEVER,
        };
        self.schedule(worker);
    }

    fn schedule(&mut self, worker: usize) {
        self.events.set(worker, self.cores[worker].next().0);
    }

    /// Sets the moment of the dispatcher's next round.
    fn wake_dispatcher(&mut self) {
        let returned = self.returns.front().map_or(NEVER, |first| first.visible);
        let arriving = self.next.map_or(NEVER, |next| next.at);
        let at = returned.min(arriving);
        self.events.set(self.cores.len(), if at == NEVER { NEVER } else { at.max(self.busy_until) });
    }

    /// One round of the dispatcher.
    fn round(&mut self, now: u64) {
        let mut clock = now;
        self.collect(now, &mut clock);
        self.take_in(now, &mut clock);
        if self.queued > 0 {
            self.assign(&mut clock);
        }
        if self.overdue != 0 {
            self.end_quanta(&mut clock);
        }
        self.counts.dispatcher_ns += clock - now;
        self.busy_until = clock;
        self.wake_dispatcher();
    }

    fn collect(&mut self, now: u64, clock: &mut u64) {
        while let Some(first) = self.returns.front()
            && first.visible <= now
        {
            let Return { slot, worker, end, .. } = self.returns.pop_front().expect("there is a front");
            *clock += self.costs.collect;
            self.cores[usize::from(worker)].held -= 1;
            let item = self.item(slot);
            match end {
                End::Done => {
                    self.policy.done(item, Tsc(*clock));
                    self.table.remove(slot);
                }
                End::Preempted => {
                    self.policy.preempted(item, Tsc(*clock));
                    self.queued += 1;
                }
            }
        }
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
            Some(slot) => {
                self.policy.arrived(self.item(slot), Tsc(clock));
                self.queued += 1;
            }
            None => {
                self.counts.dropped += 1;
                self.observer.dropped(arriving.class);
            }
        }
    }

    /// Fills inboxes, the shortest first, as `dispatcher::slots` does.
    fn assign(&mut self, clock: &mut u64) {
        while self.queued > 0 {
            let Some(worker) = self.shortest() else { return };
            *clock += self.costs.assign;
            let Some(item) = self.policy.next(WorkerId(worker as u16), Tsc(*clock)) else { return };
            self.queued -= 1;
            let visible = *clock + self.costs.handoff;
            let core = &mut self.cores[worker];
            core.held += 1;
            if core.is_idle() {
                // `start` is when it became free, which may be later than what the dispatcher has seen.
                let at = visible.max(core.start);
                self.begin(worker, item.slot, at);
            } else {
                core.push(item.slot, visible);
            }
        }
    }

    /// Of the workers with room and for whom there is work, the one that holds the fewest requests, and of these
    /// the one with the least work pinned to it.
    fn shortest(&self) -> Option<usize> {
        let mut best = None;
        let mut best_key = (self.setup.depth, 0);
        for (index, core) in self.cores.iter().enumerate() {
            if core.held > best_key.0 || core.held == self.setup.depth {
                continue;
            }
            let worker = WorkerId(index as u16);
            if !self.policy.has_work_for(worker) {
                continue;
            }
            let key = (core.held, self.policy.pinned_to(worker));
            if best.is_none() || key < best_key {
                (best, best_key) = (Some(index), key);
            }
        }
        best
    }

    /// Signals turns that are overdue while something waits for their worker.
    fn end_quanta(&mut self, clock: &mut u64) {
        if !self.policy.preempts() {
            return;
        }
        let mut overdue = self.overdue;
        while overdue != 0 {
            let worker = overdue.trailing_zeros() as usize;
            overdue &= overdue - 1;
            let waits = self.cores[worker].held > 1
                || (self.queued > 0 && self.policy.has_work_for(WorkerId(worker as u16)));
            if waits {
                *clock += self.costs.arm;
                self.signal(worker, *clock);
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
        core.due = NEVER;
        self.overdue &= !(1 << worker);
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
