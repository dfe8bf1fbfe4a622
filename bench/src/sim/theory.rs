//! The simulator against what queueing theory knows exactly (Kleinrock, "Queueing Systems", 1975, 1976).
//!
//! Each test runs independent replications and asks whether theory lies within their confidence interval.

use super::source::FromWorkload;
use super::{Setup, Tally, simulate};
use crate::workload::{Length, Mix, ServiceTime, Workload};

const REPLICATIONS: u64 = 20;
/// Student's t for 20 replications, two-sided 99 %.
const T_99: f64 = 2.861;

/// Mean and half-width of its 99 % confidence interval.
fn interval(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, T_99 * (variance / n).sqrt())
}

/// Mean sojourn times in microseconds of each class, one vector per class.
fn sojourns(setup: &Setup, workload: &Workload, load: f64, requests: usize) -> Vec<Vec<f64>> {
    let rates = workload.rates(load, setup.workers, |_| None).unwrap();
    let classes = workload.classes().len();
    let mut means = vec![Vec::new(); classes];
    for seed in 1..=REPLICATIONS {
        let length = Length::Requests(requests);
        let arrivals = FromWorkload::new(workload, &[vec![None; classes]], &rates, length, seed).unwrap();
        let warm_up = requests as f64 / 10.0 / rates[0] * 1e9;
        let mut tally = Tally::new(classes, warm_up as u64);
        let counts = simulate(setup, classes, arrivals, &mut tally).unwrap().counts;
        assert_eq!((counts.answered, counts.dropped), (requests as u64, 0));
        for (means, class) in means.iter_mut().zip(tally.classes()) {
            means.push(class.mean_sojourn() / 1e3);
        }
    }
    means
}

#[track_caller]
fn assert_mean(what: &str, values: &[f64], theory: f64) {
    let (mean, half) = interval(values);
    eprintln!("{what}: theory {theory:.4}, simulated {mean:.4} +- {half:.4}");
    assert!(half < 0.1 * theory, "{what}: {mean} +- {half} says nothing about {theory}");
    assert!((mean - theory).abs() <= half, "{what}: {theory} is not within {mean} +- {half}");
}

fn ideal(policy: &str, workers: usize, quantum: Option<u64>) -> Setup {
    Setup::ideal(policy.parse().unwrap(), workers, quantum)
}

fn one(service: ServiceTime) -> Workload {
    Workload { name: "one".into(), phases: vec![Mix::new([("one".into(), 1.0, Some(service))])] }
}

/// Mean 2 us, with 90 % of 1 us and 10 % of 11 us.
fn two() -> Workload {
    let class = |name: &str, weight, us| (name.into(), weight, Some(ServiceTime::fixed_us(us)));
    Workload {
        name: "two".into(),
        phases: vec![Mix::new([class("short", 0.9, 1.0), class("long", 0.1, 11.0)])],
    }
}

#[test]
fn m_m_1() {
    for load in [0.5, 0.8] {
        let times =
            sojourns(&ideal("c-fcfs", 1, None), &one(ServiceTime::Exponential(1_000.0)), load, 50_000);
        assert_mean(&format!("M/M/1 at {load}"), &times[0], 1.0 / (1.0 - load));
    }
}

/// Erlang's C: the probability that a request waits, with `a` busy of `k` on average.
fn erlang_c(k: u32, a: f64) -> f64 {
    let mut blocked = 1.0;
    for servers in 1..=k {
        blocked = a * blocked / (f64::from(servers) + a * blocked);
    }
    let load = a / f64::from(k);
    blocked / (1.0 - load * (1.0 - blocked))
}

#[test]
fn m_m_k() {
    for (workers, load) in [(4, 0.7), (16, 0.9)] {
        let setup = ideal("c-fcfs", workers, None);
        let times = sojourns(&setup, &one(ServiceTime::Exponential(1_000.0)), load, 100_000);
        let k = workers as f64;
        let waiting = erlang_c(workers as u32, k * load) / (k * (1.0 - load));
        assert_mean(&format!("M/M/{workers} at {load}"), &times[0], 1.0 + waiting);
    }
}

#[test]
fn m_d_1() {
    let load = 0.8;
    let times = sojourns(&ideal("c-fcfs", 1, None), &one(ServiceTime::fixed_us(1.0)), load, 50_000);
    assert_mean("M/D/1", &times[0], 1.0 + load / (2.0 * (1.0 - load)));
}

/// Pollaczek and Khinchine: every class waits for as long.
#[test]
fn m_g_1_first_come_first_served() {
    let load = 0.7;
    let times = sojourns(&ideal("c-fcfs", 1, None), &two(), load, 100_000);
    let second_moment = 0.9 * 1.0 + 0.1 * 121.0;
    let waiting = load / 2.0 * second_moment / 2.0 / (1.0 - load);
    assert_mean("M/G/1 short", &times[0], 1.0 + waiting);
    assert_mean("M/G/1 long", &times[1], 11.0 + waiting);
}

/// Processor sharing: whatever the distribution, a request of service x stays for x / (1 - load) on average.
#[test]
fn m_g_1_processor_sharing() {
    let load = 0.7;
    let times = sojourns(&ideal("ps", 1, Some(50)), &two(), load, 10_000);
    assert_mean("PS short", &times[0], 1.0 / (1.0 - load));
    assert_mean("PS long", &times[1], 11.0 / (1.0 - load));
}
