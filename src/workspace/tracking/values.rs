//! Labels and times of entries, as users write them.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, SecondsFormat, Utc};

/// A text that is no label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a label is KEY=VALUE, without commas")]
pub struct LabelError;

/// A text that is no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a time like 2026-11-26 or 2026-11-26T08:30:00Z")]
pub struct TimeError;

/// Parses a label.
pub fn label(text: &str) -> Result<String, LabelError> {
    let is_label = text.split_once('=').is_some_and(|(key, _)| !key.trim().is_empty());
    if is_label && !text.contains([',', '\n']) { Ok(text.to_owned()) } else { Err(LabelError) }
}

/// Parses a time, and returns it in UTC.
pub fn time(text: &str) -> Result<String, TimeError> {
    let zoned = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    let plain = || text.parse::<NaiveDateTime>().ok().map(|time| time.and_utc());
    let date = || Some(text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0)?.and_utc());
    let found = zoned.or_else(plain).or_else(date);
    found.filter(|time| (1..=9999).contains(&time.year())).map(written).ok_or(TimeError)
}

/// Returns the present time.
pub fn now() -> String {
    written(Utc::now())
}

fn written(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        for (given, utc) in [
            ("2026-11-26", "2026-11-26T00:00:00Z"),
            ("2026-11-26T08:30:01", "2026-11-26T08:30:01Z"),
            ("2026-11-26T08:30:01.9+02:00", "2026-11-26T06:30:01Z"),
        ] {
            assert_eq!(time(given).as_deref(), Ok(utc));
        }
        assert!(time("yesterday").is_err());
        assert!(time("+12026-01-01").is_err());
    }

    #[test]
    fn labels_have_keys_and_no_commas() {
        assert_eq!(label("model=a=b").as_deref(), Ok("model=a=b"));
        for wrong in ["model", "=a", "a=b,c"] {
            assert!(label(wrong).is_err(), "{wrong}");
        }
    }
}
