//! `bench`: generates, compiles, verifies and profiles single dispatches.

pub mod args;
mod block;
mod csv_report;
mod dry;
mod kept;
mod lines;
pub mod peaks;
mod ranking;
mod requests;
mod results;
mod times;

use self::args::{Bench, Command, Common};
use self::lines::Lines;
use self::results::Results;
use super::error::CliError;
use super::signals::interrupted;
use crate::bench::run::{
    DispatchRun, Done, Folders, Outcome, Plan, Settings, Tools, Verification, generate,
};
use crate::bundle::processors;
use crate::report::text::counted;

/// Seed of the reference inputs, constant so that reference files can be reused.
const SEED: u64 = 0;

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
    let verify = common.measuring.verification_enabled.unwrap_or(verify) && !is_generating;
    let profile = common.measuring.profiling_enabled.unwrap_or(profile) && !is_generating;
    let plan = plan(common, verify, profile, is_generating)?;
    if common.dry_run {
        return dry::print(&plan, !is_generating);
    }
    if is_generating {
        let lines = Lines::new(common.verbose, true, false, Results::Nowhere);
        generate(&plan, &|event| lines.take(event))?;
        lines.finish()?;
        let operations = counted(plan.collections.len() as u64, "operation");
        let dispatches = counted(plan.dispatches() as u64, "dispatch");
        eprintln!("ireescope: {operations} with {dispatches}");
        say_skipped(&plan, common);
        return Ok(());
    }
    say_skipped(&plan, common);
    let results = Results::open(&common.reporting, &plan.collections)?;
    let done = Lines::new(common.verbose, false, verify || profile, results).perform(&plan)?;
    if let Some(path) = &common.reporting.output
        && (!done.is_interrupted || common.reporting.append)
    {
        eprintln!("Writing performance report to {}", path.display());
    }
    if verify || profile {
        super::output::print(&ranking::text(&done.rows))?;
        if common.verbose {
            super::output::print(&done.rows.iter().map(block::text).collect::<String>())?;
        }
    }
    finish(&done, &plan)
}

fn plan(
    common: &Common,
    verify: bool,
    profile: bool,
    is_generating: bool,
) -> Result<Plan, CliError> {
    let target = common.aim.target();
    let folders = Folders::new(&common.generated_dir);
    let (collections, empty): (Vec<_>, Vec<_>) =
        requests::meant(common, &target, &folders, is_generating)?
            .into_iter()
            .partition(|collection| !collection.configurations.is_empty());
    if collections.is_empty() {
        return Err(CliError::Usage(nothing(common, &empty)));
    }
    for collection in &empty {
        let name = collection.operation.name();
        eprintln!(
            "ireescope: {name} is skipped: {}",
            nothing(common, std::slice::from_ref(collection))
        );
    }
    let tools = Tools::find(common.iree_bin_dir.as_deref());
    Ok(Plan { target, collections, folders, settings: settings(common, verify, profile), tools })
}

/// Explains why there is no dispatch to run.
fn nothing(common: &Common, collections: &[crate::bench::Collection]) -> String {
    let mut skipped = collections.iter().flat_map(|it| &it.skipped);
    match skipped.next() {
        Some((configuration, reason)) => format!(
            "no configuration is suitable; reason for {}: {reason}; --default-config adds the compiler's default",
            configuration.name()
        ),
        None if common.dispatches.is_empty() => {
            "there is no configuration for these operations; --default-config adds the compiler's default".to_owned()
        }
        None => format!("no dispatch matches --dispatches={}", common.dispatches.join(",")),
    }
}

fn settings(common: &Common, verify: bool, profile: bool) -> Settings {
    let (compiling, measuring) = (&common.compiling, &common.measuring);
    Settings {
        jobs: compiling.jobs.map_or_else(processors, usize::from),
        force_compile: compiling.force_compile,
        force: measuring.force,
        compile_limit: compiling.compile_timeout,
        run_limit: measuring.run_timeout,
        verify,
        profile,
        processes: measuring.processes,
        repetitions: measuring.benchmark_repetitions,
        warmup: measuring.warmup_repetitions,
        batch_size: measuring.batch_size,
        save_commands: common.save_cmds,
        tags: common.reporting.tags.clone(),
        compiler_flags: compiling.compiler_flag.clone(),
        seed: SEED,
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
fn finish(done: &Done, plan: &Plan) -> Result<(), CliError> {
    let total = plan.dispatches();
    if done.known > 0 {
        let known = done.known;
        eprintln!(
            "ireescope: {known} of {total} dispatches were measured before; --force measures them again"
        );
    }
    if done.is_interrupted {
        return Err(interrupted("interrupted; the measurements so far are kept"));
    }
    let count = |is: &dyn Fn(&&DispatchRun) -> bool| done.rows.iter().filter(is).count();
    let wrong = count(&|row| row.verification == Verification::Failed);
    if wrong > 0 {
        return Err(CliError::No(format!("{wrong} of {total} dispatches returned wrong results")));
    }
    let failed = count(&|row| row.outcome != Outcome::Passed);
    let first = done.rows.iter().find(|row| row.outcome == Outcome::NoTool);
    if let Some(message) = first.and_then(|row| row.message.as_ref()) {
        return Err(CliError::Lacking(format!("{failed} of {total} dispatches failed: {message}")));
    }
    if failed > 0 {
        return Err(CliError::No(format!("{failed} of {total} dispatches failed")));
    }
    Ok(())
}
