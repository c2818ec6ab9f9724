//! Parses the output of a failed tool for a refusal: of modes, of a counter, of too many counters, or of filters.

use schemas::questions::{MODES, Mode};

use super::plan::counter_mode;
use super::rings;
use super::status::Status;

/// Status codes of refused requests; other codes are failures of the work itself.
const STATUSES: &[&str] = &[
    "UNIMPLEMENTED",
    "INVALID_ARGUMENT",
    "FAILED_PRECONDITION",
    "RESOURCE_EXHAUSTED",
    "OUT_OF_RANGE",
    "NOT_FOUND",
    "PERMISSION_DENIED",
    "UNAVAILABLE",
];

/// Words in the messages of drivers that cannot sample so many counters at once.
const TOO_MANY: &[&str] =
    &["too many", "do not fit", "exceed", "at once", "simultaneous", "passes", "limit"];

/// The subject of a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// These modes.
    Modes(Vec<&'static str>),
    /// A counter, or `None` if the driver wants at least one; and the supported counters, if the message lists them.
    Counter { name: Option<String>, known: Vec<String> },
    /// This number of counters in one run.
    TooManyCounters,
    /// The filters.
    Filters,
    /// Nothing: a ring of events was full before it was flushed.
    FullRing,
    /// Something, but the message names no mode.
    Something,
}

/// A refusal, with the message of the driver or tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub what: What,
    pub reason: String,
    /// Whether the message can only be a refusal. If not, the tool may have failed at work whose names sound like
    /// profiling.
    pub is_certain: bool,
}

/// The context of a message that says why profiling could not be started.
const BEGINNING: &str = "beginning device profiling";

/// Word stems of messages about profiling. They are searched in the message without quoted names and paths.
const ABOUT: &[&str] = &["profil", "counter", "trace", "famil"];

/// Finds a refusal in the output of a failed tool that was asked for these modes and counters. Returns `None` if the
/// tool failed for another reason.
pub fn read(
    printed: &str,
    asked: &[&'static str],
    counters: &[String],
    has_filters: bool,
) -> Option<Refusal> {
    let statuses: Vec<Status<'_>> = printed
        .lines()
        .filter_map(Status::of)
        .filter(|status| status.is_one_of(STATUSES))
        .collect();
    let is_of_beginning = |status: &&Status<'_>| status.was_raised_while(BEGINNING);
    let status = statuses.iter().find(is_of_beginning).or(statuses.first())?;
    let (bare, is_of_beginning) = (bare(&status.reason), is_of_beginning(&status));
    let is_about = ABOUT.iter().any(|word| bare.contains(word))
        || status.reason.contains("'device_profiling_");
    if !is_about && !is_of_beginning {
        return None;
    }
    if rings::are_full(&bare) {
        let reason = base::printable(&status.reason);
        return Some(Refusal { what: What::FullRing, reason, is_certain: true });
    }
    let what = if has_filters && bare.contains("filter") {
        What::Filters
    } else {
        what((&status.reason, &bare), asked, counters)
    };
    let is_certain =
        is_of_beginning || bare.contains("profiling data famil") || is_unimplemented(&bare);
    Some(Refusal { what, reason: base::printable(&status.reason), is_certain })
}

/// Returns a message in lower case, without quoted text and without paths.
fn bare(message: &str) -> String {
    let mut quote = None;
    let mut outside = String::new();
    let mut before = ' ';
    for letter in message.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            // A quote after a letter or digit is an apostrophe and opens nothing.
            None if "'`\"".contains(letter) && !before.is_alphanumeric() => quote = Some(letter),
            None => outside.push(letter),
        }
        before = letter;
    }
    let words = outside.split_whitespace().filter(|word| !word.contains(['/', '\\']));
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Whether a message says that a device has no profiling at all.
fn is_unimplemented(small: &str) -> bool {
    small.contains("profiling is not implemented") || small.contains("profiling not implemented")
}

