//! The dispatcher: one thread that owns the queue and the clock.
//!
//! ```text
//!   collect -> take in -> assign -> check quanta -+
//!      ^                                          |
//!      +------------------------------------------+
//! ```
//!
//! The queue, the tasks that wait and the policy's state are this thread's alone: no lock, no atomic. It meets
//! the workers only in their rings, turn words and lines.

mod admission;
mod quantum;
mod slots;
mod tasks;

pub(crate) use admission::Counts;
pub(crate) use quantum::{Limits, Quantum};
pub(crate) use slots::{Slot, Slots};
pub(crate) use tasks::TaskTable;

use std::time::Duration;

use crate::context::{Meta, Task};
use crate::id::WorkerId;
use crate::metrics::GapDetector;
use crate::policy::{Item, Policy};
use crate::service::Service;
use crate::sync::{AtomicBool, Ordering};
use crate::sys::clock::Tsc;
use crate::sys::idle::{Idler, Step};
use crate::transport::{Polled, Transport};
use admission::Admission;

/// How long a polite dispatcher sleeps at a stretch: packets and finished turns may wait that long.
const NAP: Duration = Duration::from_micros(100);

/// See the module.
pub(crate) struct Dispatcher<'a, S, T> {
    pub(crate) service: &'a S,
    pub(crate) transport: T,
    pub(crate) policy: Box<dyn Policy>,
    pub(crate) slots: Slots<'a>,
    pub(crate) tasks: TaskTable,
    pub(crate) quantum: Quantum,
    pub(crate) counts: Counts,
    pub(crate) request_size: usize,
    pub(crate) shutdown: &'a AtomicBool,
    pub(crate) idler: Idler,
    pub(crate) gaps: GapDetector,
}

/// What the dispatcher leaves behind.
pub(crate) struct DispatcherReport {
    pub(crate) counts: Counts,
    pub(crate) quantum: Quantum,
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
            self.quantum.check(&mut self.slots, &*self.policy, Tsc::now());
            if polled == Polled::Ended && self.tasks.is_idle() {
                break;
            }
            if collected || assigned || polled == Polled::Some {
                self.idler.reset();
            } else {
                self.idle();
            }
        }
        self.slots.all.iter().for_each(Slot::stop);
        let end = Tsc::now();
        let lost = self.transport.lost();
        let Self { counts, quantum, gaps, .. } = self;
        DispatcherReport { counts, quantum, gaps, lost, epoch, end }
    }

    /// Takes back what workers have finished or been made to stop.
    fn collect(&mut self, now: Tsc) -> bool {
        let mut collected = false;
        for index in 0..self.slots.all.len() {
            while let Some(task) = self.slots.collect(index) {
                collected = true;
                let item = item_of(&task, self.slots.all[index].worker);
                match *task.meta() {
                    Meta { is_over: true, .. } => self.policy.done(item, now),
                    Meta { last_turn: Some(ran), .. } => {
                        self.quantum.learn(self.slots.all[index].worker, ran);
                        self.policy.preempted(item, now);
                    }
                    Meta { last_turn: None, .. } => self.policy.waits(item, now),
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
            request_size: self.request_size,
            now,
        };
        self.transport.poll(now, &mut admission)
    }

    /// Fills inboxes, the shortest first.
    fn assign(&mut self, now: Tsc) -> bool {
        let mut assigned = false;
        loop {
            let policy = &*self.policy;
            let has_work_for = |worker| policy.has_work_for(worker);
            let pinned_to = |worker| policy.pinned_to(worker);
            let Some(index) = self.slots.shortest(has_work_for, pinned_to) else { return assigned };
            let worker = self.slots.all[index].worker;
            let Some(item) = self.policy.next(worker, now) else { return assigned };
            self.slots.push(index, self.tasks.take(item.slot));
            assigned = true;
        }
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
        self.slots.all.iter().any(|slot| slot.held > 1 || self.policy.has_work_for(slot.worker))
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
