//! The text of `report.md`, which says what tuning gained.

use std::fmt::Write as _;

use model::compare::Standing;
use report::text::{change, counted, duration};

use super::plan::Plan;
use super::proof::Proof;
use super::targets::{Skipped, Target};
use super::tried::Tried;

/// Shares of the time below this are not worth a line.
const SMALL: f64 = 0.01;

impl Plan {
    /// Returns the dispatches that are left as they are, but for small ones.
    pub fn skipped_large(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|it| it.share >= SMALL)
    }
}

/// Says that nothing pays, that nothing was measured, or that there was no time to prove anything. Names the targets of
/// which not all configurations could be measured, and why.
pub(crate) fn of_nothing(targets: &[Target], tried: &[Tried], is_in_time: bool) -> String {
    let has = |count: fn(&Tried) -> u64| tried.iter().any(|it| count(it) > 0);
    let head = if !has(Tried::all) {
        "Nothing was tried, so nothing is known to be faster than the compiler's own choice."
    } else if !has(|it| it.measured) {
        "Nothing that was tried could be measured, so it is not known whether anything is faster than the compiler's own choice."
    } else if is_in_time {
        "Nothing that was tried is faster than the compiler's own choice in new runs."
    } else {
        "It is not proven that anything that was tried is faster than the compiler's own choice: the time ended first."
    };
    let refused = targets.iter().zip(tried).filter_map(|(target, tried)| {
        Some(format!("- {}: {}\n", target.functions.join(", "), tried.refused()?))
    });
    let refused: String = refused.collect();
    let between = if refused.is_empty() { "" } else { "\n" };
    format!("{head}\n{between}{refused}")
}

/// Says what was gained, and with which flags a model is compiled.
pub(crate) fn of_gain(plan: &Plan, proof: &Proof, tried: &[Tried], flags: &[String]) -> String {
    let mut text = String::new();
    let [base, new] = proof.ns;
    let _ = writeln!(
        text,
        "The tuned model takes {} an iteration instead of {}: it is {}.",
        duration(new),
        duration(base),
        speedup(&proof.total)
    );
    let _ = writeln!(
        text,
        "The intervals are from {} of new runs, and hold however often they were looked at.\n",
        counted(proof.total.pairs, "pair")
    );
    let found = proof.points.iter().zip(&proof.targets).zip(tried);
    for (target, ((point, standing), tried)) in plan.targets.iter().zip(found) {
        let names = target.functions.join(", ");
        if *point == target.space.own {
            let _ = writeln!(text, "- {names}: {}", of_own(tried));
            continue;
        }
        let _ = writeln!(text, "- {names}: {}", speedup(standing));
        let _ = writeln!(text, "  - before: `{}`", target.text(target.space.own));
        let _ = writeln!(text, "  - after: `{}`", target.text(*point));
    }
    for skipped in plan.skipped_large() {
        let _ = writeln!(text, "- {}: not tuned, {}", skipped.name, skipped.why);
    }
    let _ = writeln!(text, "\nCompile with {}", flags.join(" "));
    text
}

/// Says why a target stays as it is.
fn of_own(tried: &Tried) -> String {
    match (tried.measured, tried.refused()) {
        (0, None) => "nothing was tried".to_owned(),
        (0, Some(refused)) => refused,
        (_, None) => "nothing that was tried is faster".to_owned(),
        (_, Some(refused)) => format!("nothing that was tried is faster; {refused}"),
    }
}

/// Formats a ratio of times as a speed-up with its interval.
pub fn speedup(of: &Standing) -> String {
    let Some(it) = of.interval else { return "too early to tell".to_owned() };
    format!(
        "{:.2} times as fast (time {}; 95 % interval {} to {})",
        it.ratio.recip(),
        change(it.ratio),
        change(it.low),
        change(it.high)
    )
}
