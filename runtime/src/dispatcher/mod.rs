//! The dispatcher: one thread that owns the queue and the clock.
//!
//! ```text
//!   collect -> take in -> assign -> check quanta -> assist -+
//!      ^                                                    |
//!      +----------------------------------------------------+
//! ```
//!
//! The queue, the tasks that wait and the policy's state are this thread's alone: no lock, no atomic. It meets
//! the workers only in their rings, turn words and lines.

mod admission;
mod assist;
mod depth;
mod quantum;
mod slots;
mod tasks;

pub(crate) use admission::Counts;
pub(crate) use assist::{Assist, AssistReport};
pub(crate) use depth::{DEEPEST, Depth};
pub(crate) use quantum::{Limits, Quantum};
pub(crate) use slots::{Slot, Slots};
pub(crate) use tasks::TaskTable;

use std::time::Duration;

use crate::context::{Meta, Task};
use crate::id::WorkerId;
use crate::metrics::GapDetector;
use crate::policy::{Item, Policy, Report};
use crate::service::Service;
use crate::sync::{AtomicBool, Ordering};
use crate::sys::clock::{Ticks, Tsc};
use crate::sys::idle::{Idler, Step};
use crate::transport::{Polled, Transport};
use admission::Admission;

/// How long a polite dispatcher sleeps at a stretch: packets and finished turns may wait that long.
const NAP: Duration = Duration::from_micros(100);

/// See the module.
pub(crate) struct Dispatcher<'a, S: Service, T: Transport> {
    pub(crate) service: &'a S,
    pub(crate) transport: T,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) slots: Slots<'a>,
    pub(crate) tasks: TaskTable,
    pub(crate) quantum: Quantum,
    pub(crate) depth: Depth,
    /// `None`: it runs no requests itself.
    pub(crate) assist: Option<Assist<'a, S, T::Egress>>,
    pub(crate) counts: Counts,
    /// Classes that the service names.
    pub(crate) classes: usize,
    pub(crate) request_size: usize,
    pub(crate) shutdown: &'a AtomicBool,
    pub(crate) idler: Idler,
    pub(crate) gaps: GapDetector,
    pub(crate) ticker: Ticker,
}

/// What the dispatcher leaves behind.
pub(crate) struct DispatcherReport {
    pub(crate) counts: Counts,
    pub(crate) quantum: Quantum,
    pub(crate) policy: Report,
    pub(crate) assist: Option<AssistReport>,
    pub(crate) depth: usize,
    pub(crate) gaps: GapDetector,
    pub(crate) lost: u64,
    pub(crate) epoch: Tsc,
    pub(crate) end: Tsc,
}

