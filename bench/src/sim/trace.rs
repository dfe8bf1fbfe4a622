//! Traces: classes and service times that were measured, one request per line.

use std::path::Path;

use super::Arriving;
use crate::error::BenchError;
use crate::workload::arrivals::Poisson;
use crate::workload::draws::arrivals_stream;

/// Longest service time, in nanoseconds: what is longer is a typing error.
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Most classes.
const MOST_CLASSES: usize = 1_000;

/// The requests of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    name: String,
    classes: Vec<String>,
    requests: Vec<(u16, u64)>,
    mean_service_ns: f64,
}

impl Trace {
    /// Reads a file of lines `class,service time in ns`. A first line that reads `class,service_ns` and lines
    /// that are empty or begin with `#` are passed over.
    ///
    /// # Errors
    /// The first line that is none, with its number; a trace without a request.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let error = |line, reason| BenchError::Trace { path: path.into(), line, reason };
        let text =
            std::fs::read_to_string(path).map_err(|cause| error(0, format!("cannot be read: {cause}")))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Self::parse(&name, &text).map_err(|(line, reason)| error(line, reason))
    }

    fn parse(name: &str, text: &str) -> Result<Self, (usize, String)> {
        let mut classes: Vec<String> = Vec::new();
        let mut requests = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || (index == 0 && is_heading(line)) {
                continue;
            }
            let (class, ns) = parse_line(line).map_err(|reason| (index + 1, reason))?;
            let class = match classes.iter().position(|known| known == class) {
                Some(class) => class,
                None if classes.len() == MOST_CLASSES => {
                    return Err((index + 1, format!("more than {MOST_CLASSES} classes")));
                }
                None => {
                    classes.push(class.into());
                    classes.len() - 1
                }
            };
            requests.push((class as u16, ns));
        }
        if requests.is_empty() {
            return Err((0, "has no request; write one per line, such as GET,480".into()));
        }
        let mean_service_ns = requests.iter().map(|&(_, ns)| ns as f64).sum::<f64>() / requests.len() as f64;
        Ok(Self { name: name.into(), classes, requests, mean_service_ns })
    }

    /// The file's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Names of the classes, in order of appearance.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Mean service time.
    pub fn mean_service_ns(&self) -> f64 {
        self.mean_service_ns
    }

    /// The share of each class.
    pub(super) fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.classes.len()];
        for &(class, _) in &self.requests {
            shares[usize::from(class)] += 1.0 / self.requests.len() as f64;
        }
        shares
    }

    /// The requests in the trace's order, from one that `seed` chooses on, round and round.
    pub(super) fn arrivals(&self, rate: f64, seconds: f64, seed: u64) -> impl Iterator<Item = Arriving> {
        let first = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % self.requests.len() as u64) as usize;
        let order = self.requests.iter().cycle().skip(first);
        let mut poisson = Poisson::new(arrivals_stream(seed));
        let moments = std::iter::from_fn(move || Some(poisson.next_ns(rate)));
        moments.take_while(move |at| *at < seconds * 1e9).zip(order).map(|(at, &(class, service))| Arriving {
            at: at as u64,
            class,
            service,
        })
    }
}

fn is_heading(line: &str) -> bool {
    line.split_once(',').is_some_and(|(class, ns)| {
        class.trim().eq_ignore_ascii_case("class") && ns.trim().eq_ignore_ascii_case("service_ns")
    })
}

fn parse_line(line: &str) -> Result<(&str, u64), String> {
    let (class, ns) =
        line.split_once(',').ok_or_else(|| format!("`{line}` is not CLASS,NANOSECONDS, such as GET,480"))?;
    let (class, ns) = (class.trim(), ns.trim());
    if class.is_empty() {
        return Err(format!("`{line}` names no class"));
    }
    match ns.parse::<f64>() {
        Ok(value) if value >= 0.5 && value <= LONGEST_NS as f64 => Ok((class, value.round() as u64)),
        Ok(value) if value.is_finite() => {
            Err(format!("service time `{ns}`: must be at least 1 ns and at most one hour"))
        }
        _ => Err(format!("service time `{ns}` is not a number of nanoseconds")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_played_in_its_order_from_anywhere() {
        let trace =
            Trace::parse("t", "class,service_ns\n# warm\nGET,480\nSCAN, 600000\n\nGET,520.4\n").unwrap();
        assert_eq!(trace.classes(), ["GET", "SCAN"]);
        assert!((trace.mean_service_ns() - 601_000.0 / 3.0).abs() < 1e-6);
        let played: Vec<(u16, u64)> =
            trace.arrivals(1e6, 1e-3, 3).map(|request| (request.class, request.service)).collect();
        assert!(played.len() > 900);
        for pair in played.windows(2) {
            let next = match pair[0].1 {
                480 => (1, 600_000),
                600_000 => (0, 520),
                _ => (0, 480),
            };
            assert_eq!(pair[1], next);
        }
        assert!((trace.shares()[0] - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn bad_lines_are_named_by_their_number() {
        let refused = |text: &str| Trace::parse("t", text).unwrap_err();
        for (text, line, part) in [
            ("GET,1\nSCAN", 2, "`SCAN` is not CLASS,NANOSECONDS"),
            ("GET,-5", 1, "at least 1 ns"),
            ("GET,0", 1, "at least 1 ns"),
            ("GET,1e30", 1, "at most one hour"),
            ("GET,fast", 1, "`fast` is not a number"),
            ("GET,NaN", 1, "is not a number"),
            (",5", 1, "names no class"),
            ("GET,1\nclass,service_ns", 2, "`service_ns`"),
            ("", 0, "has no request"),
            ("class,service_ns\n\n", 0, "has no request"),
        ] {
            let (at, reason) = refused(text);
            assert!(at == line && reason.contains(part), "{text}: {at} {reason}");
        }
        let error = Trace::read(Path::new("/no/such/trace.csv")).unwrap_err().to_string();
        assert!(error.contains("/no/such/trace.csv") && error.contains("cannot be read"), "{error}");
    }
}
