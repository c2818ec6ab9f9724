//! The line that says that the number of invocations is not certain.

use std::io::{self, Write};

use base::printable;
use base::words::OptionStyle;
use model::compare::CERTAIN;

use super::rows::Row;
use super::text::{count, counted};

/// Writes one line if the best reading of a bundle is not certain.
pub fn draw(out: &mut dyn Write, readings: &[Row<'_>], options: OptionStyle) -> io::Result<()> {
    let Some(doubt) = said(readings) else { return Ok(()) };
    writeln!(out, "{doubt}; {} decides", options.spell("option `calls=N`"))
}

/// Says that the best reading of a bundle is not certain: of the first such bundle, with the number of the others. `None` if all
/// are certain.
pub fn said(readings: &[Row<'_>]) -> Option<String> {
    let confidence = |row: &Row<'_>| row.number("confidence").unwrap_or_default();
    let bundles = readings.chunk_by(|left, right| left.text("bundle") == right.text("bundle"));
    let doubtful =
        |bundle: &&[Row<'_>]| bundle.first().is_some_and(|best| confidence(best) < CERTAIN);
    let all = bundles.clone().count();
    let mut doubtful = bundles.filter(doubtful);
    let [best, others @ ..] = doubtful.next()? else { return None };
    let said = |row: &Row<'_>| {
        format!("{} ({:.0} %)", count(row.count("invocation_count")), 100.0 * confidence(row))
    };
    let name =
        if all > 1 { format!("{}: ", printable(&best.text("bundle"))) } else { String::new() };
    let is_other =
        |other: &&Row<'_>| other.count("invocation_count") != best.count("invocation_count");
    let other = others.iter().find(is_other).map(|other| format!(", or {}", said(other)));
    let more = match doubtful.count() {
        0 => String::new(),
        more => format!(", nor that of {}", counted(more as u64, "other bundle")),
    };
    Some(format!(
        "{name}the number of invocations is not certain: {}{}{more}",
        said(best),
        other.unwrap_or_default()
    ))
}
