//! Plans as few runs as possible that answer the questions, given the known limits of the device.
//!
//! Modes that do not disturb each other share a run. A mode that changes the times of others gets a run of its own. The
//! run records the other modes that its question needs as well, because ids cannot be joined between runs.

use std::collections::{BTreeMap, BTreeSet};

use read::bundle::set::Flaw;
use schemas::questions::{MODES, Question, Way, mode};

use super::never::UNSUPPORTED;

/// The questions, modes and counters that a capture is asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub questions: Vec<&'static Question>,
    /// Modes that were requested by name.
    pub modes: Vec<&'static str>,
    /// Hardware counters; if empty, all counters that the driver lists.
    pub counters: Vec<String>,
}

/// The known limits of the device, and the contents of the bundles captured so far.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Modes that are unavailable, and why.
    pub refused: BTreeMap<&'static str, String>,
    /// Counters that are unavailable, and why.
    pub refused_counters: BTreeMap<String, String>,
    /// Counters that the driver lists.
    pub listed_counters: Vec<String>,
    /// Maximum number of counters in a run, learned from refusals; `None` while no limit is known.
    pub counters_at_once: Option<usize>,
    /// The contents of each bundle.
    pub captured: Vec<Contents>,
    /// Modes that were accepted in a probe.
    pub accepted: BTreeSet<&'static str>,
    /// Combinations of modes that are refused although each of the modes was accepted in a probe, and why.
    pub quarrels: BTreeMap<BTreeSet<&'static str>, String>,
    /// If gaps are to be filled: the modes that close the gap of each question that has one.
    pub gaps: Option<BTreeMap<&'static str, Vec<&'static str>>>,
    /// How many entries of `captured` are older than this capture: they close no gap.
    pub before: usize,
    /// Modes without records because a run was cut short or filtered, and why. Another run may record them.
    pub cut: BTreeMap<&'static str, String>,
    /// Why the requested filters are not used.
    pub filters_refused: Option<String>,
}

/// The contents of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The name of the run.
    pub name: String,
    pub modes: Vec<&'static str>,
    pub counters: Vec<String>,
    /// Why records are missing or incomplete.
    pub flaws: Vec<Flaw>,
}

/// A planned run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub modes: Vec<&'static str>,
    pub counters: Vec<String>,
    pub questions: Vec<&'static str>,
}

/// A placeholder for runs without named counters. No driver has such a counter, and the refusal lists those that it
/// has.
pub(crate) const UNNAMED_COUNTER: &str = "ireescope-asks-which-counters-there-are";

impl Contents {
    /// Returns the flaws that concern any of these modes.
    pub(crate) fn flaws_for(&self, modes: &[&str]) -> Vec<&Flaw> {
        let concerns = |flaw: &&Flaw| modes.iter().any(|mode| flaw.concerns(mode));
        self.flaws.iter().filter(concerns).collect()
    }
}

