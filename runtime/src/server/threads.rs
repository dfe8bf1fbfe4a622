//! The threads of one run: the dispatcher, and a worker for each inbox.
//!
//! Nothing is taken in before every thread is ready; when one cannot be set up, the others are released. The
//! dispatcher ends first: it is the one that writes to the workers' lines, which end with their threads.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::thread::{Scope, ScopedJoinHandle};

use super::Server;
use crate::config::{Config, Pinning, Preemption, Rotation};
use crate::context::{StackPool, Task};
use crate::dispatcher::{
    Assist, Counts, Depth, Dispatcher, DispatcherReport, Limits, Quantum, Slot, Slots, TaskTable, Ticker,
};
use crate::error::Error;
use crate::id::WorkerId;
use crate::metrics::{GapDetector, Turns, WorkerRecorder};
use crate::policy::{Policy, Setup, Spec};
use crate::preempt::signal::{self, Target};
use crate::preempt::{symbols, turn::Generation, watch::Watch};
use crate::ring::spsc::{Consumer, Producer, ring};
use crate::service::{Service, handler, second_handler};
use crate::sync::{AtomicU32, Ordering, Thread};
use crate::sys::affinity;
use crate::sys::clock::{Clock, Nanos, Ticks, Tsc};
use crate::sys::idle::{Idler, Manner};
use crate::transport::{Egress, Transport};
use crate::worker::{Runner, Shared, TurnEnds, Worker, WorkerReport};

/// How often a long turn is asked whether it still runs. Answering takes the worker some 300 ns.
const BEAT: Nanos = Nanos::from_micros(100);

/// How often the policy is called when nothing happens.
const TICK: Nanos = Nanos::from_micros(100);

/// A worker that is ready to run, as the dispatcher's thread hears of it.
struct Ready {
    worker: WorkerId,
    line: &'static AtomicU32,
    thread: Thread,
    target: Option<Target>,
}

/// The two ends that a worker's thread gets.
struct WorkerEnds<E> {
    inbox: Consumer<Task>,
    outbox: Producer<Task>,
    egress: E,
}

/// The two ends that the dispatcher keeps.
type DispatcherEnds = (Producer<Task>, Consumer<Task>);

/// What the threads of one run leave behind.
pub(super) struct Ended {
    pub(super) dispatcher: DispatcherReport,
    pub(super) workers: Vec<WorkerReport>,
}

/// What all threads of one run know.
pub(super) struct Plan<'a, S> {
    pub(super) server: &'a Server<S>,
    pub(super) clock: Clock,
    pub(super) cores: Vec<usize>,
    pub(super) manner: Manner,
    pub(super) shared: &'a [Shared],
}

/// Aborts when dropped by an unwinding runtime: the other threads would wait for this one for ever, or use
/// its line after its end.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("concord: the runtime itself has panicked, see above; aborting");
            std::process::abort();
        }
    }
}

