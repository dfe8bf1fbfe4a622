//! What the user of the runtime writes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::context::Outcome;
use crate::error::ServiceError;
use crate::id::{Class, WorkerId};
use crate::request::{Reply, Request, Status};
use crate::sys::second;

/// A service: callbacks that the runtime calls, from several threads at once.
///
/// Requests on one worker interleave: each may be suspended at any probe while others run. What they share is
/// safe when it is behind a lock, in a [`WorkerLocal`](crate::WorkerLocal), or used inside
/// [`no_preempt`](crate::no_preempt). The worker's own state is lent by `&` only:
///
/// ```compile_fail
/// struct Counting;
/// impl concord::Service for Counting {
///     type Worker = u64;
///     fn setup_worker(&self, _: concord::WorkerId) -> Result<u64, concord::ServiceError> { Ok(0) }
///     fn handle_request(&self, hits: &u64, _: &concord::Request<'_>, _: &mut concord::Reply) {
///         *hits += 1;
///     }
/// }
/// ```
///
/// ```
/// struct Echo;
/// impl concord::Service for Echo {
///     type Worker = ();
///     fn setup_worker(&self, _: concord::WorkerId) -> Result<(), concord::ServiceError> { Ok(()) }
///     fn handle_request(&self, (): &(), request: &concord::Request<'_>, reply: &mut concord::Reply) {
///         if reply.write(request.payload()).is_err() {
///             reply.set_error("the payload is longer than a reply may be");
///         }
///     }
/// }
/// ```
pub trait Service: Sync + 'static {
    /// State of one worker, made on its thread and never sent to another.
    type Worker;

    /// Names of the classes; [`Class`] is the index.
    fn classes(&self) -> Vec<String> {
        vec!["request".into()]
    }

    /// Called once, before any thread starts.
    ///
    /// # Errors
    /// Whatever keeps the service from running; the server is then not made.
    fn setup(&mut self) -> Result<(), ServiceError> {
        Ok(())
    }

    /// Called once on each worker's thread, and on the dispatcher's with [`WorkerId::DISPATCHER`].
    ///
    /// # Errors
    /// Whatever keeps the worker from running; the run then ends before the first request.
    fn setup_worker(&self, worker: WorkerId) -> Result<Self::Worker, ServiceError>;

    /// Called on the dispatcher's thread for each request: its class, from its bytes. Delays every other
    /// request, so it should take some tens of nanoseconds. [`Class::UNKNOWN`] is served too. A panic, or a class that
    /// [`classes`](Service::classes) does not name, is answered by an error reply.
    fn classify(&self, payload: &[u8]) -> Class {
        let _ = payload;
        Class(0)
    }

    /// Called on a worker's thread, on a stack of the request's own. A panic is answered by an error reply.
    fn handle_request(&self, worker: &Self::Worker, request: &Request<'_>, reply: &mut Reply);
}

/// [`Service::handle_request`], or its clone in the second build.
pub(crate) type Handler<S> = fn(&S, &<S as Service>::Worker, &Request<'_>, &mut Reply);

/// The handler that workers call.
///
/// The pass does not instrument this crate, so the handler must not be inlined into it: it is called through a
/// pointer that the optimiser cannot see through.
pub(crate) fn handler<S: Service>() -> Handler<S> {
    std::hint::black_box(S::handle_request)
}

/// The handler that the dispatcher calls: its probes look at the clock. `None` when this artefact has no second build.
pub(crate) fn second_handler<S: Service>() -> Option<Handler<S>> {
    let clone = second::clone_of(S::handle_request as Handler<S> as *const ());
    // SAFETY: the clone has its original's type; a pointer to a function and an optional one have one layout, with
    // null for `None`.
    unsafe { std::mem::transmute::<*const (), Option<Handler<S>>>(clone) }
}

/// Calls `handler`, and makes an error reply of its panic.
#[inline(never)]
pub(crate) fn handle<S: Service>(
    handler: Handler<S>,
    service: &S,
    worker: &S::Worker,
    request: &Request<'_>,
    reply: &mut Reply,
) -> Outcome {
    match catch_unwind(AssertUnwindSafe(|| handler(service, worker, request, reply))) {
        Ok(()) => Outcome::Done,
        Err(panic) => {
            // Its destructor is the user's and may panic in turn.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
            reply.fail(Status::Panicked, "the handler panicked");
            Outcome::Panicked
        }
    }
}

/// The class of `payload`, or why it has none.
pub(crate) fn classify<S: Service>(service: &S, classes: usize, payload: &[u8]) -> Result<Class, Status> {
    match catch_unwind(AssertUnwindSafe(|| service.classify(payload))) {
        Ok(class) if class.index() < classes || class == Class::UNKNOWN => Ok(class),
        Ok(_) => Err(Status::Unclassified),
        Err(_) => Err(Status::Unclassified),
    }
}
