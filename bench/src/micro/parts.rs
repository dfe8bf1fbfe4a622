//! Parts of the runtime that one thread can time, or valgrind count.

use concord::{Tsc, micro};

use crate::synthetic::SyntheticService;

/// Something that can be done many times.
#[derive(Clone, Copy)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// Does it so many times.
    pub run: fn(u64),
    /// How many times one batch does it.
    batch: u64,
}

/// All parts.
pub const PARTS: [Part; 8] = [
    Part { name: "probe", run: micro::probe, batch: 20_000 },
    Part { name: "clock", run: micro::clock, batch: 5_000 },
    Part { name: "switch_pair", run: micro::switch_pair, batch: 5_000 },
    Part { name: "ring_push_pop", run: micro::ring_push_pop, batch: 10_000 },
    Part { name: "ring_round_trip", run: micro::ring_round_trip, batch: 2_000 },
    Part { name: "dispatch_step", run: |times| micro::dispatch_step("ps", 1, times), batch: 5_000 },
    Part {
        name: "dispatch_step_64_workers",
        run: |times| micro::dispatch_step("ps", 64, times),
        batch: 2_000,
    },
    Part { name: "classify", run: classify, batch: 10_000 },
];

fn classify(times: u64) {
    micro::classify(&SyntheticService::default(), &[0; 24], times);
}

/// The part of this name.
pub fn part(name: &str) -> Option<Part> {
    PARTS.into_iter().find(|part| part.name == name)
}

/// Nanoseconds for one time: the least of `batches`, less what a batch costs that does it once.
pub(super) fn least_ns(part: Part, batches: u32) -> f64 {
    let clock = concord::Clock::get();
    let least = |times: u64| {
        let batch = |_| {
            let begin = Tsc::now();
            (part.run)(times);
            clock.nanos(Tsc::now().since(begin)).0
        };
        (0..batches).map(batch).min().unwrap_or(0) as f64
    };
    let (many, one) = (least(part.batch + 1), least(1));
    ((many - one) / part.batch as f64).max(0.01)
}
