//! Which runs answer the questions: as few as can be, given what is known of the device.
//!
//! Families that do not disturb each other share a run. One that changes the times of others has a run of its own, with
//! only what its own question needs beside it, as no id is good in another run.

use std::collections::{BTreeMap, BTreeSet};

use schemas::questions::{MODES, Question, Way, mode};

/// What somebody wants.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub questions: Vec<&'static Question>,
    /// Modes that were named themselves.
    pub modes: Vec<&'static str>,
    /// Hardware counters; none lets the driver say which there are.
    pub counters: Vec<String>,
}

/// What is known of the device, and what was captured.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Modes that are not to be had, and why.
    pub refused: BTreeMap<&'static str, String>,
    /// Counters that are not to be had, and why.
    pub refused_counters: BTreeMap<String, String>,
    /// Counters that the driver lists.
    pub listed_counters: Vec<String>,
    /// How many counters a run may have, as far as refusals tell.
    pub counters_at_once: Option<usize>,
    /// What each bundle holds.
    pub captured: Vec<Held>,
    /// Modes that are refused together, though none of them alone.
    pub quarrels: Vec<BTreeSet<&'static str>>,
}

/// What a bundle holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The run.
    pub name: String,
    pub modes: Vec<&'static str>,
    pub counters: Vec<String>,
}

/// A run to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    pub modes: Vec<&'static str>,
    pub counters: Vec<String>,
    pub questions: Vec<&'static str>,
}

/// Where no counter was named, a name that no driver has: it answers with those that it knows.
pub const UNNAMED_COUNTER: &str = "ireescope-asks-which-counters-there-are";

impl Known {
    /// The first way of answering that nobody refused.
    pub fn way(&self, question: &Question) -> Option<&'static Way> {
        question.ways.iter().find(|way| way.needs.iter().all(|mode| self.may_have(mode)))
    }

    /// The bundles that answer a question, and how; the best way first.
    pub fn answer(&self, question: &Question) -> Option<(&'static Way, Vec<&Held>)> {
        question.ways.iter().find_map(|way| {
            let holds = |held: &&Held| way.needs.iter().all(|mode| held.modes.contains(mode));
            let held: Vec<&Held> = self.captured.iter().filter(holds).collect();
            (!held.is_empty()).then_some((way, held))
        })
    }

    fn may_have(&self, mode: &str) -> bool {
        !self.refused.contains_key(mode)
    }

    fn holds(&self, mode: &str) -> bool {
        self.captured.iter().any(|held| held.modes.contains(&mode))
    }

    /// Counters that are still to be counted.
    fn counters_left(&self, wanted: &Wanted) -> Vec<String> {
        let names =
            if wanted.counters.is_empty() { &self.listed_counters } else { &wanted.counters };
        let counted =
            |name: &&String| !self.captured.iter().any(|held| held.counters.contains(name));
        let may = |name: &&String| !self.refused_counters.contains_key(*name);
        names.iter().filter(counted).filter(may).cloned().collect()
    }
}

/// The runs that are left to do.
pub fn plan(wanted: &Wanted, known: &Known) -> Vec<Planned> {
    let mut cheap = Draft::default();
    let mut alone: BTreeMap<&'static str, Draft> = BTreeMap::new();
    for question in &wanted.questions {
        let Some(way) = known.way(question) else { continue };
        let is_counted = way.needs.iter().any(|mode| is_counter(mode));
        let is_answered = known.answer(question).is_some();
        if is_answered && !(is_counted && !known.counters_left(wanted).is_empty()) {
            continue;
        }
        let disturbing = way.needs.iter().copied().find(|name| perturbs(name));
        let draft = disturbing.map_or(&mut cheap, |name| alone.entry(name).or_default());
        draft.questions.push(question.name);
        draft.modes.extend(way.needs);
        draft.modes.extend(way.helps.iter().filter(|name| known.may_have(name) && !perturbs(name)));
    }
    let left = wanted.modes.iter().copied();
    for name in left.filter(|name| known.may_have(name) && is_left(name, wanted, known)) {
        let draft = if perturbs(name) { alone.entry(name).or_default() } else { &mut cheap };
        draft.modes.insert(name);
    }
    // What names functions costs nothing, and no other run can lend it.
    if wanted.modes.contains(&"executable-metadata") && known.may_have("executable-metadata") {
        alone.values_mut().for_each(|draft| {
            draft.modes.insert("executable-metadata");
        });
    }
    let drafts = std::iter::once(cheap).chain(alone.into_values());
    drafts
        .filter(|draft| !draft.modes.is_empty())
        .filter(|draft| !known.quarrels.contains(&draft.modes))
        .flat_map(|draft| runs(&draft, wanted, known))
        .collect()
}

