//! The text of a comparison.

use std::io::{self, Write};

use base::printable;
use model::compare::{
    By, Comparison, Judged, Run, Runs, SAME_CALLS, Side, Verdict, counted_workgroups,
};

use super::figures::{change, float, has_other_sign, signed};
use super::remarks::remarks;
use super::terms::Terms;
use crate::fit::Fit::{Goes, Name, Stays};
use crate::fit::{Shown, shown};
use crate::text::{counted, duration, percent};

/// Width of the picture of an interval in characters.
const PICTURE: usize = 15;

/// A function, and the largest logarithm that pictures show.
type Pictured<'a> = (&'a Judged, f64);

fn columns<'a>() -> [Shown<Pictured<'a>>; 9] {
    [
        ("verdict", |(it, _)| shown_verdict(it), true, Stays),
        ("change", |(it, _)| marked_change(it), false, Stays),
        ("95 % interval", |(it, _)| shown_interval(it), false, Goes(0)),
        ("", |(it, extent)| picture(it, *extent), true, Stays),
        ("delta", |(it, _)| signed(it.delta_ns()), false, Stays),
        ("base", |(it, _)| time(it.base_ns, &it.base), false, Goes(1)),
        ("new", |(it, _)| time(it.new_ns, &it.new), false, Goes(2)),
        ("matched by", |(it, _)| it.by.name().to_owned(), true, Goes(3)),
        ("function", |(it, _)| shown_function(it), true, Name),
    ]
}

/// Writes the comparisons, each with at most `limit` functions in a table that is at most `width` characters wide.
pub fn draw(
    out: &mut dyn Write,
    all: &[Comparison],
    (limit, width): (usize, Option<usize>),
    terms: &Terms,
) -> io::Result<()> {
    for (nth, compared) in all.iter().enumerate() {
        if nth > 0 {
            writeln!(out)?;
        }
        for line in contradictions(compared) {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "{}", verdict(compared))?;
        writeln!(out, "{}", sides(compared))?;
        for line in remarks(compared, terms) {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "\n{}", functions(compared, limit, width).trim_end())?;
        let left = compared.functions().len().saturating_sub(limit);
        if left > 0 {
            writeln!(out, " … and {}", counted(left as u64, "more function"))?;
        }
        if let Some(note) = signs(compared, limit, terms) {
            writeln!(out, "{note}")?;
        }
        writeln!(out, "\n{}", sums(compared))?;
    }
    Ok(())
}

/// Returns a line for each run whose records contradict each other.
fn contradictions(compared: &Comparison) -> Vec<String> {
    let runs = [&compared.base, &compared.new].into_iter().flat_map(|side| &side.runs);
    let line = |run: &Run| {
        let what = run.contradiction.as_ref()?;
        Some(format!("! {}: {}", printable(&run.name), printable(what)))
    };
    runs.filter_map(line).collect()
}

/// Returns the sentence with the verdict on the total.
pub fn verdict(compared: &Comparison) -> String {
    let total = compared.total();
    let (base, new) = (printable(&compared.base.name), printable(&compared.new.name));
    let is = match total.verdict {
        Verdict::Faster => format!("{new} is faster than {base}"),
        Verdict::Slower => format!("{new} is slower than {base}"),
        Verdict::LikelyFaster => format!("{new} is likely faster than {base}"),
        Verdict::LikelySlower => format!("{new} is likely slower than {base}"),
        Verdict::Same if compared.is_same => format!("{new} is the same capture as {base}"),
        Verdict::Same => format!("{new} is as fast as {base}"),
        Verdict::Ambiguous => format!("it is not certain whether {new} is faster than {base}"),
        Verdict::NotComparable => format!("{new} is not comparable with {base}"),
    };
    let each = if compared.by_iteration { "an iteration" } else { "a run" };
    let times = format!(
        "{} {each} instead of {}",
        duration(float(total.new_ns)),
        duration(float(total.base_ns))
    );
    let is_same = compared.is_same && total.verdict == Verdict::Same;
    let Some(interval) = total.interval.filter(|_| !is_same) else {
        return format!("{is}: {times}");
    };
    format!(
        "{is}: {times}, {} (95 % interval {} to {}; noise floor {})",
        change(interval.ratio),
        change(interval.low),
        change(interval.high),
        percent(total.floor - 1.0)
    )
}

/// Returns the line about the sides.
pub fn sides(compared: &Comparison) -> String {
    let side = |side: &Runs, times: &Side| {
        let runs = counted(times.total.len() as u64, "run");
        let iterations = counted(times.iterations as u64, "iteration");
        format!("{}: {runs}, {iterations}", printable(&side.name))
    };
    let [base, new] = &compared.times;
    let (base, new) = (side(&compared.base, base), side(&compared.new, new));
    let quantity = compared.quantity;
    let comma = if quantity.is_empty() { "" } else { ", " };
    format!("{base}; {new}; {quantity}{comma}on the {}'s clock", compared.clock)
}

/// Returns the change, with a mark if its sign is another than that of the difference.
pub fn marked_change(it: &Judged) -> String {
    let mark = if has_other_sign(it) { "*" } else { "" };
    format!("{mark}{}", shown_change(it))
}

