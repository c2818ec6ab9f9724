//! `render`: a timeline of bundles, for the viewers of others.

mod feed;
mod window;

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use exporters::Output;
use exporters::perfetto::{Counts, Rows, Selection, Sequence, Trace};
use tokio::runtime::Runtime;

use super::args::{Drawing, Export, Opening, Render};
use super::error::CliError;
use super::open;
use super::output::Destination;
use crate::engine::{self, Engine, Statement};
use crate::fold::Pattern;
use window::Window;

/// What a timeline shows.
#[derive(Debug, Default)]
pub struct Shape {
    window: Option<Window>,
    filter: Option<String>,
    /// Queries of people, each with what its rows are.
    queries: Vec<(Rows, Statement)>,
    /// The usual tracks are left out.
    only_queries: bool,
}

impl Shape {
    fn of(args: &Drawing) -> Result<Self, CliError> {
        let mut queries = Vec::new();
        let given = [
            (Rows::Slices, &args.slices),
            (Rows::Instants, &args.instants),
            (Rows::Counters, &args.counters),
        ];
        for (rows, texts) in given {
            for text in texts {
                queries.extend(engine::parse(text)?.into_iter().map(|statement| (rows, statement)));
            }
        }
        let window = args.window.as_deref().map(Window::parse).transpose();
        Ok(Self {
            window: window.map_err(CliError::Usage)?,
            filter: args.filter.clone(),
            only_queries: !queries.is_empty() && !args.all,
            queries,
        })
    }
}

/// Runs the command.
pub fn run(args: &Render, opening: &Opening) -> Result<(), CliError> {
    let (bytes, counts) = draw(&args.bundles, &args.drawing, &args.output, opening)?;
    if !args.quiet {
        report(&args.output, bytes, &counts);
    }
    Ok(())
}

/// The same as a format of `export`.
pub fn export(args: &Export, opening: &Opening) -> Result<(), CliError> {
    draw(&args.bundles, &args.drawing, &args.output, opening).map(drop)
}

/// Draws bundles; how many bytes that took, and what was drawn of each.
fn draw(
    bundles: &[String],
    drawing: &Drawing,
    path: &Path,
    opening: &Opening,
) -> Result<(u64, Vec<Counts>), CliError> {
    let shape = Shape::of(drawing)?;
    let engines = open::each(bundles, opening)?;
    let opened: Vec<&Engine> = engines.iter().map(|(engine, _)| engine).collect();
    let destination = Destination::beside(Some(path), &opened)?;
    let bytes = Arc::new(AtomicU64::new(0));
    let output = Counted { output: destination.writer(), bytes: Arc::clone(&bytes) };
    let counts = perfetto(&engines, &shape, Box::new(output))?;
    destination.commit()?;
    Ok((bytes.load(Ordering::Relaxed), counts))
}

/// Writes a Perfetto trace of all bundles, one below the other; what was drawn of each.
fn perfetto(
    engines: &[(Engine, Runtime)],
    shape: &Shape,
    output: Output,
) -> Result<Vec<Counts>, CliError> {
    let mut trace = Trace::new(output);
    let mut counts = Vec::with_capacity(engines.len());
    for (engine, runtime) in engines {
        let label = engine.bundles().first().map_or("", |bundle| bundle.label.as_str());
        let name = if engines.len() > 1 { label } else { "IREE HAL profile" };
        let mut sequence = Sequence::new(name, selection(engine, runtime, shape)?);
        feed::feed(engine, runtime, shape, &mut sequence)?;
        counts.push(sequence.counts());
        trace.write(sequence)?;
    }
    trace.finish()?;
    Ok(counts)
}

fn selection(engine: &Engine, runtime: &Runtime, shape: &Shape) -> Result<Selection, CliError> {
    let mut selection = Selection::default();
    if let Some(window) = &shape.window {
        let (start, end) = runtime.block_on(feed::span(engine))?;
        selection.window = Some(window.within(start, end));
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
        "ireescope: wrote {} ({bytes} bytes, {} slices, {} instants, {} counter values",
        path.display(),
        sum(|counts| counts.slices),
        sum(|counts| counts.instants),
        sum(|counts| counts.counters)
    );
    let skipped = sum(|counts| counts.skipped);
    if skipped > 0 {
        line += &format!("; {skipped} without a time are not drawn");
    }
    eprintln!("{line})");
}

/// Counts what is written.
struct Counted {
    output: Output,
    bytes: Arc<AtomicU64>,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
