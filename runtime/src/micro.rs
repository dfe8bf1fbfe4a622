//! Micro-benchmarks of parts of the runtime that have no public interface: each function does one thing so many
//! times, on the calling thread, for a benchmark to time or for valgrind to count.

use crate::context::{Fiber, Meta, Outcome, Stack, Task, current};
use crate::dispatcher::{Slot, Slots, TaskTable};
use crate::id::{Class, WorkerId};
use crate::policy::{Item, Policy, Setup, Spec};
use crate::preempt::{symbols, turn::Generation};
use crate::ring::spsc::{Consumer, Producer, ring};
use crate::service::{Service, classify as class_of};
use crate::sync::AtomicU32;
use crate::sys::clock::{Ticks, Tsc};
use crate::worker::Shared;

/// Probes that find their line clear.
pub fn probe(times: u64) {
    (0..times).for_each(|_| symbols::probe());
}

/// Readings of the clock.
pub fn clock(times: u64) {
    (0..times).for_each(|_| {
        std::hint::black_box(Tsc::now());
    });
}

/// Switches to a task and back.
///
/// # Panics
/// When no stack can be mapped.
pub fn switch_pair(times: u64) {
    let mut fiber = Fiber::new(Stack::new(64 << 10).expect("a stack can be mapped"), move |suspender| {
        current::enter(suspender);
        (0..times).for_each(|_| current::suspend(Outcome::Preempted));
        Outcome::Done
    });
    while fiber.resume() != Outcome::Done {}
    current::end();
}

/// Pushes to a ring and pops from it, on one thread.
///
/// # Panics
/// Never.
pub fn ring_push_pop(times: u64) {
    let (mut producer, mut consumer) = ring::<u64>(2);
    for value in 0..times {
        producer.push(value).expect("there is room");
        std::hint::black_box(consumer.pop());
    }
}

/// Hands a value to another thread and gets one back, through two rings.
///
/// # Panics
/// When no thread can be started.
pub fn ring_round_trip(times: u64) {
    let (mut there, mut from_here) = ring::<u64>(1);
    let (mut back, mut from_there) = ring::<u64>(1);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for _ in 0..times {
                back.push(wait_for(&mut from_here)).expect("there is room");
            }
        });
        for value in 0..times {
            there.push(value).expect("there is room");
            assert_eq!(wait_for(&mut from_there), value);
        }
    });
}

fn wait_for(consumer: &mut Consumer<u64>) -> u64 {
    loop {
        if let Some(value) = consumer.pop() {
            return value;
        }
        std::hint::spin_loop();
    }
}

/// Classifies `payload` as `service` does.
///
/// # Panics
/// When the service cannot.
pub fn classify<S: Service>(service: &S, payload: &[u8], times: u64) {
    let classes = service.classes().len();
    for _ in 0..times {
        class_of(service, classes, std::hint::black_box(payload)).expect("it has a class");
    }
}

/// A dispatcher's steps for one request each: take in, queue, choose a worker, hand over, take back. The workers'
/// sides of the rings are played by the same thread, without a handler.
///
/// # Panics
/// When there is no policy of this name.
pub fn dispatch_step(policy: &str, workers: usize, times: u64) {
    let mut bench = Bench::new(policy, workers);
    (0..times).for_each(|time| bench.step(Tsc(time * 250)));
}

/// Workers whose sides are played here.
struct Bench {
    policy: Box<dyn Policy>,
    slots: Slots<'static>,
    tasks: TaskTable,
    ends: Vec<(Consumer<Task>, Producer<Task>)>,
}

impl Bench {
    fn new(policy: &str, workers: usize) -> Self {
        let (deepest, capacity) = (2, 4_096);
        let quantum = Some(Ticks(12_500));
        let setup = Setup { workers, capacity, classes: 1, quantum, ticks_per_micro: 2_500.0, clock: None };
        let policy =
            policy.parse::<Spec>().and_then(|spec| spec.make(&setup)).expect("it is in the registry");
        let (mut ends, mut slots) = (Vec::new(), Vec::new());
        for index in 0..workers {
            let ((inbox, inbox_out), (outbox_in, outbox)) = (ring(deepest), ring(deepest));
            ends.push((inbox_out, outbox_in));
            let shared: &Shared = Box::leak(Box::new(Shared::new()));
            let line: &AtomicU32 = Box::leak(Box::new(AtomicU32::new(Generation::NONE.get())));
            let thread = std::thread::current();
            slots.push(Slot::new(WorkerId(index as u16), (inbox, outbox), shared, line, thread, None));
        }
        let slots = Slots::new(slots, deepest, deepest, false);
        Self { policy, slots, tasks: TaskTable::new(capacity, 1, 64, 64), ends }
    }

    fn step(&mut self, now: Tsc) {
        assert!(self.tasks.admit(Class(0)), "there is room: nothing stays");
        let slot = self.tasks.fill(Meta { arrival: now, taken_in: now, ..Meta::default() }, &[0; 16]);
        let item = Item { slot, class: Class(0), arrival: now, received: Ticks(0), pinned: None };
        self.policy.arrived(item, now);
        while let Some((worker, item)) = self.policy.next(&self.slots.workers, now) {
            self.slots.push(worker, self.tasks.take(item.slot));
            self.play(worker);
        }
        for index in 0..self.ends.len() {
            while let Some(task) = self.slots.collect(index) {
                let worker = WorkerId(index as u16);
                self.policy.done(worker, Item { pinned: Some(worker), ..item }, now);
                self.tasks.put(task);
            }
        }
    }

    fn play(&mut self, worker: WorkerId) {
        let (inbox, outbox) = &mut self.ends[worker.index()];
        if let Some(mut task) = inbox.pop() {
            task.meta_mut().is_over = true;
            assert!(outbox.push(task).is_ok(), "an outbox has room for k requests");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Empty;

    impl Service for Empty {
        type Worker = ();

        fn setup_worker(&self, _: WorkerId) -> Result<(), crate::ServiceError> {
            Ok(())
        }

        fn handle_request(&self, (): &(), _: &crate::Request<'_>, _: &mut crate::Reply) {}
    }

    #[test]
    fn each_benchmark_does_its_thing() {
        probe(10);
        clock(10);
        switch_pair(10);
        ring_push_pop(10);
        ring_round_trip(10);
        classify(&Empty, &[0; 64], 10);
        dispatch_step("ps", 3, 10_000);
    }
}
