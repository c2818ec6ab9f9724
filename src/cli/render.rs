//! `render`: draws a timeline of bundles for external viewers.

use std::path::{Path, PathBuf};

use clap::Args;
use exporters::perfetto::Counts;

use super::drawing::{Drawing, Zero};
use super::error::CliError;
use super::open::Opening;
use crate::report::text::counted;
use crate::timeline::{Drawn, DrawnBundle};

#[derive(Debug, Args)]
#[command(after_help = RENDER_AFTER)]
pub struct Render {
    /// Bundles to draw
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Output format: perfetto, a trace for <https://ui.perfetto.dev>
    #[arg(
        long,
        short = 'f',
        default_value = "perfetto",
        value_name = "FORMAT",
        value_parser = ["perfetto"],
        hide_possible_values = true
    )]
    pub format: String,
    /// Write to this file or object (docs/objects.md), atomically; `-` is standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Do not print a summary of what was written
    #[arg(long)]
    pub quiet: bool,
}

const RENDER_AFTER: &str = "\
All other columns of a query become annotations. The default tracks come from the views `timeline_*`, which queries
can use.

Examples:
  ireescope render m.ireeprof -o m.pftrace
  ireescope render --window=40%:60% --filter='*matmul*' m.ireeprof -o part.pftrace
  ireescope render before=a.ireeprof after=b.ireeprof -o both.pftrace
  ireescope render --clock=host server=a.ireeprof client=b.ireeprof -o both.pftrace
  ireescope render --slices='SELECT name AS track, name, start_ns, end_ns FROM timeline_slices' m.ireeprof -o rows.pftrace";

/// Runs the command.
pub fn run(args: &Render, opening: &Opening) -> Result<(), CliError> {
    let drawn = args.drawing.draw(&args.bundles, &args.output, opening)?;
    if !args.quiet {
        report(&args.output, &drawn);
        if let Some(begins) = begins(&drawn.bundles, args.drawing.clock) {
            eprintln!("ireescope: {begins}");
        }
    }
    Ok(())
}

fn report(path: &Path, Drawn { bytes, bundles }: &Drawn) {
    let sum = |of: fn(&Counts) -> u64| bundles.iter().map(|it| of(&it.counts)).sum::<u64>();
    let mut line = format!(
        "ireescope: wrote {} ({bytes} bytes, {}, {}, {}",
        path.display(),
        counted(sum(|counts| counts.slices), "slice"),
        counted(sum(|counts| counts.instants), "instant"),
        counted(sum(|counts| counts.counters), "counter value")
    );
    let skipped = sum(|counts| counts.skipped);
    if skipped > 0 {
        line += &format!("; {skipped} without a time are not drawn");
    }
    eprintln!("{line})");
}

/// Says at which host times bundles begin; nothing if none has host times.
fn begins(bundles: &[DrawnBundle], clock: Zero) -> Option<String> {
    let times: Vec<(&str, i64)> =
        bundles.iter().filter_map(|it| Some((it.label.as_str(), it.first_ns?))).collect();
    let ([(_, first), ..], is_only) = (times.as_slice(), bundles.len() == 1) else { return None };
    let each = times.iter().map(|(label, time)| format!("{label} at {time} ns"));
    let each = each.collect::<Vec<_>>().join(", ");
    Some(match clock {
        Zero::Own if is_only => format!("time 0 of the trace is host time {first} ns"),
        Zero::Own => format!("time 0 is the beginning of each bundle, in host time: {each}"),
        Zero::Host => format!("bundles begin in host time: {each}"),
    })
}
