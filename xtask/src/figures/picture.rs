//! PNG from SVG.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use resvg::{tiny_skia, usvg};

/// Pixels of the PNG for each of the SVG.
const SCALE: f32 = 2.0;

/// Draws `svg` as `png`.
///
/// # Errors
/// When the SVG cannot be read, the system has no font, or the PNG cannot be written.
pub(super) fn png(svg: &Path, png: &Path) -> Result<()> {
    let data = std::fs::read(svg).with_context(|| format!("read {}", svg.display()))?;
    let mut options = usvg::Options::default();
    let fonts = Arc::make_mut(&mut options.fontdb);
    fonts.load_system_fonts();
    ensure!(
        !fonts.is_empty(),
        "the system has no font for the pictures' text; install one: apt-get install fonts-dejavu-core"
    );
    // What stands for `sans-serif` has another name on every system: any font there is will do.
    let family = fonts.faces().find(|face| face.families.iter().any(|(name, _)| name == "DejaVu Sans"));
    let family = family.or_else(|| fonts.faces().next()).map(|face| face.families[0].0.clone());
    fonts.set_sans_serif_family(family.unwrap_or_default());
    let tree = usvg::Tree::from_data(&data, &options).with_context(|| format!("in {}", svg.display()))?;
    let size = tree.size().to_int_size().scale_by(SCALE).context("a picture without pixels")?;
    let mut pixels =
        tiny_skia::Pixmap::new(size.width(), size.height()).context("a picture without pixels")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.save_png(png).with_context(|| format!("write {}", png.display()))
}
