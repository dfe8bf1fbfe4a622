//! The key-value protocol that `examples/leveldb-svc` serves: its bytes, and the client's requests and checks.
//!
//! The protocol lives here and not with the service because `loadgen` speaks it too.

pub mod data;
pub mod format;
mod requests;

pub use format::{Found, Operation, ParseError};
pub use requests::KeyValueRequests;
