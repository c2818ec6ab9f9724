//! Prints suggested commands, quoted for a shell.

use std::io::{self, Write};

use crate::base::printable;

use crate::bundle::set::shell_words;
use crate::report::next::Next;

/// Writes the commands over these bundles. `value` returns a column of the first row of a report.
pub fn suggest(
    out: &mut dyn Write,
    commands: &[Next],
    bundles: &[String],
    value: impl Fn(&str, &str) -> Option<String>,
) -> io::Result<()> {
    let mut is_first = true;
    for next in commands {
        let found = next.of.iter().find_map(|(report, column)| value(report, column));
        if found.is_none() && !next.of.is_empty() {
            continue;
        }
        let found = printable(&found.unwrap_or_default());
        let words: Vec<String> = next.words.iter().map(|word| word.replace("{}", &found)).collect();
        let words = words.iter().chain(bundles).map(String::as_str);
        let command = shell_words(["ireescope"].into_iter().chain(words));
        let gap = if is_first { "\n" } else { "" };
        writeln!(out, "{gap}{}:\n  {command}", next.shows)?;
        is_first = false;
    }
    Ok(())
}
