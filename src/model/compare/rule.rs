//! Rules: by which share a function or the total may be slower.

use std::fmt;
use std::str::FromStr;

use super::judge::{Judged, Verdict};

/// A rule: a function or the total may be slower by no more than a share.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Whether only the total counts, or each function as well.
    is_of_total: bool,
    /// The share by which it may be slower.
    share: f64,
    /// As it was written.
    text: String,
}

/// Why a text is no rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It begins with another word.
    #[error("a rule is slower, slower:2% or total:1%")]
    Unknown,
    /// The share is wrong.
    #[error(transparent)]
    Share(#[from] ShareError),
}

impl FromStr for Rule {
    type Err = RuleError;

    /// Parses `slower`, `slower:2%` or `total:1%`.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (what, limit) = text.split_once(':').unwrap_or((text, "0%"));
        let is_of_total = match what {
            "slower" => false,
            "total" => true,
            _ => return Err(RuleError::Unknown),
        };
        Ok(Self { is_of_total, share: share(limit)?, text: text.to_owned() })
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Rule {
    /// Whether the total or a function breaks it.
    pub(crate) fn is_broken(&self, is_total: bool, judged: &Judged) -> bool {
        (is_total || !self.is_of_total) && is_slower(judged, self.share)
    }
}

/// Whether a function is slower by more than a share.
pub fn is_slower(judged: &Judged, share: f64) -> bool {
    let ratio = judged.interval.map_or(1.0, |it| it.ratio);
    judged.verdict == Verdict::Slower && ratio > 1.0 + share
}

/// A text that is no share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a share like 2%")]
pub struct ShareError;

/// Parses a share in percent, such as `2%`.
pub fn share(text: &str) -> Result<f64, ShareError> {
    let number = text.strip_suffix('%').map(str::trim);
    let percent = number.and_then(|it| it.parse::<f64>().ok()).filter(|it| (0.0..1e6).contains(it));
    percent.map(|percent| percent / 100.0).ok_or(ShareError)
}
