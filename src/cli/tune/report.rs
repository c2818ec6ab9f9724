//! What `tune` prints, and its report.

use std::fmt::Write as _;
use std::time::Duration;

use super::budget::Costs;
use super::compiled::Count;
use super::finals::Wrong;
use super::order::{Order, SPEC};
use super::proof::{Proof, Told};
use super::search::Progress;
use super::targets::{Left, Target};
use crate::cli::compare::change;
use crate::cli::error::CliError;
use crate::cli::files::write_text;
use crate::cli::spec::SpecFlag;
use crate::compare::Standing;
use crate::report::text::{counted, duration, percent, time};

/// Shares of the time below this are not worth a line.
const SMALL: f64 = 0.01;

/// Prints on standard error what is tuned, and why not the rest.
pub fn plan(targets: &[Target], left: &[Left], total_ns: Option<f64>) {
    if let Some(ns) = total_ns {
        eprintln!("ireescope: an iteration takes {}", duration(ns));
    }
    let of_time = |share: f64| match total_ns {
        Some(_) => format!("{} of the time, ", percent(share)),
        None => String::new(),
    };
    let of_roof = |fraction: Option<f64>| {
        fraction.map_or_else(String::new, |it| format!("{:.0} % of the roofline, ", it * 100.0))
    };
    for target in targets {
        let points = counted(target.space.points.len() as u64, "configuration");
        let scalar = if target.is_scalar { "; the compiler chose no vectors" } else { "" };
        let (share, roof) = (of_time(target.share), of_roof(target.fraction));
        eprintln!("ireescope: tuning {}: {share}{roof}{points}{scalar}", target.name());
    }
    for left in left.iter().filter(|it| it.share >= SMALL) {
        let (share, roof) = (of_time(left.share), of_roof(left.fraction));
        eprintln!("ireescope: leaving {}: {share}{roof}{}", left.name, left.why);
    }
    if total_ns.is_some() && targets.iter().all(|it| it.fraction.is_none()) {
        eprintln!(
            "ireescope: how near they are to the roofline is not known; ireescope bench peaks measures the device"
        );
    }
}

/// Prints on standard error how the time is divided.
pub fn times(costs: Costs, search: Duration, budget: Duration) {
    let (run, compile) = (time(costs.run), time(costs.compile));
    let (search, rest) = (time(search), time(costs.reserve(budget)));
    eprintln!(
        "ireescope: a run takes {run}, a compilation {compile}; of the {} of --budget, the search has {search}, and the proof at most {rest}",
        time(budget)
    );
}

/// Prints on standard error how many candidates are compiled.
pub fn compiling(count: Count) {
    eprintln!("ireescope: {}", compiled_of(count));
}

/// Prints how many candidates are compiled, and what to do with them.
pub fn compiled(order: &Order, count: Count) {
    println!("{}", compiled_of(count));
    let folder = order.folder.display();
    println!(
        "Nothing is measured yet: ireescope tune --resume {folder} -- TOOL ARGS does so on a machine that has the device"
    );
}

fn compiled_of(count: Count) -> String {
    format!(
        "{}: {} compiled and applied, {} compiled but not applied, {} refused by the compiler",
        counted(u64::from(count.all()), "candidate"),
        count.compiled,
        count.not_applied,
        count.not_compiled
    )
}

/// Prints on standard error how far the search is.
pub fn progress(targets: &[Target], of: &Progress<'_>) {
    let best = targets.iter().zip(of.best).map(|(target, (ratio, interval))| {
        let interval = interval.filter(|_| *ratio < 1.0).map_or_else(String::new, |it| {
            format!(" (95 % interval {} to {})", change(it.low), change(it.high))
        });
        format!("{} {}{interval}", target.name(), change(*ratio))
    });
    let left = time(of.left);
    eprintln!(
        "ireescope: round {}, {}, {left} left to search: {}",
        of.round,
        counted(u64::from(of.candidates), "candidate"),
        best.collect::<Vec<_>>().join("; ")
    );
}

