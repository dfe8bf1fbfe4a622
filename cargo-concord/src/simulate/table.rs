//! Results as people read them.

use std::fmt::Write as _;

use comfy_table::{Table, presets};
use concord_bench::quantum;
use concord_bench::sim::Costs;

use super::results::{Recommended, ServiceSimulation};

/// A difference between runtime and simulator that needs no explanation, in percent.
const ALIKE_PCT: f64 = 15.0;

/// Everything.
pub(super) fn render(results: &ServiceSimulation) -> String {
    let mut text = format!(
        "{} under {}, {} workers by simulation, capacity {}\n",
        results.service,
        results.workload,
        results.workers,
        rate(results.capacity_rps)
    );
    let mut times = table(&["class", "service us", "with probes us", "ratio"]);
    for pair in &results.service_times {
        times.add_row([
            pair.name.clone(),
            format!("{:.3}", pair.plain.mean_ns / 1e3),
            format!("{:.3}", pair.instrumented.mean_ns / 1e3),
            format!("{:.3}", pair.ratio),
        ]);
    }
    let _ = writeln!(text, "{times}\n{}", costs(&results.costs));
    let mut rows = table(&["policy", "quantum", "SLO", "requests/s", "of capacity", "seeds", "spread"]);
    for row in &results.at_slo {
        rows.add_row([
            row.policy.clone(),
            quantum::format(row.quantum_ns),
            row.slo.clone(),
            rate(row.rate.median),
            format!("{:.1} %", 100.0 * row.load.median),
            format!("{} to {}", rate(row.rate.low), rate(row.rate.high)),
            format!("{:.1} %", row.rate.spread_pct()),
        ]);
    }
    let _ = writeln!(text, "{rows}\n{}", recommendation(&results.recommended));
    text + &check(results)
}

fn costs(costs: &Costs) -> String {
    format!(
        "costs in ns: dispatcher {} per request and {} per signal, hand-off {}, giving back {}, begin {}, signal to \
         worker {}, preemption {}; probes {:.2} % of the work",
        costs.admit + costs.assign + costs.collect,
        costs.arm,
        costs.handoff,
        costs.give_back,
        costs.begin,
        costs.notify,
        costs.yield_,
        100.0 * costs.work
    )
}

fn recommendation(recommended: &Recommended) -> String {
    let choice =
        format!("{} with a quantum of {}", recommended.policy, quantum::format(recommended.quantum_ns));
    let margin = recommended.margin_pct.map(|margin| format!(", {margin:.1} % above the next best"));
    let margin = margin.unwrap_or_default();
    match recommended.is_certain {
        true => {
            format!("recommended: {choice}{margin}; sure: its worst seed is above every other's best seed")
        }
        false => format!(
            "recommended: {choice}{margin}; not sure: the seeds of {} overlap with its own (more --seeds or --seconds \
             tell them apart)",
            recommended.as_good.join(", ")
        ),
    }
}

fn check(results: &ServiceSimulation) -> String {
    if results.check.is_empty() {
        return String::new();
    }
    let mut table = table(&["class", "", "runtime us", "raw us", "simulated us", "difference"]);
    for row in &results.check {
        table.add_row([
            row.class.clone(),
            row.percentile.into(),
            format!("{:.2}", row.real_ns / 1e3),
            format!("{:.2}", row.real_raw_ns / 1e3),
            format!("{:.2}", row.simulated_ns / 1e3),
            format!("{:+.1} %", row.diff_pct),
        ]);
    }
    let off = results.check.iter().filter(|row| row.diff_pct.abs() > ALIKE_PCT).count();
    let verdict = match off {
        0 => format!("the simulator is within {ALIKE_PCT} % of the runtime"),
        _ => format!(
            "{off} of {} differ by more than {ALIKE_PCT} %: the simulator's requests of a class all take the mean service \
             time, the real ones vary; time that the host takes away is in the runtime's figures as far as no thread \
             saw it; costs that were not measured here (--costs) are another machine's",
            results.check.len()
        ),
    };
    format!(
        "runtime and simulator, one worker, load 0.5, the same requests at the same times\n{table}\n{verdict}\n"
    )
}

fn rate(rps: f64) -> String {
    match rps {
        rps if rps >= 1e6 => format!("{:.3} M/s", rps / 1e6),
        rps if rps >= 1e3 => format!("{:.1} k/s", rps / 1e3),
        rps => format!("{rps:.0} /s"),
    }
}

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(columns.iter().copied());
    table
}
