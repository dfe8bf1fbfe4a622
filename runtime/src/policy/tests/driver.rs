//! A service in virtual time: workers that hold one request each, nothing costs anything. A tick is a nanosecond.

use super::setup;
use crate::id::{Class, WorkerId};
use crate::policy::{Item, Policy, Report, Setup, Spec, Workers};
use crate::sys::clock::{Ticks, Tsc};

/// How requests come, for a while.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    /// How long it lasts.
    pub(super) ticks: u64,
    /// Share of the workers' time that is asked for.
    pub(super) load: f64,
    /// By class: service time in ticks, and weight.
    pub(super) mix: Vec<(u64, f64)>,
}

/// What is told of a request's class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Classifier {
    Right,
    Random,
}

/// One answered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) class: u16,
    pub(super) arrival: u64,
    pub(super) sojourn: u64,
}

pub(super) struct Run {
    pub(super) answers: Vec<Answer>,
    pub(super) report: Report,
    /// Longest time that a started request waited at a stretch.
    pub(super) longest_wait: u64,
    pub(super) preemptions: u64,
}

impl Run {
    /// The sojourn time that `share` of a class's requests do not exceed, of those that arrived in `from..to`.
    pub(super) fn sojourn(&self, class: u16, share: f64, from: u64, to: u64) -> u64 {
        let of_class = |answer: &&Answer| answer.class == class && (from..to).contains(&answer.arrival);
        let mut sojourns: Vec<u64> =
            self.answers.iter().filter(of_class).map(|answer| answer.sojourn).collect();
        sojourns.sort_unstable();
        assert!(!sojourns.is_empty(), "no request of class {class}");
        sojourns[((sojourns.len() - 1) as f64 * share) as usize]
    }
}

struct Request {
    item: Item,
    class: u16,
    left: u64,
    queued: u64,
}

struct Driver {
    policy: Box<dyn Policy>,
    workers: Workers,
    requests: Vec<Option<Request>>,
    /// By worker: slot and begin of the turn.
    running: Vec<Option<(u32, u64)>>,
    run: Run,
}

/// Arrivals are Poisson's, from a seed.
pub(super) fn run(policy: &str, workers: usize, phases: &[Phase], classifier: Classifier) -> Run {
    let classes = phases[0].mix.len();
    let setup = Setup { capacity: 1 << 16, classes, ..setup(workers) };
    let spec: Spec = policy.parse().unwrap();
    let mut driver = Driver {
        policy: spec.make(&setup).unwrap(),
        workers: Workers::new(workers, 1),
        requests: (0..setup.capacity).map(|_| None).collect(),
        running: vec![None; workers],
        run: Run { answers: Vec::new(), report: Report::default(), longest_wait: 0, preemptions: 0 },
    };
    let (mut random, mut at, mut end, mut next_tick) = (Random(7), 0.0, 0.0, 0);
    let mut free: Vec<u32> = (0..setup.capacity as u32).rev().collect();
    for phase in phases {
        end += phase.ticks as f64;
        let weight: f64 = phase.mix.iter().map(|(_, weight)| weight).sum();
        let mean = phase.mix.iter().map(|&(ticks, weight)| ticks as f64 * weight).sum::<f64>() / weight;
        let gap = mean / (phase.load * workers as f64);
        loop {
            at += -gap * random.unit().max(1e-12).ln();
            if at >= end {
                at = end;
                break;
            }
            driver.go_to(at as u64, &mut next_tick, &mut free);
            let class = pick(&phase.mix, random.unit() * weight);
            // Drawn in any case, so that arrivals do not depend on the classifier.
            let any = (random.unit() * classes as f64) as u16;
            let told = if classifier == Classifier::Random { any } else { class };
            let slot = free.pop().expect("the load is below capacity");
            let item =
                Item { slot, class: Class(told), arrival: Tsc(at as u64), received: Ticks(0), pinned: None };
            let left = phase.mix[usize::from(class)].0;
            driver.requests[slot as usize] = Some(Request { item, class, left, queued: at as u64 });
            driver.policy.arrived(item, Tsc(at as u64));
            driver.assign(at as u64);
        }
    }
    driver.go_to(u64::MAX, &mut next_tick, &mut free);
    assert_eq!((driver.policy.waiting(), free.len()), (0, setup.capacity));
    driver.run.report = driver.policy.report();
    driver.run
}

fn pick(mix: &[(u64, f64)], mut point: f64) -> u16 {
    for (class, &(_, weight)) in mix.iter().enumerate() {
        if point < weight {
            return class as u16;
        }
        point -= weight;
    }
    (mix.len() - 1) as u16
}

impl Driver {
    /// Lets everything happen that happens before `until`.
    fn go_to(&mut self, until: u64, next_tick: &mut u64, free: &mut Vec<u32>) {
        loop {
            let done = self.first_done();
            let ended = self.policy.next_end(&self.workers).map(|end| (end.at.0, end.worker));
            let is_over = done.is_none() && ended.is_none();
            let tick = if is_over && until == u64::MAX { u64::MAX } else { *next_tick };
            let at = done.map_or(u64::MAX, |(at, _)| at).min(ended.map_or(u64::MAX, |(at, _)| at)).min(tick);
            if at >= until {
                return;
            }
            if done.is_some_and(|(first, _)| first == at) {
                self.give_back(done.expect("it is").1, at, free);
            } else if tick == at {
                *next_tick = at + 100_000;
                self.policy.tick(Tsc(at));
            } else {
                let (_, worker) = ended.expect("the others are not first");
                self.workers.arm(worker);
                let (_, begin) = self.running[worker.index()].expect("an armed turn runs");
                self.give_back(worker, at.max(begin), free);
            }
            self.assign(at);
        }
    }

    fn first_done(&self) -> Option<(u64, WorkerId)> {
        let done = |(index, running): (usize, &Option<(u32, u64)>)| {
            let (slot, begin) = (*running)?;
            let left = self.requests[slot as usize].as_ref()?.left;
            Some((begin + left, WorkerId(index as u16)))
        };
        self.running.iter().enumerate().filter_map(done).min()
    }

    fn give_back(&mut self, worker: WorkerId, at: u64, free: &mut Vec<u32>) {
        let (slot, begin) = self.running[worker.index()].take().expect("it runs something");
        let request = self.requests[slot as usize].as_mut().expect("a running request is known");
        request.item.received = Ticks(request.item.received.0 + at - begin);
        request.item.pinned = Some(worker);
        request.left -= at - begin;
        self.workers.take_back(worker);
        if request.left > 0 {
            self.run.preemptions += 1;
            request.queued = at;
            return self.policy.preempted(worker, request.item, Tsc(at));
        }
        self.policy.done(worker, request.item, Tsc(at));
        let arrival = request.item.arrival.0;
        self.run.answers.push(Answer { class: request.class, arrival, sojourn: at - arrival });
        self.requests[slot as usize] = None;
        free.push(slot);
    }

    fn assign(&mut self, now: u64) {
        while let Some((worker, item)) = self.policy.next(&self.workers, Tsc(now)) {
            self.workers.give(worker, item.slot);
            self.workers.set_turn(worker, Some(Tsc(now)));
            self.running[worker.index()] = Some((item.slot, now));
            let request = self.requests[item.slot as usize].as_ref().expect("it waits");
            if item.pinned.is_some() {
                self.run.longest_wait = self.run.longest_wait.max(now - request.queued);
            }
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA'14).
struct Random(u64);

impl Random {
    /// A number from 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
