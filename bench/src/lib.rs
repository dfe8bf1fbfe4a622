//! Load for Concord services: workloads by name, schedules made before the run, latencies from the
//! *intended* send time, one results schema.
//!
//! The same generator drives a service in its own process (`in-process`), over UDP (`loadgen`), and the
//! comparison of quanta (`cargo concord compare`). The workloads, the statistics and the schema need no
//! runtime: without the feature `runtime` this crate holds them alone.

pub mod error;
pub mod key_value;
#[cfg(feature = "runtime")]
pub mod loadgen;
#[cfg(feature = "runtime")]
pub mod micro;
pub mod policies;
pub mod quantum;
pub mod requests;
pub mod results;
#[cfg(feature = "runtime")]
pub mod service_main;
#[cfg(feature = "sim")]
pub mod sim;
pub mod stats;
pub mod synthetic;
pub mod workload;

pub use error::BenchError;
pub use requests::{Requests, WrongReply};
#[cfg(feature = "runtime")]
pub use service_main::service_main;
