//! DARC (Persephone, SOSP'21, sections 3 and 4): workers are reserved for short requests, so that these are never
//! blocked behind long ones; nothing is preempted.
//!
//! ```text
//!   workers   0 1 2 | 3 4 5 6 7 | 8 ... 14 15        the last one is the spillway
//!             short   medium      long
//!             ------------------------------> may steal from longer groups, when they are idle; never back
//! ```
//!
//! It begins as first come, first served. When a window of completions is full, workers are reserved by the
//! classes' shares of the load; later windows lead to new reservations when a class has been delayed by ten times
//! its service time and some class's demand has moved by a tenth. A class that nobody knows, or that has not
//! occurred yet, runs on the spillway worker; so do groups that found no worker left. On that worker, whoever
//! waits for longest goes first, so that nobody is starved there.

mod log;
mod profile;
mod reserve;

use super::classes::ClassQueues;
use super::report::{Costs, Report};
use super::spec::{OptionDoc, Options, SpecError};
use super::{Cost, End, Item, Policy, Setup, WorkerSet, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};
use log::Log;
use profile::Profile;
use reserve::Plan;

pub(super) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "window",
        default: "50000",
        help: "completions after which reservations are looked at",
    },
    OptionDoc { name: "group", default: "1.2", help: "classes up to so many times as long share a group" },
    OptionDoc {
        name: "delay",
        default: "10",
        help: "a wait of so many service times asks for new reservations",
    },
    OptionDoc {
        name: "deviation",
        default: "0.1",
        help: "part by which a demand must have moved for new ones",
    },
];

pub(super) const STATIC_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "reserved",
        default: "1",
        help: "workers of the shortest class, the next, ...; the rest have what is left",
    },
    OptionDoc {
        name: "order",
        default: "auto",
        help: "numbers of the classes from short to long, such as 1/0; auto: as declared",
    },
];

/// The options of `darc`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    window: u64,
    group: f64,
    delay: f64,
    deviation: f64,
}

impl Settings {
    pub(super) fn read(options: &Options<'_>) -> Result<Self, SpecError> {
        Ok(Self {
            window: options.number("window", 1, 1 << 40)?,
            group: options.number("group", 1.0, 1e6)?,
            delay: options.number("delay", 0.0, 1e9)?,
            deviation: options.number("deviation", 0.0, 1e3)?,
        })
    }
}

/// What one group may run on.
#[derive(Debug)]
struct Rights {
    reserved: WorkerSet,
    stealable: WorkerSet,
}

/// See the module.
#[derive(Debug)]
pub struct Darc {
    classes: ClassQueues,
    workers: usize,
    spillway: WorkerId,
    /// `None`: reservations are made by hand, once.
    settings: Option<Settings>,
    profile: Profile,
    plan: Plan,
    /// Of the first groups of the plan, those with workers of their own.
    rights: Vec<Rights>,
    /// How many those are; `None` before the first reservation.
    own: Option<usize>,
    /// By queue: whether it has the spillway worker alone.
    on_spillway: Box<[bool]>,
    /// By class: the demand that the reservations were made for.
    demands: Box<[f64]>,
    /// Whether a class has been delayed for too long in this window.
    is_delayed: bool,
    open: WorkerSet,
    log: Log,
    costs: Costs,
    clock: Option<fn() -> Tsc>,
}

/// A request that could be handed out.
#[derive(Clone, Copy, Debug)]
struct Pick {
    since: Tsc,
    queue: usize,
    worker: WorkerId,
}

/// One in so many completions has its cost measured: reading the clock costs as much as the work itself.
const MEASURED: u64 = 64;

impl Darc {
    pub(super) fn new(setup: &Setup, settings: Settings) -> Self {
        Self::with(setup, Some(settings))
    }

    /// Reservations made by hand.
    pub(super) fn by_hand(setup: &Setup, options: &Options<'_>) -> Result<Self, SpecError> {
        let mut order: Vec<u16> = options.list("order", 0, u16::MAX)?;
        if order.is_empty() {
            order = (0..setup.classes).map(|class| class as u16).collect();
        }
        let mut sorted = order.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < order.len() {
            return Err(options.impossible("order", "a list that names no class twice"));
        }
        order.retain(|&class| usize::from(class) < setup.classes);
        let mut reserved: Vec<usize> = options.list("reserved", 0, usize::from(u16::MAX))?;
        reserved.truncate(order.len().saturating_sub(1));
        reserved.push(setup.workers);
        let mut darc = Self::with(setup, None);
        darc.plan.set(&order, &reserved, setup.workers);
        darc.follow_plan();
        darc.log.push(Tsc(0), &darc.plan);
        Ok(darc)
    }

