//! Bytes of a synthetic request and of its reply. All numbers are little-endian.
//!
//! ```text
//! request   0  class (u8): index into catalogue::synthetic_classes
//!           1  zeros (7 bytes)
//!           8  nanoseconds to work (u64)
//!          16  where the work starts (u64)
//! reply     0  steps done (u64)
//!           8  where the work ended (u64)
//! ```

/// Bytes of a request.
pub const REQUEST_BYTES: usize = 24;
/// Bytes of a reply.
pub const REPLY_BYTES: usize = 16;
/// Longest work that is served, in nanoseconds: one second.
pub const MAX_SERVICE_NS: u64 = 1_000_000_000;

/// A parsed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Index into the synthetic classes.
    pub class: u8,
    /// How long to work, in nanoseconds.
    pub service_ns: u64,
    /// Where the work starts.
    pub start: u64,
}

impl Work {
    /// Reads a request; `None` when it has not the right length or works longer than [`MAX_SERVICE_NS`].
    pub fn parse(request: &[u8]) -> Option<Self> {
        let request: &[u8; REQUEST_BYTES] = request.try_into().ok()?;
        let work = Self { class: request[0], service_ns: word(request, 8), start: word(request, 16) };
        (work.service_ns <= MAX_SERVICE_NS).then_some(work)
    }

    /// Appends the request's bytes.
    pub fn write(&self, request: &mut Vec<u8>) {
        request.extend_from_slice(&[self.class, 0, 0, 0, 0, 0, 0, 0]);
        request.extend_from_slice(&self.service_ns.to_le_bytes());
        request.extend_from_slice(&self.start.to_le_bytes());
    }
}

/// The reply: `steps` were done and ended at `end`.
pub fn reply(steps: u64, end: u64) -> [u8; REPLY_BYTES] {
    let mut reply = [0; REPLY_BYTES];
    reply[..8].copy_from_slice(&steps.to_le_bytes());
    reply[8..].copy_from_slice(&end.to_le_bytes());
    reply
}

/// Steps and end of a reply; `None` when it is no reply.
pub fn parse_reply(reply: &[u8]) -> Option<(u64, u64)> {
    let reply: &[u8; REPLY_BYTES] = reply.try_into().ok()?;
    Some((word(reply, 0), word(reply, 8)))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_round_trip_and_others_are_refused() {
        let work = Work { class: 3, service_ns: 5_700, start: 0xdead_beef };
        let mut request = Vec::new();
        work.write(&mut request);
        assert_eq!(Work::parse(&request), Some(work));
        for end in 0..request.len() {
            assert_eq!(Work::parse(&request[..end]), None);
        }
        request.push(0);
        assert_eq!(Work::parse(&request), None);
        let mut endless = Vec::new();
        Work { service_ns: MAX_SERVICE_NS + 1, ..work }.write(&mut endless);
        assert_eq!(Work::parse(&endless), None);
    }

    #[test]
    fn replies_round_trip() {
        assert_eq!(parse_reply(&reply(1, 2)), Some((1, 2)));
        assert_eq!(parse_reply(&[0; 15]), None);
    }
}
