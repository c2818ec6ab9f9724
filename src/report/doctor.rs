//! The text of `doctor`: the findings of each bundle, with advice and evidence.

use std::io::{self, Write};

use base::printable;

use super::health::LISTED;
use super::rows::Row;
use super::text::counted;

/// True if one of the findings is an error.
pub fn has_error(findings: &[Row<'_>]) -> bool {
    count(findings, "error") > 0
}

/// Writes the findings of all bundles. If there are many bundles, those without problems are only counted.
pub fn draw(out: &mut dyn Write, findings: &[Row<'_>]) -> io::Result<()> {
    let bundles: Vec<&[Row<'_>]> =
        findings.chunk_by(|left, right| left.text("bundle") == right.text("bundle")).collect();
    let is_short = bundles.len() > LISTED;
    if is_short {
        let sound = bundles.iter().filter(|findings| is_sound(findings)).count();
        writeln!(out, "{}: {sound} without problems", counted(bundles.len() as u64, "bundle"))?;
    }
    for findings in bundles.iter().filter(|findings| !is_short || !is_sound(findings)) {
        draw_bundle(out, findings, is_short)?;
    }
    Ok(())
}

fn count(findings: &[Row<'_>], severity: &str) -> u64 {
    findings.iter().filter(|row| row.text("severity") == severity).count() as u64
}

fn is_sound(findings: &[Row<'_>]) -> bool {
    count(findings, "error") + count(findings, "warning") == 0
}

/// Writes the findings of one bundle, worst first.
fn draw_bundle(out: &mut dyn Write, findings: &[Row<'_>], is_short: bool) -> io::Result<()> {
    let is_cut = findings.iter().any(|row| row.text("finding") == "cut_run");
    let verdict = match (count(findings, "error"), count(findings, "warning")) {
        (0, 0) if is_cut => "cut as asked, no problems".to_owned(),
        (0, 0) => "complete, no problems".to_owned(),
        (0, warnings) => counted(warnings, "warning"),
        (errors, 0) => counted(errors, "error"),
        (errors, warnings) => {
            format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
        }
    };
    let bundle = findings.first().map(|row| row.text("bundle")).unwrap_or_default();
    writeln!(out, "{}: {verdict}", printable(&bundle))?;
    for row in findings {
        let severity = row.text("severity");
        if severity == "info" {
            if !is_short {
                writeln!(out, "  {}", printable(&row.text("what")))?;
            }
            continue;
        }
        writeln!(out, "  {severity:<8} {}", printable(&row.text("what")))?;
        for (head, column) in [("to do:", "advice"), ("evidence:", "evidence")] {
            let text = row.text(column);
            if !text.is_empty() {
                writeln!(out, "           {head:<10}{}", printable(&text))?;
            }
        }
    }
    Ok(())
}
