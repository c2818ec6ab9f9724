//! The commands of the shell that begin with a dot or a backslash.

use std::path::PathBuf;

use exporters::Format;

use super::session::{Next, Shell};
use crate::cli::error::CliError;
use crate::cli::format::FormatChoice;
use crate::cli::output::print;
use crate::cli::tables;

const HELP: &str = "\
.tables                what there is to ask            (also \\d)
.schema NAME           one table, view or report       (also \\d NAME)
.mode FORMAT           auto, box, markdown, csv, tsv, json, jsonl, line
.output [FILE]         write the next results to FILE; without one, to the terminal again
.timer on|off          print how long a query took
.read FILE             run the SQL of a file
.help                  this
.quit                  leave                           (also \\q and Ctrl-D)
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
                    ".schema wants the name of a table; .tables lists them".into(),
                ));
            }
            (".schema" | "\\d", name) => print(&tables::describe(name)?)?,
            (".mode", "auto" | "") => self.format = FormatChoice::Auto,
            (".mode", name) => self.format = FormatChoice::Named(text_format(name)?),
            (".output", "") => self.output = None,
            (".output", path) => self.output = Some(PathBuf::from(path)),
            (".timer", "on") => self.timer = true,
            (".timer", "off") => self.timer = false,
            (".timer", _) => return Err(CliError::Usage(".timer is on or off".into())),
            (".read", "") => return Err(CliError::Usage(".read wants the name of a file".into())),
            (".read", path) => self.read(path)?,
            (other, _) => {
                return Err(CliError::Usage(format!(
                    "there is no command {other}; .help lists them"
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
        CliError::Usage(format!("there is no mode {name}; there are auto, {}", names.join(", ")))
    })
}
