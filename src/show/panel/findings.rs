//! What takes the time, as `explain` finds it, and what is wrong with the captures, as `doctor` does.

use read::bundle::Severity;
use report::text::percent;

use super::parts::{Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};

const BOTTLENECKS: &str = "SELECT bundle, weight, finding, evidence FROM report.explain_bottleneck ORDER BY weight DESC NULLS LAST";

/// Makes the panel.
pub fn findings(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let mut panel = Panel::of("findings", "Findings", &["explain"]);
    let asked = subject.ask(BOTTLENECKS)?;
    let mut table = Table::new("What takes the time", &["#weight", "finding", "bundle"]);
    let rows = asked.rows();
    for row in &rows {
        let weight = row.number("weight");
        table.rows.push(vec![
            Cell::share(weight),
            Cell::text(row.text("finding")),
            Cell::text(row.text("bundle")),
        ]);
        panel.queries.push(row.text("evidence"));
    }
    if let Some(first) = rows.first() {
        let weight = first.number("weight").map(|it| format!(" ({})", percent(it)));
        panel.words.push(format!(
            "Foremost: {}{}.",
            first.text("finding"),
            weight.unwrap_or_default()
        ));
        panel.tables.push(table);
    }
    let mut table =
        Table::new("State of the captures", &["severity", "finding", "what to do", "bundle"]);
    for finding in subject.findings()? {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        panel.queries.extend(finding.evidence.clone());
        let advice = finding.advice.as_deref().unwrap_or_default();
        let texts = [severity, &finding.what, advice, &finding.bundle];
        table.rows.push(texts.map(Cell::text).into());
    }
    panel.tables.push(table);
    panel.queries.dedup();
    Ok(Some(panel))
}
