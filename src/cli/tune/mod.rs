//! `tune`: finds configurations of a model's dispatches that are faster, and proves that they are.
//!
//! [`targets`] chooses the dispatches by their times, [`search`] tries configurations of all of them at once, [`finals`]
//! verifies the best and measures them again, [`proof`] races the winners against the untuned model, and drops what does
//! not pay. These decide; [`bench`] compiles and measures for them, and keeps all of it in the [`store`].

mod args;
mod bench;
mod budget;
mod builder;
mod clock;
mod compiled;
mod finals;
mod given;
mod laps;
mod measure;
mod order;
mod proof;
mod report;
mod roofline;
mod rows;
mod search;
mod store;
mod targets;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Instant;

use super::capture::order::command;
use super::error::{CliError, exit};
use super::files::write_text;
use super::nothing::Asked;
use super::open::Opening;
use super::outputs::{Outputs, of_benchmark};
use super::signals::listen;
use super::spec::Compiler;
use crate::bundle::set::shell_words;
use crate::bundle::{digest, replace};
use crate::capture::Stop;
use crate::fold::Pattern;
use crate::report::text::time;
use crate::tuning::configuration::Dispatch;
use crate::tuning::space::Space;
use crate::tuning::spec::write;
use args::Kept;
use bench::Bench;
use budget::Costs;
use builder::{Builder, spec_of};
use clock::Clock;
use given::Given;
use laps::{Lap, Laps};
use measure::{Measure, Points};
use order::{MODULE, Order, SPEC};
use proof::{Proof, Told};
use report::Report;
use rows::{DispatchRow, RunRow};
use search::{Earlier, Limits, Searching, broken};
use store::{COMPILED, Store};
use targets::{Left, Target, Wanted, choose, own};

pub use args::Tune;

/// Runs the command. Returns the exit code. Wrong usage leaves no folder.
pub fn run(args: &Tune, opening: &Opening) -> Result<u8, CliError> {
    let order = Order::of(args)?;
    let folder = order.folder.clone();
    let is_new = !folder.exists();
    let ended = tune(args, &order, opening);
    if is_new && matches!(ended, Err(CliError::Usage(_))) {
        // What is left if this fails harms nothing.
        let _ = std::fs::remove_dir_all(&folder);
    }
    ended
}

fn tune(args: &Tune, order: &Order, opening: &Opening) -> Result<u8, CliError> {
    let begun = Instant::now();
    let stop = listen()?;
    let bin = args.iree_bin_dir.as_deref();
    let compile_limit = order.kept.compile_timeout();
    let compiler = Compiler::with(bin, &order.flags, compile_limit, stop.clone())?;
    let folder = order.folder.clone();
    let work = folder.join("work");
    std::fs::create_dir_all(&work).map_err(CliError::writing(&work))?;
    let space = order.kept.space.as_deref();
    let given = space.map(given::read).transpose()?.unwrap_or_default();
    let run = known_by(args, order, &compiler)?;
    let lock = crate::capture::lock(&folder)?;
    let _held = stop.hold(lock.as_ref());
    let mut laps = if args.compile_only { None } else { Some(laps(order, bin, (&stop, opening))?) };
    let mut builder = Builder::new(compiler, &order.model, &work)?;
    matched(&order.kept.dispatches, &builder.dispatches)?;
    let mut store = Store::open(&folder, run, compile_limit)?;
    let (lap, costs) = baseline(order, opening, &builder, &store, laps.as_mut())?;
    let has_times = laps.is_some() || !order.kept.profile.is_empty();
    let (targets, left) = chosen(&order.kept, &given, &mut builder, &lap)?;
    plan(args, &mut store, (&targets, &left), (&lap, has_times))?;
    if args.dry_run {
        return Ok(exit::FINE);
    }
    let Some(laps) = laps else {
        return compile_only(order, &builder, &targets, &mut store);
    };
    let run_limit = order.kept.run_timeout();
    let outputs = Outputs::new(
        &of_benchmark(laps.arguments()),
        bin,
        &work,
        (run_limit, &stop, order.kept.seed()),
    )?;
    let earlier = Known::of(&store, &targets);
    let limits = order.kept.limits();
    let clock = Clock::new(begun, costs);
    let mut bench = Bench::new(&builder, &targets, laps, outputs, (&mut store, clock));
    in_time(limits, &bench)?;
    let (proof, is_in_time) = found(limits, &targets, earlier, &mut bench)?;
    let report = Report { order, targets: &targets, left: &left, flag: builder.flag };
    let Some(proof) = proof else {
        bench.clean()?;
        // What an earlier search wrote is not the answer of this one.
        for name in [SPEC, MODULE] {
            let path = folder.join(name);
            if path.exists() {
                std::fs::remove_file(&path).map_err(CliError::writing(&path))?;
            }
        }
        finished(&mut store, &targets, None)?;
        return report.nothing(is_in_time).map(|()| exit::NO);
    };
    let module = bench.module(&proof.points)?.map_err(CliError::Lacking)?;
    let spec = folder.join(SPEC);
    write_spec(&spec, &report.comment(), &builder, (&targets, &proof))?;
    let to = folder.join(MODULE);
    let mut from = std::fs::File::open(&module).map_err(CliError::reading(&module))?;
    replace(&to, |file| std::io::copy(&mut from, file).map(|_| ()))
        .map_err(CliError::writing(&to))?;
    bench.clean()?;
    finished(&mut store, &targets, Some(&proof))?;
    report.gain(&proof).map(|()| exit::FINE)
}

