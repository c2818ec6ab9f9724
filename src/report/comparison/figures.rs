//! Changes and differences in words.

use model::compare::Judged;

use crate::text::duration;

/// Whether the change has another sign than the difference of the means.
pub(super) fn has_other_sign(it: &Judged) -> bool {
    let ratio = it.interval.map_or(1.0, |interval| interval.ratio);
    float(it.delta_ns()) * (ratio - 1.0) < 0.0
}

/// Formats a ratio as a change in percent.
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 100.0 { format!("{percent:+.1} %") } else { format!("{percent:+.0} %") }
}

/// Formats a difference of times with its sign.
pub fn signed(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "+" };
    format!("{sign}{}", duration(float(ns).abs()))
}

#[expect(clippy::cast_precision_loss, reason = "durations are far below 2^53")]
pub const fn float(ns: i64) -> f64 {
    ns as f64
}
