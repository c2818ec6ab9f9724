//! Time windows of a capture: `START:END`, each a time from its beginning or a percentage of its duration.

use std::str::FromStr;

use report::text::parse_with_unit;

use super::error::TimelineError;

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

impl FromStr for Window {
    type Err = TimelineError;

    /// Parses `START:END`.
    fn from_str(text: &str) -> Result<Self, TimelineError> {
        let wrong = || TimelineError::Window(text.to_owned());
        let (start, end) = text.split_once(':').ok_or_else(wrong)?;
        let moment = |text: &str| match text.trim() {
            "" => Ok(None),
            text => Moment::parse(text).map(Some).ok_or_else(wrong),
        };
        Ok(Self { start: moment(start)?, end: moment(end)? })
    }
}

impl Window {
    /// Converts the window to times in nanoseconds for a capture from `first` to `last`.
    pub fn within(&self, first: i64, last: i64) -> (i64, i64) {
        let length = last.saturating_sub(first);
        let time = |moment: Moment| first.saturating_add(moment.of(length));
        (self.start.map_or(i64::MIN + 1, time), self.end.map_or(i64::MAX, time))
    }
}

impl Moment {
    fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.strip_suffix('%') {
            return parse_with_unit(number, &[("", 1.0)]).map(Self::Percent);
        }
        let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("", 1.0)];
        parse_with_unit(text, &units).map(Self::Nanoseconds)
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
        let within = |text: &str| text.parse::<Window>().unwrap().within(1000, 5000);
        assert_eq!(within("100:200"), (1100, 1200));
        assert_eq!(within("1us:1.5us"), (2000, 2500));
        assert_eq!(within("25%:50%"), (2000, 3000));
        assert_eq!(within("50%:"), (3000, i64::MAX));
        assert_eq!(within(":0.002ms"), (i64::MIN + 1, 3000));
        for wrong in ["5", "a:b", "1x:2", "nan:1", "1:2:3"] {
            assert!(wrong.parse::<Window>().is_err(), "{wrong}");
        }
    }
}
