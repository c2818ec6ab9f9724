//! What `tune` prints while it runs.

use std::path::Path;
use std::time::Duration;

use crate::report::text::{change, counted, duration, percent, time};
use crate::tune::{
    CompileCount, Costs, Plan, ProofEvent, SearchProgress, Target, TuneEvent, speedup,
};

/// Prints an event on standard error.
pub fn print(event: &TuneEvent<'_>) {
    match event {
        TuneEvent::Planned(plan) => planned(plan),
        TuneEvent::Divided { costs, budget, search, proof } => {
            divided(*costs, *budget, *search, *proof);
        }
        TuneEvent::Compiled(count) => eprintln!("ireescope: {}", compiled_of(*count)),
        TuneEvent::Searched { targets, progress } => searched(targets, progress),
        TuneEvent::WrongResults { target, configuration, difference } => {
            let name = target.name();
            eprintln!("ireescope: wrong results of {name} with {configuration}: {difference}");
        }
        TuneEvent::Proof { targets, event } => proof(targets, event),
    }
}

/// Says what is tuned, and why not the rest.
fn planned(plan: &Plan) {
    let total_ns = plan.has_times.then_some(plan.times.total);
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
    for target in &plan.targets {
        let points = counted(target.space.points.len() as u64, "configuration");
        let scalar = if target.is_scalar { "; the compiler chose no vectors" } else { "" };
        let (share, roof) = (of_time(target.share), of_roof(target.fraction));
        eprintln!("ireescope: tuning {}: {share}{roof}{points}{scalar}", target.name());
    }
    for skipped in plan.skipped_large() {
        let (share, roof) = (of_time(skipped.share), of_roof(skipped.fraction));
        eprintln!("ireescope: leaving {}: {share}{roof}{}", skipped.name, skipped.why);
    }
    if total_ns.is_some() && plan.targets.iter().all(|it| it.fraction.is_none()) {
        eprintln!(
            "ireescope: how near they are to the roofline is not known; ireescope bench peaks measures the device"
        );
    }
}

/// Says how the time is divided.
fn divided(costs: Costs, budget: Duration, search: Duration, proof: Duration) {
    let (run, compile) = (time(costs.run), time(costs.compile));
    let [budget, search, proof] = [budget, search, proof].map(time);
    eprintln!(
        "ireescope: a run takes {run}, a compilation {compile}; of the {budget} of --budget, the search has {search}, and the proof at most {proof}"
    );
}

/// Prints how many candidates are compiled, and what to do with them.
pub fn compiled(folder: &Path, count: CompileCount) {
    println!("{}", compiled_of(count));
    let folder = folder.display();
    println!(
        "Nothing is measured yet: ireescope tune --resume {folder} -- TOOL ARGS does so on a machine that has the device"
    );
}

fn compiled_of(count: CompileCount) -> String {
    format!(
        "{}: {} compiled and applied, {} compiled but not applied, {} refused by the compiler",
        counted(u64::from(count.all()), "candidate"),
        count.compiled,
        count.not_applied,
        count.not_compiled
    )
}

/// Says how far the search is.
fn searched(targets: &[Target], of: &SearchProgress<'_>) {
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

/// Says how far the proof is.
fn proof(targets: &[Target], event: &ProofEvent<'_>) {
    match event {
        ProofEvent::Right => {
            eprintln!("ireescope: its results are right; racing it against the untuned model");
        }
        ProofEvent::Block { number, standing } => {
            let model = if standing.interval.is_some() { "the tuned model is " } else { "" };
            eprintln!("ireescope: block {number}: {model}{}", speedup(standing));
        }
        ProofEvent::Dropped { target, why } => {
            let name = targets.get(*target).map_or("", Target::name);
            eprintln!("ireescope: {name} stays as it was: {why}");
        }
        ProofEvent::OutOfTime(block) => eprintln!(
            "ireescope: the time of --budget ended after block {block}, before it was decided; run the same command with a longer one to continue"
        ),
        ProofEvent::NoTime => eprintln!(
            "ireescope: the time of --budget is too short to prove what was found; run the same command with a longer one to continue"
        ),
    }
}
