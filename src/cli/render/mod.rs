//! `render`: draws a timeline of bundles for external viewers.

pub mod drawing;
mod empty;
mod feed;
mod shape;
mod waves;
mod window;

use std::path::{Path, PathBuf};

use clap::Args;
use exporters::Output;
use exporters::perfetto::{Counts, Selection, Sequence, Trace};
use tokio::runtime::Runtime;

use super::error::CliError;
use super::open::Opening;
use super::output::Destination;
use crate::engine::Engine;
use crate::fold::Pattern;
use crate::report::text::counted;
use crate::workspace::Workspace;
use drawing::Drawing;
use shape::Shape;

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
    /// Write to this file, atomically; `-` is standard output
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
  ireescope render --slices='SELECT name AS track, name, start_ns, end_ns FROM timeline_slices' m.ireeprof -o rows.pftrace";

/// Runs the command.
pub fn run(args: &Render, opening: &Opening) -> Result<(), CliError> {
    let (bytes, counts) = draw(&args.bundles, &args.drawing, &args.output, opening)?;
    if !args.quiet {
        report(&args.output, bytes, &counts);
    }
    Ok(())
}

/// Draws bundles. Returns the number of bytes written, and the counts of each bundle.
pub fn draw(
    bundles: &[String],
    drawing: &Drawing,
    path: &Path,
    opening: &Opening,
) -> Result<(u64, Vec<Counts>), CliError> {
    let shape = Shape::of(drawing)?;
    let opening = &waves::opening(opening, drawing.filter.as_ref());
    let opened = opening.open_each(bundles)?;
    let destination = Destination::new(Some(path), opened.iter().map(|it| &it.engine))?;
    let written = perfetto(opened, &shape, destination.writer())?;
    destination.commit()?;
    waves::check(opening, shape.waves)?;
    Ok(written)
}

/// Writes a Perfetto trace with the bundles one below the other, and closes each before the next. Returns its size in bytes
/// and the counts of each bundle.
fn perfetto(
    workspaces: Vec<Workspace>,
    shape: &Shape,
    output: Output,
) -> Result<(u64, Vec<Counts>), CliError> {
    let mut trace = Trace::new(output);
    let mut counts = Vec::with_capacity(workspaces.len());
    let is_only = workspaces.len() == 1;
    for Workspace { engine, runtime } in workspaces {
        let label = engine.bundles().first().map_or("", |bundle| bundle.label.as_str());
        let name = if is_only { "IREE HAL profile" } else { label };
        let mut sequence = Sequence::new(name, selection(&engine, &runtime, shape)?);
        if !is_only {
            sequence.label(label);
        }
        feed::feed(&engine, &runtime, shape, &mut sequence)?;
        if let Some(waves) = shape.waves {
            runtime.block_on(waves::feed(&engine, waves, &mut sequence))?;
        }
        empty::timeline((&engine, &runtime), shape, &sequence.counts())?;
        counts.push(sequence.counts());
        trace.write(sequence)?;
    }
    Ok((trace.finish()?, counts))
}

fn selection(engine: &Engine, runtime: &Runtime, shape: &Shape) -> Result<Selection, CliError> {
    let mut selection = Selection::default();
    if let Some(window) = &shape.window {
        let (start, end) = runtime.block_on(feed::span(engine))?;
        let within = window.within(start, end);
        if within.0 >= within.1 {
            return Err(CliError::Usage("--window ends before it starts, or is empty".into()));
        }
        selection.window = Some(within);
    }
    if let Some(filter) = &shape.filter {
        let pattern = Pattern::new(filter);
        selection.names = Some(Box::new(move |name| pattern.matches(name)));
    }
    Ok(selection)
}

fn report(path: &Path, bytes: u64, counts: &[Counts]) {
    let sum = |of: fn(&Counts) -> u64| counts.iter().map(of).sum::<u64>();
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
