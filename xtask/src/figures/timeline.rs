//! Latencies over time above, reserved workers below.

use anyhow::Result;
use plotters::prelude::*;

use super::phases::Timeline;
use super::plot::{Area, COLOURS, FONT, error};
use super::run::Figure;

/// Draws a figure of kind `phases`.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn draw(figure: &Figure, root: &Area<'_>) -> Result<()> {
    let (above, below) = root.split_vertically(380);
    latencies(figure, &above)?;
    reservations(figure, &below)
}

/// All series that ran over time.
fn timelines(figure: &Figure) -> impl Iterator<Item = (&str, &Timeline)> {
    figure.series.iter().filter_map(|drawn| Some((drawn.name.as_str(), drawn.timeline.as_ref()?)))
}

fn latencies(figure: &Figure, area: &Area<'_>) -> Result<()> {
    let seconds = figure.seconds;
    let mut chart = ChartBuilder::on(area)
        .caption(&figure.title, (FONT, 19))
        .margin(14)
        .margin_bottom(0)
        .x_label_area_size(24)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..seconds, (0.5..20_000.0).log_scale())
        .map_err(error)?;
    chart
        .configure_mesh()
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .y_desc("p99.9 latency, us")
        .draw()
        .map_err(error)?;
    let mut colours = COLOURS.iter().cycle();
    for (name, timeline) in timelines(figure) {
        for class in &timeline.classes {
            let colour = *colours.next().expect("they come again");
            let part = seconds / class.p999_us.len() as f64;
            let at = |(index, us): (usize, &Option<f64>)| Some(((index as f64 + 0.5) * part, (*us)?));
            chart
                .draw_series(LineSeries::new(
                    class.p999_us.iter().enumerate().filter_map(at),
                    colour.stroke_width(2),
                ))
                .map_err(error)?
                .label(format!("{name}, {}", class.name))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        }
        for end in &timeline.phase_ends {
            let line = [(*end, 0.5), (*end, 20_000.0)];
            chart.draw_series(DashedLineSeries::new(line, 5, 5, BLACK.mix(0.5).into())).map_err(error)?;
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font((FONT, 15))
        .draw()
        .map_err(error)
}

fn reservations(figure: &Figure, area: &Area<'_>) -> Result<()> {
    let (seconds, workers) = (figure.seconds, figure.workers as f64);
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .margin_top(4)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..seconds, 0.0..workers + 0.5)
        .map_err(error)?;
    chart
        .configure_mesh()
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.12))
        .x_desc("seconds")
        .y_desc("reserved workers")
        .draw()
        .map_err(error)?;
    let series = figure.series.iter().enumerate();
    let reserving = series.filter_map(|(index, drawn)| Some((index, drawn.timeline.as_ref()?)));
    for (series, timeline) in reserving.filter(|(_, timeline)| !timeline.updates.is_empty()) {
        for (index, class) in timeline.classes.iter().enumerate() {
            let colour = COLOURS[(series * timeline.classes.len() + index) % COLOURS.len()];
            chart
                .draw_series(LineSeries::new(steps(timeline, index), colour.stroke_width(2)))
                .map_err(error)?
                .label(format!("for {}", class.name))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        }
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font((FONT, 15))
        .draw()
        .map_err(error)
}

/// Reservations hold until the next update.
fn steps(timeline: &Timeline, class: usize) -> Vec<(f64, f64)> {
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for update in &timeline.updates {
        if let Some(&(_, before)) = steps.last() {
            steps.push((update.second, before));
        }
        steps.push((update.second, update.reserved[class] as f64));
    }
    if let Some(&(_, last)) = steps.last() {
        steps.push((timeline.seconds, last));
    }
    steps
}
