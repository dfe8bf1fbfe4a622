//! Queues by class with Borrowed Virtual Time, as in Shinjuku's multi-queue policy (NSDI'19, section 3.3): the
//! queue comes first whose oldest request has waited for longest in proportion to what its class may wait.

use super::classes::{ClassQueues, MovingMean};
use super::quantum::end_by_clock;
use super::spec::{OptionDoc, Options, SpecError};
use super::{End, Item, Policy, Setup, Workers};
use crate::id::WorkerId;
use crate::sys::clock::{Ticks, Tsc};

pub(super) const OPTIONS: &[OptionDoc] = &[OptionDoc {
    name: "target",
    default: "auto",
    help: "what each class may wait, in us, such as 10/1000; auto: in proportion to its mean service time",
}];

/// See the module. A preempted request goes to the head of its queue.
#[derive(Debug)]
pub struct BorrowedTime {
    classes: ClassQueues,
    /// By queue, in ticks; empty: by mean service time.
    targets: Box<[f64]>,
    means: Box<[MovingMean]>,
    quantum: Option<Ticks>,
}

impl BorrowedTime {
    pub(super) fn new(setup: &Setup, options: &Options<'_>) -> Result<Self, SpecError> {
        let mut targets: Vec<f64> = options.list("target", 0.001, 1e9)?;
        if !targets.is_empty() {
            // A class without a target of its own, the unknown one too, has the last one.
            let last = *targets.last().expect("it is not empty");
            targets.resize(setup.classes + 1, last);
        }
        Ok(Self {
            classes: ClassQueues::new(setup.workers, setup.capacity, setup.classes),
            targets: targets.into_iter().map(|target| target * setup.ticks_per_micro).collect(),
            means: vec![MovingMean::default(); setup.classes + 1].into(),
            quantum: setup.quantum,
        })
    }

    /// What a queue's requests may wait. A class of which nothing is known is taken for a short one.
    fn target(&self, queue: usize) -> f64 {
        let learned = || self.means[queue].get().unwrap_or(0.0);
        self.targets.get(queue).copied().unwrap_or_else(learned).max(1.0)
    }

    /// The queue to take a request from for one of the workers that hold `held`, and that worker.
    fn choose(&self, workers: &Workers, held: usize, now: Tsc) -> Option<(usize, WorkerId)> {
        if workers.holding(held).is_empty() {
            return None;
        }
        let urgency = |queue: usize| {
            let worker = self.classes.choose(queue, workers, held)?;
            let waited = now.since(self.classes.waits_since(queue, worker)?);
            Some((waited.0 as f64 / self.target(queue), queue, worker))
        };
        let candidates = (0..self.classes.queues.len()).filter_map(urgency);
        let first = candidates.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        Some((first.1, first.2))
    }
}

impl Policy for BorrowedTime {
    fn arrived(&mut self, item: Item, now: Tsc) {
        self.classes.push_new(item, now);
    }

    fn preempted(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.classes.push_front(item, now);
    }

    fn waits(&mut self, _: WorkerId, item: Item, now: Tsc) {
        self.classes.push_back(item, now);
    }

    fn done(&mut self, _: WorkerId, item: Item, _: Tsc) {
        self.means[self.classes.index(item.class)].add(item.received);
    }

    fn next(&mut self, workers: &Workers, now: Tsc) -> Option<(WorkerId, Item)> {
        if self.classes.waiting() == 0 {
            return None;
        }
        let (queue, worker) = (0..workers.depth()).find_map(|held| self.choose(workers, held, now))?;
        self.classes.pop_for(queue, worker).map(|item| (worker, item))
    }

    fn next_end(&self, workers: &Workers) -> Option<End> {
        let pinned = self.classes.shared.pins.workers();
        end_by_clock(workers, self.classes.has_work_for_anyone(), pinned, self.quantum?)
    }

    fn take_unstarted(&mut self, _: Tsc) -> Option<Item> {
        let queues = 0..self.classes.queues.len();
        self.classes.take_unstarted(queues)
    }

    fn waiting(&self) -> usize {
        self.classes.waiting()
    }
}
