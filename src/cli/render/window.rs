//! Time windows of a capture: `START:END`, each a time from its beginning or a percentage of its duration.

/// A time window. An end that is `None` is unbounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    start: Option<Moment>,
    end: Option<Moment>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    Nanoseconds(f64),
    Percent(f64),
}

impl Window {
    /// Parses `START:END`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a valid window; write START:END, each in nanoseconds, with the unit us, ms or s, or as a percentage, such as 10ms:20ms or 25%:50%"
            )
        };
        let (start, end) = text.split_once(':').ok_or_else(wrong)?;
        let moment = |text: &str| match text.trim() {
            "" => Ok(None),
            text => Moment::parse(text).map(Some).ok_or_else(wrong),
        };
        Ok(Self { start: moment(start)?, end: moment(end)? })
    }

    /// Converts the window to times in nanoseconds for a capture from `first` to `last`.
    pub fn within(&self, first: i64, last: i64) -> (i64, i64) {
        let length = last.saturating_sub(first);
        let time = |moment: Moment| first.saturating_add(moment.of(length));
        (self.start.map_or(i64::MIN + 1, time), self.end.map_or(i64::MAX, time))
    }
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        // `s` and the empty unit come last, because other units end with them.
        let units =
            [("%", 0.0), ("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("", 1.0)];
        let (number, scale) = units
            .iter()
            .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?.trim(), *scale)))?;
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
        Some(if scale == 0.0 { Self::Percent(number) } else { Self::Nanoseconds(number * scale) })
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a window needs no precision; casts saturate"
    )]
    fn of(self, length: i64) -> i64 {
        match self {
            Self::Nanoseconds(number) => number.round() as i64,
            Self::Percent(number) => (length as f64 * number / 100.0).round() as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_units() {
        let within = |text: &str| Window::parse(text).unwrap().within(1000, 5000);
        assert_eq!(within("100:200"), (1100, 1200));
        assert_eq!(within("1us:1.5us"), (2000, 2500));
        assert_eq!(within("25%:50%"), (2000, 3000));
        assert_eq!(within("50%:"), (3000, i64::MAX));
        assert_eq!(within(":0.002ms"), (i64::MIN + 1, 3000));
        for wrong in ["5", "a:b", "1x:2", "nan:1", "1:2:3"] {
            assert!(Window::parse(wrong).is_err(), "{wrong}");
        }
    }
}
