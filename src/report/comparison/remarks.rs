//! What limits the verdict of a comparison, in a line each.

use base::printable;
use model::compare::{Comparison, Judged, Runs, Verdict, are_identical, other_flags};
use model::statistics::{BETWEEN_RUNS, Interval, RUNS};

use super::figures::{change, float, has_other_sign};
use super::terms::Terms;
use crate::text::{counted, duration, percent};

/// Ratios whose logarithms differ by less than this are not far apart.
const FAR: f64 = 0.05;

/// Returns what limits the verdict.
pub fn remarks(compared: &Comparison, terms: &Terms) -> Vec<String> {
    let total = compared.total();
    let mut remarks = of_runs(compared);
    remarks.extend(of_verdict(compared, terms));
    if compared.differences.by_order > 0 {
        remarks.push(format!(
            "Only the order and the times of dispatches tell {} from others of the same operation and shape.",
            counted(compared.differences.by_order, "function")
        ));
    }
    remarks.extend(compared.differences.kinds.iter().map(of_kind));
    if let Some(drift) = total.drift.filter(|_| !compared.is_raced && !compared.is_same) {
        let Interval { ratio, low, high } = drift.without;
        remarks.push(format!(
            "Runs drift by {} from one to the next; without that, the change is {} ({} to {}). A race takes both sides in turns.",
            change(drift.per_run),
            change(ratio),
            change(low),
            change(high)
        ));
    }
    remarks.extend(means(total, terms));
    if let Some(control) = compared.differences.control {
        let is_corrected =
            if compared.differences.is_corrected { ", and times are corrected by it" } else { "" };
        remarks.push(format!(
            "The control functions changed by {} ({} to {}): that is the machine{is_corrected}.",
            change(control.ratio),
            change(control.low),
            change(control.high)
        ));
    }
    remarks
}

/// Returns which runs do not count, what they differ by, and how sure their calls are.
fn of_runs(compared: &Comparison) -> Vec<String> {
    let (base, new) = (&compared.base, &compared.new);
    let is_judged = compared.total().reason.is_none();
    let copies = [base, new].into_iter().flat_map(|side| &side.copies);
    let left_out = |[copy, first]: &[String; 2]| {
        format!("{} is a copy of {} and does not count.", printable(copy), printable(first))
    };
    let mut remarks: Vec<String> = copies.map(left_out).collect();
    let mixed = [base, new].into_iter().flat_map(|side| side.mixed());
    remarks.extend(mixed.map(|line| printable(&line)));
    if compared.by_iteration && is_judged {
        let uncertain = [base, new].into_iter().find_map(|side| side.uncertain());
        remarks.extend(uncertain.map(|what| format!("Note: {}.", printable(&what))));
    }
    if are_identical(base, new) && !compared.is_same && is_judged {
        remarks.push("The modules of both sides are identical.".to_owned());
    }
    if let Some([of_base, of_new]) = other_flags(base, new) {
        let only = |side: &Runs, flags: &[String]| {
            let flags = if flags.is_empty() { "none".to_owned() } else { flags.join(" ") };
            format!("{} has {}", printable(&side.name), printable(&flags))
        };
        remarks.push(format!(
            "Their commands have other flags: {}, {}.",
            only(base, &of_base),
            only(new, &of_new)
        ));
    }
    remarks
}

/// Returns why there is no verdict, or what a certain one takes.
fn of_verdict(compared: &Comparison, terms: &Terms) -> Vec<String> {
    let total = compared.total();
    let mut remarks = Vec::new();
    if compared.is_raced {
        remarks.push(format!(
            "A race of {} of neighboring runs: checking the result after every block does not weaken the interval.",
            counted(total.runs.unwrap_or_default(), "pair")
        ));
    }
    if let Some(reason) = &total.reason {
        remarks.push(format!("Not comparable: {}.", printable(reason)));
    } else if let Some(few) = total.few.filter(|_| !compared.is_same) {
        let taken = if few.is_estimated {
            "the verdict takes those of both sides together".to_owned()
        } else {
            format!("the verdict takes them to differ by {}", percent(BETWEEN_RUNS))
        };
        remarks.push(format!(
            "Fewer than {RUNS} runs on a side cannot tell how runs differ: {taken}."
        ));
    }
    if total.verdict == Verdict::Ambiguous {
        remarks.push(match total.further_runs {
            Some(runs) if total.few.is_some_and(|few| !few.is_estimated) => {
                format!("It takes at least {} on each side to decide it.", counted(runs, "further run"))
            }
            Some(runs) => {
                format!("About {} on each side would decide it.", counted(runs, "further run"))
            }
            None if total.is_floor_estimated => format!(
                "Even a thousand further runs would hardly decide it; {} gives the change that matters.",
                terms.noise_floor
            ),
            None => "Even a thousand further runs would hardly decide it.".to_owned(),
        });
    }
    remarks
}

/// Returns the line about a kind of iterations.
fn of_kind(kind: &Judged) -> String {
    let change = kind.interval.map(|it| {
        let [ratio, low, high] = [it.ratio, it.low, it.high].map(change);
        format!(", {ratio} (95 % interval {low} to {high})")
    });
    format!(
        "{}: {}, {} instead of {}{}.",
        printable(&kind.new),
        kind.verdict.name(),
        duration(float(kind.new_ns)),
        duration(float(kind.base_ns)),
        change.unwrap_or_default()
    )
}

/// Returns how the means changed, if that is far from the ratio or of another sign: some iterations then take much longer
/// than most.
fn means(total: &Judged, terms: &Terms) -> Option<String> {
    let ratio = total.interval?.ratio;
    let means = float(total.new_ns) / float(total.base_ns);
    let distance = (means.ln() - ratio.ln()).abs();
    let is_far = distance.is_finite() && distance > total.floor.ln().max(FAR);
    (is_far || has_other_sign(total)).then(|| {
        format!(
            "Times are means, which changed by {}: some iterations take much longer than most; {} compares means.",
            change(means),
            terms.summary_by_mean
        )
    })
}
