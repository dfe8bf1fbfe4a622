//! The concurrency files under loom: every interleaving and every value that the memory model lets a load see.
//!
//! These are the shipped sources, compiled a second time into this crate, whose `sync` module is loom's (see
//! `src/sync.rs`). So this runs in a plain `cargo test`, without flags.

mod sync {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::Arc;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
    pub(crate) use loom::thread::{Thread, park};

    /// The line's word.
    ///
    /// loom does not model the atomicity of read-modify-writes: after `store a; store b` on one thread and an
    /// exchange of that `a` for `c` on another, it holds that `c` may come last, where C11 has it right behind
    /// `a`. So where a model has exchanges, stores are made by `swap`, which puts all writes of the word into
    /// one order. Loads stay loom's: they may see any write that they could in C11. A model without exchanges
    /// uses loom's own stores.
    pub(crate) struct AtomicU32 {
        word: loom::sync::atomic::AtomicU32,
        has_exchanges: bool,
    }

    impl AtomicU32 {
        pub(crate) fn new(value: u32, has_exchanges: bool) -> Self {
            Self { word: loom::sync::atomic::AtomicU32::new(value), has_exchanges }
        }

        pub(crate) fn load(&self, order: Ordering) -> u32 {
            self.word.load(order)
        }

        pub(crate) fn store(&self, value: u32, order: Ordering) {
            if self.has_exchanges {
                self.word.swap(value, order);
            } else {
                self.word.store(value, order);
            }
        }

        pub(crate) fn compare_exchange(
            &self,
            current: u32,
            new: u32,
            success: Ordering,
            failure: Ordering,
        ) -> Result<u32, u32> {
            assert!(self.has_exchanges);
            self.word.compare_exchange(current, new, success, failure)
        }
    }
}

#[path = "../src/ring/spsc.rs"]
#[allow(dead_code, reason = "a peek reads two words and no value")]
mod spsc;

#[path = "../src/sys/idle.rs"]
#[allow(dead_code, reason = "only the sleeper has threads to model")]
mod idle;

#[path = "../src/preempt"]
mod preempt {
    pub(crate) mod decide;
    #[allow(dead_code, reason = "recording is no part of the protocol")]
    pub(crate) mod line;
    #[allow(dead_code, reason = "the model's dispatcher reads no clock")]
    pub(crate) mod turn;
}

use concord_abi::guard::{IDLE, LEVEL, NOT_PENDING, depth};
use loom::thread;
use preempt::decide::{Decision, at_guard_exit, at_probe, with_pending};
use preempt::line::{arm, clear_seen};
use preempt::turn::{Generation, Turn, TurnWord};
use sync::{Arc, AtomicBool, AtomicU32, Ordering};

/// How a slow path takes a signal out of the line.
type Clear = fn(&AtomicU32, u32);

struct Shared {
    turn: TurnWord,
    line: AtomicU32,
}

impl Shared {
    fn new(has_exchanges: bool) -> Arc<Self> {
        Arc::new(Self { turn: TurnWord::new(), line: AtomicU32::new(0, has_exchanges) })
    }
}

/// The worker's thread: its guard word, its turn, and whether that was told to end.
struct Worker<'a> {
    shared: &'a Shared,
    clear: Clear,
    generation: Generation,
    guard_word: u32,
    switched: bool,
}

impl Worker<'_> {
    fn begin_turn(&mut self) {
        self.generation = self.generation.next();
        self.switched = false;
        self.shared.turn.begin(&self.shared.line, Turn::new(self.generation, 0));
    }

    fn probe(&mut self) {
        if self.switched || self.shared.line.load(Ordering::Relaxed) == 0 {
            return;
        }
        match at_probe(&self.shared.line, self.generation, self.guard_word, || false, || true, self.clear) {
            Decision::Continue => {}
            Decision::Pend => self.guard_word = with_pending(self.guard_word),
            Decision::Switch => self.switched = true,
        }
    }

    fn guard_enter(&mut self) {
        self.guard_word += LEVEL;
    }

    fn guard_exit(&mut self) {
        self.guard_word -= LEVEL;
        if self.guard_word == 0 {
            self.guard_word = IDLE;
            self.switched = at_guard_exit(&self.shared.line, self.generation, || true) == Decision::Switch;
        }
    }
}

/// A dispatcher whose quantum is always over: arms each turn that it sees, once, after a beat if it gives any.
/// Returns the last that it armed.
fn dispatch(shared: &Shared, rounds: usize, beats: bool) -> Generation {
    let mut last = Generation::NONE;
    for _ in 0..rounds {
        if let Some(turn) = shared.turn.running()
            && turn.generation != last
        {
            if beats {
                arm(&shared.line, turn.generation.previous());
            }
            arm(&shared.line, turn.generation);
            last = turn.generation;
        }
    }
    last
}