impl Known {
    /// Returns the modes that are of use for what is wanted but unavailable, grouped by reason. Modes that were not asked
    /// come last, and before them the reason of most modes first.
    pub fn unavailable(&self, wanted: &Wanted) -> Vec<(&str, Vec<&'static str>)> {
        let ways = wanted.questions.iter().flat_map(|question| question.ways);
        let useful: BTreeSet<&str> = ways
            .flat_map(|way| way.needs.iter().chain(way.helps))
            .chain(&wanted.modes)
            .copied()
            .collect();
        let mut groups: Vec<(&str, Vec<&'static str>)> = Vec::new();
        for name in MODES.iter().map(|mode| mode.name).filter(|name| useful.contains(name)) {
            let Some(reason) = self.refused.get(name).or_else(|| self.cut.get(name)) else {
                continue;
            };
            match groups.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, modes)) => modes.push(name),
                None => groups.push((reason, vec![name])),
            }
        }
        groups.sort_by_key(|(reason, modes)| {
            (reason.starts_with(UNSUPPORTED), std::cmp::Reverse(modes.len()))
        });
        groups
    }

    /// Returns the best way of answering a question whose modes are not refused, alone or together; `None` if there is
    /// none.
    pub fn way(&self, question: &Question) -> Option<&'static Way> {
        question.ways.iter().find(|way| {
            let needs: BTreeSet<&'static str> = way.needs.iter().copied().collect();
            needs.iter().all(|mode| self.may_have(mode)) && !self.quarrels.contains_key(&needs)
        })
    }

    /// Returns the best way in which bundles answer a question, and these bundles: those without flaws, or all if each
    /// has flaws.
    pub fn answer(&self, question: &Question) -> Option<(&'static Way, Vec<&Contents>)> {
        answer_among(question, &self.captured)
    }

    /// Returns the way of answering that the modes of a gap belong to.
    fn way_of(&self, question: &Question, modes: &[&'static str]) -> Option<&'static Way> {
        let is_meant = |way: &&Way| {
            way.needs.iter().all(|mode| modes.contains(mode) && self.may_have(mode))
                && modes.iter().all(|mode| way.needs.contains(mode) || way.helps.contains(mode))
        };
        question.ways.iter().find(is_meant)
    }

    /// Whether nothing is left to capture for a question.
    fn is_done(&self, question: &Question) -> bool {
        match &self.gaps {
            None => self.answer(question).is_some(),
            Some(gaps) if gaps.contains_key(question.name) => {
                let new = self.captured.get(self.before..).unwrap_or_default();
                answer_among(question, new).is_some()
            }
            Some(_) => true,
        }
    }

    fn may_have(&self, mode: &str) -> bool {
        !self.refused.contains_key(mode)
    }

    /// Whether any bundle holds records of a mode.
    pub fn holds(&self, mode: &str) -> bool {
        self.captured.iter().any(|held| held.modes.contains(&mode))
    }

    /// Returns the counters that are still to be recorded: the wanted or else the listed ones that are neither captured
    /// nor refused.
    fn counters_left(&self, wanted: &Wanted) -> Vec<String> {
        let names =
            if wanted.counters.is_empty() { &self.listed_counters } else { &wanted.counters };
        let counted =
            |name: &&String| !self.captured.iter().any(|held| held.counters.contains(name));
        let may = |name: &&String| !self.refused_counters.contains_key(*name);
        names.iter().filter(counted).filter(may).cloned().collect()
    }
}

/// Finds the best way in which these bundles answer a question. All needed modes must be in one bundle.
fn answer_among<'a>(
    question: &Question,
    captured: &'a [Contents],
) -> Option<(&'static Way, Vec<&'a Contents>)> {
    question.ways.iter().find_map(|way| {
        let holds = |held: &&Contents| way.needs.iter().all(|mode| held.modes.contains(mode));
        let held: Vec<&Contents> = captured.iter().filter(holds).collect();
        let is_whole = |held: &&Contents| held.flaws_for(way.needs).is_empty();
        let whole: Vec<&Contents> = held.iter().copied().filter(is_whole).collect();
        let best = if whole.is_empty() { held } else { whole };
        (!best.is_empty()).then_some((way, best))
    })
}

/// Returns the runs that are still to be done.
pub fn plan(wanted: &Wanted, known: &Known) -> Vec<Planned> {
    // All parts without a disturbing mode share one draft; each disturbing mode has a draft of its own.
    let mut cheap = Draft::new();
    let mut alone: BTreeMap<&'static str, Draft> = BTreeMap::new();
    for part in questions_left(wanted, known).into_iter().chain(modes_left(wanted, known)) {
        let disturbing = part.needs.iter().copied().find(|name| perturbs(name));
        let draft = disturbing.map_or(&mut cheap, |name| alone.entry(name).or_default());
        draft.push(part);
    }
    let drafts = std::iter::once(cheap).chain(alone.into_values());
    let drafts = drafts.flat_map(|draft| apart(draft, known));
    drafts.flat_map(|draft| runs(&draft, wanted, known)).collect()
}

/// The modes that one question, or one requested mode, needs in a run.
#[derive(Debug, Clone, Default)]
struct Part {
    question: Option<&'static str>,
    needs: BTreeSet<&'static str>,
    helps: BTreeSet<&'static str>,
}

/// Returns the parts of the questions that no bundle answers yet, or whose counters are not all recorded.
fn questions_left(wanted: &Wanted, known: &Known) -> Vec<Part> {
    let part = |question: &&'static Question| {
        let gap = known.gaps.as_ref().and_then(|gaps| gaps.get(question.name));
        let way =
            gap.and_then(|modes| known.way_of(question, modes)).or_else(|| known.way(question))?;
        let is_counted = counter_mode(way.needs).is_some();
        let is_partial = is_counted && !known.counters_left(wanted).is_empty();
        if known.is_done(question) && !is_partial {
            return None;
        }
        let may_help = |name: &&'static str| known.may_have(name) && !perturbs(name);
        // Without it, commands about functions would reject the bundle, and with it the whole set.
        let names = way.needs.iter().chain(way.helps).any(|name| refers_to_functions(name));
        let names = names.then_some("executable-metadata");
        let helps = way.helps.iter().copied().chain(names).filter(may_help);
        Some(Part {
            question: Some(question.name),
            needs: way.needs.iter().copied().collect(),
            helps: helps.filter(|name| !way.needs.contains(name)).collect(),
        })
    };
    wanted.questions.iter().filter_map(part).collect()
}

