//! When times changed: the change points of the total and of each function over the entries of a history.
//!
//! A value of a series is an entry: the mean, over its runs, of the logarithm of the median time of an iteration.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use base::Pattern;
use base::in_order;
use base::processors;
use model::compare::{Series, Timed, series};
use model::statistics::{
    Changes, Interval, LEVEL, Summary, adjusted, change_points, float, ratio_of,
};
use read::history::{self, HistoryError, ReadOptions};
use schemas::Clock;
use serde::Deserialize;

use super::entries::{Entries, Entry, Labels};
use super::error::TrackingError;

/// The seed of permutations and resamples, so that equal input has equal output.
const SEED: u64 = 1;

/// Where changes are looked for.
#[derive(Debug, Clone)]
pub struct DriftRequest {
    /// The branch; `None` for that of the newest entry.
    pub branch: Option<String>,
    /// Entries that have another label of these keys than the newest count, too.
    pub across: Vec<String>,
    /// Only functions whose name matches this pattern.
    pub filter: String,
    /// Number of entries, the newest; `None` for all.
    pub last: Option<usize>,
}

impl Default for DriftRequest {
    fn default() -> Self {
        Self { branch: None, across: Vec::new(), filter: "*".to_owned(), last: Some(1000) }
    }
}

/// A change of the total or of a function.
#[derive(Debug, Clone)]
pub struct Change<'e> {
    /// `None` for the total.
    pub function: Option<String>,
    /// The last entry before, and the first one after.
    pub between: [&'e Entry; 2],
    /// Number of entries before and after, up to the neighboring changes.
    pub entries: [usize; 2],
    /// Their geometric means, in nanoseconds of an iteration.
    pub ns: [f64; 2],
    /// The ratio with its interval; that is missing if there are too few entries.
    pub ratio: f64,
    pub interval: Option<Interval>,
    pub p: f64,
    /// The p-value of any change of this function, adjusted over all functions; that of the total as it is.
    pub q: f64,
}

/// What was found.
#[derive(Debug)]
pub struct Trends<'e> {
    pub branch: &'e str,
    /// The labels of the newest entry.
    pub labels: Labels<'e>,
    /// Number of entries of the branch that have other labels.
    pub unlike: usize,
    /// The entries that were measured by the clock and the driver of most.
    pub entries: Vec<&'e Entry>,
    /// Number of the others.
    pub left_out: usize,
    pub clock: Clock,
    /// Number of functions.
    pub functions: usize,
    /// Those of the total in order, then those of functions by how much they add.
    pub changes: Vec<Change<'e>>,
    /// The series of the functions that changed: the logarithm of nanoseconds, by place in `entries`.
    pub moved: Vec<Series>,
}

impl Entries {
    /// Finds when the times of a branch changed.
    pub fn drift(&self, request: &DriftRequest) -> Result<Trends<'_>, TrackingError> {
        let newest = self.newest(request.branch.as_deref())?;
        let (branch, labels) = (newest.branch.as_str(), newest.labels_without(&request.across));
        let is_alike = |entry: &Entry| entry.labels_without(&request.across) == labels;
        let last = request.last.unwrap_or(usize::MAX);
        let mut all: Vec<&Entry> = self.before(branch, last, None, is_alike);
        all.reverse();
        let unlike = self.before(branch, usize::MAX, None, |entry| !is_alike(entry)).len();
        let (clock, entries) = alike(&all);
        let filter = Pattern::new(&request.filter);
        let known = RefCell::new(BTreeSet::new());
        let timed = timed(self, &entries, clock, |name| {
            known.borrow_mut().insert(name.to_owned());
            filter.matches(name)
        })?;
        let of_functions = series(&timed);
        let (functions, names) = (of_functions.len(), known.into_inner());
        if functions == 0 && request.filter != "*" && !names.is_empty() {
            let (pattern, names) = (request.filter.clone(), names.into_iter().collect());
            return Err(TrackingError::NoMatch { pattern, names });
        }
        let changes = changes(&entries, clock, &of_functions);
        let left_out = all.len() - entries.len();
        let names: BTreeSet<&str> =
            changes.iter().filter_map(|change| change.function.as_deref()).collect();
        let moved =
            of_functions.into_iter().filter(|it| names.contains(it.name.as_str())).collect();
        Ok(Trends { branch, labels, unlike, entries, left_out, clock, functions, changes, moved })
    }
}

/// Finds the changes of the total and of functions.
fn changes<'e>(entries: &[&'e Entry], clock: Clock, of_functions: &[Series]) -> Vec<Change<'e>> {
    let total = |(nth, entry): (usize, &&Entry)| Some((nth, *entry.totals.get(clock.name())?));
    let total: Vec<(usize, f64)> = entries.iter().enumerate().filter_map(total).collect();
    let total = Series { name: String::new(), values: total };
    let changes_of_total = change_points(&values(&total), SEED);
    let of_total = Found { function: None, q: changes_of_total.p, changes: changes_of_total };
    let changes_of = |series: &Series| change_points(&values(series), SEED);
    let changes = in_order(of_functions, processors(), changes_of);
    let q = adjusted(&changes.iter().map(|changes| changes.p).collect::<Vec<_>>());
    let mut each: Vec<Change<'_>> = Vec::new();
    for ((series, changes), q) in of_functions.iter().zip(changes).zip(q) {
        let found = Found { function: Some(series.name.clone()), q, changes };
        each.extend(found.described(series, entries));
    }
    each.sort_by(|one, other| other.delta().abs().total_cmp(&one.delta().abs()));
    let mut changes = of_total.described(&total, entries);
    changes.extend(each);
    changes
}

