//! Measures candidates with the compiler and the user's command. What the store knows is not measured again.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::budget::Costs;
use super::builder::{Builder, Built, Order, candidate, name_of};
use super::clock::{Clock, nanoseconds};
use super::laps::{Laps, Ran};
use super::measure::{Measure, Measured, Outcome, Points, Stage, Times};
use super::rows::{CandidateRow, TrialRow};
use super::search::broken;
use super::store::Store;
use super::targets::{Target, changed, own};
use crate::bundle::digest;
use crate::cli::error::CliError;
use crate::cli::outputs::{Outputs, longest};

/// The compiler, the user's command, and what is known of a model.
pub struct Bench<'a> {
    builder: &'a Builder<'a>,
    targets: &'a [Target],
    laps: Laps<'a>,
    outputs: Outputs<'a>,
    store: &'a mut Store,
    clock: Clock,
    /// The modules that this process compiled, by the digests of their specs.
    modules: HashMap<Spec, PathBuf>,
    /// The points that the search measured, by the digests of their modules.
    searched: HashMap<String, Points>,
}

/// The digest of a candidate's spec; `None` for the untuned module.
type Spec = Option<String>;

/// A candidate with what is needed to compile it.
struct Asked<'p> {
    points: &'p Points,
    spec: Spec,
    text: Option<String>,
}

