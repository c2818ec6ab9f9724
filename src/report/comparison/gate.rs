//! What a gate says, in words.

use model::compare::{Broken, Gate, Limit, Uncertain, Unjudged, Verdict};

use super::figures::float;
use super::terms::Terms;
use super::text::{shown_change, shown_name};
use crate::text::duration;

/// Says which limit is exceeded, and how.
pub fn broken(broken: &Broken, terms: &Terms) -> String {
    let Broken { limit, side, judged } = broken;
    let (name, by) = (shown_name(judged), shown_change(judged));
    let what = match limit {
        Limit::Rule(_) => format!("{name} of {side} changed by {by}"),
        Limit::Budget { time_ns: None, .. } => format!("{name} changed by {by} in {side}"),
        Limit::Budget { time_ns: Some(most), .. } => {
            let [is, most] = [judged.new_ns, *most].map(|ns| duration(float(ns)));
            format!("{name} takes {is}, more than {most} in {side}")
        }
        Limit::Ambiguous => uncertain(side, judged.verdict, judged.reason.as_deref()),
    };
    format!("{}: {what}", of_limit(limit, terms))
}

/// Says which limit cannot be judged, and why.
pub fn unjudged(unjudged: &Unjudged, terms: &Terms) -> String {
    let Unjudged { limit, sides, reason } = unjudged;
    let sides =
        sides.as_ref().map(|[base, new]| format!(", as {new} is not comparable with {base}"));
    format!("{} cannot be judged{}: {reason}", of_limit(limit, terms), sides.unwrap_or_default())
}

/// Says that no limit of a gate is exceeded, and what is not certain.
pub fn passed(gate: &Gate, of_sides: &[Uncertain], terms: &Terms) -> String {
    let rules = gate.rules.iter().map(|rule| format!("{} {rule}", terms.rule));
    let limits: Vec<String> =
        rules.chain(gate.budget.iter().map(|_| terms.budget.clone())).collect();
    let of_side = |it: &Uncertain| uncertain(&it.side, it.verdict, it.reason.as_deref());
    let open: String = of_sides.iter().map(|it| format!("; {}", of_side(it))).collect();
    format!("passed: nothing breaks {}{open}", limits.join(" or "))
}

fn of_limit(limit: &Limit, terms: &Terms) -> String {
    match limit {
        Limit::Rule(rule) => format!("{} {rule}", terms.rule),
        Limit::Budget { name, .. } => format!("{}, {name}", terms.budget),
        Limit::Ambiguous => terms.ambiguous.clone(),
    }
}

fn uncertain(side: &str, verdict: Verdict, reason: Option<&str>) -> String {
    if verdict == Verdict::LikelySlower {
        return format!("{side} is likely slower, but there are too few runs to be certain");
    }
    let why = reason.map(|why| format!(" ({why})")).unwrap_or_default();
    format!("it is not certain whether {side} is slower{why}")
}
