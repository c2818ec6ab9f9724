//! `top`: lists the functions by total time.

use clap::Args;

use super::encode;
use super::error::CliError;
use super::flags::FLAGS;
use super::names;
use super::nothing::Asked;
use super::open::Opening;
use super::printing::Printing;
use super::suggest::suggest;
use super::values;
use crate::engine::Warmup;
use crate::report::next::{Next, always};
use crate::report::{Row, absence, doubt, health, rows, top, warmup};
use crate::workspace::{GroupBy, SortBy, TopRequest};

#[derive(Debug, Args)]
pub struct Top {
    /// Bundles to open; functions with the same name are aggregated over all bundles
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Group by `function`, `shape` (the function and its numbers of workgroups), `op` (the kind of operation), `executable`,
    /// `bundle`, `invocation`, `device` or `queue`
    #[arg(long, default_value = "function", value_name = "WHAT", value_parser = group)]
    pub by: GroupBy,
    /// Sort by `total`, `mean` or `max` time, by the `tail` (99th or 90th percentile), or by `cv` (standard deviation
    /// divided by mean)
    #[arg(long, default_value = "total", value_name = "FIGURE", value_parser = sort)]
    pub sort: SortBy,
    /// Only functions whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    /// Maximum number of functions per clock
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number
    #[arg(long, default_value = "auto", value_name = "N", value_parser = values::warmup, allow_hyphen_values = true)]
    pub warmup: Warmup,
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

/// Runs the command.
pub fn run(args: &Top, opening: &Opening) -> Result<(), CliError> {
    let workspace = opening.open(&args.bundles)?;
    let destination = args.printing.destination([workspace.engine.as_ref()])?;
    let Top { by, sort, filter, warmup, limit, .. } = args;
    let request = TopRequest { by: *by, sort: *sort, filter: filter.clone(), warmup: *warmup };
    if let Some(format) = args.printing.of_report() {
        let functions = workspace.top_functions(&request)?;
        return encode::write_all(&functions.schema, functions.batches, format, destination);
    }
    let answer = workspace.top(&request)?;
    let all = rows(&answer.functions.batches);
    // What runs in the warm-up only is not listed.
    let is_listed = |row: &&Row<'_>| row.count("dispatch_count") > 0;
    let functions: Vec<Row<'_>> = all.iter().filter(is_listed).copied().collect();
    let health_rows = rows(&answer.health.batches);
    let asked = Asked::default().pattern("--filter", filter);
    let unmatched = answer.unmatched.and_then(|there| asked.said(there));
    let nothing = || unmatched.as_deref().unwrap_or_else(|| absence::of_shown(&health_rows));
    let width = destination.target().width;
    destination.text(|out| {
        health::draw(out, &answer.health.batches)?;
        if let Some([readings, warmup]) = &answer.invocations {
            doubt::draw(out, &rows(&readings.batches), FLAGS)?;
            warmup::draw(out, &rows(&warmup.batches), &all, FLAGS)?;
        }
        top::draw(out, &functions, by.name(), *limit, width)?;
        let Some(first) = functions.first() else {
            return writeln!(out, "\n{}", FLAGS.spell(nothing()));
        };
        let next = if *by == GroupBy::Function { OF_FUNCTION } else { FUNCTIONS };
        let quoted = |column: &str| first.text(column).replace('\'', "''");
        suggest(out, &[next], &args.bundles, |_, column| Some(quoted(column)))
    })
}

/// Parses a value of `--by`.
fn group(name: &str) -> Result<GroupBy, String> {
    let found = GroupBy::ALL.into_iter().find(|by| by.name() == name);
    names::found(name, found, "groups", GroupBy::ALL.map(GroupBy::name))
}

/// Parses a value of `--sort`.
fn sort(name: &str) -> Result<SortBy, String> {
    let found = SortBy::ALL.into_iter().find(|by| by.name() == name);
    names::found(name, found, "figures", SortBy::ALL.map(SortBy::name))
}
