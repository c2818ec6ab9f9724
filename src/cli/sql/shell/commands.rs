//! The commands of the shell that begin with a dot or a backslash.

use std::path::{Path, PathBuf};

use exporters::Format;

use super::session::{Next, Shell};
use crate::cli::error::CliError;
use crate::cli::names::{found, guess, unknown_relation};
use crate::cli::output::{Destination, print, terminal_width};
use crate::report::relations;

const HELP: &str = "\
.tables [PATTERN]      list the tables, views and reports   (also \\d and \\dt; * and % stand for any text)
.schema NAME           describe a table, view or report     (also \\d NAME)
.mode FORMAT           set the format: auto, box, markdown, csv, tsv, json, jsonl, line
.output [FILE]         write the next results to FILE, or without FILE to the terminal
.maxrows N             print up to N rows of a box, 0 for all
.pager on|off          show long results in $PAGER, or less
.timer on|off          print the duration of each query     (also \\timing)
.read FILE             run the SQL of a file
.help                  print this help                      (also help)
.quit                  quit                                 (also \\q, quit, exit and Ctrl-D)
";

/// The names of the commands, for completion.
pub const NAMES: &[&str] = &[
    ".help", ".maxrows", ".mode", ".output", ".pager", ".quit", ".read", ".schema", ".tables",
    ".timer", "\\d", "\\dt", "\\q", "\\timing", "\\?",
];

/// Commands without a dot, as other shells have them. None of them begins a statement of SQL.
const WORDS: [&str; 3] = ["exit", "help", "quit"];

/// Whether a line is a command, and no SQL.
pub fn is_one(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['.', '\\'])
        || WORDS.contains(&text.trim_end_matches(';').to_lowercase().as_str())
}

impl Shell<'_> {
    /// Runs a command.
    pub fn command(&mut self, text: &str) -> Result<Next, CliError> {
        let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let name = if name.starts_with(['.', '\\']) { name } else { &name.to_lowercase() };
        let argument = argument.trim().trim_end_matches(';');
        let wrong = |what| Err(CliError::Usage(what));
        match (name.trim_end_matches(';'), argument) {
            (".quit" | ".exit" | "\\q" | "quit" | "exit", _) => return Ok(Next::Quit),
            (".help" | "\\?" | "help", _) => print(HELP)?,
            (".tables" | "\\dt", pattern) | ("\\d", pattern @ "") => {
                let pattern = Some(pattern).filter(|pattern| !pattern.is_empty());
                let own = self.engine.own_relations()?;
                self.show(&relations::list(pattern, &own, terminal_width()))?;
            }
            (".schema", "") => {
                return wrong(".schema requires the name of a table; .tables lists them".into());
            }
            (".schema" | "\\d", name) => self.describe(name)?,
            (".mode", "auto" | "") => self.format = None,
            (".mode", name) => self.format = Some(text_format(name)?),
            (".output", "") => self.output = None,
            (".output", path) => self.output = Some(PathBuf::from(path)),
            (".maxrows", rows) => match rows.parse() {
                Ok(rows) => self.max_rows = Some(rows),
                Err(_) => return wrong(".maxrows requires a number of rows, or 0 for all".into()),
            },
            (".pager", "on") if self.pager.is_none() => {
                return wrong("there is no pager; set $PAGER or install less".into());
            }
            (".pager", state) => self.pages = switch(".pager", state)?,
            ("\\timing", "") => self.timer = !self.timer,
            (".timer" | "\\timing", state) => self.timer = switch(name, state)?,
            (".read", "") => return wrong(".read requires the name of a file".into()),
            (".read", path) => {
                let script = std::fs::read_to_string(path);
                self.sql(&script.map_err(CliError::reading(Path::new(path)))?)?;
            }
            (other, _) => {
                let guess = guess(other.trim_start_matches(['.', '\\']), NAMES);
                let guess = guess.unwrap_or_else(|| ".help lists the commands".to_owned());
                return wrong(format!("unknown command {other}; {guess}"));
            }
        }
        Ok(Next::Line)
    }

    /// Shows a text, in the pager if it is long.
    fn show(&self, text: &str) -> Result<(), CliError> {
        let terminal = Destination::new(None, [])?.pager(self.pager.clone().filter(|_| self.pages));
        terminal.fill(|out| out.write_all(text.as_bytes()).map_err(CliError::output))
    }

    /// Describes a table, view or report; one that the user created by its columns.
    fn describe(&self, name: &str) -> Result<(), CliError> {
        match relations::describe(name, terminal_width()) {
            Some(text) => self.show(&text),
            None => self
                .sql(&format!("DESCRIBE {name}"))
                .map_err(|_| CliError::Usage(unknown_relation(name))),
        }
    }
}

fn switch(name: &str, state: &str) -> Result<bool, CliError> {
    match state {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(CliError::Usage(format!("{name} requires on or off"))),
    }
}

fn text_format(name: &str) -> Result<Format, CliError> {
    let names = ["auto"].into_iter().chain(Format::names());
    found(name, Format::named(name), "modes", names)
        .map_err(|known| CliError::Usage(format!("unknown mode {name}; {known}")))
}
