//! `fill`: from "cannot say" to the table in one call.

use std::path::{Path, PathBuf};

use super::args::{self, Fill};
use super::before::{self, Before};
use super::{Order, dry, finish, perform, settings, summary};
use crate::bundle::BundleError;
use crate::bundle::set::{self, CaptureSet, Manifest, Run};
use crate::capture::plan::{Known, Wanted, plan};
use crate::capture::{Report, has};
use crate::cli::args::Opening;
use crate::cli::error::CliError;
use crate::cli::gaps::{self, Found};

/// What is to be filled.
#[derive(Debug)]
pub struct Subject {
    /// The set, which may not be there yet.
    pub folder: PathBuf,
    /// What it holds, where it is there.
    pub manifest: Option<Manifest>,
    /// A bundle that is no part of it.
    pub given: Option<PathBuf>,
}

/// Runs `fill`.
pub fn run(args: &Fill, opening: &Opening) -> Result<(), CliError> {
    let questions = args::questions(&args.questions);
    let wanted = args::wanted(questions, &args.modes, &args.running.counters);
    let subject = Subject::of(args)?;
    let found = gaps::found(&subject.asked(), &wanted.questions, opening)?;
    let before = Before::of(args, &subject, &found)?;
    let known = before::known(&wanted, &subject, &found, before.device.as_deref());
    if plan(&wanted, &known).is_empty() {
        return nothing_to_do(args, subject, known, &found, &wanted, opening);
    }
    let Some(command) = before.command else {
        return Err(CliError::Usage(format!(
            "{} does not say how it was captured; give the tool and its arguments after --",
            args.bundle
        )));
    };
    let settings = command.again(settings(&args.running));
    let order = Order {
        wanted,
        known,
        tool: command.tool,
        arguments: command.arguments,
        environment: command.environment,
        directory: command.directory,
        folder: subject.folder,
        given: subject.given,
        settings,
    };
    if args.running.dry_run {
        return dry::print(&order, &args.running);
    }
    let report = perform(&order, &args.running)?;
    for question in &order.wanted.questions {
        eprintln!("ireescope: {}: {}", question.name, summary::answer(&report, question));
    }
    if let Some(reason) = &report.known.filters_refused {
        eprintln!("ireescope: nothing is filtered: {reason}");
    }
    let folder = order.folder.to_string_lossy();
    match gaps::found(&folder, &order.wanted.questions, opening) {
        Ok(found) => answers(&found, opening)?,
        // That the tool failed is the better reason.
        Err(error) if report.failure.is_none() => return Err(error),
        Err(_) => {}
    }
    finish(report, &order.wanted, true)
}

impl Subject {
    fn of(args: &Fill) -> Result<Self, CliError> {
        let path = Path::new(&args.bundle);
        if set::is_one(path) {
            if args.output.is_some() {
                return Err(CliError::Usage(format!(
                    "{} is a capture set and is filled itself; --output is for a bundle",
                    args.bundle
                )));
            }
            let manifest = Some(Manifest::read(path)?);
            return Ok(Self { folder: path.to_owned(), manifest, given: None });
        }
        if !path.is_file() {
            return Err(CliError::Bundle(BundleError::Missing {
                path: args.bundle.clone(),
                hint: "fill takes a capture set (a folder with a manifest.json) or one bundle",
            }));
        }
        if let Some((folder, manifest)) = set_of(path).filter(|_| args.output.is_none()) {
            let (bundle, set) = (&args.bundle, folder.display());
            eprintln!("ireescope: {bundle} is of the capture set {set}, which is filled");
            return Ok(Self { folder, manifest: Some(manifest), given: None });
        }
        let folder = args.output.clone().unwrap_or_else(|| beside(path));
        let is_there = set::is_one(&folder);
        let manifest = is_there.then(|| Manifest::read(&folder)).transpose()?;
        // A bundle that was filled before is of its set.
        let is_taken = manifest.as_ref().is_some_and(|manifest| has(manifest, &folder, path));
        Ok(Self { folder, manifest, given: (!is_taken).then(|| path.to_owned()) })
    }

    /// What is asked for gaps.
    fn asked(&self) -> String {
        self.given.as_ref().unwrap_or(&self.folder).to_string_lossy().into_owned()
    }

    /// The set as its bundles know it.
    pub fn set(&self) -> CaptureSet {
        CaptureSet::of(&self.folder, None, self.runs().to_vec())
    }

    /// Runs of the set.
    pub fn runs(&self) -> &[Run] {
        self.manifest.as_ref().map_or(&[], |manifest| &manifest.runs)
    }
}

/// The capture set that a bundle lies in and is of.
fn set_of(path: &Path) -> Option<(PathBuf, Manifest)> {
    let folder = path.parent()?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let manifest = set::is_one(folder).then(|| Manifest::read(folder).ok()).flatten()?;
    let name = path.file_name()?.to_str()?;
    let is_it = |run: &Run| run.bundle.as_deref() == Some(name);
    manifest.runs.iter().any(is_it).then(|| (folder.to_owned(), manifest))
}

/// A folder beside a bundle.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let stem = name.strip_suffix(".ireeprof").unwrap_or(name);
    path.with_file_name(format!("{stem}.capture"))
}

/// Where nothing is left that can be captured, what is there has to do.
fn nothing_to_do(
    args: &Fill,
    subject: Subject,
    known: Known,
    found: &Found,
    wanted: &Wanted,
    opening: &Opening,
) -> Result<(), CliError> {
    let manifest = subject.manifest.unwrap_or_default();
    let runs = Vec::new();
    let report = Report { known, runs, failure: None, is_interrupted: false, manifest };
    if summary::missing(&report, wanted).is_empty() {
        eprintln!("ireescope: {} answers already; nothing is left to capture", args.bundle);
    } else {
        for question in &wanted.questions {
            eprintln!("ireescope: {}: {}", question.name, summary::answer(&report, question));
        }
    }
    answers(found, opening)?;
    finish(report, wanted, true)
}

/// Prints the answers that there are, each of the bundle that answers best.
fn answers(found: &Found, opening: &Opening) -> Result<(), CliError> {
    let mut shown: Vec<&Vec<String>> = Vec::new();
    for gap in found.gaps.iter().filter(|gap| !gap.answer.is_empty()) {
        if shown.contains(&&gap.answer) {
            continue;
        }
        if found.gaps.len() > 1 {
            let line = set::shell_words(gap.answer.iter().map(String::as_str));
            eprintln!("ireescope: {}: ireescope {line}", gap.question.name);
        }
        crate::cli::again(gap.answer.clone(), opening)?;
        shown.push(&gap.answer);
    }
    Ok(())
}
