//! From single requests to the figures of a run.
//!
//! Each figure exists twice: over all answered requests, and without those that overlap a [`gap`] in which
//! the host took a processor away, with the share that was left out.

pub mod adherence;
pub mod gap;
mod percentiles;
pub mod service_times;
mod summary;

pub use gap::Gaps;
pub use percentiles::Distribution;
pub use summary::{Ending, Sample, Summary, summarise};
