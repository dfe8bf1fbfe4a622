//! Bytes of a request and of a reply. All numbers are little-endian.
//!
//! ```text
//! request   0  operation (u8): 1 GET, 2 PUT, 3 DELETE, 4 SCAN
//!           1  zero (u8)
//!           2  bytes of the key (u16); 0 for SCAN
//!           4  PUT: bytes of the value (u32); SCAN: most entries to visit (u32); otherwise 0
//!           8  the key, then the value, and nothing after
//! reply     0  found (u8): 0 done, 1 GET of a key that is not there
//!           1  GET: the value; SCAN: entries (u32), checksum (u64); otherwise nothing
//! ```
//!
//! A request that cannot be served gets an error reply (the transport's status), whose bytes are a message.

use super::data::Scan;

/// Bytes before the key.
pub const HEADER_BYTES: usize = 8;
/// Largest key that is served.
pub const MAX_KEY_BYTES: usize = 256;
/// Largest value that is served.
pub const MAX_VALUE_BYTES: usize = 1_024;
/// Largest request that is served.
pub const MAX_REQUEST_BYTES: usize = HEADER_BYTES + MAX_KEY_BYTES + MAX_VALUE_BYTES;

/// A parsed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Read the value of a key.
    Get {
        /// The key.
        key: &'a [u8],
    },
    /// Write a value.
    Put {
        /// The key.
        key: &'a [u8],
        /// Its new value.
        value: &'a [u8],
    },
    /// Remove a key, present or not.
    Delete {
        /// The key.
        key: &'a [u8],
    },
    /// Visit entries in key order from the first.
    Scan {
        /// Most entries to visit.
        limit: u32,
    },
}

/// First byte of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Found {
    /// Done.
    Yes = 0,
    /// GET of a key that is not there.
    No = 1,
}

/// Why bytes are no request that can be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The operation is none of the four.
    #[error("unknown operation: 1 is GET, 2 PUT, 3 DELETE, 4 SCAN")]
    UnknownOperation,
    /// The header is incomplete, or the lengths do not add up to the request's.
    #[error("malformed request: its lengths do not match its bytes")]
    Malformed,
    /// The key or the value is larger than is served.
    #[error("oversized request: keys have at most {MAX_KEY_BYTES} bytes, values {MAX_VALUE_BYTES}")]
    Oversized,
}

/// Classes of the four operations, in the order of [`class_index`].
pub const CLASSES: [&str; 4] = ["GET", "PUT", "DELETE", "SCAN"];

/// The class that the first byte names; requests that will get an error reply count as GET, the shortest.
pub fn class_index(request: &[u8]) -> usize {
    match request.first() {
        Some(operation @ 1..=4) => usize::from(operation - 1),
        _ => 0,
    }
}

impl<'a> Operation<'a> {
    /// Reads a request.
    ///
    /// # Errors
    /// [`ParseError`] for anything that is not exactly one request of the format.
    pub fn parse(request: &'a [u8]) -> Result<Self, ParseError> {
        let (header, body) = request.split_first_chunk::<HEADER_BYTES>().ok_or(ParseError::Malformed)?;
        let &[operation, _, k0, k1, a0, a1, a2, a3] = header;
        if !(1..=4).contains(&operation) {
            return Err(ParseError::UnknownOperation);
        }
        let key_bytes = usize::from(u16::from_le_bytes([k0, k1]));
        let argument = u32::from_le_bytes([a0, a1, a2, a3]);
        let value_bytes = if operation == 2 { argument as usize } else { 0 };
        if key_bytes > MAX_KEY_BYTES || value_bytes > MAX_VALUE_BYTES {
            return Err(ParseError::Oversized);
        }
        if body.len() != key_bytes + value_bytes || (operation == 4) != (key_bytes == 0) {
            return Err(ParseError::Malformed);
        }
        let (key, value) = body.split_at(key_bytes);
        Ok(match operation {
            1 => Self::Get { key },
            2 => Self::Put { key, value },
            3 => Self::Delete { key },
            _ => Self::Scan { limit: argument },
        })
    }

    /// Appends the request's bytes.
    ///
    /// # Panics
    /// When a key or value is too long for its length field.
    pub fn write(&self, request: &mut Vec<u8>) {
        let (operation, key, argument, value): (u8, &[u8], u32, &[u8]) = match *self {
            Self::Get { key } => (1, key, 0, &[]),
            Self::Put { key, value } => {
                (2, key, u32::try_from(value.len()).expect("a value of 4 GiB"), value)
            }
            Self::Delete { key } => (3, key, 0, &[]),
            Self::Scan { limit } => (4, &[], limit, &[]),
        };
        request.extend_from_slice(&[operation, 0]);
        request.extend_from_slice(&u16::try_from(key.len()).expect("a key of 64 KiB").to_le_bytes());
        request.extend_from_slice(&argument.to_le_bytes());
        request.extend_from_slice(key);
        request.extend_from_slice(value);
    }
}

/// Bytes of a reply to SCAN.
pub const SCAN_REPLY_BYTES: usize = 13;

/// The reply to a SCAN that saw `scan`.
pub fn scan_reply(scan: Scan) -> [u8; SCAN_REPLY_BYTES] {
    let mut reply = [0; SCAN_REPLY_BYTES];
    reply[0] = Found::Yes as u8;
    reply[1..5].copy_from_slice(&scan.count.to_le_bytes());
    reply[5..].copy_from_slice(&scan.checksum.to_le_bytes());
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(operation: Operation<'_>) -> Vec<u8> {
        let mut request = Vec::new();
        operation.write(&mut request);
        request
    }

    const REQUESTS: [Operation<'static>; 4] = [
        Operation::Get { key: b"k" },
        Operation::Put { key: b"key", value: b"value" },
        Operation::Delete { key: b"key" },
        Operation::Scan { limit: 15_000 },
    ];

    #[test]
    fn requests_round_trip_and_have_their_class() {
        for (class, operation) in REQUESTS.into_iter().enumerate() {
            let request = bytes(operation);
            assert_eq!(Operation::parse(&request), Ok(operation));
            assert_eq!(class_index(&request), class);
        }
    }

    #[test]
    fn every_truncation_and_extension_is_malformed() {
        for operation in REQUESTS {
            let request = bytes(operation);
            for end in 0..request.len() {
                assert_eq!(
                    Operation::parse(&request[..end]),
                    Err(ParseError::Malformed),
                    "{operation:?} to {end}"
                );
            }
            assert_eq!(Operation::parse(&[&request[..], b"x"].concat()), Err(ParseError::Malformed));
        }
        assert_eq!(Operation::parse(&bytes(Operation::Get { key: b"" })), Err(ParseError::Malformed));
    }

    #[test]
    fn unknown_and_oversized_requests_are_told_apart() {
        let mut request = bytes(REQUESTS[0]);
        request[0] = 9;
        assert_eq!(Operation::parse(&request), Err(ParseError::UnknownOperation));
        assert_eq!(class_index(&request), 0);
        let key = [0; MAX_KEY_BYTES + 1];
        assert_eq!(Operation::parse(&bytes(Operation::Get { key: &key })), Err(ParseError::Oversized));
        let value = [0; MAX_VALUE_BYTES + 1];
        assert_eq!(
            Operation::parse(&bytes(Operation::Put { key: b"k", value: &value })),
            Err(ParseError::Oversized)
        );
        let mut claims = bytes(Operation::Put { key: b"k", value: b"v" });
        claims[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(Operation::parse(&claims), Err(ParseError::Oversized));
    }
}
