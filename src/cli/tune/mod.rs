//! `tune`: finds configurations of a model's dispatches that are faster, and proves that they are.

mod args;
mod builder;
mod contest;
mod laps;
mod outputs;
mod report;
mod searching;
mod store;
mod targets;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::capture::order::command;
use super::capture::perform::listening;
use super::error::{CliError, exit};
use super::open::Opening;
use super::spec::Compiler;
use crate::bundle::replace;
use crate::bundle::set::shell_words;
use crate::compare::Verdict;
use crate::tuning::spec::{verify, write};
use builder::{Builder, Points, spec_of};
use contest::Proof;
use laps::{Fault, Laps};
use outputs::Outputs;
use report::Report;
use searching::{Limits, Searching};
use store::{Outcome, Store, Trial};
use targets::{Target, Wanted, choose};

pub use args::Tune;

/// Runs the command. Returns the exit code.
pub fn run(args: &Tune, opening: &Opening) -> Result<u8, CliError> {
    let stop = listening()?;
    let bin = args.iree_bin_dir.as_deref();
    let compiler = Compiler::with(bin, &args.flags, args.compile_timeout, stop.clone())?;
    let words = command(&args.command)?;
    if let Some(word) = words.1.iter().find(|word| word.starts_with("--module")) {
        return Err(CliError::Usage(format!(
            "{word}: leave out the module, which is compiled from MODEL"
        )));
    }
    let folder = args.output.clone().unwrap_or_else(|| args.model.with_extension("tune"));
    std::fs::create_dir_all(&folder).map_err(CliError::writing(&folder))?;
    let (version, flags) = compiler.told();
    let mut store = Store::open(
        &folder,
        format!("{version} {}", shell_words(flags.iter().map(String::as_str))),
        shell_words(args.command.iter().map(String::as_str)),
    )?;
    let work = folder.join("work");
    std::fs::create_dir_all(&work).map_err(CliError::writing(&work))?;
    let mut builder = Builder::new(compiler, &args.model, &work)?;
    let base = work.join("untuned.vmfb");
    builder
        .module(None, &base)?
        .map_err(|words| CliError::Model { path: args.model.clone(), words })?;
    let before = builder.dispatches(None)?;
    let captures = folder.join("captures");
    let mut laps = Laps::new(&captures, words, bin, args.run_timeout, (&stop, opening))?;
    // The first run warms the machine up.
    laps.run(&base).map_err(fatal)?;
    let lap = laps.run(&base).map_err(fatal)?;
    let top = args.top.map_or(usize::MAX, |top| top as usize);
    let wanted = Wanted { cover: args.cover, top, patterns: &args.dispatches };
    let (targets, left) = choose(&before, &lap, &wanted);
    report::plan(&targets, &left, lap.total);
    if targets.is_empty() {
        return Err(CliError::No("there is nothing to tune".to_owned()));
    }
    if args.dry_run {
        return Ok(exit::FINE);
    }
    builder.find_flag(&targets, &before)?;
    let limits = Limits {
        budget: args.budget,
        candidates: args.candidates,
        patience: args.patience,
        floor: args.noise_floor.ln_1p(),
        seed: args.seed,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let points = Searching::new(&builder, &targets, &mut store, &limits).run(&mut laps)?;
    let outputs = Outputs::new(laps.arguments(), bin, &work, (args.run_timeout, &stop, args.seed))?;
    let mut proving =
        Proving { builder: &builder, targets: &targets, base: &base, limits: &limits };
    let proved = proving.proved(points, &outputs, &mut laps, &mut store)?;
    let report =
        Report { args, targets: &targets, left: &left, folder: &folder, flag: builder.flag };
    let Some((points, module, proof)) = proved else {
        return report.nothing().map(|()| exit::NO);
    };
    let spec = spec_of(&targets, &points);
    let path = folder.join("tuned.mlir");
    let text = write(&spec, &report.comment());
    replace(&path, |file| file.write_all(text.as_bytes())).map_err(CliError::writing(&path))?;
    let verdicts = verify(&spec, &before, &builder.dispatches(Some(&path))?);
    if let Some((entry, _)) =
        spec.entries.iter().zip(&verdicts).find(|(_, it)| it.applied.is_empty())
    {
        return Err(CliError::No(format!(
            "the compiler does not apply @{} of {}",
            entry.matcher,
            path.display()
        )));
    }
    let to = folder.join("tuned.vmfb");
    std::fs::copy(&module, &to).map_err(CliError::writing(&to))?;
    report.gain(&points, &proof).map(|()| exit::FINE)
}

fn fatal(fault: Fault) -> CliError {
    match fault {
        Fault::Refused(words) => CliError::No(format!("the model does not run as it is: {words}")),
        Fault::Ended(error) => error,
    }
}

/// Proves what the search found, and drops what does not pay.
struct Proving<'a> {
    builder: &'a Builder<'a>,
    targets: &'a [Target],
    base: &'a Path,
    limits: &'a Limits,
}

