//! The commands of the shell that begin with a dot or a backslash.

use std::path::{Path, PathBuf};

use exporters::Format;

use super::session::{Next, Shell};
use crate::cli::error::CliError;
use crate::cli::names::found;
use crate::cli::output::print;
use crate::cli::tables;

const HELP: &str = "\
.tables                list the tables, views and reports   (also \\d)
.schema NAME           describe a table, view or report     (also \\d NAME)
.mode FORMAT           set the format: auto, box, markdown, csv, tsv, json, jsonl, line
.output [FILE]         write the next results to FILE, or without FILE to the terminal
.timer on|off          print the duration of each query
.read FILE             run the SQL of a file
.help                  print this help
.quit                  quit                                 (also \\q and Ctrl-D)
";

/// The names of the commands, for completion.
pub const NAMES: &[&str] =
    &[".help", ".mode", ".output", ".quit", ".read", ".schema", ".tables", ".timer", "\\d", "\\q"];

impl Shell<'_> {
    /// Runs a command.
    pub fn command(&mut self, text: &str) -> Result<Next, CliError> {
        let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let argument = argument.trim().trim_end_matches(';');
        let wrong = |what| Err(CliError::Usage(what));
        match (name.trim_end_matches(';'), argument) {
            (".quit" | ".exit" | "\\q", _) => return Ok(Next::Quit),
            (".help" | "\\?", _) => print(HELP)?,
            (".tables" | "\\d" | "\\dt", "") => print(&tables::list())?,
            (".schema", "") => {
                return wrong(".schema requires the name of a table; .tables lists them".into());
            }
            (".schema" | "\\d", name) => print(&tables::describe(name)?)?,
            (".mode", "auto" | "") => self.format = None,
            (".mode", name) => self.format = Some(text_format(name)?),
            (".output", "") => self.output = None,
            (".output", path) => self.output = Some(PathBuf::from(path)),
            (".timer", "on") => self.timer = true,
            (".timer", "off") => self.timer = false,
            (".timer", _) => return wrong(".timer requires on or off".into()),
            (".read", "") => return wrong(".read requires the name of a file".into()),
            (".read", path) => {
                let script = std::fs::read_to_string(path);
                self.sql(&script.map_err(CliError::reading(Path::new(path)))?)?;
            }
            (other, _) => {
                return wrong(format!("unknown command {other}; .help lists the commands"));
            }
        }
        Ok(Next::Line)
    }
}

fn text_format(name: &str) -> Result<Format, CliError> {
    let names = ["auto"].into_iter().chain(Format::ALL.iter().map(|(_, name, _)| *name));
    found(Format::named(name), "modes", names)
        .map_err(|known| CliError::Usage(format!("unknown mode {name}; {known}")))
}
