//! The tables of a folder: Parquet files with all that was measured, so that nothing is measured twice.
//!
//! A run is known by its model, compiler, machine, command and seed. It is deterministic but for the times, so a command
//! that goes on with a run does the same again, and takes each time that is known from here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arrow::datatypes::{Schema, SchemaRef};
use read::store;

use super::error::TuneError;
use super::evaluator::{Outcome, Refusal, Stage};
use super::rows::{CandidateRow, DispatchRow, RunRow, Table, TrialRow};
use super::targets::Target;

/// Returns the last run of a folder.
pub(crate) fn last_run(folder: &Path) -> Result<Option<RunRow>, TuneError> {
    Ok(read(folder)?.pop())
}

/// The state of a run that compiles only. It is never the one that measures.
pub(crate) const COMPILED: &str = "compiled";

/// Trials by what asks for them, in their order: the rows of each.
type Known = BTreeMap<(Stage, u32), Vec<Vec<TrialRow>>>;

/// The tables, and the run that is done.
pub struct Store {
    folder: PathBuf,
    pub run: RunRow,
    runs: Vec<RunRow>,
    dispatches: Vec<DispatchRow>,
    candidates: Vec<CandidateRow>,
    trials: Vec<TrialRow>,
    /// The trials of this run that no one asked for yet.
    known: Known,
    /// The time limit of a compilation.
    compile_limit_ns: f64,
}

impl Store {
    /// Opens the tables of a folder, which may have none yet. `run` is what the run is known by; its number is given here.
    pub fn open(folder: &Path, run: RunRow, compile_limit: Duration) -> Result<Self, TuneError> {
        let mut store = Self {
            folder: folder.to_owned(),
            run,
            runs: read(folder)?,
            dispatches: read(folder)?,
            candidates: read(folder)?,
            trials: read(folder)?,
            known: Known::new(),
            compile_limit_ns: compile_limit.as_secs_f64() * 1e9,
        };
        let wanted = &store.run;
        let is_same = |it: &RunRow| {
            is_same_module(it, wanted)
                && it.machine == wanted.machine
                && it.command == wanted.command
                && it.files_sha256 == wanted.files_sha256
                && it.seed == wanted.seed
                && (it.state == COMPILED) == (wanted.state == COMPILED)
        };
        if let Some(known) = store.runs.iter_mut().find(|it| is_same(it)) {
            known.options.clone_from(&store.run.options);
            store.run = known.clone();
        } else {
            store.run.run = store.runs.iter().map(|it| it.run + 1).max().unwrap_or_default();
            store.runs.push(store.run.clone());
        }
        let mut trials: BTreeMap<u32, Vec<TrialRow>> = BTreeMap::new();
        for row in store.trials.iter().filter(|it| it.run == store.run.run) {
            trials.entry(row.trial).or_default().push(row.clone());
        }
        for rows in trials.into_values() {
            let Some(first) = rows.first() else { continue };
            store.known.entry((first.stage, first.round)).or_default().push(rows);
        }
        // All tables are there from the beginning, so that queries find them.
        write(&store.folder, &store.runs)?;
        write(&store.folder, &store.dispatches)?;
        write(&store.folder, &store.candidates)?;
        write(&store.folder, &store.trials)?;
        Ok(store)
    }

    /// Returns the functions of this run with their times.
    pub fn dispatches(&self) -> impl Iterator<Item = &DispatchRow> {
        self.dispatches.iter().filter(|it| it.run == self.run.run)
    }

    /// Replaces the functions of this run.
    pub(crate) fn set_dispatches(&mut self, rows: Vec<DispatchRow>) -> Result<(), TuneError> {
        let run = self.run.run;
        self.dispatches.retain(|it| it.run != run);
        self.dispatches.extend(rows.into_iter().map(|row| DispatchRow { run, ..row }));
        write(&self.folder, &self.dispatches)
    }

    /// Writes what is known of the run as a whole.
    pub fn set_run(&mut self, row: RunRow) -> Result<(), TuneError> {
        self.run = row;
        for known in self.runs.iter_mut().filter(|it| it.run == self.run.run) {
            known.clone_from(&self.run);
        }
        write(&self.folder, &self.runs)
    }

