//! A report as one HTML page: no script, style, font or picture from elsewhere, and a policy that allows none.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::contents::Page;
use crate::panel::{Panel, Table};
use crate::plot::{PlotError, Tone, embedded, escaped};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Returns the page.
pub fn html(page: &Page) -> Result<String, PlotError> {
    let style = format!("{STYLE}{}", colors());
    let (of_style, of_script) = (hash(&style), hash(SCRIPT));
    let verdict = page.panels.first().map_or("Nothing to show", |panel| panel.title.as_str());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{of_style}'; \
         script-src '{of_script}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{0}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <header>\n<p>{0}</p>\n<h1>{1}</h1>\n",
        escaped(&page.subject),
        escaped(verdict)
    );
    if let Some(first) = page.panels.first() {
        words(&mut out, first);
    }
    out.push_str("<nav aria-label=\"Panels\">\n<ul>\n");
    for panel in page.panels.iter().skip(1) {
        let _ = writeln!(out, "<li><a href=\"#{}\">{}</a></li>", panel.name, escaped(&panel.title));
    }
    out.push_str("</ul>\n</nav>\n</header>\n<main>\n");
    for (nth, panel) in page.panels.iter().enumerate() {
        section(&mut out, page, panel, nth == 0)?;
    }
    let version = env!("CARGO_PKG_VERSION");
    let _ = write!(
        out,
        "</main>\n<footer class=\"note\"><p>Written by ireescope {version}.</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    Ok(out)
}

/// Returns rules that give charts the colors of the page where it is dark.
fn colors() -> String {
    let mut rules = String::from("@media (prefers-color-scheme:dark){@media screen{");
    for tone in Tone::ALL {
        let (light, dark) = (tone.name(), tone.on_dark());
        let _ = write!(
            rules,
            "svg [fill=\"{light}\"]{{fill:{dark}}}svg [stroke=\"{light}\"]{{stroke:{dark}}}"
        );
    }
    rules.push_str("}}");
    rules
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

fn words(out: &mut String, panel: &Panel) {
    for sentence in &panel.words {
        let _ = writeln!(out, "<p>{}</p>", escaped(sentence));
    }
}

fn section(out: &mut String, page: &Page, panel: &Panel, is_first: bool) -> Result<(), PlotError> {
    if is_first {
        let _ = writeln!(out, "<section aria-label=\"Overview\">");
    } else {
        let _ =
            writeln!(out, "<section id=\"{0}\">\n<h2>{1}</h2>", panel.name, escaped(&panel.title));
        words(out, panel);
    }
    for figure in &panel.charts {
        let caption = escaped(&figure.caption);
        let drawn = embedded(&figure.chart, &figure.caption, &figure.titles)?;
        let _ = writeln!(
            out,
            "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{caption}\">{drawn}</div>\n<figcaption>{caption}</figcaption>\n</figure>"
        );
    }
    for (nth, table) in panel.tables.iter().enumerate() {
        match (is_first, nth) {
            (true, 0) => tiles(out, table),
            _ if table.rows.is_empty() => {}
            (true, _) => drawn(out, table),
            _ => {
                let _ = writeln!(
                    out,
                    "<details{}><summary>{}</summary>",
                    if panel.charts.is_empty() { " open" } else { "" },
                    escaped(&table.caption)
                );
                drawn(out, table);
                out.push_str("</details>\n");
            }
        }
    }
    let _ = writeln!(
        out,
        "<details class=\"how\"><summary>How to get this</summary>\n<pre>{}</pre>",
        escaped(&page.command(panel))
    );
    for query in &panel.queries {
        let _ = writeln!(out, "<pre>{}</pre>", escaped(query));
    }
    out.push_str("</details>\n</section>\n");
    Ok(())
}

/// Writes the figures that everyone asks for first.
fn tiles(out: &mut String, table: &Table) {
    out.push_str("<div class=\"tiles\">\n");
    for row in &table.rows {
        let [name, value, note] = row.as_slice() else { continue };
        let _ = writeln!(
            out,
            "<div class=\"tile\">{}<b>{}</b><span>{}</span></div>",
            escaped(&name.text),
            escaped(&value.text),
            escaped(&note.text)
        );
    }
    out.push_str("</div>\n");
}

fn drawn(out: &mut String, table: &Table) {
    let _ = write!(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table class=\"sorted\"><caption>{0}</caption><thead><tr>",
        escaped(&table.caption)
    );
    let class = |is_number| if is_number { " class=\"number\"" } else { "" };
    for column in &table.columns {
        let _ = write!(
            out,
            "<th scope=\"col\"{}>{}</th>",
            class(column.is_number),
            escaped(column.name)
        );
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in table.columns.iter().zip(row) {
            let value = cell.value.filter(|value| value.is_finite());
            let value = value.map(|value| format!(" data-value=\"{value}\"")).unwrap_or_default();
            let _ =
                write!(out, "<td{}{value}>{}</td>", class(column.is_number), escaped(&cell.text));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}
