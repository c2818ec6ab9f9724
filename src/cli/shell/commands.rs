//! The commands of the shell that begin with a dot or a backslash.

use std::path::PathBuf;

use exporters::Format;

use super::session::{Next, Shell};
use crate::cli::error::CliError;
use crate::cli::format::FormatChoice;
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
        match (name.trim_end_matches(';'), argument) {
            (".quit" | ".exit" | "\\q", _) => return Ok(Next::Quit),
            (".help" | "\\?", _) => print(HELP)?,
            (".tables" | "\\d" | "\\dt", "") => print(&tables::list())?,
            (".schema", "") => {
                return Err(CliError::Usage(
                    ".schema requires the name of a table; .tables lists them".into(),
                ));
            }
            (".schema" | "\\d", name) => print(&tables::describe(name)?)?,
            (".mode", "auto" | "") => self.format = FormatChoice::Auto,
            (".mode", name) => self.format = FormatChoice::Named(text_format(name)?),
            (".output", "") => self.output = None,
            (".output", path) => self.output = Some(PathBuf::from(path)),
            (".timer", "on") => self.timer = true,
            (".timer", "off") => self.timer = false,
            (".timer", _) => return Err(CliError::Usage(".timer requires on or off".into())),
            (".read", "") => {
                return Err(CliError::Usage(".read requires the name of a file".into()));
            }
            (".read", path) => self.read(path)?,
            (other, _) => {
                return Err(CliError::Usage(format!(
                    "unknown command {other}; .help lists the commands"
                )));
            }
        }
        Ok(Next::Line)
    }

    fn read(&self, path: &str) -> Result<(), CliError> {
        let path = PathBuf::from(path);
        let script = std::fs::read_to_string(&path);
        let script = script.map_err(|source| CliError::File { action: "read", path, source })?;
        self.sql(&script)
    }
}

fn text_format(name: &str) -> Result<Format, CliError> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        CliError::Usage(format!("unknown mode {name}; the modes are auto, {}", names.join(", ")))
    })
}
