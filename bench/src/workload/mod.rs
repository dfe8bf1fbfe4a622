//! Workloads: which classes arrive, in what shares, with what service times.
//!
//! A workload is found by name ([`Workload::find`]); [`schedule::Schedule`] turns it into arrivals before
//! the run starts, from a seed. Names and service times follow the literature: see [`catalogue`].

pub mod arrivals;
pub mod catalogue;
pub mod draws;
pub mod mix;
pub mod schedule;
pub mod service_time;

pub use draws::{Draw, Draws, Length};
pub use mix::{Mix, Share};
pub use schedule::{Arrival, Schedule};
pub use service_time::ServiceTime;

use crate::error::BenchError;

/// A named mix of classes, or several that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Name on the command line.
    pub name: String,
    /// Equal parts of the run, in order; one for all but the workload `phases`.
    pub phases: Vec<Mix>,
}

impl Workload {
    /// The workload called `name`, or the mix that `name` spells (`GET=0.9,SCAN=0.1`).
    ///
    /// # Errors
    /// When no workload has this name (the message has the nearest one and the list), or the mix is malformed.
    pub fn find(name: &str) -> Result<Self, BenchError> {
        if name.contains('=') {
            return Ok(Self { name: name.into(), phases: vec![Mix::parse(name)?] });
        }
        catalogue::all().into_iter().find(|workload| workload.name == name).ok_or_else(|| unknown(name))
    }

    /// Names of the classes that take part, each once, in order of appearance.
    pub fn classes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for share in self.phases.iter().flat_map(Mix::shares) {
            if !names.contains(&share.class.as_str()) {
                names.push(&share.class);
            }
        }
        names
    }

    /// Whether the workload itself says how long each request works, as the synthetic ones do.
    pub fn states_service_times(&self) -> bool {
        self.phases.iter().flat_map(Mix::shares).all(|share| share.service.is_some())
    }

    /// Arrival rate per phase, in requests per second, at which `workers` workers are busy for the share
    /// `load` of their time. `service_ns` gives a class's mean service time where the workload does not.
    ///
    /// # Errors
    /// When a class's service time is known to neither.
    pub fn rates(
        &self,
        load: f64,
        workers: usize,
        service_ns: impl Fn(&str) -> Option<f64>,
    ) -> Result<Vec<f64>, BenchError> {
        let rate = |mix: &Mix| {
            let mean = mix
                .mean_service_ns(&service_ns)
                .map_err(|class| BenchError::ServiceTime { workload: self.name.clone(), class })?;
            Ok(load * workers as f64 * 1e9 / mean)
        };
        self.phases.iter().map(rate).collect()
    }
}

fn unknown(name: &str) -> BenchError {
    let names: Vec<String> = catalogue::all().into_iter().map(|workload| workload.name).collect();
    let nearest = concord_suggest::closest(name, names.iter().map(String::as_str));
    let hint = nearest.map(|known| format!(" (did you mean `{known}`?)")).unwrap_or_default();
    BenchError::UnknownWorkload { name: name.into(), hint, known: names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_gets_the_nearest_and_the_list() {
        let message = Workload::find("get-scan-5050").unwrap_err().to_string();
        assert!(message.contains("did you mean `get-scan-50-50`?"), "{message}");
        assert!(message.contains("zippydb") && message.contains("tpcc"), "{message}");
        let far = Workload::find("qqqq").unwrap_err().to_string();
        assert!(!far.contains("did you mean"), "{far}");
    }

    #[test]
    fn load_is_relative_to_the_mean_service_time() {
        let workload = Workload::find("get-scan-50-50").unwrap();
        let service = |class: &str| Some(if class == "GET" { 1_000.0 } else { 599_000.0 });
        let rates = workload.rates(0.5, 2, service).unwrap();
        assert_eq!(rates.len(), 1);
        assert!((rates[0] - 0.5 * 2.0 * 1e9 / 300_000.0).abs() < 1e-6);
        let error = workload.rates(0.5, 1, |_| None).unwrap_err().to_string();
        assert!(error.contains("--service-ns GET="), "{error}");
    }

    #[test]
    fn phases_have_rates_of_their_own() {
        let rates = Workload::find("phases").unwrap().rates(1.0, 1, |_| None).unwrap();
        let means_us = rates.iter().map(|rate| 1e6 / rate).collect::<Vec<_>>();
        for (mean, expected) in means_us.iter().zip([50.5, 50.5, 5.95, 1.0]) {
            assert!((mean - expected).abs() < 1e-9, "{means_us:?}");
        }
    }
}
