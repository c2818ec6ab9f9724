//! The commands that are suggested below a report. They can be pasted: paths are those that were given, values are from
//! the first row of the report.

/// A suggested command.
#[derive(Debug)]
pub struct Next {
    /// What the command shows.
    pub shows: &'static str,
    /// Its words without `ireescope` and the bundles. `{}` stands for the value of [``of``].
    pub words: &'static [&'static str],
    /// Reports with a column each, of which the first with a row gives the value; empty if no value is needed. Without
    /// such a row, the command is not suggested.
    pub of: &'static [(&'static str, &'static str)],
}

/// A command without a value.
pub const fn always(shows: &'static str, words: &'static [&'static str]) -> Next {
    Next { shows, words, of: &[] }
}