/// Returns the parts of the requested modes that no bundle holds yet.
fn modes_left(wanted: &Wanted, known: &Known) -> Vec<Part> {
    // Names of functions cost nothing to record, and cannot be taken from another run.
    let names =
        wanted.modes.contains(&"executable-metadata") && known.may_have("executable-metadata");
    let is_left = |name: &&'static str| {
        let is_counted = is_counter(name) && !known.counters_left(wanted).is_empty();
        known.may_have(name) && (!known.holds(name) || is_counted)
    };
    let part = |name| Part {
        question: None,
        needs: BTreeSet::from([name]),
        helps: names.then_some("executable-metadata").into_iter().collect(),
    };
    wanted.modes.iter().copied().filter(is_left).map(part).collect()
}

/// Parts that are planned to share a run.
type Draft = Vec<Part>;

/// Returns all modes of a draft, needed and helpful ones.
fn modes_of(draft: &[Part]) -> BTreeSet<&'static str> {
    draft.iter().flat_map(|part| part.needs.iter().chain(&part.helps)).copied().collect()
}

/// Splits a draft whose combination of modes is refused: into its parts, then into the needed modes of a part. A part
/// that is refused without its helpful modes is dropped.
fn apart(draft: Draft, known: &Known) -> Vec<Draft> {
    if draft.is_empty() {
        return Vec::new();
    }
    if !known.quarrels.contains_key(&modes_of(&draft)) {
        return vec![draft];
    }
    match draft.as_slice() {
        [only] if only.helps.is_empty() => Vec::new(),
        [only] => apart(vec![Part { helps: BTreeSet::new(), ..only.clone() }], known),
        _ => draft.into_iter().flat_map(|part| apart(vec![part], known)).collect(),
    }
}

/// Returns the run of a draft, or several runs if the counters do not fit into one.
fn runs(draft: &[Part], wanted: &Wanted, known: &Known) -> Vec<Planned> {
    let drafted = modes_of(draft);
    let modes: Vec<&'static str> =
        MODES.iter().map(|mode| mode.name).filter(|name| drafted.contains(name)).collect();
    let run = |counters: &[String]| Planned {
        modes: modes.clone(),
        counters: counters.to_vec(),
        questions: draft.iter().filter_map(|part| part.question).collect(),
    };
    if counter_mode(&modes).is_none() {
        return vec![run(&[])];
    }
    let counters = known.counters_left(wanted);
    if counters.is_empty() {
        // Without any known counter, the placeholder makes the driver list its counters.
        let is_unknown = wanted.counters.is_empty() && known.listed_counters.is_empty();
        return is_unknown.then(|| run(&[UNNAMED_COUNTER.to_owned()])).into_iter().collect();
    }
    let most = known.counters_at_once.unwrap_or(counters.len()).max(1);
    counters.chunks(most).map(run).collect()
}

/// Whether a mode records hardware counters, which must be named.
pub fn is_counter(name: &str) -> bool {
    matches!(name, "counters" | "counter-ranges")
}

