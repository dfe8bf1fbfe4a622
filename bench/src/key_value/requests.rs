//! The client's side: requests of each class over the data set, and what each reply must be.

use rand::{Rng, RngExt};

use super::data::{KEYS, SPARE_KEYS, Scan, key, value};
use super::format::{CLASSES, Found, Operation, scan_reply};
use crate::requests::{REPLY_KEPT, Requests, WrongReply};

/// GET, PUT, DELETE and SCAN requests over the data set of [`super::data`].
///
/// PUT writes the value that belongs to the key, and DELETE removes spare keys only: whatever the order in
/// which requests run, GET finds its value and SCAN sees [`KEYS`] known entries.
pub struct KeyValueRequests {
    scan_limit: u32,
    scan_reply: Vec<u8>,
}

impl Default for KeyValueRequests {
    fn default() -> Self {
        Self::with_scan_limit(KEYS)
    }
}

impl KeyValueRequests {
    /// Requests whose SCANs visit the first `limit` entries, at most [`KEYS`].
    pub fn with_scan_limit(limit: u32) -> Self {
        let scan_limit = limit.min(KEYS);
        Self { scan_limit, scan_reply: scan_reply(Scan::expected(scan_limit)).to_vec() }
    }

    fn expected(&self, payload: &[u8]) -> Result<Vec<u8>, WrongReply> {
        let operation = Operation::parse(payload);
        let operation =
            operation.map_err(|error| WrongReply(format!("the request itself is wrong: {error}")))?;
        Ok(match operation {
            Operation::Get { key } => [&[Found::Yes as u8], &value(key)[..]].concat(),
            Operation::Put { .. } | Operation::Delete { .. } => vec![Found::Yes as u8],
            Operation::Scan { limit } if limit == self.scan_limit => self.scan_reply.clone(),
            Operation::Scan { limit } => scan_reply(Scan::expected(limit)).to_vec(),
        })
    }
}

impl Requests for KeyValueRequests {
    fn classes(&self) -> Vec<String> {
        CLASSES.map(String::from).to_vec()
    }

    fn make(&self, class: usize, _service_ns: Option<u64>, rng: &mut dyn Rng, payload: &mut Vec<u8>) {
        // Each class draws once, so that the keys of a run do not depend on its mix.
        let present = rng.random_range(0..KEYS);
        let spare = KEYS + present % SPARE_KEYS;
        let written = if present.is_multiple_of(16) { spare } else { present };
        match class {
            0 => Operation::Get { key: &key(present) }.write(payload),
            1 => Operation::Put { key: &key(written), value: &value(&key(written)) }.write(payload),
            2 => Operation::Delete { key: &key(spare) }.write(payload),
            3 => Operation::Scan { limit: self.scan_limit }.write(payload),
            _ => panic!("class {class} of {}", CLASSES.len()),
        }
    }

    fn check(&self, payload: &[u8], reply: &[u8]) -> Result<(), WrongReply> {
        let expected = self.expected(payload)?;
        let kept = &expected[..expected.len().min(REPLY_KEPT)];
        if reply == kept {
            return Ok(());
        }
        Err(WrongReply(format!("reply {} instead of {}", hex(reply), hex(kept))))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    fn request(class: usize) -> Vec<u8> {
        let mut payload = Vec::new();
        KeyValueRequests::default().make(class, None, &mut ChaCha8Rng::seed_from_u64(1), &mut payload);
        payload
    }

    #[test]
    fn right_replies_pass_and_any_flipped_bit_fails() {
        let requests = KeyValueRequests::default();
        for class in 0..4 {
            let payload = request(class);
            let right = requests.expected(&payload).unwrap();
            assert_eq!(requests.check(&payload, &right), Ok(()));
            for byte in 0..right.len() {
                let mut wrong = right.clone();
                wrong[byte] ^= 1;
                assert!(requests.check(&payload, &wrong).is_err(), "class {class}, byte {byte}");
            }
            assert!(requests.check(&payload, &right[..right.len() - 1]).is_err());
            assert!(requests.check(&payload, &[]).is_err());
        }
    }

    #[test]
    fn the_value_of_another_key_is_wrong() {
        let requests = KeyValueRequests::default();
        let mut payload = Vec::new();
        Operation::Get { key: &key(1) }.write(&mut payload);
        let reply = [&[0], &value(&key(2))[..]].concat();
        assert!(requests.check(&payload, &reply).is_err());
    }

    #[test]
    fn writes_leave_what_is_checked_alone() {
        let requests = KeyValueRequests::default();
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut spares = 0;
        for _ in 0..2_000 {
            let mut payload = Vec::new();
            requests.make(2, None, &mut rng, &mut payload);
            let Ok(Operation::Delete { key: deleted }) = Operation::parse(&payload) else {
                panic!("no DELETE")
            };
            assert!(deleted >= &key(KEYS)[..], "DELETE of a key that GET reads");
            payload.clear();
            requests.make(1, None, &mut rng, &mut payload);
            let Ok(Operation::Put { key: put, value: written }) = Operation::parse(&payload) else {
                panic!("no PUT")
            };
            assert_eq!(written, value(put));
            spares += u32::from(put >= &key(KEYS)[..]);
        }
        assert!(spares > 0, "some PUTs must give DELETE something to remove");
    }

    #[test]
    fn a_bounded_scan_expects_its_own_checksum() {
        let bounded = KeyValueRequests::with_scan_limit(10);
        let mut payload = Vec::new();
        bounded.make(3, None, &mut ChaCha8Rng::seed_from_u64(1), &mut payload);
        assert_eq!(bounded.check(&payload, &scan_reply(Scan::expected(10))), Ok(()));
        assert!(bounded.check(&payload, &scan_reply(Scan::expected(11))).is_err());
    }
}
