//! The output formats of `--format`.

use exporters::Format;

/// What a report is printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    Text,
    Jsonl,
}

impl ReportFormat {
    /// True for JSON lines.
    pub const fn is_jsonl(self) -> bool {
        matches!(self, Self::Jsonl)
    }
}

/// A named format, or the default for the output.
#[derive(Debug, Clone, Copy)]
pub enum FormatChoice {
    Auto,
    Named(Format),
}

/// Parses the name of a format.
pub fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        format!("the formats are {}", names.join(", "))
    })
}

/// Parses the name of a format, or `auto`.
pub fn format_or_auto(name: &str) -> Result<FormatChoice, String> {
    if name == "auto" { Ok(FormatChoice::Auto) } else { format(name).map(FormatChoice::Named) }
}
