//! A worker: a thread that runs turns.
//!
//! ```text
//!   inbox -> start or resume the task -> Done, Panicked: send the reply, free the stack --> outbox
//!                                     -> Preempted, Waiting: ---------------------------> outbox
//! ```
//!
//! The loop allocates nothing: stacks come from a pool, tasks were made before the run. (The pool grows when
//! more tasks are under way at once than stacks were prepared: one `mmap`, and counted.)

mod runner;

pub(crate) use runner::{Answered, Runner, RunnerReport};

use std::collections::VecDeque;
use std::mem::offset_of;

use crossbeam_utils::CachePadded;

use crate::context::{Outcome, Task};
use crate::metrics::{GapDetector, Turns};
use crate::preempt;
use crate::preempt::turn::{Generation, Turn, TurnWord};
use crate::preempt::watch::Watch;
use crate::request::Status;
use crate::ring::spsc::{Consumer, Producer};
use crate::service::Service;
use crate::sync::{AtomicBool, AtomicU32, Ordering};
use crate::sys::clock::{Ticks, Tsc};
use crate::sys::idle::{Idler, Sleeper, Step};
use crate::transport::Egress;

/// What a worker and the dispatcher share besides the rings; each line has one writer.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Written by the worker.
    pub(crate) turn: CachePadded<TurnWord>,
    /// Written by the worker.
    pub(crate) sleeper: CachePadded<Sleeper>,
    /// Written by the dispatcher, once: there will be no more work.
    pub(crate) stop: CachePadded<AtomicBool>,
}

// No line is written by two sides: each field begins a pair of cache lines of its own.
const _: () = assert!(
    align_of::<Shared>() == concord_abi::LINE_BYTES
        && offset_of!(Shared, turn) % concord_abi::LINE_BYTES == 0
        && offset_of!(Shared, sleeper) % concord_abi::LINE_BYTES == 0
        && offset_of!(Shared, stop) % concord_abi::LINE_BYTES == 0
        && size_of::<Shared>() == 3 * concord_abi::LINE_BYTES
);

impl Shared {
    pub(crate) fn new() -> Self {
        Self {
            turn: CachePadded::new(TurnWord::new()),
            sleeper: CachePadded::new(Sleeper::new()),
            stop: CachePadded::new(AtomicBool::new(false)),
        }
    }
}

/// A worker's side of everything; lives on its thread.
pub(crate) struct Worker<'a, S: Service, E> {
    pub(crate) runner: Runner<'a, S, E>,
    pub(crate) shared: &'a Shared,
    pub(crate) line: &'static AtomicU32,
    pub(crate) inbox: Consumer<Task>,
    pub(crate) outbox: Producer<Task>,
    pub(crate) ends: TurnEnds,
    /// Requests that the worker keeps until they are done; `None`: the dispatcher has them between turns.
    pub(crate) own: Option<VecDeque<Task>>,
    pub(crate) generation: Generation,
    pub(crate) idler: Idler,
    pub(crate) gaps: GapDetector,
    pub(crate) turns: Turns,
}

/// Who ends a worker's turns.
pub(crate) enum TurnEnds {
    /// The dispatcher. To receive its signal costs this much more than it does: see
    /// [`EmulatedInterrupt`](crate::Preemption::EmulatedInterrupt).
    Told { interrupt: Ticks },
    /// The worker's own clock, after the quantum; `watch` watches nothing else.
    Clock { watch: Watch, quantum: Ticks },
}

/// What a worker leaves behind.
pub(crate) struct WorkerReport {
    pub(crate) runner: RunnerReport,
    pub(crate) gaps: GapDetector,
    pub(crate) turns: Turns,
}

impl<S: Service, E: Egress> Worker<'_, S, E> {
    /// Runs until the dispatcher says stop and the inbox is empty.
    pub(crate) fn run(mut self) -> WorkerReport {
        loop {
            match self.next() {
                Some(task) => self.take(task),
                None if self.must_stop() => break,
                None => self.idle(),
            }
        }
        WorkerReport { runner: self.runner.report(), gaps: self.gaps, turns: self.turns }
    }

    /// The task to run next.
    #[inline]
    fn next(&mut self) -> Option<Task> {
        let Some(own) = &mut self.own else { return self.inbox.pop() };
        while let Some(task) = self.inbox.pop() {
            own.push_back(task);
        }
        own.pop_front()
    }

    fn must_stop(&self) -> bool {
        // Acquire: pairs with the Release in the dispatcher's stop; nothing is pushed after it.
        self.shared.stop.load(Ordering::Acquire)
    }

    fn idle(&mut self) {
        match self.idler.step() {
            Step::Spin => {
                self.gaps.tick(Tsc::now());
                std::hint::spin_loop();
            }
            Step::Yield => {
                self.gaps.pause();
                std::thread::yield_now();
            }
            Step::Sleep => {
                self.gaps.pause();
                let (inbox, stop) = (&mut self.inbox, &self.shared.stop);
                // Relaxed: the sleeper's fence orders it, and the loop reads it again.
                self.shared.sleeper.sleep_unless(|| !inbox.is_empty() || stop.load(Ordering::Relaxed));
            }
        }
    }

    fn take(&mut self, mut task: Task) {
        self.idler.reset();
        self.gaps.pause();
        if !self.runner.make_ready(&mut task) {
            let answered = self.runner.answer(&mut task, Status::NoStack);
            return self.end(task, &answered);
        }
        match self.turn(&mut task) {
            Outcome::Preempted | Outcome::Waiting => match &mut self.own {
                Some(own) => own.push_back(task),
                None => self.give_back(task),
            },
            Outcome::Done | Outcome::Panicked => {
                let answered = self.runner.finish(&mut task);
                self.end(task, &answered);
            }
        }
    }

    fn turn(&mut self, task: &mut Task) -> Outcome {
        let start = Tsc::now();
        self.turns.begin(self.runner.clock, start);
        let outcome = match &self.ends {
            TurnEnds::Told { .. } => {
                self.generation = self.generation.next();
                let turn = Turn::new(self.generation, start.0);
                preempt::run_turn(task.fiber(), turn, &self.shared.turn, self.line)
            }
            TurnEnds::Clock { watch, quantum } => {
                preempt::run_watched(task.fiber(), watch, start + *quantum, self.line)
            }
        };
        self.runner.account(task, outcome, start);
        self.turns.end(task.meta().ended, outcome == Outcome::Preempted);
        if let (TurnEnds::Told { interrupt }, Outcome::Preempted) = (&self.ends, outcome) {
            spin_for(*interrupt);
        }
        outcome
    }

    /// Gives the task back for its next request; the dispatcher does not wait for the record.
    fn end(&mut self, task: Task, answered: &Answered) {
        self.give_back(task);
        self.runner.record(answered);
    }

    fn give_back(&mut self, task: Task) {
        let pushed = self.outbox.push(task);
        assert!(pushed.is_ok(), "the outbox holds as many tasks as a worker can have");
    }
}

fn spin_for(span: Ticks) {
    let begin = Tsc::now();
    while span.0 > 0 && Tsc::now().since(begin) < span {
        std::hint::spin_loop();
    }
}
