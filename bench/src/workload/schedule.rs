//! A whole run's arrivals, made before the run.

use super::Workload;
use super::draws::{Draws, Length, Stream, stream};
use crate::error::BenchError;
use crate::requests::Requests;

/// One request of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When it is to be sent, in nanoseconds since the run's start.
    pub intended_ns: u64,
    /// Index into the service's classes.
    pub class: usize,
    /// How long it works, where the workload says so.
    pub service_ns: Option<u64>,
    /// Where its bytes begin in [`Schedule::payload`]; they end where the next one's begin.
    payload_start: usize,
}

/// Every request of a run, in order of intended time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    arrivals: Vec<Arrival>,
    payloads: Vec<u8>,
}

impl Schedule {
    /// Makes the schedule; the same arguments make the same schedule on every machine.
    ///
    /// `rates` has one rate per phase, in requests per second ([`Workload::rates`]).
    ///
    /// # Errors
    /// When the workload has a class that `requests` does not know, a rate or the length is not above zero,
    /// or nothing would arrive.
    pub fn new(
        workload: &Workload,
        rates: &[f64],
        length: Length,
        seed: u64,
        requests: &dyn Requests,
    ) -> Result<Self, BenchError> {
        let draws = Draws::new(workload, rates, length, seed)?;
        let classes = ClassIndex::new(workload, requests)?;
        let mut schedule = Self { arrivals: Vec::new(), payloads: Vec::new() };
        let mut payloads = stream(seed, Stream::Payloads);
        for draw in draws {
            let class = classes.of(draw.phase, draw.share);
            let payload_start = schedule.payloads.len();
            requests.make(class, draw.service_ns, &mut payloads, &mut schedule.payloads);
            schedule.arrivals.push(Arrival {
                intended_ns: draw.intended_ns,
                class,
                service_ns: draw.service_ns,
                payload_start,
            });
        }
        if schedule.arrivals.is_empty() {
            return Err(BenchError::Schedule("no request arrives; raise the rate or the length".into()));
        }
        Ok(schedule)
    }

    /// The requests, in order of intended time; never empty.
    pub fn arrivals(&self) -> &[Arrival] {
        &self.arrivals
    }

    /// The bytes of request `index`.
    ///
    /// # Panics
    /// When there is no such request.
    pub fn payload(&self, index: usize) -> &[u8] {
        let end = self.arrivals.get(index + 1).map_or(self.payloads.len(), |next| next.payload_start);
        &self.payloads[self.arrivals[index].payload_start..end]
    }

    /// Time from the start to the last intended arrival, in nanoseconds.
    pub fn span_ns(&self) -> u64 {
        self.arrivals.last().map_or(0, |last| last.intended_ns)
    }
}

/// The service's index of each share of each phase.
struct ClassIndex(Vec<Vec<usize>>);

impl ClassIndex {
    fn new(workload: &Workload, requests: &dyn Requests) -> Result<Self, BenchError> {
        let known = requests.classes();
        let index = |class: &str| {
            known.iter().position(|name| name == class).ok_or_else(|| BenchError::UnknownClass {
                workload: workload.name.clone(),
                class: class.into(),
                known: known.join(", "),
            })
        };
        let of_phase = |mix: &super::Mix| mix.shares().iter().map(|share| index(&share.class)).collect();
        Ok(Self(workload.phases.iter().map(of_phase).collect::<Result<_, _>>()?))
    }

    fn of(&self, phase: usize, share: usize) -> usize {
        self.0[phase][share]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_value::KeyValueRequests;
    use crate::synthetic::SyntheticRequests;

    fn key_value(rate: f64, seed: u64) -> Schedule {
        let workload = Workload::find("zippydb").unwrap();
        Schedule::new(&workload, &[rate], Length::Requests(2_000), seed, &KeyValueRequests::default())
            .unwrap()
    }

    #[test]
    fn the_same_seed_makes_the_same_schedule() {
        assert_eq!(key_value(1e5, 3), key_value(1e5, 3));
        assert_ne!(key_value(1e5, 3), key_value(1e5, 4));
    }

    #[test]
    fn another_rate_changes_times_and_nothing_else() {
        let (slow, fast) = (key_value(1e5, 3), key_value(2e5, 3));
        assert_eq!(slow.payloads, fast.payloads);
        for (slow, fast) in slow.arrivals().iter().zip(fast.arrivals()) {
            assert_eq!(slow.class, fast.class);
            assert!(slow.intended_ns.abs_diff(2 * fast.intended_ns) <= 2);
        }
    }

    #[test]
    fn seconds_bound_the_run_and_the_rate_fills_it() {
        let workload = Workload::find("high-bimodal").unwrap();
        let requests = SyntheticRequests::default();
        let schedule = Schedule::new(&workload, &[50_000.0], Length::Seconds(1.0), 1, &requests).unwrap();
        assert!((48_000..52_000).contains(&schedule.arrivals().len()), "{}", schedule.arrivals().len());
        assert!(schedule.span_ns() < 1_000_000_000);
        assert!(schedule.arrivals().is_sorted_by_key(|arrival| arrival.intended_ns));
    }

    #[test]
    fn phases_follow_each_other() {
        let workload = Workload::find("phases").unwrap();
        let requests = SyntheticRequests::default();
        let schedule = Schedule::new(&workload, &[1e4; 4], Length::Requests(4_000), 1, &requests).unwrap();
        let classes = requests.classes();
        let name = |arrival: &Arrival| classes[arrival.class].clone();
        assert!(schedule.arrivals()[3_000..].iter().all(|arrival| name(arrival) == "A"));
        let shorts =
            |part: &[Arrival]| part.iter().filter(|arrival| arrival.service_ns == Some(1_000)).count();
        assert!(shorts(&schedule.arrivals()[2_000..3_000]) > 900);
        let long_a = |arrival: &&Arrival| name(arrival) == "A" && arrival.service_ns == Some(100_000);
        assert!(schedule.arrivals()[..1_000].iter().filter(long_a).count() > 400);
        assert_eq!(schedule.arrivals()[1_000..].iter().filter(long_a).count(), 0);
    }

    #[test]
    fn a_class_the_service_lacks_is_refused() {
        let workload = Workload::find("tpcc").unwrap();
        let error = Schedule::new(&workload, &[1.0], Length::Requests(1), 1, &KeyValueRequests::default())
            .unwrap_err();
        assert!(error.to_string().contains("GET, PUT, DELETE, SCAN"), "{error}");
    }

    #[test]
    fn an_impossible_length_or_rate_is_refused() {
        let workload = Workload::find("zippydb").unwrap();
        let make = |rate, length| Schedule::new(&workload, &[rate], length, 1, &KeyValueRequests::default());
        assert!(make(0.0, Length::Requests(1)).is_err());
        assert!(make(f64::NAN, Length::Requests(1)).is_err());
        assert!(make(1.0, Length::Requests(0)).is_err());
        assert!(make(1.0, Length::Seconds(-1.0)).is_err());
        assert!(make(1.0, Length::Seconds(1e-9)).is_err(), "nothing arrives");
    }
}
