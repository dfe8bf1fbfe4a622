//! Runs requests on this thread: gives a task its stack, keeps its account, sends its reply. A worker has one, and
//! so has a dispatcher that assists.

use crate::context::{Outcome, StackPool, Task};
use crate::id::{Class, WorkerId};
use crate::metrics::WorkerRecorder;
use crate::request::Status;
use crate::service::{Handler, Service, handle};
use crate::sys::clock::{Clock, Ticks, Tsc};
use crate::transport::{Answer, Egress};

/// See the module; lives on its thread.
pub(crate) struct Runner<'a, S: Service, E> {
    pub(crate) by: WorkerId,
    pub(crate) handler: Handler<S>,
    pub(crate) service: &'a S,
    pub(crate) state: &'a S::Worker,
    pub(crate) egress: E,
    pub(crate) stacks: StackPool,
    pub(crate) clock: Clock,
    pub(crate) recorder: WorkerRecorder,
    pub(crate) unsent: u64,
}

/// What a runner leaves behind.
pub(crate) struct RunnerReport {
    pub(crate) recorder: WorkerRecorder,
    pub(crate) stacks: u64,
    pub(crate) unsent: u64,
}

/// A reply that was sent, to be recorded once the task is out of hand.
#[must_use]
pub(crate) struct Answered {
    class: Class,
    status: Status,
    sojourn: Ticks,
    received: Ticks,
}

impl<S: Service, E: Egress> Runner<'_, S, E> {
    /// Makes the task ready for its next turn; `false` when it was to start and there is no stack for it: its
    /// reply then says so.
    pub(crate) fn make_ready(&mut self, task: &mut Task) -> bool {
        if task.is_started() {
            return true;
        }
        let Ok(stack) = self.stacks.take() else {
            let message = "no stack could be mapped; lower `queue_bound` or `stack_size`";
            task.reply().fail(Status::NoStack, message);
            task.meta_mut().ended = Tsc::now();
            return false;
        };
        let handler = self.handler;
        let (service, state) = (&raw const *self.service, &raw const *self.state);
        task.start(stack, move |request, reply| {
            // SAFETY: both are borrowed for as long as this runner lives, and its tasks run nowhere else.
            let (service, state) = unsafe { (&*service, &*state) };
            handle(handler, service, state, request, reply)
        });
        true
    }

    /// Notes a turn that began at `start` and has just ended.
    pub(crate) fn account(&mut self, task: &mut Task, outcome: Outcome, start: Tsc) {
        let ended = Tsc::now();
        let ran = ended.since(start);
        let meta = task.meta_mut();
        (meta.turn, meta.ended) = (ran, ended);
        meta.received = meta.received + ran;
        meta.was_preempted = outcome == Outcome::Preempted;
        if meta.was_preempted {
            meta.preemptions += 1;
            // How long the dispatcher's slices are says nothing of the quantum.
            if self.by != WorkerId::DISPATCHER {
                self.recorder.preempted(self.clock.nanos(ran));
            }
        }
    }

    /// Sends the reply of a task whose handler has returned or panicked.
    pub(crate) fn finish(&mut self, task: &mut Task) -> Answered {
        let stack = task.finish();
        self.stacks.put(stack);
        let status = task.reply().status();
        self.answer(task, status)
    }

    /// Sends the reply. The task is then ready for its next request.
    pub(crate) fn answer(&mut self, task: &mut Task, status: Status) -> Answered {
        task.meta_mut().is_over = true;
        let meta = *task.meta();
        let done = meta.ended;
        let answer = Answer {
            by: self.by,
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
        let sojourn = done.since(meta.arrival);
        Answered { class: meta.class, status, sojourn, received: meta.received }
    }

    /// Records an answered request.
    pub(crate) fn record(&mut self, answered: &Answered) {
        let (sojourn, service) = (self.clock.nanos(answered.sojourn), self.clock.nanos(answered.received));
        self.recorder.answered(answered.class, answered.status, sojourn, service);
    }

    pub(crate) fn report(self) -> RunnerReport {
        RunnerReport { recorder: self.recorder, stacks: self.stacks.made(), unsent: self.unsent }
    }
}