/// Determines the subject of a refusal from its words, and from these in lower case without names. Specific wordings are
/// tried first: a mask or name of modes, then counters, then phrases for modes.
fn what((reason, small): (&str, &str), asked: &[&'static str], counters: &[String]) -> What {
    if let Some(modes) = masked(small, asked) {
        return What::Modes(modes);
    }
    let unknown = asked.iter().copied().find(|mode| reason.contains(&format!("'{mode}'")));
    if let Some(mode) = unknown {
        return What::Modes(vec![mode]);
    }
    if is_unimplemented(small) {
        return What::Modes(asked.to_vec());
    }
    if small.contains("counter") && counter_mode(asked).is_some() {
        let name = counters.iter().find(|name| reason.contains(&format!("'{name}'"))).cloned();
        if name.is_some() || small.contains("at least one counter") {
            return What::Counter { name, known: listed(reason) };
        }
        let exhausted =
            ["RESOURCE_EXHAUSTED", "OUT_OF_RANGE"].iter().any(|it| reason.starts_with(it));
        if counters.len() > 1 && (exhausted || TOO_MANY.iter().any(|word| small.contains(word))) {
            return What::TooManyCounters;
        }
    }
    // If the message mentions several modes, it is about the first.
    let spoken = MODES
        .iter()
        .filter(|mode| asked.contains(&mode.name))
        .filter_map(|mode| Some((small.find(mode.spoken_of_as?)?, mode.name)));
    match spoken.min().filter(|_| small.contains("not")) {
        Some((_, mode)) => What::Modes(vec![mode]),
        None => What::Something,
    }
}

/// Returns the requested modes of a bit mask, as in `unsupported local profiling data families 0x8`; `None` if there is
/// no mask or it has none of them.
fn masked(small: &str, asked: &[&'static str]) -> Option<Vec<&'static str>> {
    let (before, after) = small.split_once("data families 0x")?;
    let digits = after.split(|letter: char| !letter.is_ascii_hexdigit()).next()?;
    let mask = u64::from_str_radix(digits, 16).ok().filter(|_| before.contains("unsupported"))?;
    let is_meant = |mode: &&Mode| mask >> mode.bit & 1 == 1 && asked.contains(&mode.name);
    let modes: Vec<&'static str> = MODES.iter().filter(is_meant).map(|mode| mode.name).collect();
    Some(modes).filter(|modes| !modes.is_empty())
}

/// Returns the names that follow `supported counters: `.
fn listed(reason: &str) -> Vec<String> {
    let Some((_, list)) = reason.split_once("supported counters: ") else { return Vec::new() };
    let names = list.split(';').next().unwrap_or_default().split(',').map(str::trim);
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: &[&str] =
        &["queue-events", "host-execution", "dispatch-events", "counters", "device-metrics"];

    fn what_of(line: &str, counters: &[&str]) -> Option<What> {
        let counters: Vec<String> = counters.iter().map(|name| (*name).to_owned()).collect();
        read(line, ALL, &counters, false).map(|refusal| refusal.what)
    }

    #[test]
    fn masks_name_modes() {
        let line = "c/runtime/src/iree/hal/local/profile.c:240: UNIMPLEMENTED; unsupported local profiling data families \
                    0x108; beginning device profiling; `sync func @main()`";
        let refusal = read(line, ALL, &[], false).expect("it is one");
        assert_eq!(refusal.what, What::Modes(vec!["dispatch-events", "device-metrics"]));
        assert_eq!(
            refusal.reason,
            "UNIMPLEMENTED; unsupported local profiling data families 0x108"
        );
    }

    #[test]
    fn other_words_name_them_too() {
        for (line, counters, wanted) in [
            (
                "a.c:1: UNIMPLEMENTED; AMDGPU profiling does not produce host execution events",
                vec![],
                What::Modes(vec!["host-execution"]),
            ),
            (
                "a.c:1: UNIMPLEMENTED; HIP HAL-native profiling is not implemented",
                vec![],
                What::Modes(ALL.to_vec()),
            ),
            (
                "a.c:1: INVALID_ARGUMENT; unsupported profiling data family 'device-metrics'; creating run context",
                vec![],
                What::Modes(vec!["device-metrics"]),
            ),
            (
                "a.c:1: INVALID_ARGUMENT; counter profiling requires at least one counter set selection",
                vec![],
                What::Counter { name: None, known: vec![] },
            ),
            (
                "a.c:1: UNIMPLEMENTED; unsupported AMDGPU counter 'X'; supported counters: SQ_WAVES, SQ_BUSY_CYCLES; beginning device profiling",
                vec!["X"],
                What::Counter {
                    name: Some("X".into()),
                    known: vec!["SQ_WAVES".into(), "SQ_BUSY_CYCLES".into()],
                },
            ),
            (
                "a.c:1: RESOURCE_EXHAUSTED; counter set needs 9 registers of block SQ",
                vec!["A", "B"],
                What::TooManyCounters,
            ),
            (
                "a.c:1: UNIMPLEMENTED; local profiling capture filters require producer-owned dispatch events",
                vec![],
                What::Something,
            ),
        ] {
            assert_eq!(what_of(line, &counters), Some(wanted), "{line}");
        }
    }

    #[test]
    fn filters_are_refused_by_themselves() {
        let line = "a.c:270: UNIMPLEMENTED; local profiling capture filters require producer-owned dispatch events and no \
                    unfilterable local data families; beginning device profiling; `sync func @main()`";
        let refusal = read(line, ALL, &[], true).expect("it is one");
        assert_eq!((refusal.what, refusal.is_certain), (What::Filters, true));
    }

    #[test]
    fn a_full_ring_is_no_refusal_of_modes() {
        let line = "host_queue_profile_events.c:312: RESOURCE_EXHAUSTED; dispatch profiling event ring exhausted: requested \
                    10 events, available 3, ready 65533, capacity 65536; `sync func @main()`";
        let refusal = read(line, ALL, &[], false).expect("it is one");
        assert_eq!((refusal.what, refusal.is_certain), (What::FullRing, true));
        assert!(refusal.reason.ends_with("capacity 65536"), "{}", refusal.reason);
    }

    #[test]
    fn what_may_be_a_failure_is_not_certain() {
        for (line, is_certain) in [
            ("a.c:1: INVALID_ARGUMENT; bad trace limit in my_profile.vmfb", false),
            ("a.c:1: FAILED_PRECONDITION; profiling needs a feature that is off", false),
            ("a.c:1: RESOURCE_EXHAUSTED; out of blocks; beginning device profiling", true),
            ("a.c:1: UNIMPLEMENTED; HIP HAL-native profiling is not implemented", true),
        ] {
            let found = read(line, ALL, &[], false).map(|refusal| refusal.is_certain);
            assert_eq!(found, Some(is_certain), "{line}");
        }
    }

    #[test]
    fn failures_are_no_refusals() {
        for line in [
            "",
            "a.c:373: NOT_FOUND; failed to open file 'profiles/nope.vmfb'; loading bytecode module at 'profiles/nope.vmfb'",
            "a.c:373: NOT_FOUND; no file traces/counter.vmfb; loading modules",
            "a.c:333: NOT_FOUND; no function `counter_step` exported by module; looking up function 'counter_step'",
            "a.c:428: INVALID_ARGUMENT; flag 'profiler' not recognized",
            "terminate called after throwing",
            "a.c:1: NOT_FOUND; function 'main' not found in module",
            "a.c:1: DATA_LOSS; the profile ends early",
        ] {
            assert_eq!(what_of(line, &[]), None, "{line}");
        }
    }
}
