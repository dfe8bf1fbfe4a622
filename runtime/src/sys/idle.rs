//! What a thread does when it finds nothing to do.

use crate::sync::{AtomicBool, Ordering, Thread, fence, park};

/// How a polling thread may spend its idle time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It has a core of its own: poll without pause.
    Poll,
    /// It shares its core: spin shortly, then yield, then sleep.
    Polite,
}

/// The next step of an idle thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Spin,
    Yield,
    Sleep,
}

/// Rounds of spinning and of yielding before a polite thread sleeps.
const SPINS: u32 = 64;
const YIELDS: u32 = 16;

/// Counts idle rounds.
#[derive(Debug)]
pub(crate) struct Idler {
    manner: Manner,
    rounds: u32,
}

impl Idler {
    pub(crate) fn new(manner: Manner) -> Self {
        Self { manner, rounds: 0 }
    }

    /// There was work.
    pub(crate) fn reset(&mut self) {
        self.rounds = 0;
    }

    /// There was none: what to do before looking again.
    pub(crate) fn step(&mut self) -> Step {
        if self.manner == Manner::Poll {
            return Step::Spin;
        }
        self.rounds = (self.rounds + 1).min(SPINS + YIELDS);
        match self.rounds {
            rounds if rounds < SPINS => Step::Spin,
            rounds if rounds < SPINS + YIELDS => Step::Yield,
            _ => Step::Sleep,
        }
    }
}

/// One thread's bed: it sleeps only when there is no work, and whoever brings work wakes it.
///
/// | Word | Written by | Read by | Ordering | Pairs with |
/// |---|---|---|---|---|
/// | asleep | sleeper | waker | SeqCst fence on both sides | each other |
///
/// The sleeper writes `asleep` and then looks for work; the waker writes work and then looks at `asleep`. The
/// fences between make it impossible that both miss the other's write.
#[derive(Debug)]
pub(crate) struct Sleeper {
    asleep: AtomicBool,
}

impl Sleeper {
    pub(crate) fn new() -> Self {
        Self { asleep: AtomicBool::new(false) }
    }

    /// Sleeps until woken, unless `has_work` says that there is some. May also return for no reason.
    pub(crate) fn sleep_unless(&self, has_work: impl FnOnce() -> bool) {
        // Relaxed: ordered by the fence.
        self.asleep.store(true, Ordering::Relaxed);
        // SeqCst: pairs with the fence in `wake`.
        fence(Ordering::SeqCst);
        if !has_work() {
            park();
        }
        // Relaxed: a waker that still sees `true` only wakes in vain.
        self.asleep.store(false, Ordering::Relaxed);
    }

    /// Wakes `sleeper`, after work was brought for it.
    pub(crate) fn wake(&self, sleeper: &Thread) {
        // SeqCst: pairs with the fence in `sleep_unless`.
        fence(Ordering::SeqCst);
        // Relaxed: ordered by the fence.
        if self.asleep.load(Ordering::Relaxed) {
            sleeper.unpark();
        }
    }
}
