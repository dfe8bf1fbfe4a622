//! What a client must know of a service: how to make a request, and whether a reply is right.

use rand::Rng;

/// Bytes of a reply that every mode keeps for the check; a checkable reply says what it has to in these.
pub const REPLY_KEPT: usize = 64;

/// The client's side of a service's wire format.
pub trait Requests: Sync {
    /// Names of the classes, in the order in which the service's own `classes` has them.
    fn classes(&self) -> Vec<String>;

    /// Appends the bytes of one request of `class` (an index into [`Requests::classes`]) to `payload`.
    ///
    /// All that varies comes from `rng`, so that a seed makes the same requests again. `service_ns` is how
    /// long the request is to work, where the workload says so; services with work of their own ignore it.
    fn make(&self, class: usize, service_ns: Option<u64>, rng: &mut dyn Rng, payload: &mut Vec<u8>);

    /// Whether `reply`, cut to [`REPLY_KEPT`] bytes, answers the request `payload`.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&self, payload: &[u8], reply: &[u8]) -> Result<(), WrongReply>;
}

/// Why a reply is not the answer to its request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongReply(pub String);
