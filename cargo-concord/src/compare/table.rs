//! The table that people read.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Table, presets};
use concord_bench::quantum;
use concord_bench::results::{AchievedQuantum, ClassRun, Comparison, Percentiles, Run, ServiceTimePair};
use concord_bench::stats::gap::BACKLOG_NS;
use concord_bench::stats::service_times;

/// Everything that the comparison found, with what was trimmed and what the words mean.
pub(crate) fn render(comparison: &Comparison) -> String {
    let machine = &comparison.machine;
    let mut text = format!(
        "\n{} on {} ({} cores, Linux {})\n\nService times, one request at a time:\n{}\n\n",
        comparison.service,
        machine.cpu,
        machine.cores,
        machine.kernel,
        service_time_table(&comparison.service_times)
    );
    if let Some(run) = comparison.runs.first() {
        let _ = writeln!(
            text,
            "Workload {}, {} worker(s), seed {}; times in us, from the intended send time to the reply:",
            run.workload, run.workers, run.seed
        );
    }
    text + &runs(&comparison.runs) + "\n" + &notes(comparison)
}

fn service_time_table(pairs: &[ServiceTimePair]) -> Table {
    let mut table = table(&["class", "plain median us", "plain mean us", "instrumented median us", "ratio"]);
    for pair in pairs {
        table.add_row(row([
            pair.name.clone(),
            micros(pair.plain.median_ns),
            micros(pair.plain.mean_ns),
            micros(pair.instrumented.median_ns),
            format!("{:.3}", pair.ratio),
        ]));
    }
    table
}

const RUN_COLUMNS: [&str; 13] = [
    "policy",
    "load",
    "quantum",
    "class",
    "offered",
    "answered",
    "dropped",
    "sojourn p50/p99/p99.9",
    "slowdown p50/p99/p99.9",
    "excluded",
    "preemptions",
    "achieved quantum p50/p99/sd",
    "stolen",
];

fn runs(runs: &[Run]) -> String {
    let mut table = table(&RUN_COLUMNS);
    for run in runs {
        for (index, class) in run.classes.iter().enumerate() {
            let once = |text: String| if index == 0 { text } else { String::new() };
            table.add_row(row([
                once(policy(run)),
                once(run.load.map_or_else(|| "-".into(), |load| load.to_string())),
                once(quantum::format(run.quantum_ns) + if run.adherence.void { " VOID" } else { "" }),
                class.name.clone(),
                class.offered.to_string(),
                answered(class),
                class.dropped.to_string(),
                percentiles(class.sojourn_ns, micros),
                percentiles(class.slowdown, digits),
                format!("{:.1} %", class.excluded_pct),
                class.preemptions.to_string(),
                once(achieved_quantum(run.achieved_quantum_ns)),
                once(format!("{:.1} %", run.stolen.pct)),
            ]));
            let achieved = if index == 0 { run.achieved_quantum_raw_ns } else { None };
            table.add_row(settled_row(class));
            table.add_row(raw_row(class, achieved));
        }
    }
    table.to_string()
}

/// The policy, and how the runtime differs from its default.
fn policy(run: &Run) -> String {
    match run.variant.as_str() {
        "default" => run.policy.clone(),
        variant => format!("{} {variant}", run.policy),
    }
}

/// The class's figures without what waited behind a host gap.
fn settled_row(class: &ClassRun) -> Vec<Cell> {
    let mut cells: [String; RUN_COLUMNS.len()] = Default::default();
    cells[3] = format!("{} settled", class.name);
    cells[7] = percentiles(class.sojourn_settled_ns, micros);
    cells[8] = percentiles(class.slowdown_settled, digits);
    cells[9] = format!("{:.1} %", class.settled_excluded_pct);
    row(cells)
}

/// The class's figures over all answered requests.
fn raw_row(class: &ClassRun, achieved: Option<AchievedQuantum>) -> Vec<Cell> {
    let mut cells: [String; RUN_COLUMNS.len()] = Default::default();
    cells[3] = format!("{} raw", class.name);
    cells[7] = percentiles(class.sojourn_raw_ns, micros);
    cells[8] = percentiles(class.slowdown_raw, digits);
    cells[11] = achieved.map_or_else(String::new, |achieved| achieved_quantum(Some(achieved)));
    row(cells)
}

fn answered(class: &ClassRun) -> String {
    let mut text = class.answered.to_string();
    for (count, what) in [(class.errors, "errors"), (class.wrong, "WRONG")] {
        if count > 0 {
            let _ = write!(text, " +{count} {what}");
        }
    }
    text
}

fn achieved_quantum(achieved: Option<AchievedQuantum>) -> String {
    achieved.map_or_else(
        || "-".into(),
        |achieved| format!("{} / {} / {}", micros(achieved.p50), micros(achieved.p99), micros(achieved.sd)),
    )
}

fn percentiles(figures: Option<Percentiles>, show: impl Fn(f64) -> String) -> String {
    figures.map_or_else(
        || "-".into(),
        |figures| format!("{} / {} / {}", show(figures.p50), show(figures.p99), show(figures.p999)),
    )
}

fn notes(comparison: &Comparison) -> String {
    let mut lines = vec![
        "load = offered rate x mean service time of the plain build / workers.".to_string(),
        "slowdown = sojourn / median service time of the class in the plain build (or the time that the request states)."
            .into(),
        "Every reply's content was checked; `answered` counts the right ones.".into(),
        "excluded = share of the answered requests that overlap a host gap and are left out of all rows not called raw;"
            .into(),
        format!(
            "settled rows also leave out requests that were under way before the backlog of a gap of {} us or more was worked off.",
            BACKLOG_NS / 1_000
        ),
    ];
    lines.push(service_times::trimmed());
    let trimmed: Vec<&str> = comparison.runs.iter().map(|run| run.trimmed.as_str()).collect();
    lines.extend(trimmed.first().filter(|text| !text.is_empty()).map(|text| (*text).to_string()));
    let least =
        comparison.runs.iter().map(|run| run.adherence).min_by(|a, b| a.kept_pct.total_cmp(&b.kept_pct));
    lines.extend(least.map(|least| {
        format!(
            "schedule kept: at least {:.1} % of a run's requests within {} us of their intended time.",
            least.kept_pct,
            least.tolerance_ns as f64 / 1e3
        )
    }));
    lines.join("\n") + "\n"
}

fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(columns.iter().copied());
    table
}

fn row<const N: usize>(cells: [String; N]) -> Vec<Cell> {
    cells.map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right)).into()
}

/// Nanoseconds as microseconds with three significant digits at least.
fn micros(ns: f64) -> String {
    digits(ns / 1e3)
}

fn digits(value: f64) -> String {
    let decimals = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}
