//! The runs of a race that ended early. The same command goes on from them.

use std::collections::VecDeque;
use std::path::Path;

use read::bundle::set::{self, Manifest, Outcome, Run, SIDES};
use tools::capture::{Start, inputs};

/// Returns the whole runs that count, in their order; `None` if the set has runs of other commands or modules.
pub fn of(manifest: &Manifest, (base, new): (&Start, &Start)) -> Option<VecDeque<Run>> {
    let sides = [base, new].map(|start| (start, inputs(&start.arguments, &start.directory)));
    let is_of_race = |run: &Run| {
        let Some(process) = &run.process else { return false };
        SIDES.iter().zip(&sides).any(|(side, (start, inputs))| {
            run.side.as_ref().is_none_or(|of| of == side)
                && (&process.tool, &process.arguments) == (&start.tool.facts, &start.arguments)
                && (&process.directory, &process.inputs) == (&start.directory, inputs)
        })
    };
    let is_raced = |run: &&Run| SIDES.iter().any(|side| run.is_raced(side));
    let runs = &manifest.runs;
    runs.iter().all(is_of_race).then(|| runs.iter().filter(is_raced).cloned().collect())
}

/// Whether a folder has a race of the same commands whose last run did not come to its end.
pub fn is_unfinished(folder: &Path, starts: (&Start, &Start)) -> bool {
    let Some(manifest) = set::is_one(folder).then(|| Manifest::read(folder).ok()).flatten() else {
        return false;
    };
    let is_whole = manifest.runs.last().is_none_or(|run| run.outcome == Outcome::Captured);
    !is_whole && of(&manifest, starts).is_some()
}
