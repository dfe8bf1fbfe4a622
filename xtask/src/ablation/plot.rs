//! The results as a picture: a group of bars for each workload and quantum, a bar for each step.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use plotters::prelude::*;

use super::results::Results;

const WIDTH: u32 = 1_000;
const ROW: u32 = 26;
const COLOURS: [RGBColor; 4] = [
    RGBColor(0xb8, 0xc4, 0xcc),
    RGBColor(0x7f, 0xa8, 0xc9),
    RGBColor(0x3f, 0x88, 0xb8),
    RGBColor(0x1b, 0x5c, 0x98),
];

/// Writes an SVG. Bars are relative to the first step, so that all workloads share an axis.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn draw(results: &Results, path: &Path) -> Result<()> {
    let rows: usize = results.workloads.iter().map(|workload| workload.steps.len() + 1).sum();
    let root = SVGBackend::new(path, (WIDTH, ROW * rows as u32 + 110)).into_drawing_area();
    chart(results, rows, &root).with_context(|| format!("cannot draw {}", path.display()))?;
    root.present()
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn chart(
    results: &Results,
    rows: usize,
    root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
) -> Result<()> {
    root.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
    let ratio = |krps: f64, first: f64| if first > 0.0 { krps / first } else { 0.0 };
    let highest = results.workloads.iter().flat_map(|workload| {
        let first = workload.steps.first().map_or(0.0, |step| step.krps_at_slo);
        workload.steps.iter().map(move |step| ratio(step.krps_at_slo, first))
    });
    let highest = highest.fold(1.0, f64::max) * 1.3;
    let mut chart = ChartBuilder::on(root)
        .caption("Throughput within the objective, by mechanism", ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(10)
        .build_cartesian_2d(0.0..highest, 0.0..rows.max(1) as f64)
        .map_err(|error| anyhow!("{error}"))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_desc("times the emulated interrupts")
        .draw()
        .map_err(|error| anyhow!("{error}"))?;
    let mut row = rows as f64;
    for workload in &results.workloads {
        let first = workload.steps.first().map_or(0.0, |step| step.krps_at_slo);
        row -= 1.0;
        let title = format!("{}, quantum {} us", workload.name, workload.quantum_ns / 1_000);
        let mut labels = vec![(0.0, row + 0.5, title)];
        let mut bars = Vec::new();
        for (step, colour) in workload.steps.iter().zip(COLOURS.iter().cycle()) {
            row -= 1.0;
            let length = ratio(step.krps_at_slo, first);
            bars.push(Rectangle::new([(0.0, row + 0.1), (length, row + 0.9)], colour.filled()));
            let text =
                format!("{}: {:.1} krps, spread {:.0} %", step.name, step.krps_at_slo, step.spread_pct);
            labels.push((length, row + 0.5, text));
        }
        chart.draw_series(bars).map_err(|error| anyhow!("{error}"))?;
        let label = |(x, y, text): (f64, f64, String)| {
            EmptyElement::at((x, y)) + Text::new(text, (5, -6), ("sans-serif", 13))
        };
        chart.draw_series(labels.into_iter().map(label)).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn the_picture_has_a_bar_for_each_step() {
        let file = std::env::temp_dir().join(format!("ablation-{}.svg", std::process::id()));
        draw(&results(), &file).unwrap();
        let svg = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for name in ["load, quantum 5 us", "first: 1.0 krps", "last: 2.0 krps"] {
            assert!(svg.contains(name), "{name}");
        }
        assert!(draw(&results(), Path::new("/nowhere/ablation.svg")).is_err());
    }
}