/// Modes that share a run.
#[derive(Default)]
struct Draft {
    modes: BTreeSet<&'static str>,
    questions: Vec<&'static str>,
}

/// One run, or several where the counters do not fit into one.
fn runs(draft: &Draft, wanted: &Wanted, known: &Known) -> Vec<Planned> {
    let modes: Vec<&'static str> =
        MODES.iter().map(|mode| mode.name).filter(|name| draft.modes.contains(name)).collect();
    let run = |counters: &[String]| Planned {
        modes: modes.clone(),
        counters: counters.to_vec(),
        questions: draft.questions.clone(),
    };
    if !modes.iter().any(|mode| is_counter(mode)) {
        return vec![run(&[])];
    }
    let counters = known.counters_left(wanted);
    if counters.is_empty() {
        let is_unknown = wanted.counters.is_empty() && known.listed_counters.is_empty();
        return is_unknown.then(|| run(&[UNNAMED_COUNTER.to_owned()])).into_iter().collect();
    }
    let most = known.counters_at_once.unwrap_or(counters.len()).max(1);
    counters.chunks(most).map(run).collect()
}

fn is_left(name: &str, wanted: &Wanted, known: &Known) -> bool {
    !known.holds(name) || is_counter(name) && !known.counters_left(wanted).is_empty()
}

/// Whether a mode records hardware counters, which must be named.
pub fn is_counter(name: &str) -> bool {
    matches!(name, "counters" | "counter-ranges")
}

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
        let plan =
            plan(&wanted(&["kernel-time", "counters", "instruction-trace"]), &Known::default());
        let modes: Vec<_> = plan.iter().map(|run| run.modes.clone()).collect();
        assert_eq!(
            modes,
            [
                vec!["dispatch-events", "executable-metadata"],
                vec!["counters", "executable-metadata"],
                vec!["executable-metadata", "executable-traces"],
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
        let held = |modes: &[&'static str]| Held {
            name: "x".into(),
            modes: modes.to_vec(),
            counters: vec![],
        };
        let mut known = Known {
            captured: vec![held(&["host-execution"]), held(&["queue-events"])],
            ..Known::default()
        };
        assert!(plan(&wanted(&["kernel-time"]), &known).is_empty());
        // What two bundles hold does not add up: their ids have nothing to do with each other.
        assert_eq!(plan(&wanted(&["queue-wait"]), &known).len(), 1);
        known.captured.push(held(&["host-execution", "queue-events"]));
        assert!(plan(&wanted(&["queue-wait"]), &known).is_empty());
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
        known.captured.push(Held {
            name: "x".into(),
            modes: vec!["counters"],
            counters: vec!["A".into()],
        });
        assert_eq!(names(&known), [vec!["C"]]);
    }

    #[test]
    fn every_question_has_a_plan() {
        for question in QUESTIONS {
            let wanted = Wanted { questions: vec![question], ..Wanted::default() };
            assert_eq!(plan(&wanted, &Known::default()).len(), 1, "{}", question.name);
        }
    }
}
