//! What became of the configurations of a dispatch that were tried, and why some could not be measured.

use std::collections::BTreeMap;
use std::fmt;

use report::text::counted;

use super::evaluator::Refusal;

/// What became of the configurations of a dispatch that were tried, besides the compiler's own choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tried {
    pub measured: u64,
    /// Those that the compiler refused, or took too long for.
    pub not_compiled: u64,
    /// Those that compiled, but did not run.
    pub not_run: u64,
    /// Why most of those were not measured.
    pub reason: Option<Reason>,
}

/// The most common reason why something was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// How many were refused for it.
    pub count: u64,
    /// The words of one of them, in one line.
    pub words: String,
}

impl Tried {
    /// Counts points, of which those that were not measured have a refusal.
    pub(crate) fn of(points: &BTreeMap<usize, Option<Refusal>>) -> Self {
        let refusals = || points.values().flatten();
        let count = |is_compiled: bool| {
            refusals().filter(|it| it.is_compiled == is_compiled).count() as u64
        };
        Self {
            measured: points.values().filter(|it| it.is_none()).count() as u64,
            not_compiled: count(false),
            not_run: count(true),
            reason: Reason::most_common(refusals().map(|it| it.words.as_str())),
        }
    }

    /// Returns the number of all.
    pub const fn all(&self) -> u64 {
        self.measured + self.not_compiled + self.not_run
    }

    /// Says how many compiled and ran, and why others did not; `None` if all did.
    pub fn refused(&self) -> Option<String> {
        let all = counted(self.all(), "configuration");
        let compiled = self.measured + self.not_run;
        let told = match (self.not_compiled, self.not_run) {
            (0, 0) => return None,
            (_, 0) => format!("{compiled} of {all} compiled"),
            (0, _) => format!("{} of {all} ran", self.measured),
            _ => format!("{compiled} of {all} compiled, {} ran", self.measured),
        };
        let reason = self.reason.as_ref().map_or_else(String::new, |it| format!(" ({it})"));
        Some(told + &reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = counted(self.count, "time");
        write!(to, "most common reason, {times}: {}", self.words)
    }
}

impl Reason {
    /// Returns the most common of some reasons; `None` of none. Where they stand in a file, their numbers and what follows
    /// the first line do not tell reasons apart.
    pub(crate) fn most_common<'a>(all: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut known: Vec<(String, Self)> = Vec::new();
        for words in all {
            let words = essence(words);
            let kind = without_numbers(words);
            if let Some((_, reason)) = known.iter_mut().find(|(other, _)| *other == kind) {
                reason.count += 1;
            } else {
                known.push((kind, Self { count: 1, words: words.to_owned() }));
            }
        }
        // Of equally common ones, the first.
        known.reverse();
        known.into_iter().map(|(_, reason)| reason).max_by_key(|it| it.count)
    }
}

/// Returns the first line, without what precedes the words of an error, and without what leads to the next line.
fn essence(words: &str) -> &str {
    let line = words.lines().next().unwrap_or_default();
    line.split_once("error: ").map_or(line, |(_, error)| error).trim().trim_end_matches(':')
}

fn without_numbers(words: &str) -> String {
    words.chars().filter(|letter| !letter.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(is_compiled: bool, words: &str) -> Refusal {
        Refusal { is_compiled, words: words.to_owned() }
    }

    #[test]
    fn reasons_are_counted_whatever_their_numbers() {
        let points = BTreeMap::from([
            (1, Some(refused(false, "a.mlir:8:7: error: no such tile\nb.mlir:1:1: error: gone"))),
            (2, Some(refused(false, "a.mlir:8:7: error: large vectors (16384 bytes)"))),
            (3, Some(refused(false, "a.mlir:9:99: error: large vectors (32768 bytes):\nthese"))),
            (4, None),
        ]);
        let tried = Tried::of(&points);
        assert_eq!((tried.measured, tried.not_compiled, tried.not_run, tried.all()), (1, 3, 0, 4));
        let told = "1 of 4 configurations compiled (most common reason, 2 times: large vectors (16384 bytes))";
        assert_eq!(tried.refused().as_deref(), Some(told));
    }

    #[test]
    fn what_did_not_run_is_told_apart() {
        let of = |points: &[Option<Refusal>]| {
            Tried::of(&points.iter().cloned().enumerate().collect()).refused()
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[None, None]), None);
        let lost = Some(refused(true, "the device is lost"));
        let reason = "(most common reason, 1 time: the device is lost)";
        assert_eq!(
            of(std::slice::from_ref(&lost)),
            Some(format!("0 of 1 configuration ran {reason}"))
        );
        let told = format!("1 of 2 configurations compiled, 0 ran {reason}");
        assert_eq!(of(&[lost, Some(refused(false, "no"))]), Some(told));
    }
}
