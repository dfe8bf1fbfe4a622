//! Figures per class.

use super::{Distribution, Gaps};
use crate::results::ClassRun;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A reply with the right content.
    Answered,
    /// An error reply.
    Error,
    /// A reply with the wrong content.
    Wrong,
    /// No reply, or refused because too many were under way.
    Dropped,
}

/// One request of a run. Times are nanoseconds since the run's start.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Index into the service's classes.
    pub class: usize,
    /// When it was to be sent.
    pub intended_ns: u64,
    /// When its reply was there; the end of the run when there was none.
    pub completed_ns: u64,
    /// Service it received, where the run can tell.
    pub service_ns: Option<u64>,
    /// What its sojourn is divided by for the slowdown.
    pub divisor_ns: Option<f64>,
    /// How often it was preempted.
    pub preemptions: u64,
    /// How it ended.
    pub ending: Ending,
}

impl Sample {
    fn sojourn_ns(&self) -> f64 {
        self.completed_ns.saturating_sub(self.intended_ns) as f64
    }
}

/// What [`summarise`] makes of a run's requests.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The classes that were offered, in the service's order.
    pub classes: Vec<ClassRun>,
    /// Share of the answered requests that overlap a gap, in percent.
    pub excluded_pct: f64,
}

/// Figures of each class that was offered; `samples` are in order of intended time, `classes` are the
/// service's, in its order.
pub fn summarise(samples: &[Sample], classes: &[String], gaps: &Gaps) -> Summary {
    let mut figures: Vec<Figures> = classes.iter().map(|_| Figures::default()).collect();
    let under_way = samples.iter().filter(|sample| sample.ending != Ending::Dropped);
    let backlogs = gaps.with_backlogs(under_way.map(|sample| (sample.intended_ns, sample.completed_ns)));
    for sample in samples {
        figures[sample.class].add(sample, gaps, &backlogs);
    }
    let answered = figures.iter().map(|class| class.answered).sum();
    let excluded = figures.iter().map(|class| class.excluded).sum();
    let offered = classes.iter().zip(figures).filter(|(_, figures)| figures.offered > 0);
    Summary {
        classes: offered.map(|(name, figures)| figures.finish(name)).collect(),
        excluded_pct: percent(excluded, answered),
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

struct Figures {
    offered: u64,
    answered: u64,
    errors: u64,
    wrong: u64,
    dropped: u64,
    excluded: u64,
    settled_excluded: u64,
    preemptions: u64,
    sojourn: Distribution,
    sojourn_settled: Distribution,
    sojourn_raw: Distribution,
    slowdown: Distribution,
    slowdown_settled: Distribution,
    slowdown_raw: Distribution,
    service: Distribution,
    divisor: Divisor,
}

/// What the slowdowns of a class were divided by.
#[derive(Clone, Copy, PartialEq)]
enum Divisor {
    None,
    One(f64),
    Many,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            offered: 0,
            answered: 0,
            errors: 0,
            wrong: 0,
            dropped: 0,
            excluded: 0,
            settled_excluded: 0,
            preemptions: 0,
            sojourn: Distribution::whole(),
            sojourn_settled: Distribution::whole(),
            sojourn_raw: Distribution::whole(),
            slowdown: Distribution::ratios(),
            slowdown_settled: Distribution::ratios(),
            slowdown_raw: Distribution::ratios(),
            service: Distribution::whole(),
            divisor: Divisor::None,
        }
    }
}

impl Figures {
    fn add(&mut self, sample: &Sample, gaps: &Gaps, backlogs: &Gaps) {
        self.offered += 1;
        self.preemptions += sample.preemptions;
        match sample.ending {
            Ending::Answered => self.add_answered(sample, gaps, backlogs),
            Ending::Error => self.errors += 1,
            Ending::Wrong => self.wrong += 1,
            Ending::Dropped => self.dropped += 1,
        }
    }

    fn add_answered(&mut self, sample: &Sample, gaps: &Gaps, backlogs: &Gaps) {
        self.answered += 1;
        let sojourn = sample.sojourn_ns();
        let slowdown = sample.divisor_ns.map(|divisor| sojourn / divisor);
        self.sojourn_raw.add(sojourn);
        slowdown.into_iter().for_each(|slowdown| self.slowdown_raw.add(slowdown));
        self.note_divisor(sample.divisor_ns);
        if backlogs.overlap(sample.intended_ns, sample.completed_ns) {
            self.settled_excluded += 1;
        } else {
            self.sojourn_settled.add(sojourn);
            slowdown.into_iter().for_each(|slowdown| self.slowdown_settled.add(slowdown));
        }
        if gaps.overlap(sample.intended_ns, sample.completed_ns) {
            self.excluded += 1;
            return;
        }
        self.sojourn.add(sojourn);
        slowdown.into_iter().for_each(|slowdown| self.slowdown.add(slowdown));
        sample.service_ns.into_iter().for_each(|service| self.service.add(service as f64));
    }

