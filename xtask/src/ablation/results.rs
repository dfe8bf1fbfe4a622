//! The results: what `target/ablation/ablation.json` holds, and the table.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Table, presets};
use concord_bench::results::Machine;
use serde::Serialize;
use serde_json::Value;

use super::search::{OBJECTIVE, Point, Searched, rate_within};

/// One run of the ablation.
#[derive(Debug, Serialize)]
pub(super) struct Results {
    machine: Machine,
    workers: usize,
    quick: bool,
    /// The slowdown that no class exceeds.
    objective: f64,
    pub(super) workloads: Vec<WorkloadResult>,
    /// What `concord-micro --json` writes.
    micro: Value,
}

/// All steps under one load at one quantum.
#[derive(Debug, Serialize)]
pub(super) struct WorkloadResult {
    pub(super) name: String,
    pub(super) quantum_ns: u64,
    pub(super) steps: Vec<StepResult>,
}

/// One step; rates in thousands of requests per second, medians of the repetitions.
#[derive(Debug, Serialize)]
pub(super) struct StepResult {
    pub(super) name: String,
    /// Within the objective at p99.9, without requests that overlap a host gap or its backlog.
    pub(super) krps_at_slo: f64,
    /// Greatest less least of the repetitions, in percent of the median.
    pub(super) spread_pct: f64,
    /// At p99; as far as the search for p99.9 came by.
    krps_at_slo_p99: f64,
    /// At p99.9 of all requests; as far as the search came by.
    krps_at_slo_raw: f64,
    /// Mean share of the requests that were left out.
    excluded_pct: f64,
}

impl StepResult {
    fn new(searched: &Searched) -> Self {
        let rates = |slowdown: fn(&Point) -> f64| -> Vec<f64> {
            let krps = |points: &Vec<Point>| rate_within(points, slowdown) / 1e3;
            let mut rates: Vec<f64> = searched.repetitions.iter().map(krps).collect();
            rates.sort_by(f64::total_cmp);
            rates
        };
        let median = |rates: &[f64]| rates.get(rates.len() / 2).copied().unwrap_or(0.0);
        let kept = rates(|point| point.p999);
        let middle = median(&kept);
        let range = kept.last().unwrap_or(&0.0) - kept.first().unwrap_or(&0.0);
        let points: Vec<&Point> = searched.repetitions.iter().flatten().collect();
        let excluded: f64 = points.iter().map(|point| point.excluded_pct).sum();
        Self {
            name: searched.step.into(),
            krps_at_slo: middle,
            spread_pct: if middle > 0.0 { 100.0 * range / middle } else { 0.0 },
            krps_at_slo_p99: median(&rates(|point| point.p99)),
            krps_at_slo_raw: median(&rates(|point| point.raw_p999)),
            excluded_pct: excluded / points.len().max(1) as f64,
        }
    }
}

impl WorkloadResult {
    pub(super) fn new(name: &str, quantum_ns: u64, searched: Vec<Searched>) -> Self {
        Self { name: name.into(), quantum_ns, steps: searched.iter().map(StepResult::new).collect() }
    }

    /// The last step over the first.
    fn gain(&self) -> f64 {
        let krps = |step: Option<&StepResult>| step.map_or(0.0, |step| step.krps_at_slo);
        krps(self.steps.last()) / krps(self.steps.first()).max(f64::MIN_POSITIVE)
    }
}

impl Results {
    pub(super) fn new(workers: usize, quick: bool, workloads: Vec<WorkloadResult>, micro: Value) -> Self {
        Self { machine: Machine::here(), workers, quick, objective: OBJECTIVE, workloads, micro }
    }

    /// As people read it.
    pub(super) fn render(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY).set_header([
            "workload",
            "quantum",
            "step",
            "krps at p99.9",
            "spread",
            "at p99",
            "at p99.9 raw",
            "excluded",
            "to step before",
        ]);
        for workload in &self.workloads {
            let mut before = None;
            for step in &workload.steps {
                let change = before.map(|before: f64| format!("{:.2}x", step.krps_at_slo / before.max(1e-9)));
                before = Some(step.krps_at_slo);
                let cells = [
                    workload.name.clone(),
                    format!("{} us", workload.quantum_ns / 1_000),
                    step.name.clone(),
                    format!("{:.1}", step.krps_at_slo),
                    format!("{:.0} %", step.spread_pct),
                    format!("{:.1}", step.krps_at_slo_p99),
                    format!("{:.1}", step.krps_at_slo_raw),
                    format!("{:.1} %", step.excluded_pct),
                    change.unwrap_or_default(),
                ];
                table.add_row(cells.map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right)));
            }
        }
        let mut text = format!(
            "{} ({} cores), {} worker(s): thousands of requests per second with no class's slowdown above {}\n{table}\n",
            self.machine.cpu, self.machine.cores, self.workers, self.objective
        );
        for workload in &self.workloads {
            let quantum = workload.quantum_ns / 1_000;
            let _ = writeln!(
                text,
                "{} at {quantum} us: the whole is {:.2}x the emulated interrupts",
                workload.name,
                workload.gain()
            );
        }
        let _ = writeln!(
            text,
            "Interrupts are emulated: each preemption costs the worker what receiving one costs (1,200 cycles).\n\
             excluded = requests that overlap a host gap or wait behind its backlog; the column `raw` has them. With one worker JBSQ(2) shows where requests take a microsecond."
        );
        for (name, value) in
            self.micro.as_object().into_iter().flatten().filter(|(_, value)| value.is_number())
        {
            let _ = writeln!(text, "{name:36} {value}");
        }
        for depth in self.micro["by_depth"].as_array().into_iter().flatten() {
            let _ = writeln!(
                text,
                "empty handlers, k = {} (0: derived): {:.2} M requests/s, worker idle between two {:.0} ns",
                depth["jbsq_depth"],
                depth["rps"].as_f64().unwrap_or(0.0) / 1e6,
                depth["worker_idle_ns"].as_f64().unwrap_or(0.0)
            );
        }
        text
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::super::search::tests::point;
    use super::*;

    pub(crate) fn results() -> Results {
        let searched = |step, rates: [f64; 3]| Searched {
            step,
            repetitions: rates.map(|rate| vec![point(rate, 20.0), point(2.0 * rate, 80.0)]).into(),
        };
        let steps = vec![searched("first", [900.0, 1_000.0, 1_100.0]), searched("last", [2_000.0; 3])];
        let micro = json!({"switch_pair_ns": 12.5, "by_depth": [{"jbsq_depth": 2, "rps": 8e6, "worker_idle_ns": 40.0}]});
        Results::new(1, true, vec![WorkloadResult::new("load", 5_000, steps)], micro)
    }

    #[test]
    fn the_json_has_the_median_and_the_spread() {
        let json = serde_json::to_value(results()).unwrap();
        let step = &json["workloads"][0]["steps"][0];
        assert_eq!((step["name"].as_str(), step["krps_at_slo"].as_f64()), (Some("first"), Some(1.0)));
        assert!((step["spread_pct"].as_f64().unwrap() - 20.0).abs() < 1e-9);
        assert_eq!(step["krps_at_slo_raw"].as_f64(), Some(1.0));
        assert_eq!(json["micro"]["switch_pair_ns"].as_f64(), Some(12.5));
        assert_eq!(json["workloads"][0]["quantum_ns"].as_u64(), Some(5_000));
    }

    #[test]
    fn the_table_says_what_each_step_adds() {
        let text = results().render();
        for part in ["2.00x", "20 %", "the whole is 2.00x", "switch_pair_ns", "8.00 M requests/s"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }
}
