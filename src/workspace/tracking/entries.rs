//! The entries of a history: what was added together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use model::compare::{CERTAIN, Measured, Operands, Run, Runs};
use read::history::{self, Accepted, History, HistoryError, Piece, ReadOptions, RunRow, Sample};
use report::text::counted;
use schemas::Clock;

use super::error::TrackingError;

/// The labels of an entry.
pub type Labels<'a> = BTreeSet<&'a str>;

/// Returns labels in words.
pub fn listed(labels: &Labels<'_>) -> String {
    let words: Vec<&str> = labels.iter().copied().collect();
    if words.is_empty() { "none".to_owned() } else { words.join(",") }
}

/// An entry: the runs of a build.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    pub id: String,
    pub time: String,
    /// The order of those of one time.
    addition: u64,
    pub branch: String,
    pub commit: String,
    pub labels: String,
    /// By label.
    pub runs: BTreeMap<String, Run>,
    /// The clocks that have times, each with the mean logarithm of the median iteration of a run.
    pub totals: HashMap<String, f64>,
    /// The piece that has its rows.
    piece: usize,
}

impl Entry {
    /// Returns its id, with its commit in parentheses.
    pub fn name(&self) -> String {
        match self.commit.get(..12).unwrap_or(&self.commit) {
            "" => self.id.clone(),
            commit => format!("{} ({commit})", self.id),
        }
    }

    /// Returns what orders entries: those of one time in the order in which they were added.
    fn place(&self) -> (&str, u64, &str) {
        (&self.time, self.addition, &self.id)
    }

    /// Returns the drivers of its runs.
    pub fn drivers(&self) -> BTreeSet<&str> {
        self.runs.values().map(|run| run.driver.as_str()).collect()
    }

    /// Whether the number of calls of a run is not certain, so that its iterations may be other parts of it.
    pub fn is_uncertain(&self) -> bool {
        self.runs.values().any(|run| run.calls.is_some_and(|[confidence, _]| confidence < CERTAIN))
    }

    /// Whether it has a label.
    fn has(&self, label: &str) -> bool {
        self.labels.split(',').any(|own| own == label)
    }

    /// Returns its labels without those of some keys.
    pub(crate) fn labels_without(&self, keys: &[String]) -> Labels<'_> {
        let all = self.labels.split(',').filter(|label| !label.is_empty());
        let is_left = |label: &&str| {
            !label.split_once('=').is_some_and(|(key, _)| keys.iter().any(|it| it == key))
        };
        all.filter(is_left).collect()
    }
}

/// The entries of a history.
#[derive(Debug)]
pub struct Entries {
    /// The folder of the history.
    pub folder: PathBuf,
    pieces: Vec<Piece>,
    /// By time.
    pub all: Vec<Entry>,
    /// The accepted entries, by time.
    accepted: Vec<Accepted>,
}

impl Entries {
    /// Reads the entries that have these labels.
    pub fn read(history: &History, labels: &[String]) -> Result<Self, HistoryError> {
        let pieces = history.pieces()?;
        let mut known: HashMap<String, Entry> = HashMap::new();
        let mut accepted = Vec::new();
        for (nth, piece) in pieces.iter().enumerate() {
            let all = |table| ReadOptions { table, entries: None, columns: None };
            for row in history::rows::<RunRow>(piece, all("history_runs"))? {
                let entry = known.entry(row.entry).or_insert_with_key(|id| Entry {
                    id: id.clone(),
                    time: row.time,
                    addition: row.addition.unwrap_or_default(),
                    branch: row.branch,
                    commit: row.commit.unwrap_or_default(),
                    labels: row.labels.unwrap_or_default(),
                    piece: nth,
                    ..Entry::default()
                });
                let name = format!("{}/{}", entry.id, row.run);
                entry.runs.entry(row.run).or_insert_with(|| Run {
                    name,
                    driver: row.driver,
                    devices: row.devices,
                    has_counters: row.has_counters,
                    is_throttled: row.is_throttled,
                    is_cut: row.is_cut,
                    contradiction: row.contradiction,
                    tick_ns: row.tick_ns,
                    digest: Some(row.source_sha256),
                    inputs: row.inputs,
                    results: row.results,
                    untimed_functions: row.untimed_functions.unwrap_or_default(),
                    sequence: row
                        .sequence
                        .iter()
                        .flat_map(|it| it.lines())
                        .map(str::to_owned)
                        .collect(),
                    calls: row.calls_confidence.zip(row.call_dispatches).map(<[f64; 2]>::from),
                    ..Run::default()
                });
                *entry.totals.entry(row.timing_source).or_default() += row.median_ns.ln();
            }
            accepted.extend(history::rows::<Accepted>(piece, all("history_accepted"))?);
        }
        accepted.sort_by(|one, other| {
            (&one.time, one.addition, &one.entry).cmp(&(&other.time, other.addition, &other.entry))
        });
        let mut all: Vec<Entry> = known.into_values().collect();
        all.retain(|entry| labels.iter().all(|label| entry.has(label)));
        for entry in &mut all {
            let runs = model::statistics::float(entry.runs.len());
            entry.totals.values_mut().for_each(|sum| *sum /= runs);
        }
        all.sort_by(|one, other| one.place().cmp(&other.place()));
        Ok(Self { folder: history.folder.clone(), pieces, all, accepted })
    }

