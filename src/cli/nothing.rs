//! Says that nothing matches what was asked, with the names that there are and those that may be meant.

use std::collections::HashSet;

use tokio::runtime::Runtime;

use super::error::CliError;
use super::names::different;
use crate::engine::{Engine, Parameters, nearest};
use crate::report::absence;
use crate::report::layouts::Names;
use crate::report::rows;

/// Most names that may be meant.
const MEANT: usize = 3;

/// What was asked of a report.
#[derive(Debug, Default)]
pub struct Asked {
    /// The flags, as they were given.
    flags: Vec<String>,
    pattern: String,
}

impl Asked {
    /// Adds `--NAME=PATTERN`, unless the pattern matches everything.
    #[must_use]
    pub fn pattern(mut self, flag: &str, pattern: &str) -> Self {
        if pattern != "*" {
            self.flags.push(format!("{flag}={pattern}"));
            pattern.clone_into(&mut self.pattern);
        }
        self
    }

    /// Adds `--id=N`, unless it is negative, which selects everything.
    #[must_use]
    pub fn id(mut self, id: i64) -> Self {
        self.flags.extend((id >= 0).then(|| format!("--id={id}")));
        self
    }

    /// Says that none of these names matches; `None` if nothing was asked, or there are none.
    pub fn unmatched<'a>(
        &self,
        noun: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        let mut seen = HashSet::new();
        let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
        let near = similar(&self.pattern, &known);
        (!self.flags.is_empty() && !known.is_empty())
            .then(|| absence::unmatched(noun, &self.flags, &known, &near))
    }

    /// The same of what reports name, if none of them has a row. With other parameters than those given, they have what
    /// there is.
    pub fn unmatched_in(
        &self,
        (engine, runtime): (&Engine, &Runtime),
        given: &Parameters,
        names: Names<'_>,
        ids: Option<Names<'_>>,
    ) -> Result<Option<String>, CliError> {
        if self.flags.is_empty() {
            return Ok(None);
        }
        let first = |report, parameters, count| {
            runtime.block_on(async {
                let report = engine.prepare(sql::Kind::Report, report, parameters).await?;
                Ok::<_, CliError>(report.head(count).await?.batches)
            })
        };
        let given = Parameters { warmup: 0, ..given.clone() };
        for (report, _) in names.of.iter().chain(ids.map_or(&[][..], |ids| ids.of)) {
            if !rows(&first(report, &given, 1)?).is_empty() {
                return Ok(None);
            }
        }
        let all = Parameters { filter: Parameters::default().filter, id: None, ..given.clone() };
        let asked = ids.filter(|_| self.pattern.is_empty()).unwrap_or(names);
        let mut known = Vec::new();
        for (report, column) in asked.of {
            let batches = first(report, &all, absence::SEARCHED)?;
            known.extend(rows(&batches).iter().map(|row| row.text(column)));
        }
        Ok(self.unmatched(asked.noun, known.iter().map(String::as_str)))
    }
}

/// Returns the names that a pattern may mean: those near to the longest part between its wildcards, or with a part that is.
pub fn similar<'a>(pattern: &str, known: &[&'a str]) -> Vec<&'a str> {
    let parts = pattern.split(['*', '?']);
    let Some(wanted) = parts.max_by_key(|part| part.len()).map(|it| it.trim_matches('_')) else {
        return Vec::new();
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    let whole = nearest(wanted, known).into_iter();
    let has_near = |name: &&&str| name.split('_').any(|part| !nearest(wanted, &[part]).is_empty());
    let mut found = different(whole.chain(known.iter().filter(has_near).copied()));
    found.truncate(MEANT);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] =
        ["main_dispatch_0_matmul_32x256x128_f32", "main_dispatch_1_softmax_32x64xf32", "other"];

    #[test]
    fn names_are_similar_by_their_parts() {
        for (pattern, expected) in [
            ("*matmull*", &KNOWN[..1]),
            ("*_softmx_*", &KNOWN[1..2]),
            ("othr", &KNOWN[2..]),
            ("*dispach*", &KNOWN[..2]),
            ("*nosuch*", &[]),
            ("*", &[]),
        ] {
            assert_eq!(similar(pattern, &KNOWN), expected, "{pattern}");
        }
    }

    #[test]
    fn what_there_is_is_said() {
        let asked = |pattern| Asked::default().pattern("--filter", pattern);
        assert_eq!(asked("*").unmatched("function", KNOWN), None);
        assert_eq!(asked("x").unmatched("function", []), None);
        assert_eq!(
            asked("*matmull*").id(7).unmatched("function", KNOWN).unwrap(),
            "No function matches --filter=*matmull* and --id=7; there are 3 functions; did you mean \
             main_dispatch_0_matmul_32x256x128_f32?"
        );
        assert_eq!(
            asked("nosuch").unmatched("function", ["b", "a", "a"]).unwrap(),
            "No function matches --filter=nosuch; there are 2 functions: b, a."
        );
    }
}
