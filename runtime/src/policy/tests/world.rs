//! A dispatcher and workers played by a list of random steps, which checks everything that a policy may not do.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::setup;
use crate::id::{Class, WorkerId};
use crate::policy::{Item, Policy, Setup, Spec, Workers, all, names};
use crate::sys::clock::{Ticks, Tsc};

/// What may happen next; numbers are taken modulo what there is.
#[derive(Clone, Copy, Debug)]
enum Step {
    Arrive {
        class: u16,
    },
    Pass {
        ticks: u64,
    },
    Finish {
        worker: u16,
    },
    Wait {
        worker: u16,
    },
    /// An end of a turn that nobody asked for.
    Preempt {
        worker: u16,
    },
    Help,
    HelpDone,
    Tick,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u16..4).prop_map(|class| Step::Arrive { class }),
        4 => prop_oneof![1_u64..2_000, 4_000_u64..12_000, Just(11_000_000)].prop_map(|ticks| Step::Pass { ticks }),
        4 => any::<u16>().prop_map(|worker| Step::Finish { worker }),
        1 => any::<u16>().prop_map(|worker| Step::Wait { worker }),
        1 => any::<u16>().prop_map(|worker| Step::Preempt { worker }),
        1 => Just(Step::Help),
        1 => Just(Step::HelpDone),
        1 => Just(Step::Tick),
    ];
    prop::collection::vec(step, 0..150)
}

/// Settings under which everything happens within a few requests.
const HASTY: [&str; 6] = [
    "darc:window=4,delay=0,deviation=0",
    "darc-static:reserved=1/1,order=2/0/1",
    "darc-static:reserved=0,order=1",
    "bvt:target=1/100",
    "on-demand:levels=4,growth=2,patience=20us",
    "on-demand:arm=0us,patience=0us",
];

struct World {
    name: &'static str,
    conserves: bool,
    policy: Box<dyn Policy>,
    workers: Workers,
    migrates: bool,
    now: u64,
    free: Vec<u32>,
    waiting: BTreeMap<u32, Item>,
    started: BTreeSet<u32>,
    /// What each worker holds, and since when its first one runs.
    held: Vec<Vec<Item>>,
    since: Vec<u64>,
    armed: BTreeSet<u16>,
    helped: Vec<Item>,
    /// Turns ended since the last step.
    ended: usize,
}

impl World {
    fn new(name: &'static str, workers: usize, depth: usize, migrates: bool) -> Self {
        let setup = Setup { classes: 3, ..setup(workers) };
        let spec: Spec = name.parse().unwrap();
        let policy = spec.make(&setup).unwrap();
        let entry = all().iter().find(|entry| entry.name == spec.name()).unwrap();
        Self {
            name,
            conserves: entry.conserves,
            policy,
            workers: Workers::new(workers, depth),
            migrates,
            now: 1_000_000,
            free: (0..setup.capacity as u32).rev().collect(),
            waiting: BTreeMap::new(),
            started: BTreeSet::new(),
            held: vec![Vec::new(); workers],
            since: vec![0; workers],
            armed: BTreeSet::new(),
            helped: Vec::new(),
            ended: 0,
        }
    }

