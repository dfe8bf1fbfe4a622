//! A service whose requests say how long they are to work: the synthetic workloads of the literature.
//!
//! The work is a calibrated loop of ordinary code, never a wait for the clock: a loop that waits for the
//! clock would count the time for which it was preempted as work done.

pub mod format;
mod requests;
#[cfg(feature = "runtime")]
mod service;
pub mod work;

pub use requests::SyntheticRequests;
#[cfg(feature = "runtime")]
pub use service::SyntheticService;
