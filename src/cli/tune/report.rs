//! What `tune` prints, and its report.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use super::args::Tune;
use super::contest::Proof;
use super::searching::text_of;
use super::targets::{Left, Target};
use crate::bundle::replace;
use crate::cli::compare::change;
use crate::cli::error::CliError;
use crate::cli::spec::SpecFlag;
use crate::compare::Standing;
use crate::report::text::{counted, duration};

/// Prints on standard error what is tuned, and why not the rest.
pub fn plan(targets: &[Target], left: &[Left], total_ns: f64) {
    eprintln!("ireescope: an iteration takes {}", duration(total_ns));
    for target in targets {
        let own = target.space.configuration(target.space.own);
        let vectors = own.knobs().into_iter().find(|(knob, _)| knob == "vector_common_parallel");
        let is_scalar =
            vectors.is_some_and(|(_, value)| !value.contains(|it: char| ('2'..='9').contains(&it)));
        let scalar = if is_scalar { ", scalar" } else { "" };
        let points = counted(target.space.points.len() as u64, "configuration");
        eprintln!(
            "ireescope: tuning {} ({:.1} % of the time{scalar}, {points})",
            target.name(),
            target.share * 100.0
        );
    }
    for left in left.iter().filter(|it| it.share >= 0.01) {
        eprintln!(
            "ireescope: leaving {} ({:.1} % of the time): {}",
            left.name,
            left.share * 100.0,
            left.why
        );
    }
}

/// Writes the report of a folder.
pub struct Report<'a> {
    pub args: &'a Tune,
    pub targets: &'a [Target],
    pub left: &'a [Left],
    pub folder: &'a Path,
    pub flag: SpecFlag,
}

impl Report<'_> {
    /// Returns the first line of the spec.
    pub fn comment(&self) -> String {
        format!("Written by ireescope tune for {}.", self.args.model.display())
    }

    /// Says that nothing pays.
    pub fn nothing(&self) -> Result<(), CliError> {
        let text = format!(
            "# {}\n\nNothing that was tried is faster than the compiler's own choice in new runs.\n",
            self.args.model.display()
        );
        print!("{}", text.lines().skip(2).map(|line| format!("{line}\n")).collect::<String>());
        self.write(&text)
    }

    /// Says what was gained.
    pub fn gain(&self, points: &[usize], proof: &Proof) -> Result<(), CliError> {
        let mut text = String::new();
        let [base, new] = proof.ns;
        let _ = writeln!(
            text,
            "The tuned model takes {} an iteration instead of {}: {}",
            duration(new),
            duration(base),
            standing(&proof.total)
        );
        let pairs = counted(proof.total.pairs, "pair");
        let _ = writeln!(
            text,
            "The intervals hold however often they were looked at, from {pairs} of new runs.\n"
        );
        for ((target, point), found) in self.targets.iter().zip(points).zip(&proof.targets) {
            if *point == target.space.own {
                let _ = writeln!(text, "- {}: nothing that was tried is faster", target.name());
                continue;
            }
            let _ = writeln!(text, "- {}: {}", target.name(), standing(found));
            let _ = writeln!(text, "  - before: `{}`", text_of(target, target.space.own));
            let _ = writeln!(text, "  - after: `{}`", text_of(target, *point));
        }
        let spec = self.folder.join("tuned.mlir");
        let _ = writeln!(text, "\nCompile with {}={}", self.flag.name(), spec.display());
        print!("{text}");
        self.write(&format!("# {}\n\n{text}", self.args.model.display()))
    }

    fn write(&self, text: &str) -> Result<(), CliError> {
        let path = self.folder.join("report.md");
        replace(&path, |file| file.write_all(text.as_bytes())).map_err(CliError::writing(&path))
    }
}

/// Formats a ratio of times as a speed-up with its interval.
fn standing(of: &Standing) -> String {
    let Some(it) = of.interval else { return "too few runs for an interval".to_owned() };
    format!(
        "{:.2} times as fast ({} in time; 95 % interval {} to {})",
        it.ratio.recip(),
        change(it.ratio),
        change(it.low),
        change(it.high)
    )
}
