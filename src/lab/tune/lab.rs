//! Measures candidates with the compiler and the user's command. What the store knows is not measured again.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use base::digest;
use tools::compiler::{ResultComparison, longest_reduction};

use super::budget::Costs;
use super::builder::{BuildJob, BuildResult, Builder, candidate_spec, module_name};
use super::clock::{Clock, nanoseconds};
use super::error::TuneError;
use super::evaluator::{Evaluation, Evaluator, Outcome, Points, Refusal, Stage, Times};
use super::rows::{CandidateRow, TrialRow};
use super::runner::{RunResult, Runner};
use super::search::broken;
use super::store::Store;
use super::targets::{Target, changed_targets, own_points};

/// What candidates are measured with.
pub struct Tools<'a> {
    pub builder: &'a Builder<'a>,
    pub(crate) runner: Runner<'a>,
    pub results: ResultComparison<'a>,
    /// What is known, and where what is measured goes.
    pub store: &'a mut Store,
    pub clock: Clock,
}

/// The compiler, the user's command, and what is known of a model.
pub struct Lab<'a> {
    builder: &'a Builder<'a>,
    targets: &'a [Target],
    runner: Runner<'a>,
    results: ResultComparison<'a>,
    pub store: &'a mut Store,
    clock: Clock,
    /// The modules that this process compiled, by the digests of their specs.
    modules: HashMap<SpecDigest, PathBuf>,
    /// The points that the search measured, by the digests of their modules.
    searched: HashMap<String, Points>,
}

/// The digest of a candidate's spec; `None` for the untuned module.
type SpecDigest = Option<String>;

/// A candidate with what is needed to compile it.
struct Candidate<'p> {
    points: &'p Points,
    spec: SpecDigest,
    text: Option<String>,
}

impl<'a> Lab<'a> {
    /// Measures candidates of targets.
    pub fn new(tools: Tools<'a>, targets: &'a [Target]) -> Self {
        let Tools { builder, runner, results, store, clock } = tools;
        let (modules, searched) = (HashMap::new(), HashMap::new());
        Self { builder, targets, runner, results, store, clock, modules, searched }
    }

    /// Returns the module of a candidate.
    pub fn module(&mut self, points: &Points) -> Result<PathBuf, TuneError> {
        let candidate = self.candidate(points);
        self.compile(&[&candidate])?;
        let words = || self.store.candidate(candidate.spec.as_deref())?.reason.clone();
        let module = self.modules.get(&candidate.spec).cloned();
        module.ok_or_else(|| TuneError::Refused(words().unwrap_or_default()))
    }

    /// Removes the modules of candidates, which may be large. Those that are needed again are compiled again.
    pub fn clean(&mut self) -> Result<(), TuneError> {
        for (spec, module) in std::mem::take(&mut self.modules) {
            if spec.is_none() {
                self.modules.insert(spec, module);
                continue;
            }
            for path in [module.with_extension("mlir"), module] {
                if path.exists() {
                    std::fs::remove_file(&path).map_err(TuneError::writing(&path))?;
                }
            }
        }
        Ok(())
    }

    fn spent_ns(&self) -> f64 {
        self.clock.spent().as_secs_f64() * 1e9
    }

