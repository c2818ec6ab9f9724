//! Charts on a terminal: a back end of plotters whose pixels are the dots of Braille characters, two by four in each.

use std::convert::Infallible;

use plotters::prelude::IntoDrawingArea;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::chart::Chart;
use super::draw::{draw, height};
use super::sizes::{PlotError, Sizes};

/// Dots of a character.
const WIDE: u32 = 2;
const HIGH: u32 = 4;

/// Returns a chart as lines of characters of this width.
pub fn characters(chart: &Chart, columns: usize) -> Result<String, PlotError> {
    let columns = u32::try_from(columns.clamp(40, 400)).unwrap_or(80);
    let is_plane = matches!(chart, Chart::Plane(_));
    let letters = if columns < 80 { 16 } else { 34 };
    let sizes = Sizes {
        width: columns * WIDE,
        font: f64::from(HIGH),
        row: HIGH,
        // Higher ones would reach into the next row.
        bar: 0.5,
        plane: 16 * HIGH,
        below: 3 * HIGH,
        beside: if is_plane { 11 * WIDE } else { (letters + 2) * WIDE },
        point: 0,
        letters: letters as usize,
        has_grid: false,
        right: 4 * WIDE,
    };
    let (width, height) = (columns as usize, height(chart, &sizes) / HIGH);
    let mut screen = Screen {
        cells: vec![vec![Cell::default(); width]; height as usize],
        size: (sizes.width, height * HIGH),
    };
    {
        let area = Borrowed(&mut screen).into_drawing_area();
        draw(chart, &area, &sizes)?;
    }
    let mut lines: Vec<String> = screen.cells.iter().map(|cells| line(cells)).collect();
    let names = chart.key().iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
    if !names.is_empty() {
        lines.push(names);
    }
    Ok(lines.join("\n") + "\n")
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The dots, as in the block of Unicode.
    dots: u8,
    letter: Option<char>,
}

fn line(cells: &[Cell]) -> String {
    let letter = |cell: &Cell| match (cell.letter, cell.dots) {
        (Some(letter), _) => letter,
        (None, 0) => ' ',
        (None, dots) => char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' '),
    };
    cells.iter().map(letter).collect::<String>().trim_end().to_owned()
}

struct Screen {
    cells: Vec<Vec<Cell>>,
    size: (u32, u32),
}

impl Screen {
    fn cell(&mut self, x: i32, y: i32) -> Option<&mut Cell> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        self.cells.get_mut(y)?.get_mut(x)
    }
}

struct Borrowed<'a>(&'a mut Screen);

/// The dots of a character by row, each for the left and the right one.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl DrawingBackend for Borrowed<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.0.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(
        &mut self,
        (x, y): (i32, i32),
        color: BackendColor,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let dot = usize::try_from(y.rem_euclid(4)).ok().and_then(|row| DOTS.get(row));
        let dot = dot.and_then(|row| row.get(usize::from(x.rem_euclid(2) == 1)));
        // What is faint on paper is left out here.
        if color.alpha > 0.3
            && let (Some(dot), Some(cell)) = (dot, self.0.cell(x.div_euclid(2), y.div_euclid(4)))
        {
            cell.dots |= dot;
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): (i32, i32),
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let length = i32::try_from(text.chars().count()).unwrap_or(0);
        let column = x.div_euclid(2)
            - match style.anchor().h_pos {
                HPos::Left => 0,
                HPos::Center => length / 2,
                HPos::Right => length,
            };
        let row = match style.anchor().v_pos {
            VPos::Top => y.div_euclid(4),
            VPos::Center => (y - 2).div_euclid(4),
            VPos::Bottom => (y - 4).div_euclid(4),
        };
        for (letter, column) in text.chars().zip(column..) {
            if let Some(cell) = self.0.cell(column, row) {
                cell.letter = Some(letter);
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok((u32::try_from(text.chars().count()).unwrap_or(0) * WIDE, HIGH))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: (i32, i32),
        _radius: u32,
        style: &S,
        _fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.draw_pixel(center, style.color())
    }
}
