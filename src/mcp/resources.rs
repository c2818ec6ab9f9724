//! Resources: documentation, as Markdown.

use report::relations::{describe, list, markdown};
use rmcp::model::{Resource, ResourceTemplate};

const MARKDOWN: &str = "text/markdown";

/// A page.
struct Page {
    uri: &'static str,
    name: &'static str,
    words: &'static str,
    text: fn() -> String,
}

const PAGES: [Page; 4] = [
    Page {
        uri: "ireescope://cookbook",
        name: "cookbook",
        words: "Questions about profiles, each with its SQL",
        text: || include_str!("../../docs/cookbook.md").to_owned(),
    },
    Page {
        uri: "ireescope://sql",
        name: "sql",
        words: "The SQL dialect, and what is refused",
        text: || include_str!("../../docs/sql.md").to_owned(),
    },
    Page {
        uri: "ireescope://tables",
        name: "tables",
        words: "All tables, views, reports and functions, a sentence each",
        text: || list(None, &[], None),
    },
    Page {
        uri: "ireescope://reference",
        name: "reference",
        words: "All tables, views and reports with all columns (long; ireescope://tables/NAME has one)",
        text: markdown,
    },
];

/// What the URI of a table begins with.
const TABLE: &str = "ireescope://tables/";

/// Returns all pages.
pub fn pages() -> Vec<Resource> {
    let page = |it: &Page| {
        Resource::new(it.uri, it.name).with_description(it.words).with_mime_type(MARKDOWN)
    };
    PAGES.iter().map(page).collect()
}

/// Returns the URIs that have a part of their own.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = ResourceTemplate::new(format!("{TABLE}{{name}}"), "table");
    vec![
        template
            .with_description("A table, view or report with its columns")
            .with_mime_type("text/plain"),
    ]
}

/// Returns the type and the text of a resource; `None` if there is none of this URI.
pub fn text(uri: &str) -> Option<(&'static str, String)> {
    if let Some(name) = uri.strip_prefix(TABLE) {
        return Some(("text/plain", describe(name, None)?));
    }
    PAGES.iter().find(|page| page.uri == uri).map(|page| (MARKDOWN, (page.text)()))
}
