//! Everything that can keep a server from running.

use std::io;

use crate::id::WorkerId;

/// The error of a service's callbacks.
pub type ServiceError = Box<dyn std::error::Error + Send + Sync>;

/// Why a server could not be made or run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An option of [`Config`](crate::Config) is impossible.
    #[error("option `{option}`: {problem}")]
    Option {
        /// The option's name, as a field of `Config`.
        option: &'static str,
        /// What is wrong and what would do.
        problem: String,
    },
    /// [`Service::setup`](crate::Service::setup) failed.
    #[error("the service's setup failed: {0}")]
    Setup(#[source] ServiceError),
    /// [`Service::setup_worker`](crate::Service::setup_worker) failed.
    #[error("the service's setup_worker failed for {worker}: {source}")]
    SetupWorker {
        /// For whom.
        worker: WorkerId,
        /// The service's own error.
        source: ServiceError,
    },
    /// [`Service::classes`](crate::Service::classes) names no class or too many.
    #[error("the service names {0} classes; there must be 1 to 65535")]
    Classes(usize),
    /// The binary was compiled for another version of the runtime.
    #[error(
        "this binary's probes speak version {found} of Concord's ABI, its runtime version {expected}; \
         run `cargo concord build` with the `cargo-concord` that belongs to the `concord` crate in use"
    )]
    Abi {
        /// Version in the binary.
        found: u32,
        /// Version of this crate.
        expected: u32,
    },
    /// The binary's build record is unreadable.
    #[error(
        "this binary's symbol `concord_build_info` is no build record; rebuild it by `cargo concord build`"
    )]
    BuildRecord,
    /// The handler of the signal that ends turns could not be installed.
    #[error("the signal handler of `preemption` = Signal could not be installed: {0}")]
    Signal(#[source] io::Error),
    /// A thread could not be started.
    #[error("cannot start the thread `{thread}`: {source}")]
    Spawn {
        /// The thread's name.
        thread: String,
        /// The system's error.
        source: io::Error,
    },
    /// A thread could not be pinned.
    #[error(
        "cannot pin {worker} to core {core}: {source}; option `pinning` names the cores, `Off` pins none"
    )]
    Pin {
        /// Which thread.
        worker: WorkerId,
        /// Which core.
        core: usize,
        /// The system's error.
        source: io::Error,
    },
    /// The prepared stacks could not be mapped.
    #[error("cannot map the stacks of {worker}: {source}; options `stack_size`, `prepared_stacks`")]
    Stacks {
        /// Whose.
        worker: WorkerId,
        /// The system's error.
        source: io::Error,
    },
    /// The transport failed.
    #[error("transport: cannot {action}: {source}")]
    Transport {
        /// What it tried.
        action: String,
        /// The system's error.
        source: io::Error,
    },
    /// A worker's thread ended before it was ready.
    #[error("a worker's thread panicked in setup_worker; its message is above")]
    WorkerLost,
}