impl Change<'_> {
    /// Returns what it adds to an iteration, in nanoseconds.
    pub fn delta(&self) -> f64 {
        self.ns[1] - self.ns[0]
    }
}

/// Returns the clock that most entries have, and the entries with it that the most frequent drivers recorded; times of
/// different clocks or drivers are not comparable.
fn alike<'e>(all: &[&'e Entry]) -> (Clock, Vec<&'e Entry>) {
    let with =
        |clock: Clock| all.iter().filter(|entry| entry.totals.contains_key(clock.name())).count();
    let is_of_device = with(Clock::Device) >= with(Clock::Host);
    let clock = if is_of_device { Clock::Device } else { Clock::Host };
    let mut entries: Vec<&Entry> = all.to_vec();
    entries.retain(|entry| entry.totals.get(clock.name()).is_some_and(|total| total.is_finite()));
    let mut counts: HashMap<BTreeSet<&str>, usize> = HashMap::new();
    for entry in &entries {
        *counts.entry(entry.drivers()).or_default() += 1;
    }
    let most = counts.into_iter().max_by(|one, other| (one.1, &one.0).cmp(&(other.1, &other.0)));
    entries.retain(|entry| most.as_ref().is_none_or(|(drivers, _)| entry.drivers() == *drivers));
    (clock, entries)
}

/// Reads the times of functions in entries, in the order in which they run.
fn timed(
    all: &Entries,
    entries: &[&Entry],
    clock: Clock,
    is_chosen: impl Fn(&str) -> bool,
) -> Result<Vec<Vec<Timed>>, HistoryError> {
    #[derive(Deserialize)]
    struct FunctionTime {
        entry: String,
        timing_source: String,
        function: String,
        function_hash: Option<String>,
        position: u64,
        median_ns: f64,
    }
    #[derive(Default)]
    struct Runs {
        hash: Option<String>,
        position: u64,
        sum: f64,
        count: usize,
    }
    let place: HashMap<&str, usize> =
        entries.iter().enumerate().map(|(nth, entry)| (entry.id.as_str(), nth)).collect();
    let mut sums: Vec<HashMap<String, Runs>> = entries.iter().map(|_| HashMap::new()).collect();
    let columns = ["entry", "timing_source", "function", "function_hash", "position", "median_ns"];
    for (piece, ids) in all.by_piece(entries) {
        let options = ReadOptions {
            table: "history_functions",
            entries: Some(&ids),
            columns: Some(&columns),
        };
        for row in history::rows::<FunctionTime>(piece, options)? {
            let Some(sums) = place.get(&*row.entry).and_then(|nth| sums.get_mut(*nth)) else {
                continue;
            };
            let logarithm = row.median_ns.ln();
            let is_of_clock = row.timing_source == clock.name();
            if !is_of_clock || !logarithm.is_finite() || !is_chosen(&row.function) {
                continue;
            }
            let sum = sums.entry(row.function).or_insert_with(|| Runs {
                hash: row.function_hash,
                position: row.position,
                ..Runs::default()
            });
            sum.sum += logarithm;
            sum.count += 1;
        }
    }
    let in_order = |sums: HashMap<String, Runs>| {
        let mut all: Vec<(u64, Timed)> = sums
            .into_iter()
            .map(|(name, sum)| {
                let value = sum.sum / float(sum.count);
                (sum.position, Timed { name, hash: sum.hash, value })
            })
            .collect();
        all.sort_by(|one, other| (one.0, &one.1.name).cmp(&(other.0, &other.1.name)));
        all.into_iter().map(|(_, timed)| timed).collect()
    };
    Ok(sums.into_iter().map(in_order).collect())
}

fn values(series: &Series) -> Vec<f64> {
    series.values.iter().map(|(_, value)| *value).collect()
}

/// The changes of a series.
struct Found {
    function: Option<String>,
    q: f64,
    changes: Changes,
}

impl Found {
    /// Returns what each change is; nothing if the series may well have none.
    fn described<'e>(self, series: &Series, entries: &[&'e Entry]) -> Vec<Change<'e>> {
        let values = values(series);
        let points = if self.q <= LEVEL { self.changes.points } else { Vec::new() };
        let places: Vec<usize> = points.iter().map(|point| point.at).collect();
        let starts = std::iter::once(0).chain(places.iter().copied());
        let ends = places.iter().copied().skip(1).chain([values.len()]);
        let parts = points.iter().zip(starts).zip(ends);
        let changes = parts.filter_map(|((point, start), end)| {
            let (before, after) = (values.get(start..point.at)?, values.get(point.at..end)?);
            let entry = |nth: usize| entries.get(series.values.get(nth)?.0).copied();
            let ns =
                [before, after].map(|part| (part.iter().sum::<f64>() / float(part.len())).exp());
            let runs = [before, after]
                .map(|part| part.iter().map(|value| vec![value.exp()]).collect::<Vec<_>>());
            Some(Change {
                function: self.function.clone(),
                between: [entry(point.at.checked_sub(1)?)?, entry(point.at)?],
                entries: [before.len(), after.len()],
                ns,
                ratio: ns[1] / ns[0],
                interval: ratio_of(&runs[0], &runs[1], Summary::Median, SEED),
                p: point.p,
                q: self.q,
            })
        });
        changes.collect()
    }
}
