//! The workloads that have a name.
//!
//! Sources: LevelDB 50/50 and the ZippyDB mix, Bimodal(50:1,50:100), Fixed(1), TPC-C: Concord (SOSP'23,
//! section 5.1) and Shinjuku (NSDI'19); High and Extreme Bimodal, TPC-C, RocksDB, phases: Persephone
//! (SOSP'21, section 5). The LevelDB workloads name operations and no times: those are measured.

use super::{Mix, ServiceTime, Workload};

/// All of them, in the order in which help and errors list them.
pub fn all() -> Vec<Workload> {
    let mut workloads = vec![
        measured("get-scan-50-50", &[("GET", 50.0), ("SCAN", 50.0)]),
        measured("zippydb", &[("GET", 78.0), ("PUT", 13.0), ("DELETE", 6.0), ("SCAN", 3.0)]),
        fixed("fixed-1", &[("fixed", 1.0, 1.0)]),
        one("exp-1", "exponential", ServiceTime::Exponential(1_000.0)),
        fixed("fixed-100", &[("fixed", 1.0, 100.0)]),
        bimodal("high-bimodal", 50.0, 1.0, 50.0, 100.0),
        bimodal("extreme-bimodal", 99.5, 0.5, 0.5, 500.0),
        fixed("tpcc", &TPCC),
    ];
    for (short_share, short, long_share, long) in BIMODALS {
        let name = format!("bimodal-{short_share}-{short}-{long_share}-{long}");
        workloads.push(bimodal(&name, short_share, short, long_share, long));
    }
    workloads.push(fixed("rocksdb", &[("GET", 50.0, 1.5), ("SCAN", 50.0, 635.0)]));
    workloads.push(phases());
    workloads
}

/// Classes of the synthetic workloads, each once: what the synthetic service serves.
pub fn synthetic_classes() -> Vec<String> {
    let mut classes: Vec<String> = Vec::new();
    for workload in all().iter().filter(|workload| workload.states_service_times()) {
        for class in workload.classes() {
            if !classes.iter().any(|known| known == class) {
                classes.push(class.into());
            }
        }
    }
    classes
}

/// Transaction, share in %, microseconds.
const TPCC: [(&str, f64, f64); 5] = [
    ("Payment", 44.0, 5.7),
    ("OrderStatus", 4.0, 6.0),
    ("NewOrder", 44.0, 20.0),
    ("Delivery", 4.0, 88.0),
    ("StockLevel", 4.0, 100.0),
];

/// Share of the shorts in %, their microseconds, share of the longs, their microseconds.
const BIMODALS: [(f64, f64, f64, f64); 4] =
    [(50.0, 1.0, 50.0, 10.0), (95.0, 1.0, 5.0, 100.0), (90.0, 0.5, 10.0, 5.5), (99.9, 0.5, 0.1, 500.5)];

fn measured(name: &str, classes: &[(&str, f64)]) -> Workload {
    let mix = Mix::new(classes.iter().map(|&(class, weight)| (class.into(), weight, None)));
    Workload { name: name.into(), phases: vec![mix] }
}

fn fixed(name: &str, classes: &[(&str, f64, f64)]) -> Workload {
    Workload { name: name.into(), phases: vec![fixed_mix(classes)] }
}

fn fixed_mix(classes: &[(&str, f64, f64)]) -> Mix {
    Mix::new(
        classes.iter().map(|&(class, weight, us)| (class.into(), weight, Some(ServiceTime::fixed_us(us)))),
    )
}

fn one(name: &str, class: &str, service: ServiceTime) -> Workload {
    Workload { name: name.into(), phases: vec![Mix::new([(class.into(), 1.0, Some(service))])] }
}

fn bimodal(name: &str, short_share: f64, short: f64, long_share: f64, long: f64) -> Workload {
    fixed(name, &[("short", short_share, short), ("long", long_share, long)])
}

fn phases() -> Workload {
    let phase =
        |a_share: f64, a: f64, b_share: f64, b: f64| fixed_mix(&[("A", a_share, a), ("B", b_share, b)]);
    Workload {
        name: "phases".into(),
        phases: vec![
            phase(50.0, 100.0, 50.0, 1.0),
            phase(50.0, 1.0, 50.0, 100.0),
            phase(95.0, 1.0, 5.0, 100.0),
            fixed_mix(&[("A", 1.0, 1.0)]),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of the published workloads, in microseconds.
    #[test]
    fn means_are_the_published_ones() {
        let expected = [
            ("fixed-1", 1.0),
            ("exp-1", 1.0),
            ("fixed-100", 100.0),
            ("high-bimodal", 50.5),
            ("extreme-bimodal", 2.9975),
            ("tpcc", 19.068),
            ("bimodal-50-1-50-10", 5.5),
            ("bimodal-95-1-5-100", 5.95),
            ("bimodal-90-0.5-10-5.5", 1.0),
            ("bimodal-99.9-0.5-0.1-500.5", 1.0),
            ("rocksdb", 318.25),
        ];
        for (name, mean_us) in expected {
            let workload = Workload::find(name).unwrap();
            let mean = workload.phases[0].mean_service_ns(|_| None).unwrap() / 1e3;
            assert!((mean - mean_us).abs() < 1e-9, "{name}: {mean}");
        }
        let without_times: Vec<String> =
            all().into_iter().filter(|w| !w.states_service_times()).map(|w| w.name).collect();
        assert_eq!(without_times, ["get-scan-50-50", "zippydb"]);
        assert_eq!(all().len(), expected.len() + 3, "every workload has an expected mean, or is named here");
    }

    #[test]
    fn zippydb_has_the_published_shares() {
        let shares: Vec<f64> =
            Workload::find("zippydb").unwrap().phases[0].shares().iter().map(|share| share.share).collect();
        assert_eq!(shares, [0.78, 0.13, 0.06, 0.03]);
    }
}
