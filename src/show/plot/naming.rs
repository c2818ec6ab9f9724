//! Places for the names of points, so that they cover neither each other nor the name of the axis.

use plotters::style::text_anchor::{HPos, VPos};

use super::sizes::Sizes;

/// Width of a letter and height of a line, in heights of the font. Letters of common fonts are narrower.
const LETTER: f64 = 0.62;
const LINE: f64 = 1.25;

/// The names that were placed, as boxes: left, top, right and bottom.
#[derive(Debug, Default)]
pub struct Naming {
    taken: Vec<[f64; 4]>,
}

impl Naming {
    /// Begins with a text that already stands with its corner, at the top and left, at a place.
    pub fn beside(text: &str, (x, y): (i32, i32), sizes: &Sizes) -> Self {
        let (wide, high) = size(text, sizes);
        let (left, top) = (f64::from(x), f64::from(y));
        Self { taken: vec![[left, top, left + wide, top + high]] }
    }

    /// Returns on which side of a point its name goes: above it or below, to the right or to the left. Those that come
    /// first get their places first. Without a place, a name is left out.
    pub fn place(
        &mut self,
        at: (i32, i32),
        name: &str,
        sizes: &Sizes,
        across: (i32, i32),
    ) -> Option<(HPos, VPos)> {
        let (wide, high) = size(name, sizes);
        let (x, y) = (f64::from(at.0), f64::from(at.1));
        let anchors = [
            (HPos::Left, VPos::Bottom),
            (HPos::Right, VPos::Bottom),
            (HPos::Left, VPos::Top),
            (HPos::Right, VPos::Top),
        ];
        for (horizontal, vertical) in anchors {
            // The anchor is the corner of the text that lies at the point.
            let left = if matches!(horizontal, HPos::Left) { x } else { x - wide };
            let top = if matches!(vertical, VPos::Top) { y } else { y - high };
            let around = [left, top, left + wide, top + high];
            let fits = left >= f64::from(across.0) && left + wide <= f64::from(across.1);
            if fits && !self.taken.iter().any(|it| overlap(it, &around)) {
                self.taken.push(around);
                return Some((horizontal, vertical));
            }
        }
        None
    }
}

#[expect(clippy::cast_precision_loss, reason = "names are short")]
fn size(text: &str, sizes: &Sizes) -> (f64, f64) {
    (text.chars().count() as f64 * LETTER * sizes.font, LINE * sizes.font)
}

fn overlap(one: &[f64; 4], other: &[f64; 4]) -> bool {
    let [left, top, right, bottom] = one;
    let [other_left, other_top, other_right, other_bottom] = other;
    left < other_right && other_left < right && top < other_bottom && other_top < bottom
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::svg::SIZES;

    #[test]
    fn names_of_neighbors_do_not_overlap() {
        let mut naming = Naming::default();
        let places: Vec<_> = (0..6)
            .map(|nth| naming.place((400, 100 + nth), "call 60262", &SIZES, (78, 744)))
            .collect();
        assert_eq!(places.iter().flatten().count(), 4);
        assert!(matches!(places.first(), Some(Some((HPos::Left, VPos::Bottom)))));
        for (nth, one) in naming.taken.iter().enumerate() {
            assert!(naming.taken.iter().skip(nth + 1).all(|other| !overlap(one, other)));
        }
    }

    #[test]
    fn names_at_an_edge_go_inwards() {
        let mut naming = Naming::default();
        let place = naming.place((700, 100), "call 60262", &SIZES, (78, 744));
        assert!(matches!(place, Some((HPos::Right, VPos::Bottom))));
        assert!(naming.place((700, 40), "call 60262", &SIZES, (690, 710)).is_none());
    }
}