impl<S: Service> Plan<'_, S> {
    fn config(&self) -> &Config {
        &self.server.config
    }

    /// Starts the threads and waits for their end.
    pub(super) fn run<T: Transport>(&self, transport: T, mut egress: Vec<T::Egress>) -> Result<Ended, Error> {
        let (sender, ready) = mpsc::channel();
        let own_egress = self.server.assists().then(|| egress.pop()).flatten();
        std::thread::scope(|scope| {
            let mut ends = Vec::new();
            let mut handles = Vec::new();
            let mut start = |(index, egress)| {
                let worker = WorkerId(index as u16);
                let (dispatcher_ends, worker_ends) = self.rings(egress);
                let sender = sender.clone();
                handles.push(spawn(scope, worker, move || self.worker(worker, worker_ends, sender))?);
                ends.push(dispatcher_ends);
                Ok(())
            };
            let started: Result<(), Error> = egress.into_iter().enumerate().try_for_each(&mut start);
            drop(sender);
            let dispatch = || {
                spawn(scope, WorkerId::DISPATCHER, move || self.dispatch(transport, own_egress, ends, &ready))
            };
            let dispatched = started.and_then(|()| dispatch()?.join().unwrap_or(Err(Error::WorkerLost)));
            if dispatched.is_err() {
                self.stop_all(&handles);
            }
            let workers = handles.into_iter().filter_map(|handle| handle.join().ok().flatten()).collect();
            dispatched.map(|dispatcher| Ended { dispatcher, workers })
        })
    }

    fn rings<E>(&self, egress: E) -> (DispatcherEnds, WorkerEnds<E>) {
        let (inbox_in, inbox) = ring(self.config().deepest());
        let (outbox, outbox_out) = ring(self.config().deepest());
        ((inbox_in, outbox_out), WorkerEnds { inbox, outbox, egress })
    }

    /// Releases workers that wait for work which will never come.
    fn stop_all(&self, handles: &[ScopedJoinHandle<'_, Option<WorkerReport>>]) {
        for (shared, handle) in self.shared.iter().zip(handles) {
            // Release: pairs with the Acquire in `Worker::must_stop`.
            shared.stop.store(true, Ordering::Release);
            shared.sleeper.wake(handle.thread());
        }
    }

    fn pin(&self, worker: WorkerId, thread_index: usize) -> Result<(), Error> {
        let Some(&core) = self.cores.get(thread_index) else { return Ok(()) };
        match affinity::pin(core) {
            Ok(()) => Ok(()),
            Err(source) if self.config().pinning == Pinning::Auto => {
                eprintln!(
                    "concord: warning: {worker} could not be pinned to core {core} ({source}) and runs wherever the \
                     system puts it: latencies will vary more; `pinning` names the cores to use, or none"
                );
                Ok(())
            }
            Err(source) => Err(Error::Pin { worker, core, source }),
        }
    }

    fn setup(&self, worker: WorkerId, thread_index: usize) -> Result<S::Worker, Error> {
        self.pin(worker, thread_index)?;
        let state = self.server.service.setup_worker(worker);
        state.map_err(|source| Error::SetupWorker { worker, source })
    }

    fn stacks(&self, worker: WorkerId) -> Result<StackPool, Error> {
        let Config { stack_size, prepared_stacks, queue_bound, .. } = *self.config();
        StackPool::new(stack_size, prepared_stacks.min(queue_bound))
            .map_err(|source| Error::Stacks { worker, source })
    }

    fn idler(&self) -> Idler {
        Idler::new(self.manner)
    }

    fn gaps(&self) -> GapDetector {
        GapDetector::new(self.clock.ticks(self.config().stolen_threshold))
    }

    /// The body of a worker's thread; `None` when it could not be set up.
    fn worker<E: Egress>(
        &self,
        worker: WorkerId,
        ends: WorkerEnds<E>,
        ready: mpsc::Sender<Result<Ready, Error>>,
    ) -> Option<WorkerReport> {
        // Pinned first, so that state and stacks are made on the worker's own core.
        let state = self.setup(worker, worker.index() + 1);
        let (state, stacks) = match state.and_then(|state| Ok((state, self.stacks(worker)?))) {
            Ok(parts) => parts,
            Err(error) => {
                let _ = ready.send(Err(error));
                return None;
            }
        };
        let _abort = AbortOnUnwind;
        let body = Worker {
            runner: self.runner(worker, &state, ends.egress, stacks),
            shared: &self.shared[worker.index()],
            line: symbols::line(),
            inbox: ends.inbox,
            outbox: ends.outbox,
            ends: self.turn_ends(),
            own: (self.config().rotation == Rotation::Worker)
                .then(|| VecDeque::with_capacity(self.config().deepest())),
            generation: Generation::NONE,
            idler: self.idler(),
            gaps: self.gaps(),
            turns: Turns::new(),
        };
        let target = (self.config().preemption == Preemption::Signal).then(signal::this_thread);
        let (line, thread) = (body.line, std::thread::current());
        let _ = ready.send(Ok(Ready { worker, line, thread, target }));
        // Should another worker's thread end without a word, the dispatcher must not wait for this sender.
        drop(ready);
        Some(body.run())
    }

    fn runner<'r, E>(
        &'r self,
        by: WorkerId,
        state: &'r S::Worker,
        egress: E,
        stacks: StackPool,
    ) -> Runner<'r, S, E> {
        let recorder = WorkerRecorder::new(&self.server.classes);
        let service = &self.server.service;
        // What the dispatcher runs looks at the clock, as far as this artefact has such code.
        let second = (by == WorkerId::DISPATCHER).then(second_handler).flatten();
        let handler = second.unwrap_or_else(handler);
        Runner { by, handler, service, state, egress, stacks, clock: self.clock, recorder, unsent: 0 }
    }

    /// The body of the dispatcher's thread.
    fn dispatch<T: Transport>(
        &self,
        transport: T,
        egress: Option<T::Egress>,
        ends: Vec<DispatcherEnds>,
        ready: &mpsc::Receiver<Result<Ready, Error>>,
    ) -> Result<DispatcherReport, Error> {
        let config = self.config();
        let state = self.setup(WorkerId::DISPATCHER, 0)?;
        let runner = |egress| {
            let stacks = self.stacks(WorkerId::DISPATCHER)?;
            Ok(self.runner(WorkerId::DISPATCHER, &state, egress, stacks))
        };
        let runner = egress.map(runner).transpose()?;
        let slots = self.gather(ends, ready)?;
        let outboxes = slots.iter().map(|slot| slot.outbox.peek()).collect();
        let assist = runner.map(|runner| Assist::new(runner, Watch::new(outboxes)));
        let policy = self.policy()?;
        let depth = Depth::new(config.jbsq_depth);
        let _abort = AbortOnUnwind;
        let dispatcher = Dispatcher {
            service: &self.server.service,
            transport,
            policy,
            slots: Slots::new(slots, config.deepest(), depth.get(), self.manner == Manner::Polite),
            tasks: TaskTable::new(
                config.queue_bound,
                self.server.classes.len(),
                config.request_size,
                config.reply_size,
            ),
            quantum: Quantum::new(self.limits(), config.workers),
            depth,
            assist,
            counts: Counts::new(self.server.classes.len()),
            classes: self.server.classes.len(),
            request_size: config.request_size,
            shutdown: &self.server.shutdown,
            idler: self.idler(),
            gaps: self.gaps(),
            ticker: Ticker::new(self.clock.ticks(TICK)),
        };
        Ok(dispatcher.run())
    }

    fn turn_ends(&self) -> TurnEnds {
        match self.config().preemption {
            Preemption::Line | Preemption::Signal => TurnEnds::Told { interrupt: Ticks(0) },
            Preemption::EmulatedInterrupt { cycles } => TurnEnds::Told { interrupt: Ticks(cycles.into()) },
            Preemption::Clock => {
                let quantum =
                    self.config().quantum.map_or(Ticks(u64::MAX / 2), |quantum| self.clock.ticks(quantum));
                TurnEnds::Clock { watch: Watch::new(Vec::new()), quantum }
            }
        }
    }

    /// The quantum, as far as it is the dispatcher's to keep.
    fn quantum(&self) -> Option<Ticks> {
        let quantum = self.config().quantum.filter(|_| self.config().dispatcher_ends_turns());
        quantum.map(|quantum| self.clock.ticks(quantum))
    }

    fn limits(&self) -> Limits {
        // A line that is armed for good must not be written to.
        let gets_beats = self.server.build.has_probes() && self.config().dispatcher_ends_turns();
        Limits {
            quantum: self.quantum(),
            tolerance: self.clock.ticks(self.config().stolen_threshold),
            beat: gets_beats.then(|| self.clock.ticks(BEAT)),
        }
    }

    fn policy(&self) -> Result<Box<dyn Policy>, Error> {
        let config = self.config();
        let setup = Setup {
            workers: config.workers,
            capacity: config.queue_bound,
            classes: self.server.classes.len(),
            quantum: self.quantum(),
            ticks_per_micro: self.clock.ticks(Nanos::from_millis(1)).0 as f64 / 1e3,
            clock: Some(Tsc::now),
        };
        let spec: Spec = config.policy.parse().expect("the options were checked");
        spec.make(&setup).map_err(|error| Error::Option { option: "policy", problem: error.to_string() })
    }

    /// Waits until every worker is ready.
    fn gather(
        &self,
        ends: Vec<DispatcherEnds>,
        ready: &mpsc::Receiver<Result<Ready, Error>>,
    ) -> Result<Vec<Slot<'_>>, Error> {
        let mut workers = Vec::new();
        for _ in &ends {
            workers.push(ready.recv().map_err(|_| Error::WorkerLost)??);
        }
        workers.sort_by_key(|ready| ready.worker);
        let slot = |(Ready { worker, line, thread, target }, ends)| {
            Slot::new(worker, ends, &self.shared[worker.index()], line, thread, target)
        };
        Ok(workers.into_iter().zip(ends).map(slot).collect())
    }
}

fn thread_name(worker: WorkerId) -> String {
    // Linux keeps 15 characters of it.
    if worker == WorkerId::DISPATCHER { "concord-disp".into() } else { format!("concord-w{}", worker.0) }
}

fn spawn<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    worker: WorkerId,
    body: impl FnOnce() -> R + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, R>, Error> {
    let thread = thread_name(worker);
    let builder = std::thread::Builder::new().name(thread.clone());
    builder.spawn_scoped(scope, body).map_err(|source| Error::Spawn { thread, source })
}
