//! `fill`: from "cannot say" to the table in one call.

use std::path::{Path, PathBuf};

use schemas::questions::MODES;

use super::args::{self, Fill};
use super::{Order, command, dry, finish, here, perform, summary};
use crate::bundle::BundleError;
use crate::bundle::set::{self, CaptureSet, Manifest, Outcome};
use crate::capture::plan::{Known, Wanted, plan};
use crate::capture::{Report, held, held_by};
use crate::cli::args::Opening;
use crate::cli::error::CliError;
use crate::cli::gaps;

/// Runs `fill`.
pub fn run(args: &Fill, opening: &Opening) -> Result<(), CliError> {
    let path = Path::new(&args.bundle);
    let wanted = Wanted {
        questions: args::questions(&args.questions),
        modes: args.modes.clone(),
        counters: args.running.counters.clone(),
    };
    let is_set = set::is_one(path);
    if !is_set && !path.is_file() {
        return Err(CliError::Bundle(BundleError::Missing {
            path: args.bundle.clone(),
            hint: "fill takes a capture set (a folder with a manifest.json) or one bundle",
        }));
    }
    let folder =
        if is_set { path.to_owned() } else { args.output.clone().unwrap_or_else(|| beside(path)) };
    // A bundle that was filled before is of its set.
    let has_set = set::is_one(&folder);
    let manifest = if has_set { Manifest::read(&folder)? } else { Manifest::default() };
    let given = (!is_set).then(|| path.to_owned());
    let known = known(args, &wanted, has_set.then_some((&folder, &manifest)), opening)?;
    if plan(&wanted, &known).is_empty() {
        let report =
            Report { known, runs: Vec::new(), failure: None, is_interrupted: false, manifest };
        let given = given.as_deref().filter(|_| !has_set);
        return nothing_to_do(args, report, &wanted, &folder, given, opening);
    }
    let (tool, arguments, directory) = remembered(args, &manifest)?;
    let order = Order { wanted, known, tool, arguments, directory, folder, given };
    if args.running.dry_run {
        return dry::print(&order, &args.running);
    }
    let report = perform(&order, &args.running)?;
    for question in &order.wanted.questions {
        eprintln!("ireescope: {}: {}", question.name, summary::answer(&report, question));
    }
    answers(&report, &order.wanted, &order.folder, None, opening)?;
    finish(report, &order.wanted, true)
}

/// What there is, and which gaps it leaves.
fn known(
    args: &Fill,
    wanted: &Wanted,
    set: Option<(&PathBuf, &Manifest)>,
    opening: &Opening,
) -> Result<Known, CliError> {
    let captured = match set {
        Some((_, manifest)) => held(manifest),
        None => vec![held_by(Path::new(&args.bundle))],
    };
    let mut known = Known { before: captured.len(), captured, ..Known::default() };
    if known.captured.is_empty() {
        // There is nothing to look at but what was refused, by the device that is asked again.
        let runs = set.map(|(_, manifest)| manifest.runs.clone()).unwrap_or_default();
        let set = CaptureSet { folder: PathBuf::new(), runs };
        let asked = args.tool.iter().rev().find_map(|word| word.strip_prefix("--device="));
        let last = || set.last_process().and_then(|process| process.device.as_deref());
        let device = if args.tool.is_empty() { last() } else { asked };
        let modes: Vec<&'static str> = MODES.iter().map(|mode| mode.name).collect();
        known.refused = set.refused(device, &modes).into_iter().collect();
    } else {
        let subject = set.map_or_else(|| args.bundle.clone(), |(it, _)| it.display().to_string());
        let gaps = gaps::found(&subject, &wanted.questions, opening)?;
        known.gaps = Some(gaps.modes);
        known.refused = gaps.unsupported;
    }
    // Who names a mode wants it tried again.
    known.refused.retain(|mode, _| !wanted.modes.contains(mode));
    Ok(known)
}

/// Where nothing is left that can be captured, what is there has to do.
fn nothing_to_do(
    args: &Fill,
    report: Report,
    wanted: &Wanted,
    folder: &Path,
    given: Option<&Path>,
    opening: &Opening,
) -> Result<(), CliError> {
    if summary::missing(&report, wanted).is_empty() {
        eprintln!("ireescope: {} answers already; nothing is left to capture", args.bundle);
    } else {
        for question in &wanted.questions {
            eprintln!("ireescope: {}: {}", question.name, summary::answer(&report, question));
        }
    }
    answers(&report, wanted, folder, given, opening)?;
    finish(report, wanted, true)
}

/// A folder beside a bundle.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.strip_suffix(".ireeprof").unwrap_or(name);
    path.with_file_name(format!("{stem}.capture"))
}

/// The command that was given, or else the one that the set was captured with.
fn remembered(
    args: &Fill,
    manifest: &Manifest,
) -> Result<(String, Vec<String>, PathBuf), CliError> {
    if !args.tool.is_empty() {
        let (tool, arguments) = command(&args.tool)?;
        return Ok((tool, arguments, here()?));
    }
    let mut profiled = manifest.runs.iter().rev().filter(|run| run.outcome != Outcome::Passed);
    let Some(process) = profiled.find_map(|run| run.process.as_ref()) else {
        return Err(CliError::Usage(format!(
            "{} does not say how it was captured; give the tool and its arguments after --",
            args.bundle
        )));
    };
    let path = &process.tool.path;
    let tool = if path.is_file() && args.running.iree_bin_dir.is_none() {
        path.to_string_lossy().into_owned()
    } else {
        process.tool.name.clone()
    };
    let directory = if process.directory.is_dir() { process.directory.clone() } else { here()? };
    Ok((tool, process.arguments.clone(), directory))
}

/// Prints the answers that there are.
fn answers(
    report: &Report,
    wanted: &Wanted,
    folder: &Path,
    given: Option<&Path>,
    opening: &Opening,
) -> Result<(), CliError> {
    let mut shown: Vec<Vec<String>> = Vec::new();
    for question in &wanted.questions {
        let Some((_, held)) = report.known.answer(question) else { continue };
        let targets = match given {
            Some(path) => vec![path.to_string_lossy().into_owned()],
            None => summary::targets(report, folder, &held),
        };
        let words = summary::answer_words(question, &targets);
        if shown.contains(&words) {
            continue;
        }
        if wanted.questions.len() > 1 {
            let line = set::shell_words(words.iter().map(String::as_str));
            eprintln!("ireescope: {}: ireescope {line}", question.name);
        }
        crate::cli::again(words.clone(), opening)?;
        shown.push(words);
    }
    Ok(())
}