/// Stores and prints what is tuned. Fails if that is nothing. Without times, those of the run are no times.
fn plan(
    args: &Tune,
    store: &mut Store,
    (targets, left): (&[Target], &[Left]),
    (lap, has_times): (&Lap, bool),
) -> Result<(), CliError> {
    // With --dry-run, what is known stays as it is.
    if !args.dry_run || store.dispatches().next().is_none() {
        let rows = targets.iter().flat_map(|it| DispatchRow::of(it, lap));
        let mut rows: Vec<DispatchRow> = rows.chain(left.iter().map(DispatchRow::left)).collect();
        if !has_times {
            for row in &mut rows {
                (row.time_ns, row.share) = (None, None);
            }
        }
        store.set_dispatches(rows)?;
    }
    report::plan(targets, left, has_times.then_some(lap.total));
    if targets.is_empty() {
        return Err(CliError::No("there is nothing to tune".to_owned()));
    }
    Ok(())
}

/// Prepares runs of the model with the user's command.
fn laps<'a>(
    order: &Order,
    bin: Option<&Path>,
    with: (&'a Stop, &'a Opening),
) -> Result<Laps<'a>, CliError> {
    let words = command(&order.command)?;
    if let Some(word) = words.1.iter().find(|word| word.starts_with("--module")) {
        return Err(CliError::Usage(format!(
            "{word}: leave out the module, which is compiled from MODEL"
        )));
    }
    Laps::new(&order.folder.join("captures"), words, bin, order.kept.run_timeout(), with)
}

/// Compiles candidates for a device that is elsewhere.
fn compile_only(
    order: &Order,
    builder: &Builder<'_>,
    targets: &[Target],
    store: &mut Store,
) -> Result<u8, CliError> {
    let limits = order.kept.limits();
    let count = compiled::run(builder, targets, store, &limits, &mut report::compiling)?;
    report::compiled(order, count);
    Ok(if count.compiled > 0 { exit::FINE } else { exit::NO })
}

/// Returns what the run is known by.
fn known_by(args: &Tune, order: &Order, compiler: &Compiler) -> Result<RunRow, CliError> {
    let (version, flags) = compiler.told();
    let model = &order.model;
    let (_, model_sha256) = digest::of_file(model).map_err(CliError::reading(model))?;
    // The files of a device that is elsewhere may be there, too.
    let files_sha256 = if args.compile_only { None } else { order.files_sha256()? };
    let options = serde_json::to_string(&order.kept).unwrap_or_default();
    Ok(RunRow {
        model: model.display().to_string(),
        model_sha256,
        compiler: version.to_owned(),
        compiler_flags: shell_words(flags.iter().map(String::as_str)),
        machine: machine(),
        command: shell_words(order.command.iter().map(String::as_str)),
        seed: order.kept.seed(),
        options,
        files_sha256,
        state: if args.compile_only { COMPILED } else { "searching" }.to_owned(),
        ..RunRow::default()
    })
}

/// Returns what is said of the machine.
fn machine() -> String {
    let host = crate::capture::host();
    let cpu = host.cpu.unwrap_or(host.arch);
    format!("{cpu}, {}", crate::report::text::counted(host.cores, "thread"))
}

