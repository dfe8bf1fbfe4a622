//! The runtime of Concord: request handlers that are preempted every few microseconds.

mod context;
mod preempt;
mod sync;
mod sys;
pub mod testing;

pub use preempt::{WorkerLocal, no_preempt};
