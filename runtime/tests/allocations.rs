//! The hot path does not allocate: neither the dispatcher's loop, nor a worker's, nor the slow path.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{at_once, polite};
use concord::testing::probe;
use concord::transport::in_process::InProcess;
use concord::{Class, Nanos, Reply, Request, Server, Service, ServiceError, WorkerId};

thread_local! {
    static COUNTED: Cell<bool> = const { Cell::new(false) };
}

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator; counts calls from threads that asked for it.
struct Counting;

fn count() {
    if COUNTED.with(Cell::get) {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts each thread from the first request that it sees to the last.
#[derive(Default)]
struct Watched {
    requests: u64,
    classified: AtomicU64,
    handled: AtomicU64,
    /// Allocations at the end of the last request.
    total: AtomicU64,
}

impl Service for Watched {
    type Worker = ();

    fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn classify(&self, _: &[u8]) -> Class {
        COUNTED.with(|counted| counted.set(true));
        self.classified.fetch_add(1, Ordering::Relaxed);
        Class(0)
    }

    fn handle_request(&self, (): &(), request: &Request<'_>, reply: &mut Reply) {
        COUNTED.with(|counted| counted.set(true));
        // The first one waits for another, which runs only after a preemption, where there are any.
        let begin = std::time::Instant::now();
        while request.id() == 0
            && self.handled.load(Ordering::Relaxed) == 0
            && begin.elapsed() < std::time::Duration::from_millis(200)
        {
            probe();
        }
        (0..2_000).for_each(|_| probe());
        reply.write(request.payload()).expect("it fits");
        if self.handled.fetch_add(1, Ordering::Relaxed) + 1 == self.requests {
            self.total.store(ALLOCATIONS.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

fn allocations(policy: &str) -> u64 {
    ALLOCATIONS.store(0, Ordering::Relaxed);
    let payloads = [b"payload".as_slice(); 500];
    let service = Watched { requests: payloads.len() as u64, ..Watched::default() };
    let config = concord::Config {
        prepared_stacks: 500,
        policy: policy.into(),
        ..polite(Some(Nanos::from_micros(2)))
    };
    let mut server = Server::new(service, config).unwrap();
    let mut transport = InProcess::new(at_once(&payloads));
    let statistics = server.run(&mut transport).unwrap();
    assert_eq!(server.service().classified.load(Ordering::Relaxed), 500);
    let can_preempt =
        !policy.starts_with("c-fcfs") && !policy.starts_with("d-fcfs") && !policy.starts_with("darc");
    assert_eq!(
        statistics.preemptions > 0,
        can_preempt,
        "{policy}: the slow path is taken where there is one"
    );
    server.service().total.load(Ordering::Relaxed)
}

#[test]
fn the_hot_path_does_not_allocate_under_any_policy() {
    COUNTED.with(|counted| counted.set(true));
    drop(std::hint::black_box(Box::new(1)));
    COUNTED.with(|counted| counted.set(false));
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed), 2, "the counter counts");
    // A window of some completions, so that reservations are made too.
    for policy in concord::policy::names().chain(["darc:window=50,delay=0,deviation=0"]) {
        assert_eq!(allocations(policy), 0, "{policy}");
    }
}
