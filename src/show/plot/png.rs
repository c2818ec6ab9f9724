//! Charts as PNG: the SVG on white, with a font that the program brings, as machines have different ones.

use std::sync::Arc;

use epaint_default_fonts::UBUNTU_LIGHT;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

use super::sizes::PlotError;

/// Pixels for each unit of the SVG: sharp on screens of high density, and in print.
const SCALE: f32 = 2.0;

/// Draws an SVG document.
pub fn png(document: &str) -> Result<Vec<u8>, PlotError> {
    let mut fonts = Database::new();
    fonts.load_font_data(UBUNTU_LIGHT.to_vec());
    let family =
        fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    let family = family.unwrap_or_default();
    fonts.set_sans_serif_family(&family);
    let options = Options { fontdb: Arc::new(fonts), font_family: family, ..Options::default() };
    let failed = |error: &dyn std::fmt::Display| PlotError(error.to_string());
    let tree = Tree::from_str(document, &options).map_err(|error| failed(&error))?;
    let size = tree.size().to_int_size().scale_by(SCALE).ok_or_else(|| failed(&"it is empty"))?;
    let mut pixels =
        Pixmap::new(size.width(), size.height()).ok_or_else(|| failed(&"it is too large"))?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(&error))
}
