//! Results as people read them.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Table, presets};
use concord::{Nanos, Statistics};
use hdrhistogram::Histogram;

use crate::quantum;
use crate::results::{ClassRun, ClientRun, Percentiles, Run, ServiceTimesReport};
use crate::stats::adherence;

/// `service-times`
pub(super) fn service_times(report: &ServiceTimesReport) -> String {
    let mut table = table(&["class", "samples", "median us", "mean us", "trimmed %"]);
    for class in &report.classes {
        table.add_row(row([
            class.name.clone(),
            class.samples.to_string(),
            micros(class.median_ns),
            micros(class.mean_ns),
            format!("{:.2}", class.trimmed_pct),
        ]));
    }
    let probes = if report.instrumented { "with probes" } else { "without probes" };
    format!("service times, one request at a time, code {probes}\n{table}\n{}", report.trimmed)
}

/// `in-process`
pub(super) fn run(run: &Run) -> String {
    let mut text = format!(
        "{}, policy {}, quantum {}, {} worker(s): {:.0} requests/s for {:.2} s (seed {})\n",
        run.workload,
        run.policy,
        quantum::format(run.quantum_ns),
        run.workers,
        run.rate,
        run.seconds,
        run.seed
    );
    let _ = writeln!(text, "{}", classes(&run.classes));
    let _ = writeln!(text, "{}", adherence::describe(run.adherence));
    for (name, achieved) in [
        ("achieved quantum", run.achieved_quantum_ns),
        ("achieved quantum, raw", run.achieved_quantum_raw_ns),
    ] {
        let Some(achieved) = achieved else { continue };
        let _ = writeln!(
            text,
            "{name}: p50 {} us, p99 {} us, sd {} us over {} preemptions, {:.2} % left out",
            micros(achieved.p50),
            micros(achieved.p99),
            micros(achieved.sd),
            run.preemptions,
            achieved.excluded_pct
        );
    }
    let _ = writeln!(
        text,
        "workers held up to {} requests; the dispatcher ran {} itself; longest time between two of its polls {} us",
        run.jbsq_depth,
        run.assisted,
        micros(run.longest_poll_gap_ns as f64)
    );
    let _ = writeln!(
        text,
        "host gaps: {}, {:.1} ms in all ({:.2} % of the threads' time), longest {:.2} ms; {:.2} % of the requests overlap one",
        run.stolen.gaps,
        run.stolen.total_ns as f64 / 1e6,
        run.stolen.pct,
        run.stolen.longest_ns as f64 / 1e6,
        run.excluded_pct
    );
    text + &run.policy_report + &run.trimmed
}

/// `load`
pub(super) fn client_run(workload: &str, run: &ClientRun) -> String {
    let mut text = format!("{workload}: {:.0} requests/s for {:.2} s\n", run.rate, run.seconds);
    let _ = writeln!(text, "{}", classes(&run.classes));
    let _ = writeln!(text, "{}", adherence::describe(run.adherence));
    let sum = |count: fn(&ClassRun) -> u64| run.classes.iter().map(count).sum::<u64>();
    let _ = write!(
        text,
        "offered {} = answered {} + errors {} + wrong {} + lost {}; duplicates {}, strays {}",
        sum(|class| class.offered),
        sum(|class| class.answered),
        sum(|class| class.errors),
        sum(|class| class.wrong),
        sum(|class| class.dropped),
        run.duplicates,
        run.strays
    );
    if let Some(wrong) = &run.first_wrong {
        let _ = write!(text, "\nfirst wrong reply: {wrong}");
    }
    text
}

/// `serve`
pub(super) fn statistics(statistics: &Statistics, quantum: Option<Nanos>) -> String {
    let mut classes = table(&[
        "class",
        "offered",
        "answered",
        "errors",
        "dropped",
        "sojourn us p50/p99/p99.9",
        "service us p50/p99/p99.9",
    ]);
    for class in statistics.classes.iter().filter(|class| class.offered > 0) {
        classes.add_row(row([
            class.name.clone(),
            class.offered.to_string(),
            class.answered.to_string(),
            class.errors.to_string(),
            class.dropped.to_string(),
            histogram_micros(&class.sojourn),
            histogram_micros(&class.service),
        ]));
    }
    let mut text = format!(
        "served {} requests in {:.2} s: answered {} (errors {}), dropped {}, quantum {}\n{classes}\n",
        statistics.offered(),
        statistics.elapsed.as_secs(),
        statistics.answered(),
        statistics.errors(),
        statistics.dropped(),
        quantum::format(quantum.map(|quantum| quantum.0))
    );
    text += &statistics.policy.to_string();
    let _ = writeln!(
        text,
        "malformed packets {}, oversized requests {}, unclassified {}, lost before receipt {}, replies unsent {}",
        statistics.malformed,
        statistics.oversized,
        statistics.unclassified,
        statistics.lost,
        statistics.unsent
    );
    let _ = writeln!(
        text,
        "preemptions {}, achieved quantum us p50/p99/p99.9 {}",
        statistics.preemptions,
        histogram_micros(&statistics.achieved_quantum)
    );
    let _ = write!(
        text,
        "the dispatcher ran {} requests itself in {} slices; longest time between two of its polls {} us",
        statistics.assist.requests,
        statistics.assist.slices,
        micros(statistics.longest_poll_gap.0 as f64)
    );
    text
}

fn histogram_micros(histogram: &Histogram<u64>) -> String {
    let at = |quantile| micros(histogram.value_at_quantile(quantile) as f64);
    if histogram.is_empty() { "-".into() } else { format!("{} / {} / {}", at(0.5), at(0.99), at(0.999)) }
}

fn classes(classes: &[ClassRun]) -> Table {
    let mut table = table(&[
        "class",
        "offered",
        "answered",
        "errors",
        "wrong",
        "dropped",
        "sojourn us p50/p99/p99.9",
        "slowdown p50/p99/p99.9",
        "excluded %",
        "settled sojourn us p50/p99/p99.9",
        "raw sojourn us p50/p99/p99.9",
        "preemptions",
    ]);
    for class in classes {
        table.add_row(row([
            class.name.clone(),
            class.offered.to_string(),
            class.answered.to_string(),
            class.errors.to_string(),
            class.wrong.to_string(),
            class.dropped.to_string(),
            percentiles(class.sojourn_ns, micros),
            percentiles(class.slowdown, |slowdown| format!("{slowdown:.1}")),
            format!("{:.1}", class.excluded_pct),
            percentiles(class.sojourn_settled_ns, micros),
            percentiles(class.sojourn_raw_ns, micros),
            class.preemptions.to_string(),
        ]));
    }
    table
}

fn percentiles(figures: Option<Percentiles>, show: impl Fn(f64) -> String) -> String {
    figures.map_or_else(
        || "-".into(),
        |figures| format!("{} / {} / {}", show(figures.p50), show(figures.p99), show(figures.p999)),
    )
}

fn micros(ns: f64) -> String {
    format!("{:.2}", ns / 1e3)
}

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(columns.iter().copied());
    table
}

fn row<const N: usize>(cells: [String; N]) -> Vec<Cell> {
    cells.map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right)).into()
}
