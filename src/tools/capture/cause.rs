//! Finds the lines in the output of a failed tool that say why it failed.

use std::path::{Path, PathBuf};

use base::printable;

use super::process;
use super::status::Status;

/// Number of last output lines that are kept besides the cause.
const LAST_LINES: usize = 10;

/// Number of lines that are kept of the compiler, and of letters in each. It also prints the text of whole modules.
const COMPILER_LINES: usize = 5;
const COMPILER_LETTERS: usize = 300;

/// What a failed tool printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// What says why: the first status of IREE, without its context, or else the last line. Empty if the tool printed
    /// nothing.
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
        let at = lines.iter().position(|line| Status::of(line).is_some())?;
        Some((*path, lines, at))
    });
    let last =
        || logs.iter().find_map(|(path, lines)| Some((*path, lines, lines.len().checked_sub(1)?)));
    let Some((log, lines, at)) = by_status.or_else(last) else {
        return Cause { log: stderr.to_owned(), ..Cause::default() };
    };
    let line = lines.get(at).map_or("", String::as_str);
    let line = Status::of(line).map_or_else(|| line.to_owned(), |status| status.reason);
    let others = lines.iter().enumerate().filter(|(place, _)| *place != at);
    let others: Vec<String> = others.map(|(_, line)| printable(line)).collect();
    let skipped = others.len().saturating_sub(LAST_LINES);
    let others = others.into_iter().skip(skipped).collect();
    Cause { line: printable(line.trim()), others, log: log.to_owned() }
}

/// Returns the first status of IREE in what a failed tool printed, without its context, or else the last line.
pub fn why(said: &str) -> String {
    let last = || said.lines().next_back().unwrap_or_default().to_owned();
    said.lines().find_map(Status::of).map_or_else(last, |status| status.reason)
}

/// Returns the lines of the compiler that say what is wrong, or if there are none its first lines.
pub(crate) fn compiler_errors(said: &str) -> String {
    let mut all = lines(said);
    if all.iter().any(|line| line.contains("error: ")) {
        all.retain(|line| line.contains("error: "));
        all.dedup();
    }
    all.truncate(COMPILER_LINES);
    if all.is_empty() {
        return "it printed nothing".to_owned();
    }
    for line in &mut all {
        if let Some((end, _)) = line.char_indices().nth(COMPILER_LETTERS) {
            line.replace_range(end.., " …");
        }
    }
    all.join("\n")
}

fn lines(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
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
        assert_eq!(line, "NOT_FOUND; failed to open 'x'");
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

    #[test]
    fn errors_are_found_among_what_the_compiler_prints() {
        let said = format!(
            "warning: w\na.mlir:1:2: error: bad{}\n  module {{\nb: error: worse\nb: error: worse\n",
            "x".repeat(400)
        );
        let words = compiler_errors(&said);
        let lines: Vec<&str> = words.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("a.mlir:1:2: error: bad") && lines[0].ends_with("x …"));
        assert_eq!(lines[1], "b: error: worse");
        assert_eq!(compiler_errors("killed\n\n"), "killed");
        assert_eq!(compiler_errors(""), "it printed nothing");
        assert_eq!(compiler_errors(&"frame\n".repeat(9)).lines().count(), 5);
    }
}
