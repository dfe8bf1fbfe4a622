//! Requests as a handler sees them, and the reply it writes.

use std::fmt;
use std::net::SocketAddr;

use crate::id::Class;

/// A request: bytes that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    payload: &'a [u8],
    class: Class,
    id: u64,
}

impl<'a> Request<'a> {
    /// A request of these parts. The runtime makes one for each request; this is for tests of handlers and for
    /// calling them directly.
    pub fn new(payload: &'a [u8], class: Class, id: u64) -> Self {
        Self { payload, class, id }
    }

    /// The bytes, without the transport's header.
    #[inline]
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// What [`Service::classify`](crate::Service::classify) said.
    #[inline]
    pub fn class(&self) -> Class {
        self.class
    }

    /// The number that the sender gave it; in process, its index in the schedule.
    #[inline]
    pub fn id(&self) -> u64 {
        self.id
    }
}

/// How a request was answered. The number is the one on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Status {
    /// The handler's reply.
    #[default]
    Ok = 0,
    /// The handler called [`Reply::set_error`]; the reply's bytes are its message.
    Error = 1,
    /// The handler panicked.
    Panicked = 2,
    /// Dropped, because as many requests as `queue_bound` allows were under way.
    Dropped = 3,
    /// Longer than `request_size` allows.
    Oversized = 4,
    /// The service could not name its class.
    Unclassified = 5,
    /// No stack could be mapped for it.
    NoStack = 6,
}

impl Status {
    /// All of them, by number.
    pub const ALL: [Status; 7] = [
        Status::Ok,
        Status::Error,
        Status::Panicked,
        Status::Dropped,
        Status::Oversized,
        Status::Unclassified,
        Status::NoStack,
    ];

    /// The status with this number on the wire.
    pub fn from_wire(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// A reply did not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reply would be longer than `reply_size` = {limit} bytes")]
pub struct ReplyFull {
    /// The most bytes a reply may have.
    pub limit: usize,
}

/// The reply to one request: a buffer of bounded length and a status. Never allocates.
pub struct Reply {
    bytes: Vec<u8>,
    limit: usize,
    status: Status,
}

impl Reply {
    /// An empty reply that takes at most `limit` bytes. The runtime makes one for each request; this is for
    /// tests of handlers.
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::with_capacity(limit), limit, status: Status::Ok }
    }

    /// As [`Reply::new`], but the memory comes later.
    pub(crate) fn without_memory(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, status: Status::Ok }
    }

    pub(crate) fn give_memory(&mut self) {
        self.bytes.reserve_exact(self.limit);
    }

    /// Appends `bytes`, all or nothing.
    ///
    /// # Errors
    /// When they do not fit.
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ReplyFull> {
        if bytes.len() > self.limit - self.bytes.len() {
            return Err(ReplyFull { limit: self.limit });
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Replaces all that was written by an error with this message, cut to what fits.
    pub fn set_error(&mut self, message: &str) {
        self.fail(Status::Error, message);
    }

    pub(crate) fn fail(&mut self, status: Status, message: &str) {
        self.clear();
        self.status = status;
        let length = message.len().min(self.limit);
        self.bytes.extend_from_slice(&message.as_bytes()[..length]);
    }

    /// Empties the reply.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.status = Status::Ok;
    }

    /// What was written.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The status.
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Bytes that still fit.
    #[inline]
    pub fn remaining(&self) -> usize {
        self.limit - self.bytes.len()
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("status", &self.status).field("bytes", &self.bytes.len()).finish()
    }
}

/// Where a request came from, for its transport to find the way back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number that the sender gave it.
    pub id: u64,
    /// The sender, where there is a network.
    pub peer: Option<SocketAddr>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_takes_all_or_nothing_up_to_its_limit() {
        let mut reply = Reply::new(4);
        reply.write(b"abc").unwrap();
        assert_eq!(reply.write(b"de"), Err(ReplyFull { limit: 4 }));
        reply.write(b"d").unwrap();
        assert_eq!((reply.as_bytes(), reply.remaining()), (b"abcd".as_slice(), 0));
        reply.set_error("too long");
        assert_eq!((reply.as_bytes(), reply.status()), (b"too ".as_slice(), Status::Error));
    }

    #[test]
    fn statuses_have_their_number_on_the_wire() {
        for (number, status) in Status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
            assert_eq!(Status::from_wire(number as u8), Some(status));
        }
        assert_eq!(Status::from_wire(Status::ALL.len() as u8), None);
    }
}
