//! The working dispatcher (Concord, SOSP'23, section 3.3): runs a request itself while no worker has room.
//!
//! ```text
//!   round of the loop -> a request to go on with, or one to begin? -> slice -> next round
//!                                                                      ^ ends at its deadline, or when a probe
//!                                                                        sees a task in an outbox
//! ```
//!
//! A request that it has begun stays with it, on a stack of its own pool, since started tasks never change
//! threads; there is one at most. Workers cannot run it, so that it must be gone on with: in every
//! round that found nothing else to do, and however busy the rounds are, for a ninth of the time.
//!
//! **When it begins one.** The round found nothing to collect or assign, and for [`PATIENCE`] every round has
//! left all inboxes full and something waiting. So a queue that is short or soon gone stays out of its hands: the workers
//! would have taken it before a slice is over, and what the dispatcher has begun nobody else can finish.
//!
//! **What ends a slice.** The end of some worker's quantum; a task that comes back from a worker, which makes room in its inbox;
//! or the slice's own length, after which packets are looked at again. A new packet alone does not end it: while every
//! inbox is full, it can only be queued. The longest time between two polls is in the statistics.
//!
//! The dispatcher has worker state of its own (`setup_worker` is called with [`WorkerId::DISPATCHER`](crate::WorkerId::DISPATCHER)), its own guard
//! word and thread-locals: to a handler it is one more worker.

use crate::context::{Outcome, Task};
use crate::metrics::AssistStatistics;
use crate::preempt::watch::Watch;
use crate::preempt::{run_watched, symbols};
use crate::request::Status;
use crate::service::Service;
use crate::sys::clock::{Nanos, Ticks, Tsc};
use crate::transport::Egress;
use crate::worker::{Answered, Runner, RunnerReport};

/// How long a queue must have stood before the dispatcher begins a request: some times what a hand-off takes.
const PATIENCE: Nanos = Nanos::from_micros(2);

/// Longest slice. Packets are looked at between slices, and so are workers without a quantum.
const SLICE: Nanos = Nanos::from_micros(5);

/// A busy dispatcher leaves this many times a slice's length between two slices.
const BUSY_SHARE: u64 = 8;

/// What a slice came to, for the dispatcher's loop.
pub(super) struct Slice {
    /// The task, when it has been answered.
    pub(super) answered: Option<Task>,
    /// Whether it did more than to look whether it must go on waiting.
    pub(super) is_progress: bool,
    /// When it should have ended, and when it did.
    pub(super) deadline: Tsc,
    pub(super) over: Tsc,
}

enum Ending {
    Answered(Answered),
    GoesOn,
    Waits,
}

/// The part of the dispatcher that runs requests; see the module.
pub(crate) struct Assist<'a, S: Service, E> {
    runner: Runner<'a, S, E>,
    watch: Watch,
    kept: Option<Task>,
    /// Since when each round has left a queue.
    pressed_since: Option<Tsc>,
    patience: Ticks,
    slice: Ticks,
    /// When the last slice ended, and how long it was.
    last: (Tsc, Ticks),
    slices: u64,
    requests: u64,
    ran: Ticks,
}

impl<'a, S: Service, E: Egress> Assist<'a, S, E> {
    pub(crate) fn new(runner: Runner<'a, S, E>, watch: Watch) -> Self {
        let clock = runner.clock;
        let (patience, slice) = (clock.ticks(PATIENCE), clock.ticks(SLICE));
        Self {
            runner,
            watch,
            kept: None,
            pressed_since: None,
            patience,
            slice,
            last: (Tsc(0), Ticks(0)),
            slices: 0,
            requests: 0,
            ran: Ticks(0),
        }
    }

    /// Whether it has begun a request and not finished it.
    pub(super) fn has_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether to go on with the kept request now, in a round that was `busy` with other things.
    pub(super) fn shall_go_on(&self, busy: bool, now: Tsc) -> bool {
        let (end, length) = self.last;
        self.has_kept() && (!busy || now.since(end).0 >= BUSY_SHARE * length.0)
    }

    /// To be told of each round what it has left, `pressed`: all inboxes full, and something waiting.
    pub(super) fn round(&mut self, pressed: bool, now: Tsc) {
        self.pressed_since = if pressed { self.pressed_since.or(Some(now)) } else { None };
    }

    /// Whether to begin a request now, in a round that was `busy` with other things.
    pub(super) fn shall_begin(&self, busy: bool, now: Tsc) -> bool {
        let is_lasting = self.pressed_since.is_some_and(|since| now.since(since) >= self.patience);
        !busy && !self.has_kept() && is_lasting
    }

    /// Takes a request over. It must not be started, and there must be none yet.
    pub(super) fn begin(&mut self, task: Task) {
        debug_assert!(!self.has_kept() && !task.is_started());
        self.requests += 1;
        self.kept = Some(task);
    }

    /// Runs the kept request until the slice or, if that is earlier, `end` is over.
    ///
    /// # Panics
    /// When there is no kept request.
    pub(super) fn run(&mut self, now: Tsc, end: Tsc) -> Slice {
        let mut task = self.kept.take().expect("a slice is of a kept request");
        let deadline = end.min(now + self.slice);
        let ending = self.slice(&mut task, deadline);
        let over = Tsc::now();
        self.last = (over, over.since(now));
        self.slices += 1;
        self.ran = self.ran + over.since(now);
        let is_progress = !matches!(ending, Ending::Waits);
        let answered = match ending {
            Ending::Answered(answered) => {
                self.runner.record(&answered);
                Some(task)
            }
            Ending::GoesOn | Ending::Waits => {
                self.kept = Some(task);
                None
            }
        };
        Slice { answered, is_progress, deadline, over }
    }

    fn slice(&mut self, task: &mut Task, deadline: Tsc) -> Ending {
        if !self.runner.make_ready(task) {
            return Ending::Answered(self.runner.answer(task, Status::NoStack));
        }
        let start = Tsc::now();
        let outcome = run_watched(task.fiber(), &self.watch, deadline, symbols::line());
        self.runner.account(task, outcome, start);
        match outcome {
            Outcome::Preempted => Ending::GoesOn,
            Outcome::Waiting => Ending::Waits,
            Outcome::Done | Outcome::Panicked => Ending::Answered(self.runner.finish(task)),
        }
    }

    pub(super) fn report(self) -> AssistReport {
        let ran = self.runner.clock.nanos(self.ran);
        let statistics = AssistStatistics { requests: self.requests, slices: self.slices, ran };
        AssistReport { runner: self.runner.report(), statistics }
    }
}

/// What an assisting dispatcher leaves behind.
pub(crate) struct AssistReport {
    pub(crate) runner: RunnerReport,
    pub(crate) statistics: AssistStatistics,
}