/// Returns the first of these modes that records hardware counters.
pub(crate) fn counter_mode(modes: &[&'static str]) -> Option<&'static str> {
    modes.iter().copied().find(|mode| is_counter(mode))
}

/// Whether the records of a mode refer to functions.
fn refers_to_functions(name: &str) -> bool {
    matches!(name, "dispatch-events" | "host-execution" | "executable-traces") || is_counter(name)
}

/// Whether a mode changes the times that other modes record.
fn perturbs(name: &str) -> bool {
    mode(name).is_some_and(|mode| mode.perturbs)
}

#[cfg(test)]
mod tests {
    use schemas::questions::{QUESTIONS, question};

    use super::*;

    fn wanted(names: &[&str]) -> Wanted {
        let questions = names.iter().map(|name| question(name).expect("it is one")).collect();
        Wanted { questions, ..Wanted::default() }
    }

    fn refusing(modes: &[&'static str]) -> Known {
        let refused = modes.iter().map(|mode| (*mode, "no".to_owned())).collect();
        Known { refused, ..Known::default() }
    }

    #[test]
    fn cheap_questions_share_a_run() {
        let plan = plan(&wanted(&["kernel-time", "queue-wait", "memory"]), &Known::default());
        let [run] = plan.as_slice() else { panic!("{plan:?}") };
        let modes = [
            "queue-events",
            "device-queue-events",
            "dispatch-events",
            "memory-events",
            "executable-metadata",
        ];
        assert_eq!(run.modes, modes);
    }

    #[test]
    fn what_disturbs_runs_alone() {
        let plan = plan(&wanted(&["kernel-time", "counters", "instructions"]), &Known::default());
        let modes: Vec<_> = plan.iter().map(|run| run.modes.clone()).collect();
        assert_eq!(
            modes,
            [
                vec!["dispatch-events", "executable-metadata"],
                vec!["counters", "executable-metadata"],
                vec!["dispatch-events", "executable-metadata", "executable-traces"],
            ]
        );
    }

    #[test]
    fn a_refused_way_gives_place_to_the_next() {
        let known = refusing(&["dispatch-events", "executable-metadata"]);
        let plan = plan(&wanted(&["kernel-time", "device-time"]), &known);
        let [run] = plan.as_slice() else { panic!("{plan:?}") };
        assert_eq!(run.modes, ["host-execution"]);
        assert_eq!(run.questions, ["kernel-time"]);
    }

    #[test]
    fn what_is_captured_is_not_captured_again() {
        let held = |modes: &[&'static str]| Contents {
            name: "x".into(),
            modes: modes.to_vec(),
            counters: vec![],
            flaws: vec![],
        };
        let mut known = Known {
            captured: vec![held(&["host-execution"]), held(&["queue-events"])],
            ..Known::default()
        };
        assert!(plan(&wanted(&["kernel-time"]), &known).is_empty());
        // The contents of two bundles do not add up: their ids cannot be joined.
        assert_eq!(plan(&wanted(&["queue-wait"]), &known).len(), 1);
        known.captured.push(held(&["host-execution", "queue-events"]));
        assert!(plan(&wanted(&["queue-wait"]), &known).is_empty());
    }

    #[test]
    fn what_is_whole_answers_before_what_is_cut() {
        let held = |name: &str, flaws: Vec<Flaw>| Contents {
            name: name.into(),
            modes: vec!["dispatch-events"],
            counters: vec![],
            flaws,
        };
        let names = |captured: Vec<Contents>| {
            let known = Known { captured, ..Known::default() };
            let (_, held) = known.answer(question("kernel-time").expect("it is one"))?;
            Some(held.into_iter().map(|held| held.name.clone()).collect::<Vec<_>>())
        };
        let cut = || held("cut", vec![Flaw::Cut("it was stopped".into())]);
        assert_eq!(names(vec![cut(), held("whole", vec![])]), Some(vec!["whole".to_owned()]));
        assert_eq!(names(vec![cut()]), Some(vec!["cut".to_owned()]));
    }

    #[test]
    fn gaps_decide_what_is_captured() {
        let held = Contents {
            name: "x".into(),
            modes: vec!["host-execution"],
            counters: vec![],
            flaws: vec![],
        };
        let gaps = BTreeMap::from([("kernel-time", vec!["host-execution", "executable-metadata"])]);
        let mut known =
            Known { captured: vec![held.clone()], before: 1, gaps: Some(gaps), ..Known::default() };
        // The question with a gap is planned with the modes of the gap; the question without a gap is left alone.
        let asked = wanted(&["kernel-time", "memory"]);
        let [run] = &plan(&asked, &known)[..] else { panic!("one run is wanted") };
        assert_eq!(run.modes, ["host-execution", "executable-metadata"]);
        assert_eq!(run.questions, ["kernel-time"]);
        known.captured.push(held);
        assert!(plan(&asked, &known).is_empty(), "what is new closes it");
    }

    #[test]
    fn counters_that_do_not_fit_are_split() {
        let mut wanted = wanted(&["counters"]);
        wanted.counters = ["A", "B", "C"].map(str::to_owned).to_vec();
        let mut known = Known { counters_at_once: Some(2), ..Known::default() };
        let names = |known: &Known| -> Vec<Vec<String>> {
            plan(&wanted, known).into_iter().map(|run| run.counters).collect()
        };
        assert_eq!(names(&known), [vec!["A", "B"], vec!["C"]]);
        known.refused_counters.insert("B".into(), "no".into());
        known.captured.push(Contents {
            name: "x".into(),
            modes: vec!["counters"],
            counters: vec!["A".into()],
            flaws: vec![],
        });
        assert_eq!(names(&known), [vec!["C"]]);
    }

    #[test]
    fn what_quarrels_is_taken_apart() {
        let wanted = wanted(&["kernel-time", "memory"]);
        let mut known = Known::default();
        let modes = |known: &Known| -> Vec<Vec<&str>> {
            plan(&wanted, known).into_iter().map(|run| run.modes).collect()
        };
        let all = plan(&wanted, &known)[0].modes.iter().copied().collect();
        known.quarrels.insert(all, "no".into());
        assert_eq!(
            modes(&known),
            [vec!["dispatch-events", "executable-metadata"], vec!["queue-events", "memory-events"]]
        );
        known.quarrels.insert(BTreeSet::from(["queue-events", "memory-events"]), "no".into());
        assert_eq!(modes(&known)[1], ["memory-events"]);
    }

    #[test]
    fn every_question_has_a_plan() {
        for question in QUESTIONS {
            let wanted = Wanted { questions: vec![question], ..Wanted::default() };
            assert_eq!(plan(&wanted, &Known::default()).len(), 1, "{}", question.name);
        }
    }
}
