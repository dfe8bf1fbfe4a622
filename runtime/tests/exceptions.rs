//! C++ exceptions that are being handled belong to their task. The C++ runtime is played by this file: it
//! defines the symbol that the runtime refers to weakly.

mod common;

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use common::{PATIENCE, at_once, polite};
use concord::testing::probe;
use concord::transport::in_process::InProcess;
use concord::{Nanos, Reply, Request, Server, Service, ServiceError, WorkerId};

/// `__cxa_eh_globals` of the Itanium C++ ABI.
#[repr(C)]
struct Globals {
    caught: usize,
    uncaught: u32,
}

thread_local! {
    static GLOBALS: UnsafeCell<Globals> = const { UnsafeCell::new(Globals { caught: 0, uncaught: 0 }) };
}

// SAFETY: no C++ runtime is linked into this test, so nothing else defines the symbol.
#[unsafe(no_mangle)]
extern "C" fn __cxa_get_globals() -> *mut Globals {
    GLOBALS.with(UnsafeCell::get)
}

fn with_globals<R>(use_them: impl FnOnce(&mut Globals) -> R) -> R {
    // SAFETY: this thread's own, and the closures below neither nest nor probe.
    use_them(unsafe { &mut *__cxa_get_globals() })
}

/// Each request is inside a catch block of its own while all of them are started.
#[derive(Default)]
struct Catching {
    started: AtomicU32,
}

impl Service for Catching {
    type Worker = ();

    fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
        Ok(())
    }

    fn handle_request(&self, (): &(), request: &Request<'_>, reply: &mut Reply) {
        let at_first = with_globals(|globals| (globals.caught, globals.uncaught));
        let mine = request.id() as usize + 1;
        with_globals(|globals| (globals.caught, globals.uncaught) = (mine, mine as u32));
        self.started.fetch_add(1, Ordering::Relaxed);
        let begin = Instant::now();
        while self.started.load(Ordering::Relaxed) < 2 {
            probe();
            assert!(begin.elapsed() < PATIENCE, "the other request never ran");
        }
        let still = with_globals(|globals| (globals.caught, globals.uncaught));
        with_globals(|globals| (globals.caught, globals.uncaught) = (0, 0));
        let is_own = at_first == (0, 0) && still == (mine, mine as u32);
        reply.write(&[u8::from(is_own)]).expect("one byte fits");
    }
}

#[test]
fn a_task_keeps_its_own_exceptions() {
    let mut transport = InProcess::new(at_once(&[b"a", b"b"]));
    let mut server = Server::new(Catching::default(), polite(Some(Nanos::from_micros(5)))).unwrap();
    let statistics = server.run(&mut transport).unwrap();
    assert!(statistics.preemptions >= 1);
    for completion in transport.completions() {
        assert_eq!(completion.unwrap().reply(), [1]);
    }
}