/// Returns the times of the untuned model: from bundles that are given, from the store, or from runs, with what these
/// take. If it cannot be run, all dispatches take the same.
fn baseline(
    order: &Order,
    opening: &Opening,
    builder: &Builder<'_>,
    store: &Store,
    laps: Option<&mut Laps<'_>>,
) -> Result<(Lap, Option<Costs>), CliError> {
    if !order.kept.profile.is_empty() {
        return Ok((profiled(&order.kept.profile, builder, opening)?, None));
    }
    let Some(laps) = laps else {
        let functions: BTreeMap<String, f64> =
            builder.dispatches.iter().map(|it| (it.name.clone(), 1.0)).collect();
        let total = crate::statistics::float(functions.len());
        return Ok((Lap { total, functions, fractions: BTreeMap::new() }, None));
    };
    let known: Vec<(&DispatchRow, f64)> =
        store.dispatches().filter_map(|it| Some((it, it.time_ns?))).collect();
    let total = known.iter().find_map(|(it, ns)| Some(ns / it.share?));
    if let Some(total) = total {
        let fraction =
            |(it, _): &(&DispatchRow, f64)| Some((it.dispatch.clone(), it.roof_fraction?));
        let fractions = known.iter().filter_map(fraction).collect();
        let functions = known.into_iter().map(|(it, ns)| (it.dispatch.clone(), ns)).collect();
        return Ok((Lap { functions, total, fractions }, laps.first()));
    }
    let untuned = builder::Order { name: "untuned".to_owned(), spec: None };
    let mut built = builder.build(&[untuned])?;
    let words = |words| CliError::Model { path: order.model.clone(), words };
    let built = built.pop().ok_or_else(|| words(String::new()))?;
    let (compile, module) = (built.took, built.module.map_err(words)?);
    // The first run warms the machine up.
    laps.run(&module)?.lap.map_err(|words| broken(&words))?;
    let ran = laps.run(&module)?;
    let mut lap = ran.lap.map_err(|words| broken(&words))?;
    if let Some(bundle) = ran.bundle {
        lap.fractions = roofline::fractions(&[bundle], builder.sources(), opening)?;
    }
    Ok((lap, Some(Costs { run: ran.took, compile, verify: ran.took })))
}

/// Says what the time goes to. Refuses a budget in which nothing can be proven, before it is spent.
fn in_time(limits: Limits, bench: &Bench<'_>) -> Result<(), CliError> {
    let costs = bench.costs();
    if costs == Costs::default() {
        return Ok(());
    }
    if let Some(needed) = costs.lacks(limits.left(bench)) {
        let (run, needed) = (time(costs.run), time(needed + bench.spent()));
        return Err(CliError::Usage(format!(
            "--budget={} is too short to try and prove anything, as a run of the model takes {run}; give at least {needed}",
            time(limits.budget)
        )));
    }
    report::times(costs, limits.left_to_search(bench), limits.budget);
    Ok(())
}

/// Returns the times of the untuned model that bundles have.
fn profiled(bundles: &[String], builder: &Builder<'_>, opening: &Opening) -> Result<Lap, CliError> {
    let fractions = roofline::fractions(bundles, builder.sources(), opening)?;
    Ok(Lap { fractions, ..Lap::read(bundles.to_owned(), opening)? })
}

/// Refuses a pattern that matches no dispatch, before anything is run or kept.
fn matched(patterns: &[String], dispatches: &[Dispatch]) -> Result<(), CliError> {
    let names = || dispatches.iter().map(|it| it.name.as_str());
    let is_unmatched = |it: &&String| !names().any(|name| Pattern::new(it).matches(name));
    let Some(pattern) = patterns.iter().find(is_unmatched) else { return Ok(()) };
    let asked = Asked::default().pattern("--dispatch", pattern);
    let told = asked.unmatched("dispatch", names());
    Err(CliError::Usage(told.unwrap_or_else(|| "the model has no dispatches to tune".to_owned())))
}

/// Chooses the targets. Those that the compiler applies no spec to are left out.
fn chosen(
    kept: &Kept,
    given: &[Given],
    builder: &mut Builder<'_>,
    lap: &Lap,
) -> Result<(Vec<Target>, Vec<Left>), CliError> {
    let top = kept.top.map_or(usize::MAX, |top| top as usize);
    let is_generated = |it: &Dispatch| targets::GENERATED.contains(&it.backend());
    let are_generated = builder.dispatches.iter().all(is_generated);
    let stated = if are_generated { Vec::new() } else { builder.constraints()? };
    let patterns = &kept.dispatches;
    let wanted = Wanted { cover: kept.cover(), top, patterns, given, stated: &stated };
    let (targets, mut left) = choose(&builder.dispatches, lap, &wanted);
    if targets.is_empty() {
        return Ok((targets, left));
    }
    let are_applied = builder.find_flag(&targets)?;
    let mut kept = Vec::new();
    for (target, is_applied) in targets.into_iter().zip(are_applied) {
        if is_applied {
            kept.push(target);
            continue;
        }
        let why = "the compiler does not apply a spec to it";
        left.extend(target.functions.iter().map(|name| Left::of(name, lap, why)));
    }
    Ok((kept, left))
}

/// What earlier runs of a folder know.
struct Known {
    /// The costs of points, by target.
    costs: Vec<Vec<Earlier>>,
    /// Candidates that were only compiled.
    waiting: Vec<Points>,
}

