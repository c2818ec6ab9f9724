//! The comparison as `JUnit` XML: a test suite per side, and a test case for the total and for each function. A case fails if
//! it breaks a rule of the gate or, without any rule, if it is slower.

use std::io::{self, Write};

use model::compare::{Comparison, Gate, Judged, Verdict};

use super::figures::float;
use super::gate::broken;
use super::terms::Terms;
use super::text::{shown_change, shown_name};

/// Writes the document.
pub fn draw(out: &mut dyn Write, all: &[Comparison], gate: &Gate, terms: &Terms) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ireescope compare\">"
    )?;
    for compared in all {
        let cases: Vec<(&Judged, Outcome)> = compared
            .differences
            .all()
            .map(|(is_total, row)| (row, Outcome::of(compared, (is_total, row), gate, terms)))
            .collect();
        let count = |is: fn(&Outcome) -> bool| cases.iter().filter(|(_, it)| is(it)).count();
        let failures = count(|it| matches!(it, Outcome::Failed(_)));
        let skipped = count(|it| matches!(it, Outcome::Skipped(_)));
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
            escaped(&format!("{} against {}", compared.new.name, compared.base.name)),
            cases.len()
        )?;
        for (case, outcome) in &cases {
            let name = escaped(&shown_name(case));
            let seconds = float(case.new_ns) / 1e9;
            write!(
                out,
                "    <testcase classname=\"ireescope\" name=\"{name}\" time=\"{seconds:.9}\">"
            )?;
            match outcome {
                Outcome::Failed(why) => {
                    write!(out, "<failure message=\"{}\"/>", escaped(why))?;
                }
                Outcome::Skipped(why) => {
                    write!(out, "<skipped message=\"not comparable: {}\"/>", escaped(why))?;
                }
                Outcome::Passed => {
                    write!(out, "<system-out>{}</system-out>", case.verdict.name())?;
                }
            }
            writeln!(out, "</testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// What becomes of a test case.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

impl Outcome {
    fn of(
        compared: &Comparison,
        (is_total, row): (bool, &Judged),
        gate: &Gate,
        terms: &Terms,
    ) -> Self {
        let is_slower = gate.is_open() && row.verdict == Verdict::Slower;
        let slower = is_slower.then(|| format!("slower: {}", shown_change(row)));
        let skipped = || row.reason.clone().filter(|_| row.verdict == Verdict::NotComparable);
        let breaks = || Some(broken(&gate.broken_by(compared, is_total, row)?, terms));
        match slower.or_else(breaks) {
            Some(why) => Self::Failed(why),
            None => skipped().map_or(Self::Passed, Self::Skipped),
        }
    }
}

/// Escapes a text for attributes and content.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}