    fn with(setup: &Setup, settings: Option<Settings>) -> Self {
        let none = || WorkerSet::none(setup.workers);
        let rights = || Rights { reserved: none(), stealable: none() };
        let window = settings.map_or(u64::MAX, |settings| settings.window);
        Self {
            classes: ClassQueues::new(setup.workers, setup.capacity, setup.classes),
            workers: setup.workers,
            spillway: WorkerId((setup.workers - 1) as u16),
            settings,
            profile: Profile::new(setup.classes, window),
            plan: Plan::new(setup.classes),
            rights: (0..setup.classes.min(setup.workers)).map(|_| rights()).collect(),
            own: None,
            on_spillway: vec![false; setup.classes + 1].into(),
            demands: vec![0.0; setup.classes].into(),
            is_delayed: false,
            open: none(),
            log: Log::new(),
            costs: Costs::default(),
            clock: setup.clock,
        }
    }

    /// Makes the plan what is done.
    fn follow_plan(&mut self) {
        self.on_spillway.fill(true);
        let own =
            self.plan.groups.iter().take_while(|group| group.end() > group.first || self.settings.is_none());
        let own = own.count().min(self.rights.len());
        for (group, rights) in self.plan.groups[..own].iter().zip(&mut self.rights) {
            rights.reserved.fill_range(group.first, group.end());
            rights.stealable.fill_range(group.end(), self.workers);
            for &class in &self.plan.order[group.classes.0..group.classes.1] {
                self.on_spillway[usize::from(class)] = false;
            }
        }
        self.own = Some(own);
    }

    /// Looks whether the reservations are still right, at the end of a window.
    fn check(&mut self, now: Tsc) {
        let Some(settings) = self.settings else { return };
        let begin = self.clock.map(|clock| clock());
        self.profile.close();
        let total: f64 = (0..self.profile.classes()).map(|class| self.profile.contribution(class)).sum();
        let scale = self.workers as f64 / total.max(f64::MIN_POSITIVE);
        let has_moved = (0..self.profile.classes()).any(|class| {
            let (old, new) = (self.demands[class], self.profile.contribution(class) * scale);
            (new - old).abs() > settings.deviation * old.max(1.0)
        });
        let must_update = total > 0.0 && (self.own.is_none() || (self.is_delayed && has_moved));
        self.is_delayed = false;
        add_cost(&mut self.costs.check, begin, self.clock);
        if must_update {
            let begin = self.clock.map(|clock| clock());
            self.update(settings, scale, now);
            add_cost(&mut self.costs.update, begin, self.clock);
        }
    }

    fn update(&mut self, settings: Settings, scale: f64, now: Tsc) {
        let profile = &self.profile;
        let load = |class| Some((profile.mean(class)?, profile.contribution(class)));
        self.plan.make(profile.classes(), self.workers, settings.group, load);
        for class in 0..profile.classes() {
            self.demands[class] = profile.contribution(class) * scale;
        }
        self.follow_plan();
        self.log.push(now, &self.plan);
    }

    /// Notes a delay that asks for new reservations.
    #[inline]
    fn look_at_delay(&mut self, queue: usize, delay: Ticks) {
        if let (Some(settings), Some(mean)) = (self.settings, self.profile.mean(queue)) {
            self.is_delayed |= delay.0 as f64 > settings.delay * mean;
        }
    }

    /// Of these queues the request that waits for longest, of those that a worker of `open` may run.
    fn oldest(&self, queues: impl Iterator<Item = usize>, open: &WorkerSet) -> Option<Pick> {
        let pick = |queue: usize| {
            let worker = self.classes.choose_of(queue, open)?;
            Some(Pick { since: self.classes.waits_since(queue, worker)?, queue, worker })
        };
        queues.filter_map(pick).min_by_key(|pick| pick.since)
    }

