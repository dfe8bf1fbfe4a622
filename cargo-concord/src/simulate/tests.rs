use concord_bench::sim::Spread;

use super::*;
use crate::compare::fake::FakePrograms;

fn args(change: impl FnOnce(&mut Args)) -> Args {
    let mut args = Args {
        package: "leveldb-svc".into(),
        bin: None,
        manifest_path: None,
        workload: "get-scan-50-50".into(),
        workers: 4,
        policies: "ps,c-fcfs".into(),
        quanta: "5us".into(),
        slo: "p99:50".into(),
        jbsq_depth: 2,
        costs: "papers".into(),
        no_assist: false,
        seeds: 2,
        seconds: 0.3,
        check_seconds: 1.0,
        json: None,
        service_args: Vec::new(),
    };
    change(&mut args);
    args
}

#[test]
fn a_service_is_measured_simulated_and_checked() {
    let args = args(|_| ());
    let wish = Wish::new(&args).unwrap();
    let results = simulate(&args, &wish, &FakePrograms::default()).unwrap();
    assert!((results.costs.work - 0.02).abs() < 1e-6, "the fake's probes cost 2 %");
    assert_eq!(results.recommended.policy, "ps");
    assert!(results.recommended.is_certain && results.at_slo[0].rate.low > results.at_slo[1].rate.high);
    assert_eq!(results.check.len(), 4, "p50 and p99 of GET and SCAN");
    let text = table::render(&results);
    for part in
        ["recommended: ps with a quantum of 5us", "sure: its worst seed", "p99:50", "GET", "runtime us"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let json = serde_json::to_value(&results).unwrap();
    for key in ["service", "machine", "service_times", "costs", "at_slo", "recommended", "check"] {
        assert!(json.get(key).is_some(), "{key}");
    }
}

#[test]
fn seeds_that_overlap_make_no_certainty() {
    let at = |policy: &str, low: f64, median: f64, high: f64| AtSlo {
        policy: policy.into(),
        quantum_ns: Some(5_000),
        slo: String::new(),
        load: Spread { median, low, high },
        rate: Spread { median, low, high },
    };
    let sure = recommend(&[at("ps", 9.0, 10.0, 11.0), at("c-fcfs", 4.0, 5.0, 6.0)]);
    assert!(sure.is_certain && sure.margin_pct == Some(100.0));
    let unsure = recommend(&[at("ps", 9.0, 10.0, 11.0), at("las", 8.0, 9.5, 9.1)]);
    assert_eq!((unsure.is_certain, &unsure.as_good[..]), (false, &["las at 5us".to_string()][..]));
    assert_eq!(recommend(&[at("ps", 1.0, 1.0, 1.0)]).margin_pct, None);
}

#[test]
fn bad_arguments_are_refused_by_name_before_anything_is_built() {
    let refused = |change: fn(&mut Args), part: &str| {
        let message = format!("{:#}", Wish::new(&args(change)).err().unwrap());
        assert!(message.contains(part), "{message}");
    };
    refused(|args| args.policies = "ps,drac".into(), "did you mean `darc`?");
    refused(|args| args.quanta = "5".into(), "--quanta");
    refused(|args| args.slo = "99.9".into(), "--slo");
    refused(|args| args.workers = 0, "workers is 0");
    refused(|args| args.seeds = 0, "--seeds 0");
    refused(|args| args.seconds = -1.0, "--seconds -1");
    refused(|args| args.check_seconds = f64::NAN, "--check-seconds");
    refused(|args| args.costs = "paper".into(), "did you mean `papers`?");
    refused(|args| args.workload = "zippyd".into(), "did you mean `zippydb`?");
}
