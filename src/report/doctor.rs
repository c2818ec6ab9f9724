//! The text of `doctor`: the findings of each bundle, with advice and evidence.

use std::io::{self, Write};

use exporters::printable;

use super::rows::{Row, Rows};
use super::text::counted;

/// Maximum number of bundles that are all listed. If there are more, sound bundles are only counted.
const LISTED: usize = 4;

/// The findings of one bundle, worst first.
struct Patient<'a> {
    bundle: String,
    findings: Vec<Row<'a>>,
}

/// True if one of the findings is an error.
pub fn has_error(findings: &Rows) -> bool {
    findings.iter().any(|row| row.text("severity") == "error")
}

/// Writes the findings of all bundles.
pub fn draw(out: &mut dyn Write, findings: &Rows) -> io::Result<()> {
    let patients = patients(findings);
    let sound = patients.iter().filter(|patient| patient.is_sound()).count();
    let is_short = patients.len() > LISTED;
    if is_short {
        writeln!(out, "{}: {sound} without problems", counted(patients.len() as u64, "bundle"))?;
    }
    for patient in patients.iter().filter(|patient| !is_short || !patient.is_sound()) {
        patient.draw(out, is_short)?;
    }
    Ok(())
}

fn patients(findings: &Rows) -> Vec<Patient<'_>> {
    let mut patients: Vec<Patient<'_>> = Vec::new();
    for row in findings.iter() {
        let bundle = row.text("bundle");
        match patients.last_mut().filter(|patient| patient.bundle == bundle) {
            Some(patient) => patient.findings.push(row),
            None => patients.push(Patient { bundle, findings: vec![row] }),
        }
    }
    patients
}

impl Patient<'_> {
    fn count(&self, severity: &str) -> u64 {
        self.findings.iter().filter(|row| row.text("severity") == severity).count() as u64
    }

    fn is_sound(&self) -> bool {
        self.count("error") + self.count("warning") == 0
    }

    fn draw(&self, out: &mut dyn Write, is_short: bool) -> io::Result<()> {
        let verdict = match (self.count("error"), self.count("warning")) {
            (0, 0) => "complete, no problems".to_owned(),
            (0, warnings) => counted(warnings, "warning"),
            (errors, 0) => counted(errors, "error"),
            (errors, warnings) => {
                format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
            }
        };
        writeln!(out, "{}: {verdict}", printable(&self.bundle))?;
        for row in &self.findings {
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
}
