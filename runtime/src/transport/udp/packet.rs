//! The bytes of a packet, for servers and clients. One datagram is one packet; integers are little-endian.
//!
//! | Bytes | Field |
//! |---|---|
//! | 0..2 | magic, [`MAGIC`] |
//! | 2 | version, [`VERSION`] |
//! | 3 | kind: 0 for a request, 128 + the number of a [`Status`] for a reply |
//! | 4..8 | length of the body |
//! | 8..16 | the request's number: chosen by the client, repeated in the reply |
//! | 16.. | body: the payload of a request; the reply, or an error's message |

use crate::request::Status;

/// First bytes of each packet.
pub const MAGIC: [u8; 2] = *b"Cd";
/// Version of the layout.
pub const VERSION: u8 = 1;
/// Bytes before the body.
pub const HEADER: usize = 16;
/// Longest body that a datagram over IPv4 can carry.
pub const LONGEST_BODY: usize = 65_507 - HEADER;

const REQUEST: u8 = 0;
const REPLY: u8 = 128;

/// A request as it stands in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestPacket<'a> {
    /// Its number.
    pub id: u64,
    /// Its body.
    pub payload: &'a [u8],
}

/// A reply as it stands in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyPacket<'a> {
    /// The request's number.
    pub id: u64,
    /// How the request went.
    pub status: Status,
    /// The reply, or an error's message.
    pub payload: &'a [u8],
}

impl ReplyPacket<'_> {
    /// Whether this is any other reply than the handler's own good one.
    pub fn is_error(&self) -> bool {
        self.status != Status::Ok
    }
}

/// Appends a request to `packet`.
///
/// # Panics
/// When the payload is longer than [`LONGEST_BODY`].
pub fn write_request(id: u64, payload: &[u8], packet: &mut Vec<u8>) {
    write(REQUEST, id, payload, packet);
}

/// Appends a reply to `packet`.
///
/// # Panics
/// When the payload is longer than [`LONGEST_BODY`].
pub fn write_reply(id: u64, status: Status, payload: &[u8], packet: &mut Vec<u8>) {
    write(REPLY + status as u8, id, payload, packet);
}

/// Reads a request; `None` when `packet` is no request of this version or not as long as it says.
pub fn parse_request(packet: &[u8]) -> Option<RequestPacket<'_>> {
    let (kind, id, payload) = parse(packet)?;
    (kind == REQUEST).then_some(RequestPacket { id, payload })
}

/// Reads a reply; `None` when `packet` is no reply of this version or not as long as it says.
pub fn parse_reply(packet: &[u8]) -> Option<ReplyPacket<'_>> {
    let (kind, id, payload) = parse(packet)?;
    let status = Status::from_wire(kind.checked_sub(REPLY)?)?;
    Some(ReplyPacket { id, status, payload })
}

fn write(kind: u8, id: u64, body: &[u8], packet: &mut Vec<u8>) {
    assert!(body.len() <= LONGEST_BODY, "a body of {} bytes does not fit a datagram", body.len());
    packet.extend_from_slice(&MAGIC);
    packet.extend_from_slice(&[VERSION, kind]);
    packet.extend_from_slice(&(body.len() as u32).to_le_bytes());
    packet.extend_from_slice(&id.to_le_bytes());
    packet.extend_from_slice(body);
}

fn parse(packet: &[u8]) -> Option<(u8, u64, &[u8])> {
    let (header, body) = packet.split_first_chunk::<HEADER>()?;
    let [m0, m1, version, kind, l0, l1, l2, l3, id @ ..] = *header;
    let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
    let is_ours = [m0, m1] == MAGIC && version == VERSION && length == body.len();
    is_ours.then_some((kind, u64::from_le_bytes(id), body))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_packet_is_laid_out_as_documented() {
        let mut packet = Vec::new();
        write_reply(0x0102_0304_0506_0708, Status::Dropped, b"no", &mut packet);
        assert_eq!(packet, b"Cd\x01\x83\x02\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01no");
    }

    #[test]
    fn other_versions_kinds_and_lengths_are_refused() {
        let mut request = Vec::new();
        write_request(1, b"abc", &mut request);
        for (index, value) in [(0, b'X'), (1, b'X'), (2, 2), (3, 1), (3, 128 + 7), (4, 2), (4, 4), (7, 1)] {
            let mut packet = request.clone();
            packet[index] = value;
            assert_eq!(
                (parse_request(&packet), parse_reply(&packet)),
                (None, None),
                "byte {index} = {value}"
            );
        }
        assert_eq!(parse_reply(&request), None);
    }

    proptest! {
        #[test]
        fn packets_round_trip_and_cut_ones_are_refused(id: u64, number in 0_u8..7, body: Vec<u8>, cut in 1_usize..40) {
            let status = Status::from_wire(number).unwrap();
            let (mut request, mut reply) = (Vec::new(), Vec::new());
            write_request(id, &body, &mut request);
            write_reply(id, status, &body, &mut reply);
            prop_assert_eq!(parse_request(&request), Some(RequestPacket { id, payload: &body }));
            prop_assert_eq!(parse_reply(&reply), Some(ReplyPacket { id, status, payload: &body }));
            prop_assert_eq!(parse_request(&request[..request.len() - cut.min(request.len())]), None);
        }

        #[test]
        fn noise_is_no_packet_and_no_panic(noise: Vec<u8>) {
            prop_assert!(noise.starts_with(&MAGIC) || parse_request(&noise).is_none());
        }
    }
}
