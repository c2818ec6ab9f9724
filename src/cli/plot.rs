//! `plot`: draws one chart of a report, as SVG, or with characters on a terminal.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::error::CliError;
use super::open::Opening;
use super::output::{Destination, terminal_width};
use crate::page::{self, one};
use crate::panel::Panel;
use crate::plot::{PlotError, characters, document, png};
use crate::report::comparison::Terms;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Plot {
    /// What to draw
    #[arg(value_enum)]
    pub what: Plotted,
    /// Captures; for `waterfall`, `base=BUNDLE` and `new=BUNDLE`; for `history`, a history
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// File or object (docs/objects.md) to write, .svg or .png (default: characters on standard output)
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// For `functions` and `distribution`: only functions whose name matches this pattern: `*` matches any characters, `?`
    /// matches one
    #[arg(long, value_name = "PATTERN")]
    pub function: Option<String>,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plotted {
    /// The time of each call
    Calls,
    /// Total time by kind of operation
    Operations,
    /// The distributions of functions
    Functions,
    /// The distribution of the function that --function names
    Distribution,
    /// A call of median length
    Timeline,
    /// Live bytes over time
    Memory,
    /// What each function adds from base to new
    Waterfall,
    /// Functions below the roof of the device
    Roofline,
    /// The entries of a history, and when times changed
    History,
}

const AFTER: &str = "\
Examples:
  ireescope plot calls run.ireeprof
  ireescope plot calls -o calls.svg run.ireeprof
  ireescope plot distribution --function='*matmul*' run.ireeprof
  ireescope plot waterfall -o change.svg base=main.capture new=branch.capture";

/// Width of characters where standard output is no terminal.
const COLUMNS: usize = 100;

/// Runs the command.
pub fn run(args: &Plot, opening: &Opening) -> Result<(), CliError> {
    let panel = panel(args, opening)?;
    let figure = panel.charts.into_iter().find(|figure| !figure.chart.is_empty());
    let Some(figure) = figure else {
        return Err(CliError::No("there is nothing to draw".to_owned()));
    };
    let failed = |error: PlotError| CliError::Lacking(error.to_string());
    let end = args.output.as_ref().and_then(|path| path.extension()).and_then(|end| end.to_str());
    let bytes = match (&args.output, end) {
        (None, _) => {
            let drawn = characters(&figure.chart, terminal_width().unwrap_or(COLUMNS));
            format!("{}\n{}", figure.caption, drawn.map_err(failed)?).into_bytes()
        }
        (Some(_), Some("svg")) => {
            document(&figure.chart, &figure.caption).map_err(failed)?.into_bytes()
        }
        (Some(_), Some("png")) => {
            png(&document(&figure.chart, &figure.caption).map_err(failed)?).map_err(failed)?
        }
        (Some(path), _) => {
            return Err(CliError::Usage(format!(
                "a chart is written as .svg or .png, not as {}",
                path.display()
            )));
        }
    };
    let files = opening.options().files;
    let destination = Destination::new(args.output.as_deref(), [])?.of_files(&files);
    destination.fill(|out| out.write_all(&bytes).map_err(CliError::output))
}

/// Makes the panel that has the chart.
fn panel(args: &Plot, opening: &Opening) -> Result<Panel, CliError> {
    let options = opening.options();
    if args.function.is_some() && !matches!(args.what, Plotted::Functions | Plotted::Distribution) {
        let text =
            "--function goes with `functions` and `distribution`; other charts show all functions";
        return Err(CliError::Usage(text.to_owned()));
    }
    let name = match args.what {
        Plotted::Calls => "calls",
        Plotted::Operations => "operations",
        Plotted::Functions | Plotted::Distribution => "functions",
        Plotted::Timeline => "timeline",
        Plotted::Memory => "memory",
        Plotted::Roofline => "roofline",
        Plotted::Waterfall => {
            let [base, new] = args.bundles.as_slice() else {
                let text = "waterfall requires base=BUNDLE and new=BUNDLE";
                return Err(CliError::Usage(text.to_owned()));
            };
            let made = page::of_comparison([base, new], &options, &Terms::default())?;
            return Ok(made
                .panels
                .into_iter()
                .find(|it| it.name == "waterfall")
                .unwrap_or_default());
        }
        Plotted::History => {
            let [folder] = args.bundles.as_slice() else {
                return Err(CliError::Usage("history requires one history".to_owned()));
            };
            let made = page::of_history(Path::new(folder), &options)?;
            return Ok(made.panels.into_iter().next().unwrap_or_default());
        }
    };
    if args.what == Plotted::Distribution && args.function.is_none() {
        return Err(CliError::Usage("distribution requires --function=PATTERN".to_owned()));
    }
    let made = one(name, args.function.clone(), &args.bundles, &options)?;
    made.ok_or_else(|| CliError::No(format!("the captures have nothing to draw as {name}")))
}
