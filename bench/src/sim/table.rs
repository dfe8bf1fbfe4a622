//! Results as people read them.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::results::{AtSlo, Point, Simulations};
use crate::quantum;

/// Everything, in tables.
pub(super) fn render(results: &Simulations) -> String {
    let mut text = format!(
        "{} on {} workers, k = {}, capacity {}; {} seed(s) of {} s\n",
        results.workload,
        results.workers,
        results.depth,
        rate(results.capacity_rps),
        results.seeds,
        results.seconds
    );
    if !results.points.is_empty() {
        let speed = rate(results.simulated_rps);
        text += &format!(
            "{}\nsimulated requests per second of processor time: {speed}\n",
            points(&results.points)
        );
    }
    if !results.at_slo.is_empty() {
        text += &format!("{}\n", at_slo(&results.at_slo));
    }
    text
}

fn points(points: &[Point]) -> Table {
    let mut table = table(&[
        "policy",
        "quantum",
        "load",
        "requests/s",
        "class",
        "p50 us",
        "p99 us",
        "p99.9 us",
        "slowdown p99.9",
        "preempt./req.",
        "dropped",
    ]);
    for point in points {
        let own = [
            point.policy.clone(),
            quantum::format(point.quantum_ns),
            format!("{:.3}", point.load),
            rate(point.rate),
        ];
        let all = match point.slowdown_p999 {
            Some(spread) => format!("{:.1} ({:.1}-{:.1})", spread.median, spread.low, spread.high),
            None => "-".into(),
        };
        let rest = [format!("{:.2}", point.preemptions_per_request), format!("{:.2} %", point.dropped_pct)];
        let none = String::new;
        add(&mut table, own.into_iter().chain(["all".into(), none(), none(), none(), all]).chain(rest));
        for class in &point.classes {
            let times = class.sojourn_ns.map_or([(); 3].map(|()| "-".into()), |times| {
                [times.p50, times.p99, times.p999].map(|ns| format!("{:.2}", ns / 1e3))
            });
            let slowdown = class.slowdown.map_or("-".into(), |slowdown| format!("{:.1}", slowdown.p999));
            let empty = [(); 4].map(|()| none());
            add(&mut table, empty.into_iter().chain([class.name.clone()]).chain(times).chain([slowdown]));
        }
    }
    table
}

fn at_slo(rows: &[AtSlo]) -> Table {
    let mut table =
        table(&["policy", "quantum", "SLO", "load", "requests/s", "lowest seed", "highest seed", "spread"]);
    for row in rows {
        let cells = [
            row.policy.clone(),
            quantum::format(row.quantum_ns),
            row.slo.clone(),
            format!("{:.3}", row.load.median),
            rate(row.rate.median),
            rate(row.rate.low),
            rate(row.rate.high),
            format!("{:.1} %", row.rate.spread_pct()),
        ];
        add(&mut table, cells.into_iter());
    }
    table
}

/// Requests per second, with three or four digits.
pub(super) fn rate(rps: f64) -> String {
    match rps {
        rps if rps >= 1e6 => format!("{:.3} M/s", rps / 1e6),
        rps if rps >= 1e3 => format!("{:.1} k/s", rps / 1e3),
        rps => format!("{rps:.0} /s"),
    }
}

fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_header(headings);
    table
}

fn add(table: &mut Table, cells: impl Iterator<Item = String>) {
    table.add_row(cells.enumerate().map(|(column, cell)| {
        let alignment = if column < 2 { CellAlignment::Left } else { CellAlignment::Right };
        Cell::new(cell).set_alignment(alignment)
    }));
}
