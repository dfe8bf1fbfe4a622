//! A worker: a thread that runs turns.
//!
//! ```text
//!   inbox -> start or resume the task -> Done, Panicked: send the reply, free the stack --> outbox
//!                                     -> Preempted, Waiting: ---------------------------> outbox
//! ```
//!
//! The loop allocates nothing: stacks come from a pool, tasks were made before the run. (The pool grows when
//! more tasks are under way at once than stacks were prepared: one `mmap`, and counted.)

use crossbeam_utils::CachePadded;

use crate::context::{Outcome, StackPool, Task};
use crate::metrics::{GapDetector, WorkerRecorder};
use crate::preempt;
use crate::preempt::turn::{Generation, Turn, TurnWord};
use crate::request::Status;
use crate::ring::spsc::{Consumer, Producer};
use crate::service::{Service, handle};
use crate::sync::{AtomicBool, AtomicU32, Ordering};
use crate::sys::clock::{Clock, Ticks, Tsc};
use crate::sys::idle::{Idler, Sleeper, Step};
use crate::transport::{Answer, Egress};

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
    pub(crate) service: &'a S,
    pub(crate) state: &'a S::Worker,
    pub(crate) shared: &'a Shared,
    pub(crate) line: &'static AtomicU32,
    pub(crate) inbox: Consumer<Task>,
    pub(crate) outbox: Producer<Task>,
    pub(crate) egress: E,
    pub(crate) stacks: StackPool,
    pub(crate) clock: Clock,
    pub(crate) generation: Generation,
    pub(crate) idler: Idler,
    pub(crate) gaps: GapDetector,
    pub(crate) recorder: WorkerRecorder,
    pub(crate) unsent: u64,
}

/// What a worker leaves behind.
pub(crate) struct WorkerReport {
    pub(crate) recorder: WorkerRecorder,
    pub(crate) gaps: GapDetector,
    pub(crate) stacks: u64,
    pub(crate) unsent: u64,
}

impl<S: Service, E: Egress> Worker<'_, S, E> {
    /// Runs until the dispatcher says stop and the inbox is empty.
    pub(crate) fn run(mut self) -> WorkerReport {
        loop {
            match self.inbox.pop() {
                Some(task) => self.take(task),
                None if self.must_stop() => break,
                None => self.idle(),
            }
        }
        WorkerReport {
            recorder: self.recorder,
            gaps: self.gaps,
            stacks: self.stacks.made(),
            unsent: self.unsent,
        }
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
        if !task.is_started() && !self.start(&mut task) {
            return self.answer(task, Status::NoStack);
        }
        match self.turn(&mut task) {
            Outcome::Preempted | Outcome::Waiting => self.give_back(task),
            Outcome::Done | Outcome::Panicked => {
                let stack = task.finish();
                self.stacks.put(stack);
                let status = task.reply().status();
                self.answer(task, status);
            }
        }
    }

    /// Gives the task a stack; `false` when there is none.
    fn start(&mut self, task: &mut Task) -> bool {
        let Ok(stack) = self.stacks.take() else {
            task.reply()
                .fail(Status::NoStack, "no stack could be mapped; lower `queue_bound` or `stack_size`");
            return false;
        };
        let (service, state) = (&raw const *self.service, &raw const *self.state);
        task.start(stack, move |request, reply| {
            // SAFETY: both are borrowed for as long as this worker lives, and its tasks run nowhere else.
            let (service, state) = unsafe { (&*service, &*state) };
            handle(service, state, request, reply)
        });
        true
    }

    fn turn(&mut self, task: &mut Task) -> Outcome {
        self.generation = self.generation.next();
        let start = Tsc::now();
        let turn = Turn::new(self.generation, start.0);
        let outcome = preempt::run_turn(task.fiber(), turn, &self.shared.turn, self.line);
        let ran = Tsc::now().since(start);
        self.account(task, outcome, ran);
        outcome
    }

    fn account(&mut self, task: &mut Task, outcome: Outcome, ran: Ticks) {
        let meta = task.meta_mut();
        meta.received = meta.received + ran;
        meta.last_turn = (outcome == Outcome::Preempted).then_some(ran);
        if outcome == Outcome::Preempted {
            meta.preemptions += 1;
            self.recorder.preempted(self.clock.nanos(ran));
        }
    }

    /// Sends the reply and gives the task back for its next request.
    fn answer(&mut self, mut task: Task, status: Status) {
        let done = Tsc::now();
        task.meta_mut().is_over = true;
        let meta = *task.meta();
        let answer = Answer {
            origin: meta.origin,
            class: meta.class,
            status,
            reply: task.reply().as_bytes(),
            arrival: meta.arrival,
            taken_in: meta.taken_in,
            done,
            received: meta.received,
            preemptions: meta.preemptions,
        };
        self.unsent += u64::from(!self.egress.send(&answer));
        self.give_back(task);
        let sojourn = self.clock.nanos(done.since(meta.arrival));
        self.recorder.answered(meta.class, status, sojourn, self.clock.nanos(meta.received));
    }

    fn give_back(&mut self, task: Task) {
        let pushed = self.outbox.push(task);
        assert!(pushed.is_ok(), "the outbox holds as many tasks as a worker can have");
    }
}
