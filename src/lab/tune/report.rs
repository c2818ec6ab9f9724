//! The text of `report.md`, which says what tuning gained.

use std::fmt::Write as _;

use model::compare::Standing;
use report::text::{change, counted, duration};

use super::plan::Plan;
use super::proof::Proof;
use super::targets::Skipped;

/// Shares of the time below this are not worth a line.
const SMALL: f64 = 0.01;

impl Plan {
    /// Returns the dispatches that are left as they are, but for small ones.
    pub fn skipped_large(&self) -> impl Iterator<Item = &Skipped> {
        self.skipped.iter().filter(|it| it.share >= SMALL)
    }
}

/// Says that nothing pays, or that there was no time to prove that it does.
pub(crate) fn of_nothing(is_in_time: bool) -> &'static str {
    if is_in_time {
        "Nothing that was tried is faster than the compiler's own choice in new runs.\n"
    } else {
        "It is not proven that anything that was tried is faster than the compiler's own choice: the time ended first.\n"
    }
}

/// Says what was gained, and with which flags a model is compiled.
pub(crate) fn of_gain(plan: &Plan, proof: &Proof, flags: &[String]) -> String {
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
    for ((target, point), found) in plan.targets.iter().zip(&proof.points).zip(&proof.targets) {
        if *point == target.space.own {
            let _ = writeln!(text, "- {}: nothing that was tried is faster", target.name());
            continue;
        }
        let _ = writeln!(text, "- {}: {}", target.name(), speedup(found));
        let _ = writeln!(text, "  - before: `{}`", target.text(target.space.own));
        let _ = writeln!(text, "  - after: `{}`", target.text(*point));
    }
    for skipped in plan.skipped_large() {
        let _ = writeln!(text, "- {}: not tuned, {}", skipped.name, skipped.why);
    }
    let _ = writeln!(text, "\nCompile with {}", flags.join(" "));
    text
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