/// Two turns on one worker, the second with a guard if asked for, against a dispatcher that arms what it sees.
fn two_turns(clear: Clear, guarded: bool) {
    model(clear, guarded, 3, false);
}

fn model(clear: Clear, guarded: bool, rounds: usize, beats: bool) {
    loom::model(move || {
        let shared = Shared::new(true);
        let theirs = Arc::clone(&shared);
        let dispatcher = thread::spawn(move || dispatch(&theirs, rounds, beats));
        let mut worker = Worker {
            shared: &shared,
            clear,
            generation: Generation::NONE,
            guard_word: IDLE,
            switched: false,
        };

        worker.begin_turn();
        worker.probe();
        shared.turn.end();

        worker.begin_turn();
        if guarded {
            worker.guard_enter();
            worker.probe();
            assert!(!worker.switched, "switched inside a guard");
            assert_eq!(depth(worker.guard_word), 1);
            worker.guard_exit();
        } else {
            worker.probe();
        }
        let last_armed = dispatcher.join().unwrap();
        // Whatever was sent has arrived by now: a probe that still does not see it never will.
        worker.probe();
        assert_eq!(worker.guard_word, NOT_PENDING);
        assert_eq!(
            worker.switched,
            last_armed == worker.generation,
            "the second turn ends if and only if it was armed"
        );
    });
}

/// The turn word's Release and Acquire alone (line.rs, I1): the clear at a turn's begin never comes after the
/// arming for that turn.
#[test]
fn a_turn_s_begin_does_not_erase_its_own_signal() {
    loom::model(|| {
        let shared = Shared::new(false);
        let theirs = Arc::clone(&shared);
        let dispatcher = thread::spawn(move || dispatch(&theirs, 1, false));
        shared.turn.begin(&shared.line, Turn::new(Generation::NONE.next(), 0));
        let armed = dispatcher.join().unwrap();
        assert_eq!(shared.line.load(Ordering::Relaxed), armed.get());
    });
}

#[test]
fn a_turn_ends_if_and_only_if_it_was_armed() {
    two_turns(clear_seen, false);
}

#[test]
fn a_guarded_turn_ends_after_its_guard_if_and_only_if_it_was_armed() {
    two_turns(clear_seen, true);
}

#[test]
fn a_beat_ends_no_turn_and_costs_no_signal() {
    model(clear_seen, false, 2, true);
}

/// What the protocol must not do (line.rs, I3): the model sees the loss.
fn clear_by_store(line: &AtomicU32, _seen: u32) {
    line.store(0, Ordering::Relaxed);
}

#[test]
#[should_panic(expected = "the second turn ends if and only if it was armed")]
fn a_plain_store_in_place_of_the_compare_exchange_loses_a_signal() {
    two_turns(clear_by_store, false);
}

#[test]
#[should_panic(expected = "the second turn ends if and only if it was armed")]
fn a_plain_store_loses_a_signal_in_a_guard_too() {
    two_turns(clear_by_store, true);
}

#[test]
fn a_ring_hands_over_each_value_once_in_order() {
    loom::model(|| {
        let (mut producer, mut consumer) = spsc::ring(2);
        let sender = thread::spawn(move || {
            for value in 0..3 {
                while producer.push(Box::new(value)).is_err() {
                    thread::yield_now();
                }
            }
        });
        for expected in 0..3 {
            let value = loop {
                match consumer.pop() {
                    Some(value) => break value,
                    None => thread::yield_now(),
                }
            };
            assert_eq!(*value, expected);
        }
        assert!(consumer.is_empty());
        sender.join().unwrap();
    });
}

#[test]
fn a_sleeper_is_woken_by_work_that_comes_as_it_lies_down() {
    loom::model(|| {
        let bed = Arc::new((idle::Sleeper::new(), AtomicBool::new(false)));
        let theirs = Arc::clone(&bed);
        let sleeper = thread::spawn(move || {
            let (sleeper, work) = &*theirs;
            // Relaxed: ordered by the sleeper's fence, as in the worker.
            while !work.load(Ordering::Relaxed) {
                sleeper.sleep_unless(|| work.load(Ordering::Relaxed));
            }
        });
        bed.1.store(true, Ordering::Relaxed);
        bed.0.wake(sleeper.thread());
        // A lost wake-up is a deadlock, which loom reports.
        sleeper.join().unwrap();
    });
}
