//! Figures as pictures.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::experiment::{Experiment, Kind, Published};
use super::run::{Drawn, Figure, Point};
use super::timeline;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Log = Cartesian2d<RangedCoordf64, LogCoord<f64>>;

const SIZE: (u32, u32) = (960, 600);
pub(super) const FONT: &str = "sans-serif";
const OBJECTIVE: RGBColor = RGBColor(0xb0, 0x1e, 0x1e);

/// Told apart by people who do not see all colours too (Okabe and Ito).
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x40, 0x40, 0x40),
];

/// Writes an SVG.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn draw(experiment: &Experiment, figure: &Figure, path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    let drawn = root.fill(&WHITE).map_err(error).and_then(|()| match experiment.kind {
        Kind::Curves => curves(experiment, figure, &root),
        Kind::Bars => bars(experiment, figure, &root),
        Kind::Reserved => reserved(experiment, figure, &root),
        Kind::Phases => timeline::draw(figure, &root),
    });
    drawn.with_context(|| format!("cannot draw {}", path.display()))?;
    root.present().map_err(error).with_context(|| format!("cannot write {}", path.display()))
}

pub(super) fn error(error: impl std::fmt::Display) -> anyhow::Error {
    anyhow!("{error}")
}

/// Requests per second in the unit that suits the capacity.
struct Unit {
    name: &'static str,
    rps: f64,
}

impl Unit {
    fn of(rps: f64) -> Self {
        match rps {
            rps if rps >= 1e6 => Self { name: "million requests/s", rps: 1e6 },
            _ => Self { name: "thousand requests/s", rps: 1e3 },
        }
    }
}

/// What a curve shows of a point: what the objective is about.
fn height(experiment: &Experiment, point: &Point) -> Option<f64> {
    let is_endless = point.slowdown.is_some_and(|spread| spread.median.is_infinite());
    if is_endless || !experiment.slo.each_class {
        return point.slowdown.map(|spread| spread.median);
    }
    point.classes.iter().filter_map(|class| class.slowdown).map(|spread| spread.median).reduce(f64::max)
}

fn curves(experiment: &Experiment, figure: &Figure, root: &Area<'_>) -> Result<()> {
    let unit = Unit::of(figure.capacity_rps);
    let reached = figure.series.iter().filter_map(|drawn| drawn.at_slo).map(|spread| spread.high);
    let reached =
        reached.chain(figure.series.iter().flat_map(|drawn| published_rps(experiment, figure, drawn)));
    let farthest = reached.fold(0.0, f64::max).max(0.3 * figure.capacity_rps) * 1.12;
    let right = farthest.min(figure.capacity_rps * 1.08) / unit.rps;
    let slowdown = if experiment.slo.each_class { "of the worst class" } else { "of all requests" };
    let mut chart = chart(root, &figure.title, (0.0, right), (1.0, experiment.highest), &|mesh| {
        mesh.x_desc(format!("throughput, {}", unit.name)).y_desc(format!("p99.9 slowdown {slowdown}"));
    })?;
    objective(&mut chart, experiment, right)?;
    for (index, drawn) in figure.series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let line = line(experiment, drawn, unit.rps);
        let label = match drawn.at_slo {
            Some(at) => format!("{}: {:.4}", drawn.name, Short(at.median / unit.rps)),
            None => drawn.name.clone(),
        };
        chart
            .draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))
            .map_err(error)?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        let dots = line.into_iter().filter(|&(_, y)| y < experiment.highest);
        chart.draw_series(dots.map(|at| Circle::new(at, 3, colour.filled()))).map_err(error)?;
        for rps in published_rps(experiment, figure, drawn) {
            let at = (rps / unit.rps, experiment.slo.slowdown);
            let diamond =
                |(x, y)| Polygon::new([(x, y - 8), (x + 7, y), (x, y + 8), (x - 7, y)], colour.mix(0.55));
            chart.draw_series([EmptyElement::at(at) + diamond((0, 0))]).map_err(error)?;
        }
    }
    legend(&mut chart, SeriesLabelPosition::LowerRight)
}

/// The curve, with the point at which the objective is just kept, up to the picture's edge.
fn line(experiment: &Experiment, drawn: &Drawn, unit: f64) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = drawn
        .points
        .iter()
        .filter_map(|point| Some((point.rps / unit, height(experiment, point)?)))
        .collect();
    line.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let outside = line.iter().position(|&(_, y)| y > experiment.highest);
    if let Some(outside) = outside {
        line.truncate(outside + 1);
        line[outside].1 = experiment.highest;
    }
    line
}

/// A number with about four digits.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = match self.0.abs() {
            value if value >= 100.0 => 0,
            value if value >= 10.0 => 1,
            _ => 2,
        };
        write!(f, "{:.*}", digits, self.0)
    }
}

