//! The results as a picture: a bar for each kernel, its confidence interval as a line.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use plotters::prelude::*;

use super::results::Results;

const ROW: u32 = 18;
const WIDTH: u32 = 1_000;
const PROBES: RGBColor = RGBColor(0x1b, 0x6c, 0xa8);
const PIPELINE: RGBColor = RGBColor(0xb8, 0xc4, 0xcc);

/// Writes an SVG: what probes cost (bar and interval) and what the rest of the pipeline costs (thin bar).
///
/// # Errors
/// When the file cannot be written.
pub(super) fn draw(results: &Results, path: &Path) -> Result<()> {
    let height = ROW * results.kernels.len() as u32 + 110;
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    chart(results, &root).with_context(|| format!("cannot draw {}", path.display()))?;
    root.present()
        .map_err(|error| anyhow!("{error}"))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn chart(results: &Results, root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<()> {
    root.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
    let title = format!(
        "Overhead of probes: geometric mean {:.2} %, worst {:.2} %",
        results.geomean_pct, results.max_pct
    );
    let (low, high) = range(results);
    let mut chart = ChartBuilder::on(root)
        .caption(title, ("sans-serif", 20))
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(170)
        .build_cartesian_2d(low..high, 0.0..results.kernels.len().max(1) as f64)
        .map_err(|error| anyhow!("{error}"))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_desc("percent of run time: probes (dark, with 95 % interval), our pipeline without probes against plain (light)")
        .draw()
        .map_err(|error| anyhow!("{error}"))?;
    for (row, kernel) in results.kernels.iter().rev().enumerate() {
        let row = row as f64;
        let bar = |from: f64, to: f64, value: f64, colour: RGBColor| {
            Rectangle::new([(0.0, row + from), (value, row + to)], colour.filled())
        };
        let interval = kernel.ci95_pct.map(|end| (end.clamp(low, high), row + 0.6));
        let elements = [
            bar(0.1, 0.3, kernel.vs_plain_pct.clamp(low, high), PIPELINE),
            bar(0.35, 0.85, kernel.overhead_pct, PROBES),
        ];
        chart.draw_series(elements).map_err(|error| anyhow!("{error}"))?;
        chart
            .draw_series([PathElement::new(interval.to_vec(), BLACK)])
            .map_err(|error| anyhow!("{error}"))?;
        let name = Text::new(kernel.name.clone(), (-165, -6), ("sans-serif", 13));
        chart.draw_series([EmptyElement::at((low, row + 0.5)) + name]).map_err(|error| anyhow!("{error}"))?;
    }
    Ok(())
}

/// From the lowest to the highest end of the probes' bars, with room.
fn range(results: &Results) -> (f64, f64) {
    let ends = results
        .kernels
        .iter()
        .flat_map(|kernel| [kernel.overhead_pct, kernel.ci95_pct[0], kernel.ci95_pct[1]]);
    let (low, high) = ends.fold((0.0f64, 1.0f64), |(low, high), end| (low.min(end), high.max(end)));
    (low.max(-20.0) * 1.05 - 0.2, high * 1.05)
}

#[cfg(test)]
mod tests {
    use super::super::results::tests::results;
    use super::*;

    #[test]
    fn the_picture_names_every_kernel() {
        let file = std::env::temp_dir().join(format!("overhead-{}.svg", std::process::id()));
        draw(&results(), &file).unwrap();
        let svg = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        for name in ["worst", "gain", "same", "10.25 %"] {
            assert!(svg.contains(name), "{name}");
        }
        assert!(svg.matches("<rect").count() > 6, "background and two bars for each kernel");
        assert!(draw(&results(), Path::new("/nowhere/overhead.svg")).is_err());
    }
}
