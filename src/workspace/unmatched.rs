//! What there is where nothing matches a request, and which names may be meant.

use std::collections::HashSet;

use base::different;
use base::nearest;
use engine::{EngineError, Parameters};
use report::absence::SEARCHED;
use report::layouts::Names;
use report::rows;

use super::answers::Workspace;

/// Most names that may be meant.
const MEANT: usize = 3;

/// What there is where nothing matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// What was looked for, such as `function`.
    pub noun: String,
    /// The different names that there are, in the order of the report.
    pub known: Vec<String>,
    /// Those of them that may be meant.
    pub similar: Vec<String>,
}

impl Unmatched {
    /// Compares a pattern with the names that there are; `None` if there are none.
    pub fn among<'a>(
        noun: &str,
        pattern: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<Self> {
        let mut seen = HashSet::new();
        let known: Vec<&str> = known.into_iter().filter(|name| seen.insert(*name)).collect();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let similar = owned(similar(pattern, &known));
        (!known.is_empty()).then(|| Self { noun: noun.to_owned(), known: owned(known), similar })
    }
}

impl Workspace {
    /// Says what there is if the pattern and the id match nothing in reports: neither in those of `names` nor in those of
    /// `ids`. The names are those that the reports have without pattern and id.
    pub fn unmatched(
        &self,
        given: &Parameters,
        names: Names<'_>,
        ids: Option<Names<'_>>,
    ) -> Result<Option<Unmatched>, EngineError> {
        let first = |report, parameters, count| {
            self.runtime.block_on(async {
                let report = self.engine.prepare(sql::Kind::Report, report, parameters).await?;
                Ok::<_, EngineError>(report.head(count).await?.batches)
            })
        };
        let given = Parameters { warmup: 0, ..given.clone() };
        for (report, _) in names.of.iter().chain(ids.map_or(&[][..], |ids| ids.of)) {
            if !rows(&first(report, &given, 1)?).is_empty() {
                return Ok(None);
            }
        }
        let pattern = if given.filter == "*" { "" } else { &given.filter };
        let asked = ids.filter(|_| pattern.is_empty()).unwrap_or(names);
        let all = Parameters { filter: Parameters::default().filter, id: None, ..given.clone() };
        let mut known = Vec::new();
        for (report, column) in asked.of {
            let batches = first(report, &all, SEARCHED)?;
            known.extend(rows(&batches).iter().map(|row| row.text(column)));
        }
        Ok(Unmatched::among(asked.noun, pattern, known.iter().map(String::as_str)))
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

    #[test]
    fn names_are_similar_by_their_parts() {
        let known =
            ["main_dispatch_0_matmul_32x256x128_f32", "main_dispatch_1_softmax_32x64xf32", "other"];
        for (pattern, expected) in [
            ("*matmull*", &known[..1]),
            ("*_softmx_*", &known[1..2]),
            ("othr", &known[2..]),
            ("*dispach*", &known[..2]),
            ("*nosuch*", &[]),
            ("*", &[]),
        ] {
            assert_eq!(similar(pattern, &known), expected, "{pattern}");
        }
    }
}
