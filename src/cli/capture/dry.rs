//! `--dry-run`: the plan, and what would be tried where the device refuses a part of it.

use super::args::Running;
use super::{Order, is_no_tool, settings};
use crate::bundle::set::{self, Manifest};
use crate::capture::plan::{Known, Planned, UNNAMED_COUNTER, plan};
use crate::capture::{Spelling, Tool, command_line};
use crate::cli::error::CliError;
use schemas::questions::{Clock, Question};

/// Prints the plan.
pub fn print(order: &Order, running: &Running) -> Result<(), CliError> {
    let spelling = match Tool::find(&order.tool, running.iree_bin_dir.as_deref()) {
        Ok(tool) => tool.spelling,
        Err(error) if is_no_tool(&error) => {
            eprintln!("ireescope: warning: {error}");
            Spelling::NEWEST
        }
        Err(error) => return Err(error.into()),
    };
    let known = Known { before: order.known.captured.len(), ..order.known.clone() };
    let is_there = set::is_one(&order.folder);
    let mut manifest = if is_there { Manifest::read(&order.folder)? } else { Manifest::default() };
    let mut text = String::new();
    for planned in plan(&order.wanted, &known) {
        let name = manifest.free_name(&order.folder);
        text.push_str(&format!("{name}: {}", planned.modes.join(", ")));
        if !planned.questions.is_empty() {
            text.push_str(&format!("  (for {})", planned.questions.join(", ")));
        }
        text.push_str(&format!("\n  {}\n", words(order, running, &planned, &name, &spelling)));
        if planned.counters.iter().any(|name| name == UNNAMED_COUNTER) {
            text.push_str("  No counter is named: the driver is asked which there are.\n");
        }
        manifest.runs.push(set::Run::named(name));
    }
    if text.is_empty() {
        text.push_str("Nothing is left to capture.\n");
    }
    for question in &order.wanted.questions {
        text.push_str(&otherwise(question));
    }
    crate::cli::print(&text)
}

/// The command line of a run, for a shell.
fn words(
    order: &Order,
    running: &Running,
    planned: &Planned,
    name: &str,
    spelling: &Spelling,
) -> String {
    let settings = settings(running);
    let bundle = order.folder.join(format!("{name}.ireeprof"));
    let flags =
        command_line(planned, &bundle, &settings.filters, settings.flush_interval_ms, spelling);
    let words = std::iter::once(&order.tool).chain(&order.arguments).chain(&flags);
    set::shell_words(words.map(String::as_str))
}

/// What answers a question where its best way is refused.
fn otherwise(question: &Question) -> String {
    let Some((best, others)) = question.ways.split_first() else { return String::new() };
    others
        .iter()
        .map(|way| {
            let lost: Vec<&str> =
                best.needs.iter().copied().filter(|mode| !way.needs.contains(mode)).collect();
            let clock = match way.clock {
                Clock::Host => ", on the host's clock",
                Clock::Device | Clock::None => "",
            };
            let (name, lost, needs) = (question.name, lost.join(" or "), way.needs.join(" and "));
            format!("{name} is answered by {needs}{clock}, where {lost} is refused.\n")
        })
        .collect()
}