    /// Returns the candidate with a spec, if it was compiled before. One that the compiler took too long for is forgotten
    /// if it may take longer now.
    pub fn candidate(&self, spec_sha256: Option<&str>) -> Option<&CandidateRow> {
        let counts = |it: &&CandidateRow| {
            it.run == self.run.run && (!it.is_timed_out || it.compile_ns >= self.compile_limit_ns)
        };
        let mut of_run = self.candidates.iter().filter(counts);
        of_run.find(|it| it.spec_sha256.as_deref() == spec_sha256)
    }

    /// Adds candidates, which are numbered here.
    pub(crate) fn add_candidates(&mut self, rows: Vec<CandidateRow>) -> Result<(), TuneError> {
        let run = self.run.run;
        let of_run = self.candidates.iter().filter(|it| it.run == run);
        let next = of_run.map(|it| it.candidate + 1).max().unwrap_or_default();
        let numbered = rows.into_iter().zip(next..);
        let rows = numbered.map(|(row, candidate)| CandidateRow { run, candidate, ..row });
        self.candidates.extend(rows);
        write(&self.folder, &self.candidates)
    }

    /// Returns the known trials of candidates in a round, which were measured one after the other, and forgets them. Times
    /// are only compared with others of the same minutes, so all are known or none; of a search that was stopped, the
    /// first ones.
    ///
    /// What is known is a list in the order in which it was measured, and the candidates are asked for in the order in which
    /// they would be measured now. So they are known if they stand in the list one after the other, anywhere. A search that
    /// was stopped in the middle ends with the first few of them: the end of the list is then a beginning of the candidates.
    pub fn take(&mut self, stage: Stage, round: u32, candidates: &[u32]) -> Vec<Vec<TrialRow>> {
        let Some(known) = self.known.get_mut(&(stage, round)) else { return Vec::new() };
        let is_of = |rows: &Vec<TrialRow>, candidate: &u32| {
            rows.first().is_some_and(|it| it.candidate == *candidate)
        };
        let matching = |from: usize| {
            let rest = known.iter().skip(from);
            rest.zip(candidates).take_while(|(rows, candidate)| is_of(rows, candidate)).count()
        };
        let places = 0..known.len();
        let whole = places.clone().find(|from| matching(*from) == candidates.len());
        let (from, count) = match whole {
            Some(from) => (from, candidates.len()),
            None if stage == Stage::Search => {
                let last = places.clone().find(|from| from + matching(*from) == known.len());
                last.map_or((0, 0), |from| (from, known.len() - from))
            }
            None => (0, 0),
        };
        known.drain(from..from + count).collect()
    }

    /// Adds the rows of a trial.
    pub(crate) fn add_trial(&mut self, rows: Vec<TrialRow>) -> Result<(), TuneError> {
        let run = self.run.run;
        let of_run = self.trials.iter().filter(|it| it.run == run);
        let trial = of_run.map(|it| it.trial + 1).max().unwrap_or_default();
        self.trials.extend(rows.into_iter().map(|row| TrialRow { run, trial, ..row }));
        write(&self.folder, &self.trials)
    }

    /// Returns a candidate that this run or an earlier one compiled of the same model with the same compiler and flags.
    pub fn compiled(&self, spec_sha256: Option<&str>) -> Option<&CandidateRow> {
        let is_same = |it: &&RunRow| is_same_module(it, &self.run);
        let runs: Vec<u32> = self.runs.iter().filter(is_same).map(|it| it.run).collect();
        let mut all = self.candidates.iter().filter(|it| runs.contains(&it.run));
        all.find(|it| it.is_compiled && it.spec_sha256.as_deref() == spec_sha256)
    }

    /// Returns the candidates that earlier runs only compiled: for each the configurations by dispatch.
    pub fn waiting(&self) -> Vec<BTreeMap<String, String>> {
        let is_earlier = |it: &&RunRow| it.run != self.run.run && is_same_module(it, &self.run);
        let runs: Vec<u32> = self.runs.iter().filter(is_earlier).map(|it| it.run).collect();
        let mut all: BTreeMap<(u32, u32), BTreeMap<String, String>> = BTreeMap::new();
        for row in &self.trials {
            if runs.contains(&row.run)
                && row.outcome == Outcome::Compiled
                && let (Some(dispatch), Some(configuration)) = (&row.dispatch, &row.configuration)
            {
                let candidate = all.entry((row.run, row.trial)).or_default();
                candidate.insert(dispatch.clone(), configuration.clone());
            }
        }
        all.into_values().collect()
    }

