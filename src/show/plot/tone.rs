//! Colors by what they say. They are those of Okabe and Ito, which color-blind people tell apart.

use plotters::style::RGBColor;

/// What a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// The subject.
    #[default]
    Main,
    /// A second one beside it.
    Second,
    /// A third one.
    Third,
    /// What is left out or matters less.
    Muted,
    /// What got worse, or is wrong.
    Bad,
    /// What got better.
    Good,
    /// Text and axes.
    Ink,
}

impl Tone {
    /// All tones.
    pub const ALL: [Self; 7] =
        [Self::Main, Self::Second, Self::Third, Self::Muted, Self::Bad, Self::Good, Self::Ink];

    /// Returns the color on white.
    pub(crate) const fn color(self) -> RGBColor {
        match self {
            Self::Main => RGBColor(0, 114, 178),
            Self::Second => RGBColor(230, 159, 0),
            Self::Third => RGBColor(204, 121, 167),
            Self::Muted => RGBColor(140, 140, 140),
            Self::Bad => RGBColor(213, 94, 0),
            Self::Good => RGBColor(0, 158, 115),
            Self::Ink => RGBColor(34, 34, 34),
        }
    }

    /// Returns the color on a dark ground.
    pub(crate) const fn on_dark(self) -> &'static str {
        match self {
            Self::Main => "#56B4E9",
            Self::Second => "#F0C14B",
            Self::Third => "#E3A6C8",
            Self::Muted => "#8C8C8C",
            Self::Bad => "#FF8A4C",
            Self::Good => "#3FCFA0",
            Self::Ink => "#DDDDDD",
        }
    }

    /// Returns the color on white as SVG writes it.
    pub fn name(self) -> String {
        let RGBColor(red, green, blue) = self.color();
        format!("#{red:02X}{green:02X}{blue:02X}")
    }
}