impl<S: Service, T: Transport> Dispatcher<'_, S, T> {
    /// Runs until the transport has ended or a shutdown was asked for, and all that is under way is answered.
    pub(crate) fn run(mut self) -> DispatcherReport {
        let epoch = Tsc::now();
        self.transport.begin(epoch);
        loop {
            let now = Tsc::now();
            self.gaps.tick(now);
            let collected = self.collect(now);
            let polled = self.take_in(now);
            let assigned = self.assign(now);
            // Read anew: taking in may have called the kernel.
            let now = Tsc::now();
            self.quantum.check(&mut self.slots, &*self.policy, now);
            self.ticker.tick(&mut *self.policy, now);
            if polled == Polled::Ended && self.tasks.is_idle() {
                break;
            }
            let assisted = self.assist(collected || assigned);
            if collected || assigned || assisted || polled == Polled::Some {
                self.idler.reset();
            } else {
                self.idle();
            }
        }
        self.slots.all.iter().for_each(Slot::stop);
        let end = Tsc::now();
        let lost = self.transport.lost();
        let policy = self.policy.report();
        let depth = self.depth.get();
        let Self { counts, quantum, assist, gaps, .. } = self;
        let assist = assist.map(Assist::report);
        DispatcherReport { counts, quantum, policy, assist, depth, gaps, lost, epoch, end }
    }

    /// Takes back what workers have finished or been made to stop.
    fn collect(&mut self, now: Tsc) -> bool {
        let mut collected = false;
        for index in 0..self.slots.all.len() {
            while let Some(task) = self.slots.collect(index) {
                collected = true;
                let slot = &self.slots.all[index];
                let worker = slot.worker;
                let item = item_of(&task, worker);
                let &Meta { turn, ended, is_over, was_preempted, .. } = task.meta();
                if self.depth.learn(turn, now.since(ended)) {
                    self.slots.workers.set_depth(self.depth.get());
                }
                if is_over {
                    self.policy.done(worker, item, now);
                } else if was_preempted {
                    self.quantum.learn(slot, turn, ended);
                    self.policy.preempted(worker, item, now);
                } else {
                    self.policy.waits(worker, item, now);
                }
                self.tasks.put(task);
            }
        }
        collected
    }

    fn take_in(&mut self, now: Tsc) -> Polled {
        // Relaxed: no data follows the flag; a late sight takes in one batch more.
        if self.shutdown.load(Ordering::Relaxed) {
            return Polled::Ended;
        }
        let mut admission = Admission {
            service: self.service,
            tasks: &mut self.tasks,
            policy: &mut *self.policy,
            counts: &mut self.counts,
            classes: self.classes,
            request_size: self.request_size,
            now,
        };
        self.transport.poll(now, &mut admission)
    }

    /// Fills inboxes, as the policy says.
    fn assign(&mut self, now: Tsc) -> bool {
        let mut assigned = false;
        while let Some((worker, item)) = self.policy.next(&self.slots.workers, now) {
            self.slots.push(worker, self.tasks.take(item.slot));
            assigned = true;
        }
        assigned
    }

    /// Runs a slice of a request itself, when there is one for it; `busy`: this round had other work.
    fn assist(&mut self, busy: bool) -> bool {
        let Some(assist) = &mut self.assist else { return false };
        let now = Tsc::now();
        assist.round(self.policy.waiting() > 0 && self.slots.workers.are_full(), now);
        if assist.shall_begin(busy, now)
            && let Some(item) = self.policy.take_unstarted(now)
        {
            assist.begin(self.tasks.take(item.slot));
        }
        if !assist.shall_go_on(busy, now) {
            return false;
        }
        let end = self.quantum.next_end(&self.slots, &*self.policy, now);
        // What a slice takes is no theft, but polling waits for it.
        self.gaps.excuse();
        let slice = assist.run(now, end);
        self.quantum.note_end(WorkerId::DISPATCHER, slice.deadline, slice.over);
        if let Some(task) = slice.answered {
            let item = item_of(&task, WorkerId::DISPATCHER);
            self.policy.done(WorkerId::DISPATCHER, item, slice.over);
            self.tasks.put(task);
        }
        slice.is_progress
    }

    fn idle(&mut self) {
        match self.idler.step() {
            Step::Spin => std::hint::spin_loop(),
            Step::Sleep if !self.something_waits() => {
                self.gaps.pause();
                self.transport.wait(NAP);
            }
            // While something waits, the end of a turn and of a quantum is soon to be seen to.
            Step::Yield | Step::Sleep => {
                self.gaps.pause();
                std::thread::yield_now();
            }
        }
    }

    fn something_waits(&self) -> bool {
        self.policy.waiting() > 0
            || (2..=self.slots.workers.deepest()).any(|held| !self.slots.workers.holding(held).is_empty())
    }
}

/// Calls the policy now and then, whatever happens.
#[derive(Debug)]
pub(crate) struct Ticker {
    every: Ticks,
    last: Tsc,
}

impl Ticker {
    pub(crate) fn new(every: Ticks) -> Self {
        Self { every, last: Tsc(0) }
    }

    fn tick(&mut self, policy: &mut dyn Policy, now: Tsc) {
        if now.since(self.last) >= self.every {
            self.last = now;
            policy.tick(now);
        }
    }
}

/// A task that came back from `worker`, as the policy sees it.
fn item_of(task: &Task, worker: WorkerId) -> Item {
    let meta = task.meta();
    Item {
        slot: meta.slot,
        class: meta.class,
        arrival: meta.arrival,
        received: meta.received,
        pinned: Some(worker),
    }
}
