//! Gates: rules that say which verdicts of a comparison fail.

use super::budget::{Budget, TOTAL};
use super::comparison::Comparison;
use super::judge::{Judged, Verdict};
use super::rule::Rule;

/// What a comparison has to pass.
#[derive(Debug, Default)]
pub struct Gate {
    pub rules: Vec<Rule>,
    pub budget: Option<Budget>,
    /// Whether a total that is ambiguous or likely slower fails, too.
    pub fails_if_ambiguous: bool,
}

/// What a gate says of comparisons.
#[derive(Debug, Clone, PartialEq)]
pub enum GateResult {
    /// No limit is exceeded.
    Passed {
        /// The totals that are not certain.
        uncertain: Vec<Uncertain>,
    },
    /// A limit is exceeded.
    Broken(Broken),
    /// A limit says nothing, as what it limits is not comparable.
    Unjudged(Unjudged),
}

/// A limit of a gate.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// A rule.
    Rule(Rule),
    /// A limit of the budget, of the total or of the functions with this pattern: on their time in nanoseconds or, without
    /// one, on their change.
    Budget { name: String, time_ns: Option<i64> },
    /// The total has to be certain.
    Ambiguous,
}

/// A limit that a function or the total of a side exceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    pub limit: Limit,
    /// The name of the side.
    pub side: String,
    /// The function or the total.
    pub judged: Box<Judged>,
}

/// A limit that cannot be judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Unjudged {
    pub limit: Limit,
    /// The names of the baseline and of the side that is not comparable with it; `None` if only some functions are not.
    pub sides: Option<[String; 2]>,
    pub reason: String,
}

/// A total that is not certain.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertain {
    /// The name of the side.
    pub side: String,
    pub verdict: Verdict,
    /// Why it is not comparable.
    pub reason: Option<String>,
}

/// A pattern of a budget that matches no function: a limit that would never fail.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no function is called {pattern}; remove the limit, or correct the pattern")]
pub struct UnusedLimit {
    pub pattern: String,
}

impl Gate {
    /// Judges comparisons with one baseline. Fails if the budget has a limit for functions that none of them has.
    pub fn check(&self, all: &[Comparison]) -> Result<GateResult, UnusedLimit> {
        if self.is_open() {
            return Ok(GateResult::Passed { uncertain: Vec::new() });
        }
        if let Some(pattern) = self.budget.as_ref().and_then(|budget| budget.unused(all)) {
            return Err(UnusedLimit { pattern: pattern.to_owned() });
        }
        for comparison in all {
            // The name of a function says more than the total.
            let functions = comparison.functions().iter().map(|it| (false, it));
            let broken = functions
                .chain([(true, comparison.total())])
                .find_map(|(is_total, row)| self.broken_by(comparison, is_total, row));
            if let Some(broken) = broken {
                return Ok(GateResult::Broken(broken));
            }
        }
        if let Some(unjudged) = all.iter().find_map(|comparison| self.unjudged(comparison)) {
            return Ok(GateResult::Unjudged(unjudged));
        }
        Ok(GateResult::Passed { uncertain: all.iter().filter_map(uncertain).collect() })
    }

    /// Whether there is no limit. A comparison that cannot be judged fails a gate only beside a limit.
    pub const fn is_open(&self) -> bool {
        self.rules.is_empty() && self.budget.is_none()
    }

    /// Returns the first limit that the total or a function exceeds.
    pub fn broken_by(
        &self,
        comparison: &Comparison,
        is_total: bool,
        row: &Judged,
    ) -> Option<Broken> {
        let rule = self.rules.iter().find(|rule| rule.is_broken(is_total, row));
        let rule = rule.cloned().map(Limit::Rule);
        let of_budget = || {
            let (name, time_ns) = self.budget.as_ref()?.exceeded(is_total, row)?;
            Some(Limit::Budget { name: name.to_owned(), time_ns })
        };
        let ambiguous = || {
            let is_uncertain = is_total && self.fails_if_ambiguous;
            let is_uncertain = is_uncertain && row.verdict != Verdict::NotComparable;
            (is_uncertain && uncertain(comparison).is_some()).then_some(Limit::Ambiguous)
        };
        let limit = rule.or_else(of_budget).or_else(ambiguous)?;
        Some(Broken { limit, side: comparison.new.name.clone(), judged: Box::new(row.clone()) })
    }

    /// Returns the first limit that says nothing, as what it limits is not comparable.
    fn unjudged(&self, comparison: &Comparison) -> Option<Unjudged> {
        let total = comparison.total();
        let rule = self.rules.first().cloned().map(Limit::Rule);
        let rule = rule.or_else(|| self.fails_if_ambiguous.then_some(Limit::Ambiguous));
        let budget = self.budget.as_ref();
        let of_total = budget.filter(|budget| budget.limits_change_of_total());
        let of_total = of_total.map(|_| Limit::Budget { name: TOTAL.to_owned(), time_ns: None });
        let limit = rule.or(of_total).filter(|_| total.verdict == Verdict::NotComparable);
        if let Some(limit) = limit {
            let reason = total.reason.as_deref().unwrap_or("there are too few runs").to_owned();
            let sides = [&comparison.base, &comparison.new].map(|side| side.name.clone());
            return Some(Unjudged { limit, sides: Some(sides), reason });
        }
        let (name, reason) = budget?.unjudged(comparison.functions())?;
        let limit = Limit::Budget { name: name.to_owned(), time_ns: None };
        Some(Unjudged { limit, sides: None, reason: reason.to_owned() })
    }
}

/// Returns what is not certain about the total.
fn uncertain(comparison: &Comparison) -> Option<Uncertain> {
    let Judged { verdict, reason, .. } = comparison.total();
    let is_uncertain =
        matches!(verdict, Verdict::Ambiguous | Verdict::NotComparable | Verdict::LikelySlower);
    is_uncertain.then(|| Uncertain {
        side: comparison.new.name.clone(),
        verdict: *verdict,
        reason: reason.clone(),
    })
}
