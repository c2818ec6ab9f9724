//! What a tool answers.

use serde_json::{Map, Value};

use super::call::Call;
use super::table::Table;

/// What a tool answers.
#[derive(Debug, Default)]
pub struct Reply {
    /// For people, and for clients that show no structure.
    pub text: String,
    pub content: Map<String, Value>,
    /// The number of rows, for the log.
    pub rows: usize,
}

impl Reply {
    /// A reply with a table.
    pub fn table(head: &str, table: Table) -> Self {
        let head = head.trim_end();
        let gap = if head.is_empty() { "" } else { "\n" };
        let text = format!("{head}{gap}{}", table.text());
        Self { text, rows: table.count(), content: table.content() }
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.content.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a table with a title, unless it is empty.
    #[must_use]
    pub fn section(mut self, name: &str, table: Table) -> Self {
        if table.is_empty() {
            return self;
        }
        self.text.push_str(&format!("\n\n{name}\n{}", table.text()));
        self.rows += table.count();
        self.with(name, table.part())
    }

    /// Adds the warnings of opening.
    #[must_use]
    pub(crate) fn noting(mut self, call: &Call) -> Self {
        let notes = call.notes();
        if notes.is_empty() {
            return self;
        }
        self.text = format!("{}\n{}", notes.join("\n"), self.text);
        self.with("notes", notes)
    }
}