impl Known {
    fn of(store: &Store, targets: &[Target]) -> Self {
        let waiting = store.waiting();
        let costs: Vec<_> = targets.iter().map(|target| store.earlier(target)).collect();
        if waiting.is_empty() && costs.iter().all(Vec::is_empty) {
            return Self { costs: Vec::new(), waiting: Vec::new() };
        }
        // The store names points by their configurations.
        let points: Vec<HashMap<String, usize>> = targets
            .iter()
            .map(|it| (0..it.space.points.len()).map(|point| (it.text(point), point)).collect())
            .collect();
        let costs = costs.into_iter().zip(&points).map(|(known, points)| {
            let cost = |(text, ratio): (String, Option<f64>)| Some((*points.get(&text)?, ratio));
            known.into_iter().filter_map(cost).collect()
        });
        let waiting = waiting.iter().map(|candidate| {
            let point = |(target, points): (&Target, &HashMap<String, usize>)| {
                let known = candidate.get(target.name()).and_then(|text| points.get(text));
                known.copied().unwrap_or(target.space.own)
            };
            targets.iter().zip(&points).map(point).collect()
        });
        let own = own(targets);
        Self {
            costs: costs.collect(),
            waiting: waiting.filter(|points: &Points| *points != own).collect(),
        }
    }
}

/// Searches, verifies and proves. Returns also whether there was time for it.
fn found(
    limits: Limits,
    targets: &[Target],
    known: Known,
    bench: &mut Bench<'_>,
) -> Result<(Option<Proof>, bool), CliError> {
    let spaces: Vec<Space> = targets.iter().map(|it| it.space.clone()).collect();
    let mut searching = Searching::new(&spaces, &known.costs, known.waiting, limits);
    let best = searching.run(bench, &mut |progress| report::progress(targets, progress))?;
    let has_time = bench.costs().finalists(limits.left(bench)) > 0;
    let mut is_in_time = true;
    let mut tell = |told: Told<'_>| {
        is_in_time &= !matches!(told, Told::OutOfTime(_) | Told::NoTime);
        report::told(targets, &told);
    };
    if !has_time && best.iter().any(|points| !points.is_empty()) {
        tell(Told::NoTime);
    }
    let (points, wrong) = finals::run(&spaces, best, limits, bench)?;
    report::wrong(targets, &wrong);
    let proof = proof::run(&spaces, points, limits, bench, &mut tell)?;
    Ok((proof, is_in_time))
}

/// Checks that the compiler applies all of the spec, and writes it.
fn write_spec(
    path: &Path,
    comment: &str,
    builder: &Builder<'_>,
    (targets, proof): (&[Target], &Proof),
) -> Result<(), CliError> {
    let spec = spec_of(targets, &proof.points);
    let are_applied = builder.applied(&spec)?;
    if let Some((entry, _)) =
        spec.entries.iter().zip(are_applied).find(|(_, is_applied)| !is_applied)
    {
        let matcher = &entry.matcher;
        return Err(CliError::Lacking(format!(
            "the compiler does not apply @{matcher} of the winners' spec"
        )));
    }
    write_text(path, &write(&spec, comment))
}

/// Stores how the run ended.
fn finished(store: &mut Store, targets: &[Target], proof: Option<&Proof>) -> Result<(), CliError> {
    let own = own(targets);
    let points = proof.map_or(&own, |it| &it.points);
    let mut rows: Vec<DispatchRow> = store.dispatches().cloned().collect();
    for (nth, (target, point)) in targets.iter().zip(points).enumerate() {
        let interval = proof.and_then(|it| it.targets.get(nth)?.interval);
        let is_changed = *point != target.space.own;
        for row in rows.iter_mut().filter(|row| target.functions.contains(&row.dispatch)) {
            row.best_configuration = is_changed.then(|| target.text(*point));
            let interval = interval.filter(|_| is_changed);
            row.time_ratio = interval.map(|it| it.ratio);
            row.time_ratio_low = interval.map(|it| it.low);
            row.time_ratio_high = interval.map(|it| it.high);
        }
    }
    store.set_dispatches(rows)?;
    let interval = proof.and_then(|it| it.total.interval);
    let state = if proof.is_some() { "faster" } else { "not_faster" };
    store.set_run(RunRow {
        state: state.to_owned(),
        untuned_ns: proof.map(|it| it.ns[0]),
        tuned_ns: proof.map(|it| it.ns[1]),
        time_ratio: interval.map(|it| it.ratio),
        time_ratio_low: interval.map(|it| it.low),
        time_ratio_high: interval.map(|it| it.high),
        ..store.run.clone()
    })
}
