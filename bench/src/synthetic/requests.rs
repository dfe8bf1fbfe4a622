//! The client's side of the synthetic service.

use rand::Rng;

use super::format::{Work, parse_reply};
use super::work::jump;
use crate::requests::{Requests, WrongReply};
use crate::workload::catalogue::synthetic_classes;

/// Requests of the synthetic workloads; they all state their service times.
pub struct SyntheticRequests {
    classes: Vec<String>,
}

impl Default for SyntheticRequests {
    fn default() -> Self {
        Self { classes: synthetic_classes() }
    }
}

impl Requests for SyntheticRequests {
    fn classes(&self) -> Vec<String> {
        self.classes.clone()
    }

    fn make(&self, class: usize, service_ns: Option<u64>, rng: &mut dyn Rng, payload: &mut Vec<u8>) {
        let class = u8::try_from(class).expect("fewer than 256 classes");
        // A mix spelt on the command line states no time: its requests do next to nothing.
        Work { class, service_ns: service_ns.unwrap_or(1), start: rng.next_u64() }.write(payload);
    }

    fn check(&self, payload: &[u8], reply: &[u8]) -> Result<(), WrongReply> {
        let work =
            Work::parse(payload).ok_or_else(|| WrongReply("the request itself is malformed".into()))?;
        let (steps, end) =
            parse_reply(reply).ok_or_else(|| WrongReply(format!("a reply of {} bytes", reply.len())))?;
        if steps > 0 && end == jump(work.start, steps) {
            return Ok(());
        }
        Err(WrongReply(format!("{steps} steps from {} do not end at {end}", work.start)))
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::super::format::reply;
    use super::super::work::work;
    use super::*;

    #[test]
    fn only_the_work_that_was_asked_for_passes() {
        let requests = SyntheticRequests::default();
        let mut payload = Vec::new();
        requests.make(0, Some(1_000), &mut ChaCha8Rng::seed_from_u64(1), &mut payload);
        let start = Work::parse(&payload).unwrap().start;
        assert_eq!(requests.check(&payload, &reply(300, work(start, 300))), Ok(()));
        assert!(requests.check(&payload, &reply(300, work(start, 299))).is_err());
        assert!(requests.check(&payload, &reply(300, work(start ^ 1, 300))).is_err());
        assert!(requests.check(&payload, &reply(0, start)).is_err(), "no work is no reply");
        assert!(requests.check(&payload, &[]).is_err());
    }
}