    /// By reservation: the shortest group first, on its own workers, else on an idle one of a longer group.
    fn by_rights(&mut self, own: usize, workers: &Workers, held: usize) -> Option<Pick> {
        let mut open = std::mem::replace(&mut self.open, WorkerSet::none(0));
        let mut found = None;
        'groups: for (group, rights) in self.plan.groups[..own].iter().zip(&self.rights) {
            let classes =
                || self.plan.order[group.classes.0..group.classes.1].iter().map(|&class| class.into());
            if classes().all(|queue: usize| self.classes.queues[queue].waiting() == 0) {
                continue;
            }
            // Behind a request of a longer group nobody is to wait.
            let stealable = (held == 0).then_some(&rights.stealable);
            for set in [Some(&rights.reserved), stealable].into_iter().flatten() {
                open.set_to_both(workers.holding(held), set);
                found = self.oldest(classes(), &open);
                if found.is_some() {
                    break 'groups;
                }
            }
        }
        self.open = open;
        found
    }

    /// Without regard to reservations: what has the spillway worker alone, and started requests, which must go
    /// back to their worker whosever it is by now.
    fn by_exception(&self, workers: &Workers) -> Option<Pick> {
        let idle = workers.idle();
        let worker = self.spillway;
        let spilled = idle.contains(worker).then(|| {
            let queues = (0..self.on_spillway.len()).filter(|&queue| self.on_spillway[queue]);
            let pick = |queue| Some(Pick { since: self.classes.waits_since(queue, worker)?, queue, worker });
            queues.filter_map(pick).min_by_key(|pick| pick.since)
        });
        let pinned = || {
            let worker = idle.first_in(self.classes.shared.pins.workers())?;
            let pick = |queue| Some(Pick { since: self.classes.pinned_since(queue, worker)?, queue, worker });
            (0..self.on_spillway.len()).filter_map(pick).min_by_key(|pick| pick.since)
        };
        spilled.flatten().or_else(pinned)
    }

    fn pick(&mut self, workers: &Workers) -> Option<Pick> {
        let Some(own) = self.own else {
            let all = 0..self.on_spillway.len();
            return (0..workers.depth()).find_map(|held| self.oldest(all.clone(), workers.holding(held)));
        };
        let exception = self.by_exception(workers);
        let right = (0..workers.depth()).find_map(|held| self.by_rights(own, workers, held));
        match (right, exception) {
            (Some(right), Some(other)) if other.worker == right.worker && other.since > right.since => {
                Some(right)
            }
            (right, other) => other.or(right),
        }
    }
}

fn add_cost(cost: &mut Cost, begin: Option<Tsc>, clock: Option<fn() -> Tsc>) {
    cost.count += 1;
    if let (Some(begin), Some(clock)) = (begin, clock) {
        cost.measured += 1;
        cost.total = cost.total + clock().since(begin);
    }
}

impl Policy for Darc {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.profile.arrived(item.class.index());
        self.classes.push_new(item, now);
    }

    /// Keeps the request's place, should someone else have ended its turn.
    fn preempted(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.classes.push_front(item, now);
    }

    fn waits(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.classes.push_back(item, now);
    }

    fn done(&mut self, _: WorkerId, item: Item, now: Tsc) {
        let clock = self.clock.filter(|_| self.costs.profile.count.is_multiple_of(MEASURED));
        let begin = clock.map(|clock| clock());
        self.profile.completed(item.class.index(), item.received);
        add_cost(&mut self.costs.profile, begin, clock);
        if self.profile.is_full() {
            self.check(now);
        }
    }

    fn next(&mut self, workers: &Workers, now: Tsc) -> Option<(WorkerId, Item)> {
        if self.classes.waiting() == 0 {
            return None;
        }
        let Pick { since, queue, worker } = self.pick(workers)?;
        self.look_at_delay(queue, now.since(since));
        self.classes.pop_for(queue, worker).map(|item| (worker, item))
    }

    fn next_end(&self, _: &Workers) -> Option<End> {
        None
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        let order = self.plan.order.iter().map(|&class| usize::from(class));
        let all = 0..self.on_spillway.len();
        self.classes.take_unstarted(order.chain(all))
    }

    fn waiting(&self) -> usize {
        self.classes.waiting()
    }

    /// Looks at those that wait and are not handed out: a starved class asks for new reservations too.
    fn tick(&mut self, now: Tsc) {
        for queue in 0..self.demands.len() {
            if let Some(since) = self.classes.unstarted_since(queue) {
                self.look_at_delay(queue, now.since(since));
            }
        }
    }

    fn report(&self) -> Report {
        let (updates, updates_lost) = self.log.updates(self.workers);
        Report { updates, updates_lost, costs: self.costs }
    }
}
