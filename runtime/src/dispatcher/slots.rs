//! JBSQ(k): what each worker holds, and the rings to and from it (Concord, SOSP'23, section 3.2; the idea is
//! R2P2's, ATC'19).
//!
//! A worker holds at most k requests, the running one included: with k = 2 the next one is at hand when a turn
//! ends, and no more than one request waits behind a turn that another worker could have run.

use crate::context::Task;
use crate::id::WorkerId;
use crate::policy::Workers;
use crate::preempt::signal::Target;
use crate::preempt::turn::{Generation, Turn};
use crate::preempt::{line, signal};
use crate::ring::spsc::{Consumer, Producer};
use crate::sync::{AtomicU32, Ordering, Thread};
use crate::sys::clock::Tsc;
use crate::worker::Shared;

/// Something that the dispatcher wrote to a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    /// The turn that ran.
    pub(crate) turn: Generation,
    /// What was written: the same, to end it, or another one's generation, a beat.
    pub(crate) value: Generation,
    pub(crate) at: Tsc,
}

impl Signal {
    /// Whether its turn has ended, or has taken the beat out of `line` and gone on.
    pub(crate) fn is_answered(self, running: Option<Turn>, line: &AtomicU32) -> bool {
        let has_ended = running.is_none_or(|turn| turn.generation != self.turn);
        has_ended || (self.value != self.turn && line::read(line) != self.value.get())
    }
}

/// The dispatcher's view of one worker.
pub(crate) struct Slot<'a> {
    pub(crate) worker: WorkerId,
    pub(crate) inbox: Producer<Task>,
    pub(crate) outbox: Consumer<Task>,
    pub(crate) shared: &'a Shared,
    pub(crate) line: &'static AtomicU32,
    pub(crate) thread: Thread,
    /// Where to signal it, when signals are what ends turns.
    pub(crate) target: Option<Target>,
    /// The last signal, until it is seen to have been answered.
    pub(crate) signal: Option<Signal>,
    pub(crate) last_beat: Tsc,
    /// The last generation that was armed; a generation is armed once (line.rs, I2).
    pub(crate) last_armed: Generation,
    /// When that was.
    pub(crate) armed_at: Tsc,
    /// Whether that turn was armed because it had lasted for the quantum.
    pub(crate) was_due: bool,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(
        worker: WorkerId,
        (inbox, outbox): (Producer<Task>, Consumer<Task>),
        shared: &'a Shared,
        line: &'static AtomicU32,
        thread: Thread,
        target: Option<Target>,
    ) -> Self {
        let (signal, last_beat, last_armed) = (None, Tsc(0), Generation::NONE);
        let (was_due, armed_at) = (false, Tsc(0));
        Self {
            worker,
            inbox,
            outbox,
            shared,
            line,
            thread,
            target,
            signal,
            last_beat,
            last_armed,
            armed_at,
            was_due,
        }
    }

    /// The turn that runs now.
    pub(crate) fn running(&self) -> Option<Turn> {
        self.shared.turn.running()
    }

    /// Tells the turn `generation` to end.
    pub(crate) fn end(&self, generation: Generation) {
        match self.target {
            None => line::arm(self.line, generation),
            Some(target) => signal::send(target, generation),
        }
    }

    pub(crate) fn stop(&self) {
        // Release: pairs with the Acquire in `Worker::must_stop`.
        self.shared.stop.store(true, Ordering::Release);
        self.shared.sleeper.wake(&self.thread);
    }
}

/// All workers.
pub(crate) struct Slots<'a> {
    pub(crate) all: Vec<Slot<'a>>,
    /// What each holds and runs, for the policy.
    pub(crate) workers: Workers,
    /// Whether workers sleep, so that a push must look whether it has to wake one.
    workers_sleep: bool,
}

impl<'a> Slots<'a> {
    /// `deepest`: most that k can be; `depth`: what it is at first.
    pub(crate) fn new(all: Vec<Slot<'a>>, deepest: usize, depth: usize, workers_sleep: bool) -> Self {
        let mut workers = Workers::new(all.len(), deepest);
        workers.set_depth(depth);
        Self { all, workers, workers_sleep }
    }

    /// Takes one task that a worker gave back.
    pub(crate) fn collect(&mut self, index: usize) -> Option<Task> {
        let slot = &mut self.all[index];
        let task = slot.outbox.pop()?;
        self.workers.take_back(slot.worker);
        Some(task)
    }

    /// Hands `task` to a worker that has room.
    pub(crate) fn push(&mut self, worker: WorkerId, task: Task) {
        let slot = &mut self.all[worker.index()];
        self.workers.give(worker, task.meta().slot);
        let pushed = slot.inbox.push(task);
        assert!(pushed.is_ok(), "an inbox has room for k requests");
        if self.workers_sleep {
            slot.shared.sleeper.wake(&slot.thread);
        }
    }
}
