//! Published values beside ours.

use serde::Serialize;

use super::experiment::{Experiment, Published};
use super::run::{Drawn, Figure, Point};

/// One row of `target/figures/figures.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) figure: String,
    pub(super) series: String,
    pub(super) quantity: String,
    pub(super) published: f64,
    /// `null` when the run does not show it.
    pub(super) ours: Option<f64>,
    /// Ours against the published value; of a gain or a difference, the ratios against each other.
    pub(super) diff_pct: Option<f64>,
    /// From the median to the farther seed, in percent, where there are several.
    pub(super) spread_pct: Option<f64>,
}

/// The rows of one figure.
pub(super) fn rows(experiment: &Experiment, figure: &Figure) -> Vec<Row> {
    let mut rows = Vec::new();
    for series in &experiment.series {
        let Some(drawn) = figure.series.iter().find(|drawn| drawn.name == series.name) else { continue };
        rows.extend(series.published.iter().map(|published| row(figure, drawn, published)));
    }
    rows
}

fn row(figure: &Figure, drawn: &Drawn, published: &Published) -> Row {
    let spread_pct = match published {
        Published::Rps(_) | Published::Gain { .. } => drawn.at_slo.map(|spread| spread.spread_pct()),
        _ => None,
    };
    let (quantity, value, ours) = compared(figure, drawn, published);
    let relative = match published {
        // Gains are compared as factors: 45 % against 52 % is 1.45 against 1.52.
        Published::Gain { .. } => ours.map(|ours| (100.0 + ours) / (100.0 + value)),
        _ => ours.map(|ours| ours / value),
    };
    Row {
        figure: figure.figure.clone(),
        series: drawn.name.clone(),
        quantity,
        published: value,
        ours,
        diff_pct: relative.map(|relative| 100.0 * (relative - 1.0)),
        spread_pct,
    }
}

/// Name, published value and ours.
fn compared(figure: &Figure, drawn: &Drawn, published: &Published) -> (String, f64, Option<f64>) {
    let other = |name: &String| figure.series.iter().find(|other| other.name == *name);
    match published {
        Published::Rps(rps) => {
            (format!("requests/s at {}", figure.slo), *rps, drawn.at_slo.map(|spread| spread.median))
        }
        Published::Gain { over, percent } => {
            let medians = drawn.at_slo.zip(other(over).and_then(|other| other.at_slo));
            let gain = medians.map(|(own, other)| 100.0 * (own.median / other.median - 1.0));
            (format!("% above {over} at {}", figure.slo), *percent, gain)
        }
        Published::SlowdownAdded { over, load, value } => {
            let at = |drawn: &Drawn| nearest(drawn, |point| point.load - load)?.slowdown;
            let added = at(drawn).zip(other(over).and_then(at)).map(|(own, other)| own.median - other.median);
            (format!("p99.9 slowdown above {over} at load {load}"), *value, added)
        }
        Published::Latency { class, rate, us } => {
            let point = nearest(drawn, |point| point.rps - rate);
            let class_of = |point: &'_ Point| {
                let found = point.classes.iter().find(|own| own.name == *class);
                found.and_then(|own| own.sojourn_us).map(|us| us.median)
            };
            (format!("p99.9 of {class} at {:.1} M/s, us", rate / 1e6), *us, point.and_then(class_of))
        }
        Published::Best { over, reserved, times } => {
            let own = drawn.points.iter().find(|point| point.reserved == *reserved);
            let own = own.and_then(|point| point.slowdown);
            let other = other(over).and_then(|other| other.points.first()?.slowdown);
            let ours = own.zip(other).map(|(own, other)| other.median / own.median);
            (format!("slowdown times below {over} with {reserved} reserved"), *times, ours)
        }
        Published::Reserved { class, phase, workers } => {
            let ours = drawn.timeline.as_ref().and_then(|timeline| timeline.reserved(class, *phase));
            (format!("workers reserved for {class} in phase {phase}"), *workers as f64, ours)
        }
        Published::Adapts { ms } => {
            let timeline = drawn.timeline.as_ref();
            let slowest =
                timeline.and_then(|timeline| timeline.adapted_ms.iter().flatten().copied().reduce(f64::max));
            ("ms until reservations follow the slowest change".into(), *ms, slowest)
        }
    }
}

fn nearest(drawn: &Drawn, distance: impl Fn(&Point) -> f64) -> Option<&Point> {
    drawn.points.iter().min_by(|a, b| distance(a).abs().total_cmp(&distance(b).abs()))
}
