//! Charts as SVG: as documents of their own, and as elements of a page, which gives them its colors.

use std::fmt::Write as _;

use plotters::prelude::{IntoDrawingArea, SVGBackend};

use super::chart::Chart;
use super::draw::{draw, height};
use super::sizes::{PlotError, Sizes};
use super::tone::Tone;

/// The sizes in a page: text of 12 pixels on 720.
pub const SIZES: Sizes = Sizes {
    width: 720,
    font: 12.0,
    row: 24,
    bar: 0.64,
    plane: 220,
    below: 42,
    beside: 250,
    point: 3,
    letters: 34,
    has_grid: true,
    right: 24,
};
/// Width of the labels of the y axis of a plane.
const BESIDE_A_PLANE: u32 = 78;

/// Returns a document with a title, on white or, where the reader's colors are dark, on black.
pub fn document(chart: &Chart, title: &str) -> Result<String, PlotError> {
    let mut colors = String::new();
    for tone in Tone::ALL {
        let (light, dark) = (tone.name(), tone.on_dark());
        let _ = write!(
            colors,
            "[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}"
        );
    }
    let style = format!(
        "<style>svg{{background:#fff}}@media (prefers-color-scheme:dark){{svg{{background:#1b1b1b}}{colors}}}</style>"
    );
    element(chart, title, &style, " xmlns=\"http://www.w3.org/2000/svg\"")
}

/// Returns an element for a page, with alternative text, and with titles of the points or bars in the order in which they are
/// drawn. The page has rules for the colors ([`Tone::name`]).
pub fn embedded(chart: &Chart, alternative: &str, titles: &[String]) -> Result<String, PlotError> {
    let drawn = element(chart, alternative, "", "")?;
    let mark = if matches!(chart, Chart::Plane(_)) { "<circle" } else { "<rect" };
    let mut titles = titles.iter();
    let mut parts = drawn.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(mark);
        match (part.split_once("/>"), titles.next()) {
            (Some((attributes, rest)), Some(title)) => {
                let name = mark.trim_start_matches('<');
                let _ =
                    write!(out, "{attributes}><title>{}</title></{name}>{rest}", escaped(title));
            }
            _ => out.push_str(part),
        }
    }
    Ok(out)
}

fn element(chart: &Chart, text: &str, style: &str, more: &str) -> Result<String, PlotError> {
    let is_plane = matches!(chart, Chart::Plane(_));
    let beside = if is_plane { BESIDE_A_PLANE } else { SIZES.beside };
    let sizes = Sizes { beside, ..SIZES };
    let height = height(chart, &sizes);
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, (sizes.width, height)).into_drawing_area();
        draw(chart, &area, &sizes)?;
    }
    // What is drawn is within an element that says less than is needed.
    let inner = drawn.split_once('>').map_or("", |(_, rest)| rest);
    let inner = inner.rsplit_once("</svg>").map_or(inner, |(inner, _)| inner);
    let compact: String = inner.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let compact = compact.replace(" opacity=\"1\"", "").replace(" stroke=\"none\"", "");
    let compact = compact.replace("stroke-width=\"1\"/>", "/>");
    let key = key(chart, height);
    let all = height + if key.is_empty() { 0 } else { 22 };
    let (width, text) = (sizes.width, escaped(text));
    Ok(format!(
        "<svg{more} viewBox=\"0 0 {width} {all}\" width=\"{width}\" height=\"{all}\" role=\"img\" aria-label=\"{text}\" \
         font-family=\"system-ui, sans-serif\"><title>{text}</title>{style}{compact}{key}</svg>"
    ))
}

/// Returns what tones mean, below the chart.
fn key(chart: &Chart, height: u32) -> String {
    let mut out = String::new();
    let mut left = 12;
    for (tone, name) in chart.key() {
        let (color, ink) = (tone.name(), Tone::Ink.name());
        let (top, base, after) = (height + 5, height + 15, left + 16);
        let _ = write!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"10\" height=\"10\" fill=\"{color}\"/>\
             <text x=\"{after}\" y=\"{base}\" font-size=\"12\" fill=\"{ink}\">{}</text>",
            escaped(name)
        );
        left += 34 + 7 * u32::try_from(name.chars().count()).unwrap_or(0);
    }
    out
}

/// Escapes a text for an element or an attribute in double quotes. What is no character of XML becomes U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(' '),
            other if other.is_control() || matches!(other, '\u{FFFE}' | '\u{FFFF}') => {
                out.push('\u{FFFD}');
            }
            other => out.push(other),
        }
    }
    out
}
