//! `top`: lists the functions by total time.

use clap::Args;

use super::encode;
use super::error::CliError;
use super::names;
use super::nothing::Asked;
use super::open::Opening;
use super::printing::Printing;
use super::suggest::suggest;
use super::values;
use crate::engine::{Answer, Parameters, Prepared};
use crate::report::layouts::Names;
use crate::report::next::{Next, always};
use crate::report::{Row, absence, doubt, health, rows, top, warmup};
use crate::workspace::Workspace;

#[derive(Debug, Args)]
pub struct Top {
    /// Bundles to open; functions with the same name are aggregated over all bundles
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Group by `function`, `shape` (the function and its numbers of workgroups), `op` (the kind of operation), `executable`,
    /// `bundle`, `invocation`, `device` or `queue`
    #[arg(long, default_value = "function", value_name = "WHAT", value_parser = group)]
    pub by: &'static str,
    /// Sort by `total`, `mean` or `max` time, by the `tail` (99th or 90th percentile), or by `cv` (standard deviation
    /// divided by mean)
    #[arg(long, default_value = "total", value_name = "FIGURE", value_parser = sort)]
    pub sort: &'static str,
    /// Only functions whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    /// Maximum number of functions per clock
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number
    #[arg(long, default_value = "auto", value_name = "N", value_parser = values::warmup, allow_hyphen_values = true)]
    pub warmup: i64,
    #[command(flatten)]
    pub printing: Printing,
}

/// The command that is suggested below functions.
const OF_FUNCTION: Next = Next {
    shows: "All dispatches of the first function",
    words: &["sql", "-c", "SELECT * FROM dispatches WHERE key = '{}'"],
    of: &[("top_function", "key")],
};

/// The command that is suggested below other groups.
const FUNCTIONS: Next = always("The functions", &["top"]);

/// What the filter selects from.
const FUNCTIONS_OF_TOP: Names = Names { noun: "function", of: &[("top_function", "key")] };

/// Runs the command.
pub fn run(args: &Top, opening: &Opening) -> Result<(), CliError> {
    let workspace = opening.open(&args.bundles)?;
    let Workspace { engine, runtime } = &workspace;
    let destination = args.printing.destination([engine])?;
    let parameters = Parameters {
        filter: args.filter.clone(),
        warmup: args.warmup,
        group: args.by,
        sort: args.sort,
        ..Parameters::default()
    };
    if let Some(format) = args.printing.of_report() {
        let functions = runtime.block_on(engine.report("top_function", &parameters))?;
        return encode::write_all(&functions.schema, functions.batches, format, destination);
    }
    // Without warm-up, the invocations need not be read.
    let of_invocations: &[&str] =
        if args.warmup == 0 { &[] } else { &["invocation_reading", "warmup"] };
    let reports = [&["top_function", "capture_health"], of_invocations].concat();
    let prepared = engine.prepare_all(sql::Kind::Report, &reports, &parameters)?;
    let answers: Vec<Answer> = workspace.at_once(prepared.into_iter().map(Prepared::answer))?;
    let [functions, health, of_invocations @ ..] = answers.as_slice() else { return Ok(()) };
    let all = rows(&functions.batches);
    // What runs in the warm-up only is not listed.
    let is_listed = |row: &&Row<'_>| row.count("dispatch_count") > 0;
    let functions: Vec<Row<'_>> = all.iter().filter(is_listed).copied().collect();
    let health_rows = rows(&health.batches);
    let asked = Asked::default().pattern("--filter", &args.filter);
    let names = Names { noun: args.by, ..FUNCTIONS_OF_TOP };
    let unmatched = if functions.is_empty() {
        asked.unmatched_in((engine, runtime), &parameters, names, None)?
    } else {
        None
    };
    let nothing = || unmatched.as_deref().unwrap_or_else(|| absence::of_shown(&health_rows));
    let width = destination.target().width;
    destination.text(|out| {
        health::draw(out, &health.batches)?;
        if let [readings, warmup] = of_invocations {
            doubt::draw(out, &rows(&readings.batches))?;
            warmup::draw(out, &rows(&warmup.batches), &all)?;
        }
        top::draw(out, &functions, args.by, args.limit, width)?;
        let Some(first) = functions.first() else { return writeln!(out, "\n{}", nothing()) };
        let next = if args.by == "function" { OF_FUNCTION } else { FUNCTIONS };
        let quoted = |column: &str| first.text(column).replace('\'', "''");
        suggest(out, &[next], &args.bundles, |_, column| Some(quoted(column)))
    })
}

/// Parses a value of `--by`.
fn group(name: &str) -> Result<&'static str, String> {
    names::named(
        name,
        "groups",
        &["function", "shape", "op", "executable", "bundle", "invocation", "device", "queue"],
    )
}

/// Parses a value of `--sort`.
fn sort(name: &str) -> Result<&'static str, String> {
    names::named(name, "figures", &["total", "mean", "max", "tail", "cv"])
}