    /// Returns what earlier runs know of a target's operation, with the same compiler and device: configurations, and the
    /// ratio of their time to that of the compiler's own choice in the same round, or why they have none.
    pub fn earlier(&self, target: &Target) -> Vec<(String, Result<f64, Refusal>)> {
        let digest = target.digest();
        let is_earlier = |it: &&RunRow| it.run < self.run.run && is_same_way(it, &self.run);
        let runs: Vec<u32> = self.runs.iter().filter(is_earlier).map(|it| it.run).collect();
        let of_target = |it: &&TrialRow| {
            let is_stage = matches!(it.stage, Stage::Search | Stage::Final);
            runs.contains(&it.run) && is_stage && it.operation_sha256.as_deref() == Some(&digest)
        };
        let rows: Vec<&TrialRow> = self.trials.iter().filter(of_target).collect();
        let own = target.text(target.space.own);
        let mut own_times: BTreeMap<(u32, Stage, u32), f64> = BTreeMap::new();
        for row in rows.iter().filter(|it| it.configuration.as_ref() == Some(&own)) {
            if let Some(ns) = row.time_ns {
                let known = own_times.entry((row.run, row.stage, row.round)).or_insert(ns);
                *known = known.min(ns);
            }
        }
        let known = rows.iter().filter_map(|row| {
            let own_ns = own_times.get(&(row.run, row.stage, row.round))?;
            let configuration = row.configuration.clone()?;
            match row.outcome {
                Outcome::Measured => Some((configuration, Ok(row.time_ns? / own_ns))),
                Outcome::NotCompiled | Outcome::NotRun => {
                    let words = row.reason.clone().unwrap_or_default();
                    let is_compiled = row.outcome == Outcome::NotRun;
                    Some((configuration, Err(Refusal { is_compiled, words })))
                }
                _ => None,
            }
        });
        known.collect()
    }
}

/// Whether two runs compile the same model in the same way. What is compiled for the host is so on one machine only.
fn is_same_module(one: &RunRow, other: &RunRow) -> bool {
    let is_for_host = one.compiler_flags.contains("=host");
    one.model_sha256 == other.model_sha256
        && one.compiler == other.compiler
        && one.compiler_flags == other.compiler_flags
        && (!is_for_host || one.machine == other.machine)
}

/// Whether times of two runs may be compared, whatever their models: the compiler, machine and device are the same.
fn is_same_way(one: &RunRow, other: &RunRow) -> bool {
    let device = |run: &RunRow| -> Vec<String> {
        let words = shlex::split(&run.command).unwrap_or_default();
        words.into_iter().filter(|word| word.starts_with("--device=")).collect()
    };
    one.compiler == other.compiler
        && one.compiler_flags == other.compiler_flags
        && one.machine == other.machine
        && device(one) == device(other)
}

/// Writes a table.
fn write<Row: Table>(folder: &Path, rows: &[Row]) -> Result<(), TuneError> {
    let path = path::<Row>(folder);
    store::replace(&path, &schema::<Row>(), rows).map_err(TuneError::writing(&path))
}

/// Returns the declared columns, without those that are found out when the table is opened.
fn schema<Row: Table>() -> SchemaRef {
    let declared = store::schema(Row::NAME);
    let stored = declared.fields().iter().filter(|field| field.name() != "bundle");
    Arc::new(Schema::new(stored.cloned().collect::<Vec<_>>()))
}

/// Reads a table. A file that is not there has no rows.
fn read<Row: Table>(folder: &Path) -> Result<Vec<Row>, TuneError> {
    let path = path::<Row>(folder);
    if !path.exists() {
        return Ok(Vec::new());
    }
    store::read(&path, &schema::<Row>()).map_err(TuneError::reading(&path))
}

fn path<Row: Table>(folder: &Path) -> PathBuf {
    folder.join(format!("{}.parquet", Row::NAME))
}

#[cfg(test)]
#[path = "../../../tests/support/doubles.rs"]
mod doubles;

#[cfg(test)]
mod tests {
    use super::doubles::{bits, doubles};
    use super::*;

    #[test]
    fn times_come_back_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |ns: f64| TrialRow { time_ns: Some(ns), run_ns: -ns, ..TrialRow::default() };
        let rows: Vec<TrialRow> = doubles().into_iter().map(row).collect();
        write(folder.path(), &rows).expect("room");
        let found = read::<TrialRow>(folder.path()).expect("they are there");
        assert_eq!(bits(found.iter().filter_map(|row| row.time_ns)), bits(doubles()));
        assert_eq!(bits(found.iter().map(|row| -row.run_ns)), bits(doubles()));
    }
}
