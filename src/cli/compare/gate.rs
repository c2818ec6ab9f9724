//! The gate of a comparison: which verdicts fail.

use super::compared::Compared;
use super::text::{change, shown_name};
use crate::cli::error::CliError;
use crate::compare::{Judged, Verdict};

/// A rule of `--fail-on`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Whether only the total counts, or each function as well.
    is_of_total: bool,
    /// The share by which it may be slower.
    share: f64,
    text: String,
}

/// The rules that decide the exit code.
pub struct Gate<'a> {
    pub rules: &'a [Rule],
    pub fails_if_ambiguous: bool,
}

impl Gate<'_> {
    /// Fails with the rule that a side breaks. Says on standard error that none is broken.
    pub fn check(&self, all: &[Compared<'_>]) -> Result<(), CliError> {
        if self.rules.is_empty() {
            return Ok(());
        }
        for compared in all {
            let total = &compared.found.total;
            for rule in self.rules {
                let functions = compared.found.functions.iter().filter(|_| !rule.is_of_total);
                let mut all = functions.chain([total]);
                if let Some(slower) = all.find(|it| rule.is_broken(it)) {
                    let by = slower.interval.map(|it| change(it.ratio)).unwrap_or_default();
                    return Err(CliError::No(format!(
                        "--fail-on {}: {} of {} changed by {by}",
                        rule.text,
                        shown_name(slower),
                        compared.new.name
                    )));
                }
            }
            if self.fails_if_ambiguous && total.verdict == Verdict::Ambiguous {
                return Err(CliError::No(format!(
                    "--ambiguous=fail: it is not certain whether {} is slower",
                    compared.new.name
                )));
            }
        }
        let rules: Vec<&str> = self.rules.iter().map(|rule| rule.text.as_str()).collect();
        eprintln!("ireescope: passed: nothing breaks --fail-on {}", rules.join(" or "));
        Ok(())
    }
}

impl Rule {
    fn is_broken(&self, judged: &Judged) -> bool {
        let ratio = judged.interval.map_or(1.0, |it| it.ratio);
        judged.verdict == Verdict::Slower && ratio > 1.0 + self.share
    }
}

/// Parses a value of `--fail-on`.
pub fn rule(text: &str) -> Result<Rule, String> {
    let (what, limit) = text.split_once(':').unwrap_or((text, "0%"));
    let is_of_total = match what {
        "slower" => false,
        "total" => true,
        _ => return Err("a rule is slower, slower:2% or total:1%".to_owned()),
    };
    Ok(Rule { is_of_total, share: share(limit)?, text: text.to_owned() })
}

/// Parses a share in percent, such as `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim();
    let percent = number.parse::<f64>().ok().filter(|it| (0.0..1e6).contains(it));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "write a share like 2%".to_owned())
}
