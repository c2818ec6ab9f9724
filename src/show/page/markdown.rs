//! A report as Markdown, short enough for a pull request or the summary of a job.

use std::fmt::Write as _;

use report::comparison::markdown::escaped;

use super::contents::Page;
use crate::panel::Table;

/// Rows of a table that are shown.
const ROWS: usize = 10;

/// Returns the page.
pub fn markdown(page: &Page) -> String {
    let mut out = String::new();
    for (nth, panel) in page.panels.iter().enumerate() {
        let mark = if nth == 0 { "##" } else { "###" };
        let _ = writeln!(out, "{mark} {}\n", escaped(&panel.title));
        for sentence in &panel.words {
            let _ = writeln!(out, "{}\n", escaped(sentence));
        }
        for table in panel.tables.iter().filter(|table| !table.rows.is_empty()) {
            drawn(&mut out, table, nth == 0);
        }
    }
    out
}

fn drawn(out: &mut String, table: &Table, is_open: bool) {
    if !is_open {
        let _ = writeln!(out, "<details><summary>{}</summary>\n", escaped(&table.caption));
    }
    let names = table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(" | ");
    let rule = table.columns.iter().map(|column| if column.is_number { "---:" } else { "---" });
    let _ = writeln!(out, "| {names} |\n| {} |", rule.collect::<Vec<_>>().join(" | "));
    for row in table.rows.iter().take(ROWS) {
        let cells = row.iter().map(|cell| escaped(&cell.text)).collect::<Vec<_>>().join(" | ");
        let _ = writeln!(out, "| {cells} |");
    }
    if table.rows.len() > ROWS {
        let _ = writeln!(out, "\n… and {} more", table.rows.len() - ROWS);
    }
    out.push_str(if is_open { "\n" } else { "\n</details>\n\n" });
}
