//! The server: checks the options, sets the service up, and runs it on a transport.
//!
//! `threads` starts and joins the threads, `report` sums up what they leave behind.

mod faults;
mod report;
mod threads;

use crate::config::{Config, Preemption};
use crate::error::Error;
use crate::metrics::Statistics;
use crate::preempt::{signal, symbols};
use crate::service::Service;
use crate::sync::{Arc, AtomicBool, Ordering};
use crate::sys::build::Build;
use crate::sys::clock::{self, Clock};
use crate::transport::Transport;
use crate::worker::Shared;
use faults::Machine;
use threads::Plan;

/// A service with its options, ready to run.
pub struct Server<S> {
    service: S,
    classes: Vec<String>,
    config: Config,
    build: Build,
    shutdown: Arc<AtomicBool>,
}

/// Ends a run from another thread, or from a signal handler.
#[derive(Clone, Debug)]
pub struct ShutdownHandle(Arc<AtomicBool>);

impl ShutdownHandle {
    /// Takes no more requests in; the run ends when all that are under way are answered. A handler that never
    /// returns keeps it from ending: a started request is never cut off.
    pub fn shutdown(&self) {
        // Relaxed: no data follows the flag.
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<S: Service> Server<S> {
    /// Checks `config`, then sets the service up. Starts no thread.
    ///
    /// # Errors
    /// When an option is impossible, the binary was built for another runtime, or the setup fails.
    pub fn new(mut service: S, config: Config) -> Result<Self, Error> {
        config.validate()?;
        let build = Build::of_this_artefact()?;
        service.setup().map_err(Error::Setup)?;
        let classes = service.classes();
        if !(1..=usize::from(u16::MAX)).contains(&classes.len()) {
            return Err(Error::Classes(classes.len()));
        }
        let server = Self { service, classes, config, build, shutdown: Arc::default() };
        server.warn();
        Ok(server)
    }

    /// Changes the options for the next run; the service stays set up.
    ///
    /// # Errors
    /// When an option is impossible; the old ones then stay.
    pub fn reconfigure(&mut self, config: Config) -> Result<(), Error> {
        config.validate()?;
        self.config = config;
        Ok(())
    }

    /// The service.
    pub fn service(&self) -> &S {
        &self.service
    }

    /// How this binary was built.
    pub fn build(&self) -> Build {
        self.build
    }

    /// A handle that ends the run.
    pub fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle(Arc::clone(&self.shutdown))
    }

    /// Runs until the transport has nothing more to come or a shutdown was asked for, and every request under
    /// way is answered. Blocks the calling thread, which does none of the work. Can be called again.
    ///
    /// # Errors
    /// When the transport cannot be opened, or a thread cannot be started, pinned or set up; then no request
    /// has been taken in.
    ///
    /// # Panics
    /// Never for a request's sake. A defect of the runtime itself aborts the process.
    pub fn run<T: Transport>(&mut self, mut transport: T) -> Result<Statistics, Error> {
        symbols::keep_linked();
        if self.config.preemption == Preemption::Signal {
            signal::install().map_err(Error::Signal)?;
        }
        let clock = Clock::get();
        let egress = transport
            .open(self.config.workers + usize::from(self.assists()), self.config.request_size)
            .map_err(|source| Error::Transport { action: "open".into(), source })?;
        let shared: Vec<Shared> = (0..self.config.workers).map(|_| Shared::new()).collect();
        // Asked here, once: a pinned thread would see one core only.
        let (cores, manner) = (self.config.cores(), self.config.manner());
        let plan = Plan { server: self, clock, cores, manner, shared: &shared };
        let result = plan.run(transport, egress);
        // Relaxed: no data follows the flag. A handle of this run must not end the next one.
        self.shutdown.store(false, Ordering::Relaxed);
        result.map(|ended| report::statistics(&self.classes, self.build, clock, ended))
    }

    /// Whether the dispatcher runs requests itself.
    fn assists(&self) -> bool {
        self.config.assists(self.build.has_probes())
    }

    /// Says what this machine cannot do of what was asked for.
    fn warn(&self) {
        let machine = Machine {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            has_invariant_counter: clock::has_invariant_counter(),
            has_probes: self.build.has_probes(),
        };
        for warning in faults::warnings(&self.config, machine) {
            eprintln!("concord: warning: {warning}");
        }
    }
}
