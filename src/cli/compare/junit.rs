//! The comparison as `JUnit` XML: a test suite per side, and a test case for the total and for each function, which fails
//! if it is slower.

use std::io::{self, Write};

use super::compared::Compared;
use super::text::{change, float, shown_name};
use crate::compare::{Judged, Verdict};

/// Writes the document.
pub fn draw(out: &mut dyn Write, all: &[Compared<'_>]) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ireescope compare\">"
    )?;
    for compared in all {
        let cases: Vec<&Judged> =
            std::iter::once(&compared.found.total).chain(&compared.found.functions).collect();
        let failures = cases.iter().filter(|it| it.verdict == Verdict::Slower).count();
        let skipped = cases.iter().filter(|it| it.verdict == Verdict::NotComparable).count();
        writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
            escaped(&format!("{} against {}", compared.new.name, compared.base.name)),
            cases.len()
        )?;
        for case in cases {
            let name = escaped(&shown_name(case));
            let seconds = float(case.new_ns) / 1e9;
            write!(
                out,
                "    <testcase classname=\"ireescope\" name=\"{name}\" time=\"{seconds:.9}\">"
            )?;
            match case.verdict {
                Verdict::Slower => {
                    let by = case.interval.map(|it| change(it.ratio)).unwrap_or_default();
                    write!(out, "<failure message=\"slower: {by}\"/>")?;
                }
                Verdict::NotComparable => {
                    let reason = escaped(case.reason.as_deref().unwrap_or_default());
                    write!(out, "<skipped message=\"not comparable: {reason}\"/>")?;
                }
                verdict => write!(out, "<system-out>{}</system-out>", verdict.name())?,
            }
            writeln!(out, "</testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
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