    fn now(&self) -> Tsc {
        Tsc(self.now)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Arrive { class } => self.arrive(class),
            Step::Pass { ticks } => self.now += ticks,
            Step::Tick => self.policy.tick(Tsc(self.now)),
            Step::Help => self.help(),
            Step::HelpDone => self.help_done(),
            Step::Finish { worker } => self.give_back(worker, |policy, worker, item, now| {
                policy.done(worker, item, now);
                true
            }),
            Step::Wait { worker } => self.give_back(worker, |policy, worker, item, now| {
                policy.waits(worker, item, now);
                false
            }),
            Step::Preempt { worker } => self.give_back(worker, |policy, worker, item, now| {
                policy.preempted(worker, item, now);
                false
            }),
        }
        self.assign();
        self.end_turns();
        assert_eq!(self.policy.waiting(), self.waiting.len(), "{}", self.name);
    }

    fn arrive(&mut self, class: u16) {
        let Some(slot) = self.free.pop() else { return };
        let item = Item { slot, class: Class(class), arrival: self.now(), received: Ticks(0), pinned: None };
        self.waiting.insert(slot, item);
        self.policy.arrived(item, Tsc(self.now));
    }

    fn give_back(&mut self, worker: u16, tell: impl Fn(&mut dyn Policy, WorkerId, Item, Tsc) -> bool) {
        let worker = WorkerId(worker % self.held.len() as u16);
        if self.held[worker.index()].is_empty() {
            return;
        }
        let mut item = self.held[worker.index()].remove(0);
        item.received = Ticks(item.received.0 + self.now - self.since[worker.index()]);
        item.pinned = (!self.migrates).then_some(worker);
        self.workers.take_back(worker);
        self.armed.remove(&worker.0);
        self.since[worker.index()] = self.now;
        if !self.held[worker.index()].is_empty() {
            self.workers.set_turn(worker, Some(Tsc(self.now)));
        }
        if tell(&mut *self.policy, worker, item, Tsc(self.now)) {
            self.finish(item);
        } else {
            self.started.insert(item.slot);
            self.waiting.insert(item.slot, item);
        }
    }

    fn finish(&mut self, item: Item) {
        self.started.remove(&item.slot);
        self.free.push(item.slot);
    }

    /// Hands out all that the policy wants to.
    fn assign(&mut self) {
        while let Some((worker, item)) = self.policy.next(&self.workers, Tsc(self.now)) {
            let known = self.waiting.remove(&item.slot);
            assert_eq!(known, Some(item), "{}: not one that waits", self.name);
            assert!(item.pinned.is_none_or(|pinned| pinned == worker), "{}: {item:?}, {worker}", self.name);
            self.workers.give(worker, item.slot);
            let held = &mut self.held[worker.index()];
            held.push(item);
            if held.len() == 1 {
                self.since[worker.index()] = self.now;
                self.workers.set_turn(worker, Some(Tsc(self.now)));
            }
        }
        for worker in self.workers.idle().iter() {
            let fits = |item: &&Item| item.pinned.is_none_or(|pinned| pinned == worker);
            let left = self.waiting.values().find(fits);
            assert!(!self.conserves || left.is_none(), "{}: {worker} idles, {left:?} waits", self.name);
        }
    }

    /// Arms what is due; the turns end at once.
    fn end_turns(&mut self) {
        let mut armed = Vec::new();
        while let Some(end) = self.policy.next_end(&self.workers) {
            assert!(self.workers.turn(end.worker).is_some(), "{}: {end:?} names no turn", self.name);
            if end.at > self.now() {
                break;
            }
            self.workers.arm(end.worker);
            assert!(self.armed.insert(end.worker.0), "{}: armed twice", self.name);
            armed.push(end.worker);
        }
        self.ended += armed.len();
        assert!(self.ended < 1_000, "{}: turns end without end", self.name);
        for worker in armed {
            self.now += 100;
            self.take(Step::Preempt { worker: worker.0 });
        }
    }

    fn help(&mut self) {
        let unstarted = self.waiting.keys().any(|slot| !self.started.contains(slot));
        let item = self.policy.take_unstarted(Tsc(self.now));
        assert_eq!(item.is_some(), unstarted, "{}", self.name);
        let Some(item) = item else { return };
        assert_eq!(self.waiting.remove(&item.slot), Some(item), "{}", self.name);
        assert!(!self.started.contains(&item.slot), "{}: {item:?} has started", self.name);
        self.helped.push(item);
    }

    fn help_done(&mut self) {
        let Some(item) = self.helped.pop() else { return };
        self.policy.done(WorkerId::DISPATCHER, item, Tsc(self.now));
        self.finish(item);
    }

    /// Everything ends.
    fn drain(&mut self) {
        while !self.helped.is_empty() {
            self.take(Step::HelpDone);
        }
        let mut rounds = 0;
        while self.waiting.len() + self.held.iter().map(Vec::len).sum::<usize>() > 0 {
            self.take(Step::Pass { ticks: 10 });
            self.ended = 0;
            self.take(Step::Finish { worker: rounds });
            rounds += 1;
            assert!(rounds < 2_000, "{}: {} requests never run", self.name, self.waiting.len());
        }
        assert_eq!(self.policy.waiting(), 0, "{}", self.name);
        assert_eq!(self.free.len(), setup(1).capacity, "{}", self.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// For every policy: no request is lost or handed out twice, a pinned one goes to its worker alone, no worker
    /// idles where the policy promises that, turns are ended once and only if they run, the dispatcher gets
    /// unstarted requests, and all that waits is run in the end.
    #[test]
    fn whatever_happens_requests_leave_once_where_they_may_run(
        steps in steps(),
        workers in 1_usize..5,
        depth in 1_usize..4,
        migrates: bool,
    ) {
        for name in names().chain(HASTY) {
            let mut world = World::new(name, workers, depth, migrates);
            for &step in &steps {
                world.ended = 0;
                world.take(step);
            }
            world.drain();
        }
    }
}
