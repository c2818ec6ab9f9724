//! Values of flags: times, shares, numbers of invocations, and files that are written.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PathBufValueParser, TypedValueParser};

use crate::engine::Warmup;
use crate::remote::is_address;
use crate::report::text::parse_with_unit;

pub use crate::compare::share;

/// Parses a duration such as `500ms`, `30s`, `5m` or `1h`; a number without unit is in seconds. Zero is an error.
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("m", 60.0), ("h", 3600.0), ("", 1.0)];
    let seconds = parse_with_unit(text, &units)
        .ok_or_else(|| "expected a number with the unit ms, s, m or h".to_owned())?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|limit| !limit.is_zero())
        .ok_or_else(|| "the time is zero, negative or too large".to_owned())
}

/// Parses a path of this machine, for commands that do not write to object stores.
pub fn local() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.to_str().is_some_and(is_address) {
            return Err("this is written to files of this machine, not to an object store");
        }
        Ok(path)
    })
}

/// Parses a value of `--warmup`.
pub fn warmup(value: &str) -> Result<Warmup, String> {
    Warmup::parse(value)
        .ok_or_else(|| "the values are auto, keep, or a number of invocations".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in [("500ms", 500), ("30s", 30_000), ("2", 2000), ("1.5m", 90_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "x", "0s", "-1s", "1d", "1e99h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