/// Published throughputs of a series; gains are taken from our value of the other series.
fn published_rps(experiment: &Experiment, figure: &Figure, drawn: &Drawn) -> Vec<f64> {
    let series = experiment.series.iter().find(|series| series.name == drawn.name);
    let published = series.map_or(&[][..], |series| &series.published);
    let at_slo = |name: &str| figure.series.iter().find(|other| other.name == name)?.at_slo;
    published
        .iter()
        .filter_map(|published| match published {
            Published::Rps(rps) => Some(*rps),
            Published::Gain { over, percent } => Some(at_slo(over)?.median * (1.0 + percent / 100.0)),
            _ => None,
        })
        .collect()
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Log>;
type Mesh<'a, 'b, 'c> = plotters::chart::MeshStyle<'a, 'b, RangedCoordf64, LogCoord<f64>, SVGBackend<'c>>;

fn chart<'a, 'b>(
    root: &'a Area<'b>,
    title: &str,
    (left, right): (f64, f64),
    (low, high): (f64, f64),
    describe: &dyn Fn(&mut Mesh<'_, '_, 'b>),
) -> Result<Chart<'a, 'b>> {
    let mut chart = ChartBuilder::on(root)
        .caption(title, (FONT, 19))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(left..right, (low..high).log_scale())
        .map_err(error)?;
    let mut mesh = chart.configure_mesh();
    mesh.label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .y_label_formatter(&|y| Short(*y).to_string().trim_end_matches(".00").to_owned());
    describe(&mut mesh);
    mesh.draw().map_err(error)?;
    Ok(chart)
}

/// The line that must not be passed.
fn objective(chart: &mut Chart<'_, '_>, experiment: &Experiment, right: f64) -> Result<()> {
    let at = experiment.slo.slowdown;
    chart
        .draw_series(DashedLineSeries::new([(0.0, at), (right, at)], 8, 5, OBJECTIVE.stroke_width(2)))
        .map_err(error)?
        .label(format!("SLO {}; diamonds: published", experiment.slo))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], OBJECTIVE.stroke_width(3)));
    Ok(())
}

fn legend<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, position: SeriesLabelPosition) -> Result<()> {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font((FONT, 15))
        .draw()
        .map_err(error)
}

/// Slowdown over reserved workers.
fn reserved(experiment: &Experiment, figure: &Figure, root: &Area<'_>) -> Result<()> {
    let right = figure.workers as f64;
    let mut chart = chart(root, &figure.title, (0.0, right), (1.0, experiment.highest), &|mesh| {
        mesh.x_desc("workers reserved for short requests")
            .y_desc("p99.9 slowdown of all requests")
            .x_labels(figure.workers + 1)
            .x_label_formatter(&|x| format!("{x:.0}"));
    })?;
    for (index, drawn) in figure.series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let at = |point: &Point| {
            let slowdown = point.slowdown.map(|spread| spread.median)?;
            Some((point.reserved as f64, slowdown.min(experiment.highest)))
        };
        let mut line: Vec<(f64, f64)> = drawn.points.iter().filter_map(at).collect();
        if let [(_, level)] = line[..] {
            line = vec![(0.0, level), (right, level)];
        }
        chart
            .draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))
            .map_err(error)?
            .label(&drawn.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
        chart.draw_series(line.into_iter().map(|at| Circle::new(at, 4, colour.filled()))).map_err(error)?;
        let series = experiment.series.iter().find(|series| series.name == drawn.name);
        for published in series.map_or(&[][..], |series| &series.published) {
            let Published::Best { reserved, times, .. } = published else { continue };
            let x = *reserved as f64;
            let ends = [(x, 1.0), (x, experiment.highest)];
            chart
                .draw_series(DashedLineSeries::new(ends, 8, 5, OBJECTIVE.stroke_width(2)))
                .map_err(error)?
                .label(format!("published best: {reserved} reserved, {times} times below c-FCFS"))
                .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], OBJECTIVE.stroke_width(3)));
        }
    }
    legend(&mut chart, SeriesLabelPosition::UpperMiddle)
}

/// Throughput at the objective, ours and the published one side by side.
fn bars(experiment: &Experiment, figure: &Figure, root: &Area<'_>) -> Result<()> {
    let unit = Unit::of(figure.capacity_rps);
    let pairs: Vec<(f64, Option<f64>)> = figure
        .series
        .iter()
        .map(|drawn| {
            let ours = drawn.at_slo.map_or(0.0, |spread| spread.median / unit.rps);
            (ours, published_rps(experiment, figure, drawn).first().map(|rps| rps / unit.rps))
        })
        .collect();
    let highest = pairs.iter().flat_map(|(ours, published)| [*ours, published.unwrap_or(0.0)]);
    let top = highest.fold(1.0, f64::max) * 1.2;
    let count = figure.series.len() as f64;
    let mut chart = ChartBuilder::on(root)
        .caption(&figure.title, (FONT, 19))
        .margin(14)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..count, 0.0..top)
        .map_err(error)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(0)
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .y_desc(format!("throughput at SLO {}, {}", experiment.slo, unit.name))
        .x_desc(" ")
        .draw()
        .map_err(error)?;
    let kinds: [(&str, f64, RGBColor); 2] = [("ours", 0.12, COLOURS[0]), ("published", 0.52, COLOURS[1])];
    for (kind, (name, from, colour)) in kinds.into_iter().enumerate() {
        let value = |pair: &(f64, Option<f64>)| if kind == 0 { Some(pair.0) } else { pair.1 };
        let bars: Vec<(f64, f64)> = pairs
            .iter()
            .enumerate()
            .filter_map(|(index, pair)| Some((index as f64 + from, value(pair)?)))
            .collect();
        chart
            .draw_series(
                bars.iter().map(|&(x, y)| Rectangle::new([(x, 0.0), (x + 0.36, y)], colour.filled())),
            )
            .map_err(error)?
            .label(name)
            .legend(move |(x, y)| Rectangle::new([(x, y - 6), (x + 22, y + 6)], colour.filled()));
        let number = |&(x, y): &(f64, f64)| {
            EmptyElement::at((x + 0.1, y)) + Text::new(Short(y).to_string(), (0, -18), (FONT, 15))
        };
        chart.draw_series(bars.iter().map(number)).map_err(error)?;
    }
    let name = |(index, drawn): (usize, &Drawn)| {
        EmptyElement::at((index as f64 + 0.2, 0.0)) + Text::new(drawn.name.clone(), (0, 10), (FONT, 16))
    };
    chart.draw_series(figure.series.iter().enumerate().map(name)).map_err(error)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font((FONT, 15))
        .draw()
        .map_err(error)
}