    fn candidate<'p>(&self, points: &'p Points) -> Candidate<'p> {
        let (spec, text) = candidate_spec(self.targets, points).unzip();
        Candidate { points, spec, text }
    }

    /// Compiles candidates that are neither compiled in this process nor known to be refused.
    fn compile(&mut self, all: &[&Candidate<'_>]) -> Result<(), TuneError> {
        let mut jobs: BTreeMap<&SpecDigest, BuildJob> = BTreeMap::new();
        let mut rows = Vec::new();
        for candidate in all {
            let spec = candidate.spec.as_deref();
            if self.store.candidate(spec).is_some_and(|it| !it.is_compiled)
                || self.modules.contains_key(&candidate.spec)
            {
                continue;
            }
            let job = BuildJob { name: module_name(spec), spec: candidate.text.clone() };
            match self.compiled_before(spec, &job.name)? {
                Some((module, row)) => {
                    self.modules.insert(candidate.spec.clone(), module);
                    rows.push(row);
                }
                None => {
                    jobs.insert(&candidate.spec, job);
                }
            }
        }
        let (specs, jobs): (Vec<&SpecDigest>, Vec<BuildJob>) = jobs.into_iter().unzip();
        for (spec, built) in specs.into_iter().zip(self.builder.build(&jobs)?) {
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
    fn compiled_before(
        &self,
        spec: Option<&str>,
        name: &str,
    ) -> Result<Option<(PathBuf, CandidateRow)>, TuneError> {
        let Some(row) = self.store.compiled(spec) else { return Ok(None) };
        let module = self.builder.path(name);
        if !module.exists() {
            return Ok(None);
        }
        let (_, digest) = digest::of_file(&module).map_err(TuneError::reading(&module))?;
        let is_same = row.module_sha256.as_ref() == Some(&digest);
        Ok(is_same.then(|| (module, row.clone())))
    }

    /// Returns what is known of a trial.
    fn recalled(&mut self, row: &CandidateRow, rows: &[TrialRow]) -> Option<Evaluation> {
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
                Some(Evaluation::Times(Times { targets: targets?, total: of(None)?? }))
            }
            Outcome::SameCode => {
                Some(Evaluation::SameCode(self.searched.get(row.module_sha256.as_ref()?)?.clone()))
            }
            outcome => Some(Evaluation::Refused(Refusal {
                is_compiled: outcome != Outcome::NotCompiled,
                words: first.reason.clone().unwrap_or_default(),
            })),
        }
    }

    /// Returns what is known of the first candidates of a round, or of all.
    fn known(&mut self, stage: Stage, round: u32, candidates: &[Candidate<'_>]) -> Vec<Evaluation> {
        let rows: Vec<CandidateRow> = candidates
            .iter()
            .map_while(|candidate| self.store.candidate(candidate.spec.as_deref()).cloned())
            .collect();
        let numbers: Vec<u32> = rows.iter().map(|row| row.candidate).collect();
        if stage != Stage::Search && numbers.len() < candidates.len() {
            return Vec::new();
        }
        let trials = self.store.take(stage, round, &numbers);
        let mut all = Vec::new();
        for ((candidate, row), trial) in candidates.iter().zip(&rows).zip(&trials) {
            // A run that had fewer targets says nothing of the others.
            let Some(measured) = self.recalled(row, trial) else { break };
            self.note(stage, candidate, &measured);
            all.push(measured);
        }
        let is_whole = all.len() == candidates.len();
        if is_whole || stage == Stage::Search { all } else { Vec::new() }
    }

    /// Notes which points the search measured first with a module.
    fn note(&mut self, stage: Stage, candidate: &Candidate<'_>, measured: &Evaluation) {
        if let (Stage::Search, Evaluation::Times(_)) = (stage, measured) {
            let row = self.store.candidate(candidate.spec.as_deref());
            if let Some(digest) = row.and_then(|it| it.module_sha256.clone()) {
                self.searched.entry(digest).or_insert_with(|| candidate.points.clone());
            }
        }
    }

    /// Runs a candidate, unless it is refused or an earlier one has its code.
    fn measured(
        &mut self,
        (stage, round): (Stage, u32),
        candidate: &Candidate<'_>,
    ) -> Result<Evaluation, TuneError> {
        let known = self.store.candidate(candidate.spec.as_deref()).cloned().unwrap_or_default();
        let row = TrialRow::new(stage, round, known.candidate);
        let Some(module) = self.modules.get(&candidate.spec).cloned() else {
            let words = known.reason.unwrap_or_default();
            let row = TrialRow { spent_ns: self.spent_ns(), ..row };
            self.add_untimed(candidate, &row, (Outcome::NotCompiled, Some(&words)))?;
            return Ok(Evaluation::Refused(Refusal { is_compiled: false, words }));
        };
        let same = known.module_sha256.as_ref().and_then(|it| self.searched.get(it));
        // The best points are measured again, as is the untuned module.
        let is_other = |same: &&Points| *same != candidate.points;
        if let Some(same) =
            same.filter(|it| is_other(it) && stage == Stage::Search && candidate.spec.is_some())
        {
            let same = same.clone();
            let row = TrialRow { spent_ns: self.spent_ns(), ..row };
            self.add_untimed(candidate, &row, (Outcome::SameCode, None))?;
            return Ok(Evaluation::SameCode(same));
        }
        let RunResult { capture, times, took, .. } = self.runner.run(&module)?;
        self.clock.move_on();
        self.clock.ran(took);
        let (run_ns, spent_ns) = (took.as_secs_f64() * 1e9, self.spent_ns());
        let row = TrialRow { capture, run_ns, spent_ns, ..row };
        let times = match times {
            Ok(times) => times,
            Err(words) => {
                // Where the untuned module does not run either, the candidate is not to blame: the device may be lost.
                if candidate.spec.is_some() {
                    let base = self.module(&own_points(self.targets));
                    let base = base.map_err(|error| match error {
                        TuneError::Refused(words) => broken(&words),
                        other => other,
                    })?;
                    self.runner.run(&base)?.times.map_err(|words| broken(&words))?;
                    self.add_untimed(candidate, &row, (Outcome::NotRun, Some(&words)))?;
                }
                return Ok(Evaluation::Refused(Refusal { is_compiled: true, words }));
            }
        };
        let targets = self.targets.iter().map(|it| times.of(&it.functions)).collect();
        let times = Times { targets, total: times.total };
        let mut rows = vec![TrialRow { time_ns: Some(times.total), ..row.clone() }];
        for ((target, point), time_ns) in
            self.targets.iter().zip(candidate.points).zip(&times.targets)
        {
            rows.push(TrialRow { time_ns: *time_ns, ..row.of(target, *point) });
        }
        self.store.add_trial(rows)?;
        Ok(Evaluation::Times(times))
    }

    /// Stores that a candidate has no time: of the target that it changes, or of the whole if it changes several.
    fn add_untimed(
        &mut self,
        candidate: &Candidate<'_>,
        row: &TrialRow,
        (outcome, reason): (Outcome, Option<&str>),
    ) -> Result<(), TuneError> {
        let mut changed = changed_targets(self.targets, candidate.points);
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
    built: BuildResult,
) -> Result<(CandidateRow, Option<PathBuf>), TuneError> {
    let row = CandidateRow {
        spec_sha256,
        compile_ns: built.took.as_secs_f64() * 1e9,
        is_timed_out: built.is_timed_out,
        ..CandidateRow::default()
    };
    match built.module {
        Ok(module) => {
            let (_, digest) = digest::of_file(&module).map_err(TuneError::reading(&module))?;
            let row = CandidateRow { is_compiled: true, module_sha256: Some(digest), ..row };
            Ok((row, Some(module)))
        }
        Err(words) => Ok((CandidateRow { reason: Some(words), ..row }, None)),
    }
}

impl Evaluator for Lab<'_> {
    fn run(
        &mut self,
        stage: Stage,
        round: u32,
        candidates: &[Points],
    ) -> Result<Vec<Evaluation>, TuneError> {
        let candidates: Vec<Candidate<'_>> =
            candidates.iter().map(|points| self.candidate(points)).collect();
        let known = self.known(stage, round, &candidates);
        let missing: Vec<&Candidate<'_>> = candidates.iter().skip(known.len()).collect();
        self.compile(&missing)?;
        let mut all = known;
        for candidate in missing {
            let measured = self.measured((stage, round), candidate)?;
            self.note(stage, candidate, &measured);
            all.push(measured);
        }
        if stage == Stage::Search {
            self.clean()?;
        }
        Ok(all)
    }

    fn difference(&mut self, points: &Points) -> Result<Option<String>, TuneError> {
        let candidate = self.candidate(points);
        if let Some(known) = self.store.candidate(candidate.spec.as_deref()).cloned()
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
        let base = self.module(&own_points(self.targets))?;
        let begun = Instant::now();
        let difference = match self.module(points) {
            Ok(module) => {
                let longest = longest_reduction(self.targets.iter().map(|it| &it.root));
                let difference = self.results.difference([&base, &module], longest);
                difference.map_err(|error| self.runner.ended(error.into()))?
            }
            Err(TuneError::Refused(words)) => Some(words),
            Err(error) => return Err(error),
        };
        let took = begun.elapsed();
        self.clock.verified(took);
        self.clock.move_on();
        let candidate = self.store.candidate(candidate.spec.as_deref()).map(|it| it.candidate);
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