impl<'a> Bench<'a> {
    pub fn new(
        builder: &'a Builder<'a>,
        targets: &'a [Target],
        laps: Laps<'a>,
        outputs: Outputs<'a>,
        (store, clock): (&'a mut Store, Clock),
    ) -> Self {
        Self {
            builder,
            targets,
            laps,
            outputs,
            store,
            clock,
            modules: HashMap::new(),
            searched: HashMap::new(),
        }
    }

    /// Returns the module of a candidate, or the compiler's words.
    pub fn module(&mut self, points: &Points) -> Result<Result<PathBuf, String>, CliError> {
        let asked = self.asked(points);
        self.compile(&[&asked])?;
        let refused = || self.store.candidate(asked.spec.as_deref())?.reason.clone();
        Ok(self.modules.get(&asked.spec).cloned().ok_or_else(|| refused().unwrap_or_default()))
    }

    /// Removes the modules of candidates, which may be large. Those that are needed again are compiled again.
    pub fn clean(&mut self) -> Result<(), CliError> {
        for (spec, module) in std::mem::take(&mut self.modules) {
            if spec.is_none() {
                self.modules.insert(spec, module);
                continue;
            }
            for path in [module.with_extension("mlir"), module] {
                if path.exists() {
                    std::fs::remove_file(&path).map_err(CliError::writing(&path))?;
                }
            }
        }
        Ok(())
    }

    fn spent_ns(&self) -> f64 {
        self.clock.spent().as_secs_f64() * 1e9
    }

    fn asked<'p>(&self, points: &'p Points) -> Asked<'p> {
        let (spec, text) = candidate(self.targets, points).unzip();
        Asked { points, spec, text }
    }

    /// Compiles candidates that are neither compiled in this process nor known to be refused.
    fn compile(&mut self, all: &[&Asked<'_>]) -> Result<(), CliError> {
        let mut orders: BTreeMap<&Spec, Order> = BTreeMap::new();
        let mut rows = Vec::new();
        for asked in all {
            let spec = asked.spec.as_deref();
            if self.store.candidate(spec).is_some_and(|it| !it.is_compiled)
                || self.modules.contains_key(&asked.spec)
            {
                continue;
            }
            let order = Order { name: name_of(spec), spec: asked.text.clone() };
            match self.kept(spec, &order.name)? {
                Some((module, row)) => {
                    self.modules.insert(asked.spec.clone(), module);
                    rows.push(row);
                }
                None => {
                    orders.insert(&asked.spec, order);
                }
            }
        }
        let (specs, orders): (Vec<&Spec>, Vec<Order>) = orders.into_iter().unzip();
        for (spec, built) in specs.into_iter().zip(self.builder.build(&orders)?) {
            let (row, module) = row_of(spec.clone(), built)?;
            if let Some(module) = module {
                self.modules.insert(spec.clone(), module);
            }
            rows.push(row);
        }
        for row in &rows {
            self.clock.compiled(row);
        }
        // The untuned module comes first.
        rows.sort_by_key(|row| row.spec_sha256.is_some());
        rows.retain(|row| self.store.candidate(row.spec_sha256.as_deref()).is_none());
        if let Some(untuned) = rows.first().filter(|it| it.spec_sha256.is_none() && !it.is_compiled)
        {
            return Err(broken(untuned.reason.as_deref().unwrap_or_default()));
        }
        if !rows.is_empty() {
            self.store.add_candidates(rows)?;
        }
        self.clock.move_on();
        Ok(())
    }

    /// Returns a module that an earlier process compiled, if its file is as it was.
    fn kept(
        &self,
        spec: Option<&str>,
        name: &str,
    ) -> Result<Option<(PathBuf, CandidateRow)>, CliError> {
        let Some(row) = self.store.compiled(spec) else { return Ok(None) };
        let module = self.builder.path(name);
        if !module.exists() {
            return Ok(None);
        }
        let (_, digest) = digest::of_file(&module).map_err(CliError::reading(&module))?;
        let is_same = row.module_sha256.as_ref() == Some(&digest);
        Ok(is_same.then(|| (module, row.clone())))
    }

    /// Returns what is known of a trial.
    fn recalled(&mut self, row: &CandidateRow, rows: &[TrialRow]) -> Option<Measured> {
        let first = rows.first()?;
        self.clock.compiled(row);
        self.clock.recall(first.spent_ns);
        if first.run_ns > 0.0 {
            self.clock.ran(nanoseconds(first.run_ns));
        }
        match first.outcome {
            Outcome::Measured => {
                let of = |name: Option<&str>| {
                    rows.iter().find(|it| it.dispatch.as_deref() == name).map(|it| it.time_ns)
                };
                let targets: Option<Vec<_>> =
                    self.targets.iter().map(|it| of(Some(it.name()))).collect();
                Some(Measured::Times(Times { targets: targets?, total: of(None)?? }))
            }
            Outcome::SameCode => {
                Some(Measured::SameCode(self.searched.get(row.module_sha256.as_ref()?)?.clone()))
            }
            _ => Some(Measured::Refused(first.reason.clone().unwrap_or_default())),
        }
    }

    /// Returns what is known of the first candidates of a round, or of all.
    fn known(&mut self, stage: Stage, round: u32, asked: &[Asked<'_>]) -> Vec<Measured> {
        let rows: Vec<CandidateRow> = asked
            .iter()
            .map_while(|asked| self.store.candidate(asked.spec.as_deref()).cloned())
            .collect();
        let numbers: Vec<u32> = rows.iter().map(|row| row.candidate).collect();
        if stage != Stage::Search && numbers.len() < asked.len() {
            return Vec::new();
        }
        let trials = self.store.take(stage, round, &numbers);
        let mut all = Vec::new();
        for ((asked, row), trial) in asked.iter().zip(&rows).zip(&trials) {
            // A run that had fewer targets says nothing of the others.
            let Some(measured) = self.recalled(row, trial) else { break };
            self.note(stage, asked, &measured);
            all.push(measured);
        }
        let is_whole = all.len() == asked.len();
        if is_whole || stage == Stage::Search { all } else { Vec::new() }
    }

    /// Notes which points the search measured first with a module.
    fn note(&mut self, stage: Stage, asked: &Asked<'_>, measured: &Measured) {
        if let (Stage::Search, Measured::Times(_)) = (stage, measured) {
            let row = self.store.candidate(asked.spec.as_deref());
            if let Some(digest) = row.and_then(|it| it.module_sha256.clone()) {
                self.searched.entry(digest).or_insert_with(|| asked.points.clone());
            }
        }
    }

    /// Runs a candidate, unless it is refused or an earlier one has its code.
    fn measured(
        &mut self,
        (stage, round): (Stage, u32),
        asked: &Asked<'_>,
    ) -> Result<Measured, CliError> {
        let known = self.store.candidate(asked.spec.as_deref()).cloned().unwrap_or_default();
        let row = TrialRow::new(stage, round, known.candidate);
        let Some(module) = self.modules.get(&asked.spec).cloned() else {
            let words = known.reason.unwrap_or_default();
            let row = TrialRow { spent_ns: self.spent_ns(), ..row };
            self.add_untimed(asked, &row, (Outcome::NotCompiled, Some(&words)))?;
            return Ok(Measured::Refused(words));
        };
        let same = known.module_sha256.as_ref().and_then(|it| self.searched.get(it));
        // The best points are measured again, as is the untuned module.
        let is_other = |same: &&Points| *same != asked.points;
        if let Some(same) =
            same.filter(|it| is_other(it) && stage == Stage::Search && asked.spec.is_some())
        {
            let same = same.clone();
            let row = TrialRow { spent_ns: self.spent_ns(), ..row };
            self.add_untimed(asked, &row, (Outcome::SameCode, None))?;
            return Ok(Measured::SameCode(same));
        }
        let Ran { capture, lap, took, .. } = self.laps.run(&module)?;
        self.clock.move_on();
        self.clock.ran(took);
        let (run_ns, spent_ns) = (took.as_secs_f64() * 1e9, self.spent_ns());
        let row = TrialRow { capture, run_ns, spent_ns, ..row };
        let lap = match lap {
            Ok(lap) => lap,
            Err(words) => {
                // Where the untuned module does not run either, the candidate is not to blame: the device may be lost.
                if asked.spec.is_some() {
                    let base = self.module(&own(self.targets))?.map_err(|words| broken(&words))?;
                    self.laps.run(&base)?.lap.map_err(|words| broken(&words))?;
                    self.add_untimed(asked, &row, (Outcome::NotRun, Some(&words)))?;
                }
                return Ok(Measured::Refused(words));
            }
        };
        let targets = self.targets.iter().map(|it| lap.of(&it.functions)).collect();
        let times = Times { targets, total: lap.total };
        let mut rows = vec![TrialRow { time_ns: Some(lap.total), ..row.clone() }];
        for ((target, point), time_ns) in self.targets.iter().zip(asked.points).zip(&times.targets)
        {
            rows.push(TrialRow { time_ns: *time_ns, ..row.of(target, *point) });
        }
        self.store.add_trial(rows)?;
        Ok(Measured::Times(times))
    }

    /// Stores that a candidate has no time: of the target that it changes, or of the whole if it changes several.
    fn add_untimed(
        &mut self,
        asked: &Asked<'_>,
        row: &TrialRow,
        (outcome, reason): (Outcome, Option<&str>),
    ) -> Result<(), CliError> {
        let mut changed = changed(self.targets, asked.points);
        let row = match (changed.next(), changed.next()) {
            (Some((target, point)), None) => row.of(target, point),
            _ => row.clone(),
        };
        self.store.add_trial(vec![TrialRow { outcome, reason: reason.map(str::to_owned), ..row }])
    }
}

/// Returns the row of a candidate, and its module if it has one.
pub fn row_of(
    spec_sha256: Option<String>,
    built: Built,
) -> Result<(CandidateRow, Option<PathBuf>), CliError> {
    let row = CandidateRow {
        spec_sha256,
        compile_ns: built.took.as_secs_f64() * 1e9,
        is_timed_out: built.is_timed_out,
        ..CandidateRow::default()
    };
    match built.module {
        Ok(module) => {
            let (_, digest) = digest::of_file(&module).map_err(CliError::reading(&module))?;
            let row = CandidateRow { is_compiled: true, module_sha256: Some(digest), ..row };
            Ok((row, Some(module)))
        }
        Err(words) => Ok((CandidateRow { reason: Some(words), ..row }, None)),
    }
}

impl Measure for Bench<'_> {
    fn run(
        &mut self,
        stage: Stage,
        round: u32,
        candidates: &[Points],
    ) -> Result<Vec<Measured>, CliError> {
        let asked: Vec<Asked<'_>> = candidates.iter().map(|points| self.asked(points)).collect();
        let known = self.known(stage, round, &asked);
        let missing: Vec<&Asked<'_>> = asked.iter().skip(known.len()).collect();
        self.compile(&missing)?;
        let mut all = known;
        for asked in missing {
            let measured = self.measured((stage, round), asked)?;
            self.note(stage, asked, &measured);
            all.push(measured);
        }
        if stage == Stage::Search {
            self.clean()?;
        }
        Ok(all)
    }

    fn difference(&mut self, points: &Points) -> Result<Option<String>, CliError> {
        let asked = self.asked(points);
        if let Some(known) = self.store.candidate(asked.spec.as_deref()).cloned()
            && let Some(row) = self
                .store
                .take(Stage::Verify, 0, &[known.candidate])
                .first()
                .and_then(|it| it.first())
        {
            let is_right = row.outcome == Outcome::Right;
            self.clock.verified(nanoseconds(row.run_ns));
            self.clock.recall(row.spent_ns);
            return Ok((!is_right).then(|| row.reason.clone().unwrap_or_default()));
        }
        let base = self.module(&own(self.targets))?.map_err(CliError::Lacking)?;
        let begun = Instant::now();
        let difference = match self.module(points)? {
            Ok(module) => {
                let longest = longest(self.targets.iter().map(|it| &it.root));
                let difference = self.outputs.difference([&base, &module], longest);
                difference.map_err(|error| self.laps.ended(error))?
            }
            Err(words) => Some(words),
        };
        let took = begun.elapsed();
        self.clock.verified(took);
        self.clock.move_on();
        let candidate = self.store.candidate(asked.spec.as_deref()).map(|it| it.candidate);
        let row = TrialRow::new(Stage::Verify, 0, candidate.unwrap_or_default());
        let outcome = if difference.is_none() { Outcome::Right } else { Outcome::Wrong };
        self.store.add_trial(vec![TrialRow {
            outcome,
            reason: difference.clone(),
            run_ns: took.as_secs_f64() * 1e9,
            spent_ns: self.spent_ns(),
            ..row
        }])?;
        Ok(difference)
    }

    fn spent(&self) -> Duration {
        self.clock.spent()
    }

    fn costs(&self) -> Costs {
        self.clock.costs()
    }
}