/// Returns what the mark means, if one of the first functions has it.
pub fn signs(compared: &Comparison, limit: usize, terms: &Terms) -> Option<String> {
    let mut listed = compared.functions().iter().take(limit);
    listed.any(has_other_sign).then(|| {
        format!(
            "* The change is the ratio of typical iterations ({}), the delta the difference of means, on which a few long iterations weigh: here, their signs differ.",
            terms.summary
        )
    })
}

/// Returns how the difference of the sides is made up.
pub fn sums(compared: &Comparison) -> String {
    let of = |is: &dyn Fn(&Judged) -> bool| -> i64 {
        let functions = compared.functions().iter().filter(|it| is(it));
        functions.map(Judged::delta_ns).sum()
    };
    let matched = of(&|it| it.by != By::Alone);
    let only_new = of(&|it| it.by == By::Alone && it.base.is_empty());
    let only_base = of(&|it| it.by == By::Alone && it.new.is_empty());
    format!(
        "{} = {} of matched functions, {} of functions only in {}, {} of functions only in {}",
        signed(compared.total().delta_ns()),
        signed(matched),
        signed(only_new),
        printable(&compared.new.name),
        signed(only_base),
        printable(&compared.base.name)
    )
}

fn functions(compared: &Comparison, limit: usize, width: Option<usize>) -> String {
    let listed = compared.functions().iter().take(limit);
    let extent = extent(listed.clone());
    let pictured: Vec<Pictured<'_>> = listed.map(|function| (function, extent)).collect();
    shown(&columns(), &pictured, width)
}

fn time(ns: i64, name: &str) -> String {
    if name.is_empty() { "-".to_owned() } else { duration(float(ns)) }
}

/// Returns the change; functions on one side only have none.
pub(crate) fn shown_change(function: &Judged) -> String {
    function.interval.map(|it| change(it.ratio)).unwrap_or_default()
}

/// Returns the interval of the change.
pub fn shown_interval(function: &Judged) -> String {
    let range = function.interval.map(|it| format!("{} to {}", change(it.low), change(it.high)));
    range.unwrap_or_default()
}

/// Returns the verdict; functions on one side only have none.
pub fn shown_verdict(function: &Judged) -> String {
    match (function.base.is_empty(), function.new.is_empty()) {
        (true, _) => "only new".to_owned(),
        (_, true) => "only base".to_owned(),
        _ => function.verdict.name().to_owned(),
    }
}

/// Returns the names of the functions on both sides.
pub(crate) fn shown_name(function: &Judged) -> String {
    let (base, new) = (printable(&function.base), printable(&function.new));
    match (base.is_empty(), new.is_empty()) {
        (true, _) => new,
        (_, true) => base,
        _ if base == new => base,
        _ => format!("{base} -> {new}"),
    }
}

/// Returns the names, and the shape of a function that has several.
pub fn shown_function(function: &Judged) -> String {
    let mut name = shown_name(function);
    let [base, new] = [function.base_calls, function.new_calls];
    let is_single = !matches!(function.by, By::Replaced | By::Alone);
    if is_single && (new / base - 1.0).abs() > SAME_CALLS {
        name += &format!(" ({} calls instead of {})", shown_number(new), shown_number(base));
    }
    let workgroups = function.workgroups.iter().flatten().next();
    match workgroups.filter(|_| function.is_split) {
        Some(workgroups) => format!("{name} ({})", counted_workgroups(*workgroups)),
        None => name,
    }
}

/// Formats a mean number of calls.
fn shown_number(calls: f64) -> String {
    let text = format!("{calls:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the largest logarithm that pictures show.
fn extent<'a>(functions: impl Iterator<Item = &'a Judged>) -> f64 {
    let ends = functions.flat_map(|it| {
        let interval = it.interval.map(|it| [it.low.ln().abs(), it.high.ln().abs()]);
        interval.into_iter().flatten().chain([it.floor.ln() * 1.5])
    });
    ends.filter(|end| end.is_finite()).fold(0.0, f64::max)
}

/// Draws an interval against the noise floor: `·` is the floor, `|` no change, `o` the change.
fn picture(function: &Judged, extent: f64) -> String {
    let Some(interval) = function.interval.filter(|_| extent > 0.0) else { return String::new() };
    let middle = model::statistics::float(PICTURE / 2);
    let at = |ratio: f64| {
        let place = (ratio.ln() / extent).clamp(-1.0, 1.0) * middle + middle;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in the picture"
        )]
        let place = place.round() as usize;
        place
    };
    let mut drawn = vec![' '; PICTURE];
    let mut put = |from: usize, to: usize, letter: char| {
        drawn.iter_mut().take(to + 1).skip(from).for_each(|it| *it = letter);
    };
    put(at(1.0 / function.floor), at(function.floor), '·');
    put(at(1.0), at(1.0), '|');
    put(at(interval.low), at(interval.high), '-');
    put(at(interval.ratio), at(interval.ratio), 'o');
    drawn.into_iter().collect()
}
