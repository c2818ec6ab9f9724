//! Finds the line in the output of a failed tool that says why it failed.

use std::path::{Path, PathBuf};

use exporters::printable;

use super::process;

/// Number of last output lines that are kept besides the cause.
const LAST_LINES: usize = 10;

/// What a failed tool printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The line that says why: the first with a status of IREE, from the status on, or else the last line. Empty if the
    /// tool printed nothing.
    pub line: String,
    /// The last of the other lines of the same file.
    pub others: Vec<String>,
    /// The file.
    pub log: PathBuf,
}

/// Reads the outputs of a failed tool. Statuses come first, and standard error comes before standard output.
pub fn find(stderr: &Path, stdout: &Path) -> Cause {
    let read = |path: &Path| lines(&process::text(path));
    let logs = [(stderr, read(stderr)), (stdout, read(stdout))];
    let by_status = logs.iter().find_map(|(path, lines)| {
        let at = lines.iter().position(|line| status(line).is_some())?;
        Some((*path, lines, at))
    });
    let last =
        || logs.iter().find_map(|(path, lines)| Some((*path, lines, lines.len().checked_sub(1)?)));
    let Some((log, lines, at)) = by_status.or_else(last) else {
        return Cause { log: stderr.to_owned(), ..Cause::default() };
    };
    let line = lines.get(at).map_or("", |line| status(line).unwrap_or(line));
    let others = lines.iter().enumerate().filter(|(place, _)| *place != at);
    let others: Vec<String> = others.map(|(_, line)| printable(line)).collect();
    let skipped = others.len().saturating_sub(LAST_LINES);
    let others = others.into_iter().skip(skipped).collect();
    Cause { line: printable(line.trim()), others, log: log.to_owned() }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// Returns a line of the form `file:line: STATUS; message` from its status on; `None` if it has no status.
fn status(line: &str) -> Option<&str> {
    let names = schemas::enums::STATUS_CODE.values.iter().filter(|(code, _)| *code != 0);
    let at = names.filter_map(|(_, name)| line.find(&format!(": {name}; "))).min()?;
    line.get(at..)?.strip_prefix(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(stderr: &str, stdout: &str) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["e", "o"].map(|name| folder.path().join(name));
        for (path, text) in paths.iter().zip([stderr, stdout]) {
            std::fs::write(path, text).expect("room");
        }
        let found = find(&paths[0], &paths[1]);
        (found.line, found.others)
    }

    #[test]
    fn the_status_is_the_cause() {
        let (line, others) = cause(
            "Load Average: 2.15\nc/file_handle.c:373: NOT_FOUND; failed to open 'x'; loading\n  Tried: libx.so\n",
            "EXEC @main\n",
        );
        assert_eq!(line, "NOT_FOUND; failed to open 'x'; loading");
        assert_eq!(others, ["Load Average: 2.15", "  Tried: libx.so"]);
        let (line, others) = cause("one warning\n", "a.c:1: INTERNAL; it broke\n");
        assert_eq!((line.as_str(), others.len()), ("INTERNAL; it broke", 0));
    }

    #[test]
    fn without_a_status_the_last_line_is() {
        let (line, others) = cause("first words\n\nlast words\n", "");
        assert_eq!((line.as_str(), others), ("last words", vec!["first words".to_owned()]));
        assert_eq!(cause("", "printed\n").0, "printed");
        assert_eq!(cause("\n", ""), (String::new(), Vec::new()));
    }
}
