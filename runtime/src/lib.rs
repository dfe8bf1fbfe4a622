//! The runtime of Concord: request handlers that are preempted every few microseconds.
//!
//! Write a [`Service`], give it to a [`Server`] with a [`Config`], and run it on a transport:
//!
//! ```
//! use concord::transport::in_process::{InProcess, Schedule};
//! use concord::{Class, Config, Idle, Nanos, Reply, Request, Server, Service, ServiceError, WorkerId};
//!
//! struct Length;
//!
//! impl Service for Length {
//!     type Worker = ();
//!
//!     fn setup_worker(&self, _: WorkerId) -> Result<(), ServiceError> {
//!         Ok(())
//!     }
//!
//!     fn handle_request(&self, _: &(), request: &Request<'_>, reply: &mut Reply) {
//!         reply.write(&[request.payload().len() as u8]).expect("one byte fits");
//!     }
//! }
//!
//! let mut schedule = Schedule::new();
//! schedule.push(Nanos(0), b"four");
//! let mut transport = InProcess::new(schedule);
//! let config = Config { quantum: None, idle: Idle::Polite, ..Config::default() };
//! let statistics = Server::new(Length, config)?.run(&mut transport)?;
//! assert_eq!(statistics.answered(), 1);
//! assert_eq!(transport.completions()[0].unwrap().reply(), [4]);
//! # Ok::<(), concord::Error>(())
//! ```
//!
//! Built by `cargo concord build`, the handlers poll one cache line, and the dispatcher ends a turn that has
//! lasted for the quantum while another request waits ([`policy`] says which runs next). Built by plain `cargo
//! build` the same program runs without preemption.
//!
//! Module layers, each importing downward only (`tests/layers.rs`):
//!
//! ```text
//!   5  server, testing, micro
//!   4  dispatcher, worker, config
//!   3  policy, transport, preempt, metrics
//!   2  context, request, service
//!   1  ring, sys
//!   0  sync, error, id
//! ```
//!
//! Reading order: `service`, `server`, `dispatcher`, `worker`, `preempt`, `context`.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("concord runs on x86-64 Linux only");

mod config;
mod context;
mod dispatcher;
mod error;
mod id;
mod metrics;
pub mod micro;
pub mod policy;
mod preempt;
mod request;
mod ring;
mod server;
mod service;
mod sync;
mod sys;
pub mod testing;
pub mod transport;
mod worker;

pub use config::{Assist, Config, Idle, Pinning, Preemption, Rotation};
pub use error::{Error, ServiceError};
pub use id::{Class, WorkerId};
pub use metrics::{AssistStatistics, ClassStatistics, Interval, Overrun, Statistics, StolenTime};
pub use preempt::{WorkerLocal, no_preempt};
pub use request::{Origin, Reply, ReplyFull, Request, Status};
pub use server::{Server, ShutdownHandle};
pub use service::Service;
pub use sys::build::Build;
pub use sys::clock::{Clock, Nanos, NotATime, Ticks, Tsc};
