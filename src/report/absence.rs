//! Says why there is nothing to show. For all commands, it is one of these: nothing matches what was asked, the program has
//! none, they were recorded and lost, or they were not recorded.

use super::rows::Row;
use super::text::counted;

/// What is said if no dispatch was recorded.
const NOT_RECORDED: &str = "\
No dispatch was timed. Capture with --device_profiling_mode=host-execution (CPU devices) or dispatch-events (GPUs), and \
executable-metadata for names.";

/// What is said of a program without dispatches.
const NONE: &str =
    "The program runs no dispatches: its command buffers only copy, fill and update.";

/// What is said of a program whose dispatches have nothing to do.
const EMPTY: &str = "No dispatch ran: those of the program have no workgroups, as an extent is 0.";

/// What is said of dispatches that were lost.
const LOST: &str = "Dispatches were recorded, but lost: `ireescope doctor` says how many, and why.";

/// What is said if all that was recorded is left out without being asked for.
const LEFT_OUT: &str = "No dispatch is left: all have invalid times, or are warm-up (option `warmup=keep` includes that).";

/// Most rows of a report in which names are looked for.
pub const SEARCHED: usize = 100_000;

/// Most names that are listed.
const LISTED: usize = 4;

/// Returns why no bundle has dispatches to show, from their rows of `capture_health`; `None` if one was recorded.
pub fn of_dispatches(health: &[Row<'_>]) -> Option<&'static str> {
    let has = |absence: &str| health.iter().any(|row| row.text("absence") == absence);
    if has("") {
        return None;
    }
    Some(if has("lost") {
        LOST
    } else if has("not_recorded") {
        NOT_RECORDED
    } else if has("empty") {
        EMPTY
    } else {
        NONE
    })
}

/// Returns the same of dispatches of which nothing else is known.
pub fn of_shown(health: &[Row<'_>]) -> &'static str {
    of_dispatches(health).unwrap_or(LEFT_OUT)
}

/// Says why no bundle has records of a family, from their rows of `recorded_modes`.
pub fn of_family(nouns: &str, mode: &str, modes: &[Row<'_>]) -> String {
    let of_mode = || modes.iter().filter(|row| row.text("mode") == mode);
    let reason = of_mode().map(|row| row.text("reason")).find(|reason| !reason.is_empty());
    let reason = reason.as_deref().unwrap_or("the program has none");
    let said = format!("There are no {nouns}: {reason}.");
    if of_mode().any(|row| row.text("state") == "absent") {
        return format!("{said} Capture with --device_profiling_mode={mode}.");
    }
    said
}

/// Says that nothing matches what was asked. `asked` are the flags; `known` are the names that there are, at most
/// [`SEARCHED`], and `near` those that may be meant.
pub fn unmatched(noun: &str, asked: &[String], known: &[String], near: &[String]) -> String {
    let flags = asked.join(" and ");
    let there = counted(known.len() as u64, noun);
    let verb = if known.len() == 1 { "is" } else { "are" };
    let least = if known.len() < SEARCHED { "" } else { "at least " };
    let head = format!("No {noun} matches {flags}; there {verb} {least}{there}");
    if !near.is_empty() {
        return format!("{head}; did you mean {}?", near.join(" or "));
    }
    let listed = known.get(..LISTED).unwrap_or(known).join(", ");
    match known.len().saturating_sub(LISTED) {
        _ if listed.is_empty() => format!("{head}."),
        0 => format!("{head}: {listed}."),
        more => format!("{head}: {listed} and {more} more."),
    }
}
