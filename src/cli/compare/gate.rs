//! The gate of a comparison: which verdicts fail.

use std::path::Path;

use super::budget::{Budget, is_slower};
use super::compared::Compared;
use super::text::{shown_change, shown_name};
use crate::cli::error::CliError;
use crate::cli::nothing::similar;
use crate::cli::values::share;
use crate::compare::{Judged, Verdict};

/// A rule of `--fail-on`.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Whether only the total counts, or each function as well.
    is_of_total: bool,
    /// The share by which it may be slower.
    share: f64,
    /// As it was given.
    pub text: String,
}

/// What decides the exit code.
pub struct Gate<'a> {
    rules: &'a [Rule],
    budget: Option<(&'a Path, Budget)>,
    fails_if_ambiguous: bool,
}

impl<'a> Gate<'a> {
    /// Reads the budget.
    pub fn new(
        rules: &'a [Rule],
        budget: Option<&'a Path>,
        fails_if_ambiguous: bool,
    ) -> Result<Self, CliError> {
        let budget = match budget {
            Some(path) => Some((path, Budget::read(path)?)),
            None => None,
        };
        Ok(Self { rules, budget, fails_if_ambiguous })
    }

    /// Fails with the rule that a side breaks, or with what cannot be judged. Says on standard error that no rule is broken.
    pub fn check(&self, all: &[Compared<'_>]) -> Result<(), CliError> {
        if self.is_open() {
            return Ok(());
        }
        let budget = self.budget.as_ref().map(|(path, _)| format!("--budget {}", path.display()));
        let rules = self.rules.iter().map(|rule| format!("--fail-on {}", rule.text));
        let rules: Vec<String> = rules.chain(budget).collect();
        if let Some((path, budget)) = &self.budget
            && let Some(pattern) = budget.unused(all)
        {
            let functions = all.iter().flat_map(|it| &it.found.functions);
            let names: Vec<&str> = functions.map(|it| it.new.as_str()).collect();
            let near = similar(pattern, &names).join(" or ");
            let meant = if near.is_empty() { near } else { format!("; did you mean {near}?") };
            return Err(CliError::Usage(format!(
                "--budget {}: no function is called {pattern}; remove the limit, or correct the pattern{meant}",
                path.display()
            )));
        }
        for compared in all {
            // The name of a function says more than the total.
            let functions = compared.found.functions.iter().map(|it| (false, it));
            let broken = functions
                .chain([(true, &compared.found.total)])
                .find_map(|(is_total, row)| self.broken_by(compared, is_total, row));
            if let Some(broken) = broken {
                return Err(CliError::No(broken));
            }
        }
        if let Some(what) = all.iter().find_map(|compared| self.unjudged(compared)) {
            return Err(CliError::Unjudged(what));
        }
        let open: Vec<String> =
            all.iter().filter_map(unsure).map(|what| format!("; {what}")).collect();
        eprintln!("ireescope: passed: nothing breaks {}{}", rules.join(" or "), open.concat());
        Ok(())
    }

    /// Whether there is no rule.
    pub const fn is_open(&self) -> bool {
        self.rules.is_empty() && self.budget.is_none()
    }

    /// Returns the first rule that the total or a function breaks, and how.
    pub fn broken_by(
        &self,
        compared: &Compared<'_>,
        is_total: bool,
        row: &Judged,
    ) -> Option<String> {
        let side = &compared.new.name;
        let mut rules = self.rules.iter().filter(|rule| is_total || !rule.is_of_total);
        if let Some(rule) = rules.find(|rule| is_slower(row, rule.share)) {
            let (name, by) = (shown_name(row), shown_change(row));
            return Some(format!("--fail-on {}: {name} of {side} changed by {by}", rule.text));
        }
        if let Some((path, budget)) = &self.budget
            && let Some(exceeded) = budget.exceeded(is_total, row)
        {
            return Some(format!("--budget {}, {exceeded} in {side}", path.display()));
        }
        unsure(compared)
            .filter(|_| is_total && self.fails_if_ambiguous)
            .filter(|_| row.verdict != Verdict::NotComparable)
            .map(|what| format!("--ambiguous=fail: {what}"))
    }

    /// Returns the first limit that says nothing, as what it limits is not comparable.
    fn unjudged(&self, compared: &Compared<'_>) -> Option<String> {
        let total = &compared.found.total;
        let budget = self.budget.as_ref();
        let rule = self.rules.first().map(|rule| format!("--fail-on {}", rule.text));
        let rule = rule.or_else(|| self.fails_if_ambiguous.then(|| "--ambiguous=fail".to_owned()));
        let of_total = budget.filter(|(_, budget)| budget.limits_change_of_total());
        let of_total = of_total.map(|(path, _)| format!("--budget {}, total", path.display()));
        let of_total =
            rule.or(of_total).filter(|_| total.verdict == Verdict::NotComparable).map(|what| {
                let reason = total.reason.as_deref().unwrap_or("there are too few runs");
                let (base, new) = (&compared.base.name, &compared.new.name);
                format!("{what} cannot be judged, as {new} is not comparable with {base}: {reason}")
            });
        of_total.or_else(|| {
            let (path, budget) = budget?;
            let (name, reason) = budget.unjudged(&compared.found.functions)?;
            let path = path.display();
            Some(format!("--budget {path}, {name} cannot be judged: {reason}"))
        })
    }
}

/// Returns what is not certain about the total.
fn unsure(compared: &Compared<'_>) -> Option<String> {
    let total = &compared.found.total;
    let side = &compared.new.name;
    let why = total.reason.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    match total.verdict {
        Verdict::Ambiguous | Verdict::NotComparable => {
            Some(format!("it is not certain whether {side} is slower{why}"))
        }
        Verdict::LikelySlower => {
            Some(format!("{side} is likely slower, but there are too few runs to be certain"))
        }
        _ => None,
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
