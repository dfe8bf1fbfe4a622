//! What arrives when, made before the run.

use crate::sys::clock::Nanos;

/// Arrivals in order of time, with all their payloads in one block of memory.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    payloads: Vec<u8>,
    arrivals: Vec<Arrival>,
}

/// One arrival.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Nanos,
    /// End of its payload, which begins where the previous one's ends.
    end: usize,
}

impl Schedule {
    /// An empty schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty schedule with room for `requests` whose payloads take `payload_bytes` together.
    pub fn with_capacity(requests: usize, payload_bytes: usize) -> Self {
        Self { payloads: Vec::with_capacity(payload_bytes), arrivals: Vec::with_capacity(requests) }
    }

    /// Appends an arrival `at` nanoseconds after the run's begin.
    ///
    /// # Panics
    /// When `at` is before the last arrival.
    pub fn push(&mut self, at: Nanos, payload: &[u8]) {
        let last = self.arrivals.last().map_or(Nanos(0), |arrival| arrival.at);
        assert!(at >= last, "arrival at {at} is before the previous one at {last}; sort the schedule");
        self.payloads.extend_from_slice(payload);
        self.arrivals.push(Arrival { at, end: self.payloads.len() });
    }

    /// Requests in it.
    pub fn len(&self) -> usize {
        self.arrivals.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.arrivals.is_empty()
    }

    /// When request `index` is to arrive.
    ///
    /// # Panics
    /// When there is no such request.
    pub fn at(&self, index: usize) -> Nanos {
        self.arrivals[index].at
    }

    /// The payload of request `index`.
    ///
    /// # Panics
    /// When there is no such request.
    pub fn payload(&self, index: usize) -> &[u8] {
        let begin = index.checked_sub(1).map_or(0, |previous| self.arrivals[previous].end);
        &self.payloads[begin..self.arrivals[index].end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_keeps_its_payloads_apart() {
        let mut schedule = Schedule::with_capacity(3, 8);
        for (at, payload) in [(1, "ab"), (1, ""), (5, "c")] {
            schedule.push(Nanos(at), payload.as_bytes());
        }
        let payloads: Vec<_> = (0..schedule.len()).map(|index| schedule.payload(index)).collect();
        assert_eq!(payloads, [b"ab".as_slice(), b"", b"c"]);
        assert_eq!((schedule.at(2), schedule.is_empty()), (Nanos(5), false));
    }

    #[test]
    #[should_panic(expected = "sort the schedule")]
    fn a_schedule_refuses_to_go_back_in_time() {
        let mut schedule = Schedule::new();
        schedule.push(Nanos(2), &[]);
        schedule.push(Nanos(1), &[]);
    }
}
