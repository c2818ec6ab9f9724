//! The rings in which drivers collect events until these are flushed, and how often a tool flushes so that none is full.

use schemas::drivers::ring;

use super::never::driver_of;

/// Number of records of a family that a call is taken to have at most: a few dispatches, and the allocations between them.
const RECORDS: u64 = 8;

/// How often the rings are flushed, if one may be too small for all calls. At 20,000 calls in a second, of [`RECORDS`] each,
/// a ring of 65,536 is full after 400 ms.
pub(crate) const EVERY_MS: u32 = 100;

/// The shortest interval that is tried.
const SHORTEST_MS: u32 = 1;

/// The words of drivers whose ring is full.
const EXHAUSTED: &str = "event ring exhausted";

/// Returns how often a tool with these arguments flushes; `None` if its calls fit the rings of the driver, or it has none.
pub(crate) fn flush_every_ms(
    tool: &str,
    arguments: &[String],
    device: Option<&str>,
) -> Option<u32> {
    let ring = ring(driver_of(device?)?)?;
    let fits = calls(tool, arguments).is_some_and(|calls| calls.saturating_mul(RECORDS) <= ring);
    (!fits).then_some(EVERY_MS)
}

/// Returns the number of calls that a tool is asked for; `None` if its time decides.
fn calls(tool: &str, arguments: &[String]) -> Option<u64> {
    if !tool.contains("benchmark") {
        return Some(1);
    }
    let last = |flag: &str| arguments.iter().rev().find_map(|word| word.strip_prefix(flag));
    let fixed = last("--benchmark_min_time=")?.strip_suffix('x')?.parse::<u64>().ok()?;
    let repetitions = last("--benchmark_repetitions=").and_then(|text| text.parse::<u64>().ok());
    Some(fixed.saturating_mul(repetitions.unwrap_or(1)))
}

/// Whether a message in lower case says that a ring is full.
pub(crate) fn are_full(message: &str) -> bool {
    message.contains(EXHAUSTED)
}

/// Returns the interval to try after rings were full at another one; `None` if it cannot be shorter.
pub(crate) fn shorter_ms(every: Option<u32>) -> Option<u32> {
    let Some(every) = every else { return Some(EVERY_MS) };
    Some(every / 10).filter(|every| *every >= SHORTEST_MS)
}

/// Returns what to do about a message that a ring is full; empty for other messages.
pub fn advice(message: &str) -> &'static str {
    if are_full(&message.to_lowercase()) {
        " (the driver keeps its events in a ring until they are flushed, which was too late: use a shorter \
         option `flush_interval_ms`, or record fewer calls, modes, or functions with option `filter_function`)"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_follows_from_the_calls_asked_for() {
        let every = |tool: &str, words: &str, device| {
            let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            flush_every_ms(tool, &words, device)
        };
        let benchmark = "iree-benchmark-module";
        for (words, expected) in [
            ("--benchmark_min_time=100x", None),
            ("--benchmark_min_time=8192x", None),
            ("--benchmark_min_time=8193x", Some(EVERY_MS)),
            ("--benchmark_min_time=5000x --benchmark_repetitions=3", Some(EVERY_MS)),
            ("--benchmark_min_time=10s", Some(EVERY_MS)),
            ("", Some(EVERY_MS)),
        ] {
            assert_eq!(every(benchmark, words, Some("amdgpu://0")), expected, "{words}");
            assert_eq!(every(benchmark, words, Some("local-task")), None, "{words}");
            assert_eq!(every(benchmark, words, None), None, "{words}");
        }
        assert_eq!(every("iree-run-module", "", Some("amdgpu")), None);
    }

    #[test]
    fn intervals_become_shorter() {
        let tried = std::iter::successors(shorter_ms(None), |every| shorter_ms(Some(*every)));
        assert_eq!(tried.collect::<Vec<_>>(), [100, 10, 1]);
    }
}