/// Prints on standard error which points compute other results.
pub fn wrong(targets: &[Target], wrong: &Wrong) {
    for (target, point, how) in wrong {
        let Some(target) = targets.get(*target) else { continue };
        let (name, configuration) = (target.name(), target.text(*point));
        eprintln!("ireescope: wrong results of {name} with {configuration}: {how}");
    }
}

/// Prints on standard error how far the proof is.
pub fn told(targets: &[Target], told: &Told<'_>) {
    match told {
        Told::Right => {
            eprintln!("ireescope: its results are right; racing it against the untuned model");
        }
        Told::Block(block, it) => {
            let model = if it.interval.is_some() { "the tuned model is " } else { "" };
            eprintln!("ireescope: block {block}: {model}{}", standing(it));
        }
        Told::Dropped(target, why) => {
            let name = targets.get(*target).map_or("", Target::name);
            eprintln!("ireescope: {name} stays as it was: {why}");
        }
        Told::OutOfTime(block) => eprintln!(
            "ireescope: the time of --budget ended after block {block}, before it was decided; run the same command with a longer one to continue"
        ),
        Told::NoTime => eprintln!(
            "ireescope: the time of --budget is too short to prove what was found; run the same command with a longer one to continue"
        ),
    }
}

/// Writes the report of a folder.
pub struct Report<'a> {
    pub order: &'a Order,
    pub targets: &'a [Target],
    pub left: &'a [Left],
    pub flag: SpecFlag,
}

impl Report<'_> {
    /// Returns the first line of the spec.
    pub fn comment(&self) -> String {
        format!("Written by ireescope tune for {}.", self.order.model.display())
    }

    /// Says that nothing pays, or that there was no time to prove that it does.
    pub fn nothing(&self, is_in_time: bool) -> Result<(), CliError> {
        self.write(if is_in_time {
            "Nothing that was tried is faster than the compiler's own choice in new runs.\n"
        } else {
            "It is not proven that anything that was tried is faster than the compiler's own choice: the time ended first.\n"
        })
    }

    /// Says what was gained.
    pub fn gain(&self, proof: &Proof) -> Result<(), CliError> {
        let mut text = String::new();
        let [base, new] = proof.ns;
        let _ = writeln!(
            text,
            "The tuned model takes {} an iteration instead of {}: it is {}.",
            duration(new),
            duration(base),
            standing(&proof.total)
        );
        let _ = writeln!(
            text,
            "The intervals are from {} of new runs, and hold however often they were looked at.\n",
            counted(proof.total.pairs, "pair")
        );
        for ((target, point), found) in self.targets.iter().zip(&proof.points).zip(&proof.targets) {
            if *point == target.space.own {
                let _ = writeln!(text, "- {}: nothing that was tried is faster", target.name());
                continue;
            }
            let _ = writeln!(text, "- {}: {}", target.name(), standing(found));
            let _ = writeln!(text, "  - before: `{}`", target.text(target.space.own));
            let _ = writeln!(text, "  - after: `{}`", target.text(*point));
        }
        for left in self.left.iter().filter(|it| it.share >= SMALL) {
            let _ = writeln!(text, "- {}: not tuned, {}", left.name, left.why);
        }
        let spec = self.order.folder.join(SPEC);
        let _ = writeln!(text, "\nCompile with {}", self.flag.arguments(&spec).join(" "));
        self.write(&text)
    }

    /// Prints the text, and writes it with a title.
    fn write(&self, text: &str) -> Result<(), CliError> {
        print!("{text}");
        let path = self.order.folder.join("report.md");
        let text = format!("# {}\n\n{text}", self.order.model.display());
        write_text(&path, &text)
    }
}

/// Formats a ratio of times as a speed-up with its interval.
fn standing(of: &Standing) -> String {
    let Some(it) = of.interval else { return "too early to tell".to_owned() };
    format!(
        "{:.2} times as fast (time {}; 95 % interval {} to {})",
        it.ratio.recip(),
        change(it.ratio),
        change(it.low),
        change(it.high)
    )
}