    fn note_divisor(&mut self, divisor: Option<f64>) {
        self.divisor = match (self.divisor, divisor) {
            (known, None) => known,
            (Divisor::None, Some(divisor)) => Divisor::One(divisor),
            (Divisor::One(known), Some(divisor)) if known == divisor => self.divisor,
            _ => Divisor::Many,
        };
    }

    fn finish(self, name: &str) -> ClassRun {
        ClassRun {
            name: name.into(),
            offered: self.offered,
            answered: self.answered,
            errors: self.errors,
            wrong: self.wrong,
            dropped: self.dropped,
            excluded_pct: percent(self.excluded, self.answered),
            settled_excluded_pct: percent(self.settled_excluded, self.answered),
            sojourn_settled_ns: self.sojourn_settled.percentiles(),
            slowdown_settled: self.slowdown_settled.percentiles(),
            sojourn_ns: self.sojourn.percentiles(),
            sojourn_raw_ns: self.sojourn_raw.percentiles(),
            slowdown: self.slowdown.percentiles(),
            slowdown_raw: self.slowdown_raw.percentiles(),
            service_time_ns: match self.divisor {
                Divisor::One(divisor) => Some(divisor),
                Divisor::None | Divisor::Many => None,
            },
            service_ns: self.service.percentiles(),
            preemptions: self.preemptions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(class: usize, intended_ns: u64, completed_ns: u64, ending: Ending) -> Sample {
        Sample {
            class,
            intended_ns,
            completed_ns,
            service_ns: Some(50),
            divisor_ns: Some(100.0),
            preemptions: 2,
            ending,
        }
    }

    fn classes() -> Vec<String> {
        ["GET", "PUT", "SCAN"].map(String::from).to_vec()
    }

    #[test]
    fn requests_that_overlap_a_gap_are_left_out_and_counted() {
        let gaps = Gaps::new([(1_000, 2_000)], 1, 10_000);
        let samples = [
            sample(0, 0, 200, Ending::Answered),
            sample(0, 500, 2_500, Ending::Answered),
            sample(0, 3_000, 3_200, Ending::Answered),
            sample(2, 900, 1_100, Ending::Answered),
        ];
        let summary = summarise(&samples, &classes(), &gaps);
        assert_eq!(summary.excluded_pct, 50.0);
        let [get, scan] = &summary.classes[..] else { panic!("PUT was not offered") };
        assert_eq!((get.sojourn_ns.unwrap().p999, get.sojourn_raw_ns.unwrap().p999), (200.0, 2_000.0));
        assert_eq!(get.slowdown.unwrap().p50, 2.0);
        assert!((get.slowdown_raw.unwrap().p999 - 20.0).abs() < 0.02, "three digits of 20");
        assert!((get.excluded_pct - 100.0 / 3.0).abs() < 1e-9);
        assert_eq!(scan.sojourn_ns, None);
        assert_eq!(scan.excluded_pct, 100.0);
    }

    #[test]
    fn requests_in_the_backlog_of_a_gap_are_not_settled() {
        let gaps = Gaps::new([(1_000, 301_000)], 1, 1_000_000);
        let samples = [
            sample(0, 500, 320_000, Ending::Answered),
            sample(0, 310_000, 330_000, Ending::Answered),
            sample(0, 400_000, 400_100, Ending::Answered),
        ];
        let get = &summarise(&samples, &classes(), &gaps).classes[0];
        assert!(
            (get.sojourn_ns.unwrap().p999 - 20_000.0).abs() < 20.0,
            "the second does not overlap the gap itself"
        );
        assert_eq!(get.sojourn_settled_ns.unwrap().p999, 100.0);
        assert_eq!(get.slowdown_settled.unwrap().p999, 1.0);
        assert!((get.settled_excluded_pct - 200.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn every_offered_request_is_counted_once() {
        let endings = [Ending::Answered, Ending::Error, Ending::Wrong, Ending::Dropped, Ending::Answered];
        let samples: Vec<Sample> = endings.into_iter().map(|ending| sample(1, 0, 10, ending)).collect();
        let summary = summarise(&samples, &classes(), &Gaps::default());
        let put = &summary.classes[0];
        assert_eq!((put.name.as_str(), put.offered), ("PUT", 5));
        assert_eq!((put.answered, put.errors, put.wrong, put.dropped), (2, 1, 1, 1));
        assert_eq!(put.preemptions, 10);
        assert_eq!(put.service_time_ns, Some(100.0));
    }

    #[test]
    fn a_class_of_varying_service_time_states_none() {
        let mut samples = [sample(0, 0, 10, Ending::Answered), sample(0, 0, 10, Ending::Answered)];
        samples[1].divisor_ns = Some(10.0);
        assert_eq!(summarise(&samples, &classes(), &Gaps::default()).classes[0].service_time_ns, None);
    }
}
