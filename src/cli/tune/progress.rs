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
        TuneEvent::Compiled(count) => eprintln!("ireescope: {}", compiled_of(count)),
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
    let fraction = |name: &str| plan.times.fractions.get(name);
    let of = |name: &str| {
        let share = total_ns.and_then(|_| plan.times.share(name));
        let share = share.map(|it| format!("{} of the time, ", percent(it)));
        let roof = fraction(name).map(|it| format!("{:.0} % of the roofline, ", it * 100.0));
        share.unwrap_or_default() + &roof.unwrap_or_default()
    };
    for target in &plan.targets {
        let name = target.name();
        let points = counted(target.space.points.len() as u64, "configuration");
        let scalar = if target.is_scalar { "; the compiler chose no vectors" } else { "" };
        eprintln!("ireescope: tuning {name}: {}{points}{scalar}", of(name));
        for other in target.functions.iter().skip(1) {
            eprintln!(
                "ireescope: tuning {other}: {}as {name}, whose operation is equal",
                of(other)
            );
        }
    }
    for skipped in plan.skipped_large() {
        eprintln!("ireescope: leaving {}: {}{}", skipped.name, of(&skipped.name), skipped.why);
    }
    if total_ns.is_some() && plan.targets.iter().all(|it| fraction(it.name()).is_none()) {
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
pub fn compiled(folder: &Path, count: &CompileCount) {
    println!("{}", compiled_of(count));
    if count.compiled == 0 {
        return;
    }
    let folder = folder.display();
    println!(
        "Nothing is measured yet: ireescope tune --resume {folder} -- TOOL ARGS does so on a machine that has the device"
    );
}

fn compiled_of(count: &CompileCount) -> String {
    let reason = count.reason.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
    format!(
        "{}: {} compiled and applied, {} compiled but not applied, {} refused by the compiler{reason}",
        counted(u64::from(count.all()), "candidate"),
        count.compiled,
        count.not_applied,
        count.not_compiled
    )
}

/// Says how far the search is.
fn searched(targets: &[Target], of: &SearchProgress<'_>) {
    let best = targets.iter().zip(of.best).zip(of.tried);
    let best = best.map(|((target, (ratio, interval)), tried)| {
        if let (0, Some(refused)) = (tried.measured, tried.refused()) {
            return format!("{}: {refused}", target.name());
        }
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
