//! What parameters of several functions have in common: their names in texts, and the values that they take.

use std::ops::RangeInclusive;
use std::time::Duration;

use ireescope::base::words::OptionStyle;
use ireescope::capture::Stop;

use crate::failure::{Done, Failure};

/// The parameters of Python whose names differ from those of the library's options.
const RENAMED: [(&str, &str); 8] = [
    ("compile_timeout", "compile_limit"),
    ("default_config", "default_config=True"),
    ("dispatch", "dispatches"),
    ("generated_dir", "output"),
    ("iree_bin_dir", "tool_folder"),
    ("run_timeout", "run_limit"),
    ("spill_dir", "spill_folder"),
    ("time_limit", "run_limit"),
];

/// How texts of the library spell options.
pub const PARAMETERS: OptionStyle = OptionStyle(parameter);

fn parameter(option: &str) -> Option<String> {
    let (name, value) = option.split_at(option.find(['=', ' ']).unwrap_or(option.len()));
    let (_, new) = RENAMED.iter().find(|(old, _)| *old == name)?;
    Some(format!("parameter `{new}{value}`"))
}

/// Spells the options that a failure names as parameters.
pub fn spelled(failure: Failure) -> Failure {
    let spell = |text: String| PARAMETERS.spell(&text);
    match failure {
        Failure::Usage(text) => Failure::Usage(spell(text)),
        Failure::Resource(text) => Failure::Resource(spell(text)),
        Failure::Verdict(text) => Failure::Verdict(spell(text)),
        other => other,
    }
}

/// Converts a number of seconds.
pub fn seconds(parameter: &str, seconds: f64) -> Done<Duration> {
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.ok_or_else(|| {
        Failure::Usage(format!("{parameter} is a positive number of seconds, not {seconds}"))
    })
}

/// Converts a number that must be within limits.
pub fn within(parameter: &str, number: i64, limits: RangeInclusive<u32>) -> Done<u32> {
    let fits = u32::try_from(number).ok().filter(|number| limits.contains(number));
    fits.ok_or_else(|| {
        let (least, most) = (limits.start(), limits.end());
        let range = match *most {
            u32::MAX => format!("at least {least}"),
            most => format!("from {least} to {most}"),
        };
        Failure::Usage(format!("{parameter} is a number {range}, not {number}"))
    })
}

/// Asks for an urgent stop.
pub fn stop_urgently(stop: &Stop) {
    stop.ask();
    stop.ask();
}
