//! Levels with preemption on demand: our own policy.
//!
//! ```text
//!   arrival -> level 0 ---- quantum ----> level 1 ---- quantum x growth ----> ... -> background
//!              foreground                                                            first come, first served
//! ```
//!
//! A request's level follows from the service that it has received; nothing is known of it beforehand. The lowest
//! level goes first. Crossing from one level to the next ends no turn: a turn goes on undisturbed until a request
//! of a lower level has waited for the arming time and no worker is idle or about to be. So most turns of long
//! requests end because they are done, short requests wait for little more than the arming time, and a load that
//! has no long requests is never preempted.
//!
//! Ageing bounds starvation: a request that has waited for `patience` in a level above the first goes before all
//! others on its worker, and then runs for a quantum at least.
//!
//! The idea of two levels with a foreground is that of FB-n (Kleinrock, Queueing Systems II, 4.7); what is ours
//! is that a quantum's end makes a turn a candidate instead of ending it.

mod demand;
mod shortness;

use super::queue::Shared;
use super::ranked::Ranked;
use super::spec::{OptionDoc, Options, SpecError};
use super::{End, Item, Policy, Setup, WorkerSet, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Nanos, Ticks, Tsc};
use shortness::Shortness;

pub(super) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "levels",
        default: "auto",
        help: "2 to 8, the background included; auto: until a level lasts to 20 us",
    },
    OptionDoc { name: "growth", default: "4", help: "each level's quantum is so many times the one before" },
    OptionDoc { name: "arm", default: "1us", help: "how long a request waits before it ends another's turn" },
    OptionDoc { name: "patience", default: "10ms", help: "who has waited for so long goes first" },
];

const MOST_LEVELS: usize = 8;

/// What a request has received when it counts for a long one among long ones, whatever the quantum is.
const LAST_LIMIT: Nanos = Nanos::from_micros(20);

/// The options.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// `None`: as many as it takes for a limit to reach `last_limit`.
    levels: Option<usize>,
    last_limit: Ticks,
    growth: f64,
    arm: Ticks,
    patience: Ticks,
}

impl Settings {
    pub(super) fn read(options: &Options<'_>) -> Result<Self, SpecError> {
        Ok(Self {
            levels: options.number_or_auto("levels", 2, MOST_LEVELS)?,
            last_limit: options.ticks(LAST_LIMIT),
            growth: options.number("growth", 1.0, 100.0)?,
            arm: options.time("arm")?,
            patience: options.time("patience")?,
        })
    }
}

impl Settings {
    /// The service after which a request leaves each level but the last.
    fn limits(&self, quantum: Ticks) -> Vec<Ticks> {
        let limit = |level: i32| Ticks((quantum.0 as f64 * self.growth.powi(level)).min(1e18) as u64);
        let most = self.levels.unwrap_or(MOST_LEVELS) - 1;
        let is_needed =
            |&level: &i32| level == 0 || self.levels.is_some() || limit(level - 1) < self.last_limit;
        (0..most as i32).take_while(is_needed).map(limit).collect()
    }
}

/// See the module.
#[derive(Debug)]
pub struct OnDemand {
    shared: Shared,
    levels: Vec<Ranked>,
    /// The service after which a request leaves each level but the last.
    limits: Vec<Ticks>,
    settings: Settings,
    shortness: Shortness,
    waiting: usize,
    /// Of two of one rank, the one that came first goes first.
    number: u64,
    /// By slot: whether the request was handed out for its age.
    was_old: Box<[bool]>,
    /// Workers to which a request is pinned that has waited for `patience`.
    with_old: WorkerSet,
    /// Whether a request that may run anywhere has.
    is_old: bool,
}

impl OnDemand {
    /// See [`Setup`]. Without a quantum there is one level, and no turn is ended.
    pub(super) fn new(setup: &Setup, settings: &Settings) -> Self {
        let limits = setup.quantum.map(|quantum| settings.limits(quantum)).unwrap_or_default();
        Self {
            shared: Shared::new(setup.workers, setup.capacity),
            levels: (0..=limits.len()).map(|_| Ranked::new(setup.workers)).collect(),
            limits,
            settings: settings.clone(),
            shortness: Shortness::default(),
            waiting: 0,
            number: 0,
            was_old: vec![false; setup.capacity].into(),
            with_old: WorkerSet::none(setup.workers),
            is_old: false,
        }
    }

    /// The level of a request that has received so much service.
    fn level(&self, received: Ticks) -> usize {
        self.limits.iter().take_while(|&&limit| received >= limit).count()
    }

    fn push(&mut self, level: usize, rank: u64, item: Item, now: Tsc) {
        self.waiting += 1;
        self.number += 1;
        self.levels[level].push(&mut self.shared, (rank, self.number), item, now);
    }

