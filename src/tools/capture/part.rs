//! Finds that a tool recorded only a part of its work: iree-check-module writes the bundle anew for each test, and
//! iree-run-module profiles the first of several devices. The bundle tells how many sessions began, so that nothing is said
//! of a tool that records all.

use read::bundle::set::Process;

/// The beginning of the line in which a test program tells how many tests it runs.
const RUNNING: &str = "[==========] Running ";

/// Returns the part of the work of `process`, which printed this, that is in its bundle, in which this many sessions began,
/// one by each device; `None` if it is all.
pub(crate) fn of(process: &Process, printed: &str, begun: usize) -> Option<String> {
    let tool = &process.tool.name;
    let devices = process.device.as_deref().map_or(1, |devices| devices.split(',').count());
    let tests = printed.lines().find_map(tests_of).unwrap_or(1);
    if tests > begun {
        return Some(format!(
            "{tool} writes the bundle anew for each test: it has {begun} of {tests}"
        ));
    }
    (devices > begun).then(|| format!("{tool} profiled {begun} of {devices} devices"))
}

/// Returns the number of tests that a line says will run.
fn tests_of(line: &str) -> Option<usize> {
    let (_, rest) = line.split_once(RUNNING)?;
    rest.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::tests_of;

    #[test]
    fn tests_are_counted() {
        assert_eq!(tests_of("[==========] Running 3 tests from 1 test suite."), Some(3));
        assert_eq!(tests_of("[==========] 3 tests from 1 test suite ran. (5 ms total)"), None);
    }
}
