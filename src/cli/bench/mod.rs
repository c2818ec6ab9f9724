//! `bench`: generates, compiles, verifies and profiles single dispatches.

pub mod args;
mod block;
mod lines;
pub mod peaks;
mod ranking;

use self::args::{Bench, Command, Common};
use self::lines::Lines;
use super::error::CliError;
use super::flags::FLAGS;
use super::signals::interrupted;
use crate::bench::report::Report;
use crate::bench::run::generate;
use crate::bench::{BenchError, NoDispatch, Plan, PlanNotice, SweepResult, plan};
use crate::report::text::counted;

/// Runs `bench`.
pub fn run(args: &Bench) -> Result<(), CliError> {
    let (common, verify, profile) = match &args.command {
        Command::Peaks(measure) => return peaks::run(measure),
        Command::Generate(common) | Command::Compile(common) => (common, false, false),
        Command::Verify(common) => (common, true, false),
        Command::Profile(common) => (common, false, true),
        Command::Run(common) => (common, true, true),
    };
    let is_generating = matches!(args.command, Command::Generate(_));
    let plan = plan(common.request(verify, profile, is_generating), &mut say);
    let plan = plan.map_err(|error| match error {
        BenchError::NoDispatch(why) => CliError::Usage(advised(&why)),
        other => other.into(),
    })?;
    if common.dry_run {
        let lines = plan.lines(!is_generating).into_iter();
        return super::output::print(&lines.map(|line| line + "\n").collect::<String>());
    }
    if is_generating {
        let lines = Lines::new(common.verbose, true, false, None);
        generate(&plan, &|event| lines.take(event))?;
        lines.finish()?;
        let operations = counted(plan.collections.len() as u64, "operation");
        let dispatches = counted(plan.dispatches() as u64, "dispatch");
        eprintln!("ireescope: {operations} with {dispatches}");
        say_skipped(&plan, common);
        return Ok(());
    }
    say_skipped(&plan, common);
    let reporting = &common.reporting;
    let open = |path| Report::open(path, reporting.append, &reporting.tags, &plan.collections);
    let report = reporting.output.as_deref().map(open).transpose()?;
    let has_tables = plan.settings.verify || plan.settings.profile;
    let result = Lines::new(common.verbose, false, has_tables, report).perform(&plan)?;
    if let Some(path) = &reporting.output
        && (!result.is_interrupted || reporting.append)
    {
        eprintln!("Writing performance report to {}", path.display());
    }
    if has_tables {
        super::output::print(&ranking::text(&result.rows))?;
        if common.verbose {
            super::output::print(&result.rows.iter().map(block::text).collect::<String>())?;
        }
    }
    finish(&result, &plan)
}

/// Prints what a user should know of a plan.
fn say(notice: PlanNotice) {
    match notice {
        PlanNotice::Predefined => {
            eprintln!("ireescope: no shapes are given; using the predefined list");
        }
        PlanNotice::Skipped(operation, why) => {
            eprintln!("ireescope: {} is skipped: {}", operation.name(), advised(&why));
        }
    }
}

/// Says why there is no dispatch to run, and which flag helps.
fn advised(why: &NoDispatch) -> String {
    match why {
        NoDispatch::Unmatched(patterns) => {
            format!("no dispatch matches --dispatches={}", patterns.join(","))
        }
        other => format!(
            "{}; --default-config adds the compiler's default",
            FLAGS.spell(&other.to_string())
        ),
    }
}

fn say_skipped(plan: &Plan, common: &Common) {
    let skipped: usize = plan.collections.iter().map(|it| it.skipped.len()).sum();
    if skipped > 0 {
        let skipped = counted(skipped as u64, "configuration");
        let why = if common.verbose { "" } else { " (--verbose prints the reasons)" };
        eprintln!("ireescope: {skipped} skipped as unsuitable{why}");
    }
}

/// Returns the result of the command after a sweep.
fn finish(result: &SweepResult, plan: &Plan) -> Result<(), CliError> {
    let total = plan.dispatches();
    if result.known > 0 {
        let known = result.known;
        eprintln!(
            "ireescope: {known} of {total} dispatches were measured before; --force measures them again"
        );
    }
    if result.is_interrupted {
        return Err(interrupted("interrupted; the measurements so far are kept"));
    }
    let (wrong, failed) = (result.wrong(), result.failed());
    if wrong > 0 {
        return Err(CliError::No(format!("{wrong} of {total} dispatches returned wrong results")));
    }
    if let Some(message) = result.missing_tool() {
        return Err(CliError::Lacking(format!("{failed} of {total} dispatches failed: {message}")));
    }
    if failed > 0 {
        return Err(CliError::No(format!("{failed} of {total} dispatches failed")));
    }
    Ok(())
}