    fn pop(&mut self, level: usize, worker: WorkerId, is_old: bool) -> Option<(WorkerId, Item)> {
        let item = self.levels[level].pop_for(&mut self.shared, worker)?;
        self.waiting -= 1;
        self.was_old[item.slot as usize] = is_old;
        Some((worker, item))
    }

    /// For an idle worker: what has waited for too long.
    fn next_old(&mut self, idle: &WorkerSet) -> Option<(WorkerId, Item)> {
        if let Some(worker) = idle.first_in(&self.with_old) {
            self.with_old.remove(worker);
            let level = self.level_of_oldest(|queue| queue.pinned(worker));
            return level.and_then(|level| self.pop(level, worker, true));
        }
        if self.is_old {
            self.is_old = false;
            let worker = self.shared.pins.fewest(idle)?;
            let level = self.level_of_oldest(Ranked::migrating);
            return level.and_then(|level| self.pop(level, worker, true));
        }
        None
    }

    /// Of the levels above the first, the one whose first request by `first` has waited for longest.
    fn level_of_oldest(&self, first: impl Fn(&Ranked) -> Option<u32>) -> Option<usize> {
        let since = |level: &usize| Some(self.shared.requests.waits_since(first(&self.levels[*level])?));
        let levels = (1..self.levels.len()).filter_map(|level| Some((level, since(&level)?)));
        levels.min_by_key(|&(_, since)| since).map(|(level, _)| level)
    }

    /// For the inbox of a worker that is not idle: a request that has not started, behind a turn that will soon
    /// be over, because it was armed, or because nearly all are over soon and it has only begun.
    fn next_behind(&mut self, workers: &Workers, now: Tsc) -> Option<(WorkerId, Item)> {
        self.levels[0].unstarted(&self.shared, 0)?;
        let first_limit = self.limits.first()?;
        let are_short = self.shortness.most_are_short();
        let soon_free = |worker: &WorkerId| {
            let slot = workers.oldest(*worker).expect("it holds requests");
            let since = workers.turn(*worker).unwrap_or(now);
            let has_begun = || self.shared.requests.item(slot).received + now.since(since) < *first_limit;
            workers.armed().contains(*worker) || are_short && has_begun()
        };
        let begun = |&worker: &WorkerId| workers.turn(worker).unwrap_or(now);
        let open = |held| workers.holding(held).iter().filter(soon_free).min_by_key(begun);
        let worker = (1..workers.depth()).find_map(open)?;
        let item = self.levels[0].take_unstarted(&self.shared)?;
        self.waiting -= 1;
        self.was_old[item.slot as usize] = false;
        Some((worker, item))
    }
}

impl Policy for OnDemand {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.waiting += 1;
        self.levels[0].push_new(&mut self.shared, item, now);
    }

    fn preempted(&mut self, worker: WorkerId, item: Item, now: Tsc) {
        let gives_way = self.was_old[item.slot as usize] || self.is_old || self.with_old.contains(worker);
        let rank = if gives_way { now.0 } else { self.shared.requests.key(item.slot).0 };
        self.push(self.level(item.received), rank, item, now);
    }

    /// In the last level, whatever it has received: the one that it waits for may be there.
    fn waits(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.push(self.limits.len(), now.0, item, now);
    }

    fn done(&mut self, _: WorkerId, item: Item, _: Tsc) {
        if let Some(&first_limit) = self.limits.first() {
            self.shortness.add(item.received, first_limit);
        }
    }

    fn next(&mut self, workers: &Workers, now: Tsc) -> Option<(WorkerId, Item)> {
        if self.waiting == 0 {
            return None;
        }
        let idle = workers.idle();
        if idle.is_empty() {
            return self.next_behind(workers, now);
        }
        if let Some(next) = self.next_old(idle) {
            return Some(next);
        }
        let choose = |level: &usize| self.levels[*level].choose(&self.shared.pins, idle);
        let chosen = (0..self.levels.len()).find_map(|level| Some((level, choose(&level)?)));
        match chosen {
            Some((level, worker)) => self.pop(level, worker, false),
            None => self.next_behind(workers, now),
        }
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        self.first_end(workers)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        let item = self.levels[0].take_unstarted(&self.shared)?;
        self.waiting -= 1;
        Some(item)
    }

    fn waiting(&self) -> usize {
        self.waiting
    }

    /// Finds the requests that have waited for too long.
    fn tick(&mut self, now: Tsc) {
        let is_old = |slot: u32| now.since(self.shared.requests.waits_since(slot)) >= self.settings.patience;
        for level in self.levels.iter().skip(1).filter(|level| level.waiting() > 0) {
            self.is_old |= level.migrating().is_some_and(is_old);
            for worker in level.with_pinned().iter() {
                if level.pinned(worker).is_some_and(is_old) {
                    self.with_old.insert(worker);
                }
            }
        }
    }
}