    /// Returns the newest entry, of a branch if it is given.
    pub fn newest(&self, branch: Option<&str>) -> Result<&Entry, TrackingError> {
        let mut all = self.all.iter().rev();
        let found = all.find(|entry| branch.is_none_or(|branch| entry.branch == branch));
        found.ok_or(TrackingError::NoEntry)
    }

    /// Returns the entry whose id begins with `text`; `None` if there is none.
    pub fn find(&self, text: &str) -> Result<Option<&Entry>, TrackingError> {
        let mut found = self.all.iter().filter(|entry| entry.id.starts_with(text));
        match (found.next().filter(|_| !text.is_empty()), found.next()) {
            (Some(_), Some(_)) => Err(TrackingError::SeveralEntries(text.to_owned())),
            (first, _) => Ok(first),
        }
    }

    /// Returns the entry that was accepted last for a branch.
    pub fn accepted(&self, branch: &str, is_chosen: impl Fn(&Entry) -> bool) -> Option<&Entry> {
        let of_branch = self.accepted.iter().rev().filter(|it| it.branch == branch);
        let mut known =
            of_branch.filter_map(|it| self.all.iter().find(|entry| entry.id == it.entry));
        known.find(|entry| is_chosen(entry))
    }

    /// Returns the last entries of a branch before another entry.
    pub fn before(
        &self,
        branch: &str,
        count: usize,
        new: Option<&Entry>,
        is_chosen: impl Fn(&Entry) -> bool,
    ) -> Vec<&Entry> {
        let is_before = |entry: &&Entry| new.is_none_or(|new| entry.place() < new.place());
        let of_branch = |entry: &&Entry| entry.branch == branch && is_chosen(entry);
        let all = self.all.iter().rev().filter(of_branch).filter(is_before);
        all.take(count).collect()
    }

    /// Reads the times of entries as a side of a comparison.
    pub fn side(&self, name: String, entries: &[&Entry]) -> Result<Runs, HistoryError> {
        let runs = entries.iter().flat_map(|entry| entry.runs.values().cloned()).collect();
        let mut side = Runs { name, runs, ..Runs::default() };
        for (piece, ids) in self.by_piece(entries) {
            let options =
                ReadOptions { table: "history_samples", entries: Some(&ids), columns: None };
            for row in history::rows::<Sample>(piece, options)? {
                let operands = row.binding_count.zip(row.constant_count);
                let is_of_device = Clock::named(&row.timing_source) == Some(Clock::Device);
                let times = if is_of_device { &mut side.device } else { &mut side.host };
                times.push(Measured {
                    run: format!("{}/{}", row.entry, row.run),
                    iteration: row.iteration,
                    function: row.function,
                    hash: row.function_hash,
                    calls: row.dispatch_count,
                    ns: row.total_ns,
                    workgroups: row.workgroup_count,
                    operands: operands
                        .map(|(bindings, constants)| Operands { bindings, constants }),
                });
            }
        }
        Ok(side.without_copies())
    }

    /// Returns the pieces of entries, each with their ids.
    pub(crate) fn by_piece(&self, entries: &[&Entry]) -> Vec<(&Piece, BTreeSet<String>)> {
        let mut ids: Vec<BTreeSet<String>> = vec![BTreeSet::new(); self.pieces.len()];
        for entry in entries {
            if let Some(ids) = ids.get_mut(entry.piece) {
                ids.insert(entry.id.clone());
            }
        }
        self.pieces.iter().zip(ids).filter(|(_, ids)| !ids.is_empty()).collect()
    }
}

/// Returns how many entries of a branch there are, in words.
pub fn last(entries: &[&Entry], branch: &str) -> String {
    format!("the last {} of {branch}", counted(entries.len() as u64, "entry"))
}