impl Proving<'_> {
    /// Returns the points that pay in the model, its module and the proof; `None` if nothing pays.
    fn proved(
        &mut self,
        mut points: Points,
        outputs: &Outputs<'_>,
        laps: &mut Laps<'_>,
        store: &mut Store,
    ) -> Result<Option<(Points, PathBuf, Proof)>, CliError> {
        loop {
            let are_changed: Vec<bool> = self
                .targets
                .iter()
                .zip(&points)
                .map(|(it, point)| it.space.own != *point)
                .collect();
            if !are_changed.contains(&true) {
                return Ok(None);
            }
            let built = self.builder.candidate("tuned", self.targets, &points)?;
            let module = built.map_err(|words| {
                CliError::No(format!("the winners do not compile together: {words}"))
            })?;
            if let Some(how) = outputs.difference([self.base, &module], self.longest_reduction())? {
                self.drop_wrong(&mut points, &how, outputs, store)?;
                continue;
            }
            eprintln!(
                "ireescope: results are the same; racing the tuned model against the untuned one"
            );
            let proof = contest::run(
                laps,
                [self.base, &module],
                self.targets,
                &are_changed,
                (self.limits.floor, self.limits.seed),
            )
            .map_err(fatal)?;
            let mut is_dropped = false;
            for ((target, point), standing) in
                self.targets.iter().zip(&mut points).zip(&proof.targets)
            {
                if *point != target.space.own && standing.verdict != Verdict::Faster {
                    eprintln!(
                        "ireescope: {} is not faster in new runs, and stays as it was",
                        target.name()
                    );
                    *point = target.space.own;
                    is_dropped = true;
                }
            }
            if !is_dropped {
                let pays = proof.total.verdict == Verdict::Faster;
                return Ok(pays.then_some((points, module, proof)));
            }
        }
    }

    /// Drops the points that compute other results. If each alone is right, all are dropped.
    fn drop_wrong(
        &self,
        points: &mut Points,
        how: &str,
        outputs: &Outputs<'_>,
        store: &mut Store,
    ) -> Result<(), CliError> {
        let own: Points = self.targets.iter().map(|target| target.space.own).collect();
        let mut wrong = Vec::new();
        for (nth, target) in self.targets.iter().enumerate() {
            let Some(point) = points.get(nth).copied().filter(|it| *it != target.space.own) else {
                continue;
            };
            let mut single = own.clone();
            if let Some(to) = single.get_mut(nth) {
                *to = point;
            }
            let how = match self.builder.candidate("alone", self.targets, &single)? {
                Ok(module) => outputs.difference([self.base, &module], self.longest_reduction())?,
                Err(words) => Some(words),
            };
            if let Some(how) = how {
                wrong.push((nth, point, how));
            }
        }
        if wrong.is_empty() {
            eprintln!("ireescope: the winners together compute other results: {how}");
            *points = own;
            return Ok(());
        }
        let mut rows = Vec::new();
        for (nth, point, how) in wrong {
            let Some(target) = self.targets.get(nth) else { continue };
            eprintln!("ireescope: {} computes other results: {how}", target.name());
            rows.push(Trial {
                dispatch: target.name().to_owned(),
                configuration: searching::text_of(target, point),
                outcome: Outcome::Wrong,
                reason: Some(how),
                ..store.trial(target)
            });
            if let Some(to) = points.get_mut(nth) {
                *to = target.space.own;
            }
        }
        store.add(rows)
    }

    /// Returns the number of elements of the longest reduction; dynamic loops do not count.
    fn longest_reduction(&self) -> f64 {
        let of = |target: &Target| -> f64 {
            let loops = target.root.loops.iter().filter(|it| it.is_reduction);
            #[expect(clippy::cast_precision_loss, reason = "extents are far below 2^53")]
            loops.filter_map(|it| it.extent).map(|it| it as f64).product()
        };
        self.targets.iter().map(of).fold(1.0, f64::max)
    }
}
