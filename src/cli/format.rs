//! The values of `--format`.

use exporters::Format;

/// What a report is printed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    Text,
    Jsonl,
}

impl ReportFormat {
    /// Lines for programs.
    pub const fn is_jsonl(self) -> bool {
        matches!(self, Self::Jsonl)
    }
}

/// A format by name, or the one that fits the output.
#[derive(Debug, Clone, Copy)]
pub enum FormatChoice {
    Auto,
    Named(Format),
}

pub fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(_, name, _)| *name).collect();
        format!("the formats are {}", names.join(", "))
    })
}

pub fn format_or_auto(name: &str) -> Result<FormatChoice, String> {
    if name == "auto" { Ok(FormatChoice::Auto) } else { format(name).map(FormatChoice::Named) }
}
