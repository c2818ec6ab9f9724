//! Chooses what to tune: the dispatches that take the most time, with the configurations that are worth trying for each.

use base::Pattern as Glob;
use base::digest;
use base::words::OptionStyle;
use model::tuning::attribute::Attribute;
use model::tuning::configuration::{Configuration, Dispatch, Operation};
use model::tuning::constraints::Constraints;
use model::tuning::space::{Cpu, Space, Vulkan};
use model::tuning::spec::{Entry, Pattern};

use super::evaluator::Points;
use super::run_times::RunTimes;
use super::user_spaces::{UserSpace, values_of};

/// Dispatches that one matcher applies to, because their root operations are equal.
#[derive(Clone)]
pub struct Target {
    /// The names of their functions.
    pub functions: Vec<String>,
    pub root: Operation,
    /// What the compiler runs them with.
    pub(crate) back_end: String,
    /// Whether the compiler left it without vectors.
    pub is_scalar: bool,
    pub space: Space,
}

impl Target {
    /// Returns the name of its first function.
    pub fn name(&self) -> &str {
        self.functions.first().map_or("", String::as_str)
    }

    /// Returns the digest of its root operation.
    pub fn digest(&self) -> String {
        digest::of(&self.root.text)
    }

    /// Returns a point's configuration as text.
    pub fn text(&self, point: usize) -> String {
        let configuration = self.space.configuration(point);
        let parts =
            [configuration.lowering, configuration.translation, configuration.decomposition];
        parts.into_iter().flatten().map(|it| it.to_string()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the points of the compiler's own choices.
pub(crate) fn own_points(targets: &[Target]) -> Points {
    targets.iter().map(|target| target.space.own).collect()
}

/// Returns the targets for which points are not the compiler's own choice, each with its point.
pub(crate) fn changed_targets<'a>(
    targets: &'a [Target],
    points: &'a [usize],
) -> impl Iterator<Item = (&'a Target, usize)> {
    let each = targets.iter().zip(points.iter().copied());
    each.filter(|(target, point)| *point != target.space.own)
}

/// A dispatch that is left as it is, and why.
#[derive(Debug, Clone)]
pub struct Skipped {
    pub name: String,
    pub ns: f64,
    pub share: f64,
    /// The fraction of its roof that it achieves, if it is known.
    pub fraction: Option<f64>,
    pub why: String,
}

impl Skipped {
    /// Returns a function with its time in a run.
    pub fn of(name: &str, times: &RunTimes, why: &str) -> Self {
        let ns = times.functions.get(name).copied().unwrap_or_default();
        let (share, fraction) = (times.share(name), times.fractions.get(name).copied());
        let share = share.unwrap_or_default();
        Self { name: name.to_owned(), ns, share, fraction, why: why.to_owned() }
    }
}

/// The back ends that spaces are generated for. Of others, the compiler states them.
pub(crate) const GENERATED: [&str; 2] = ["llvm-cpu", "vulkan-spirv"];

/// Which dispatches to choose.
pub struct Selection<'a> {
    /// How reasons spell options, as they are kept.
    pub style: OptionStyle,
    pub cover: f64,
    pub top: usize,
    pub patterns: &'a [String],
    /// The spaces that the user gives.
    pub(crate) user_spaces: &'a [UserSpace],
    /// What the compiler states of the spaces of some targets.
    pub stated: &'a [Constraints],
}

impl Selection<'_> {
    fn target(&self, dispatch: &Dispatch, functions: Vec<String>) -> Result<Target, String> {
        let root = dispatch.root().ok_or("it has no root operation")?;
        let own = dispatch.configuration(root);
        Entry::of("any", root, &own).map_err(|error| error.to_string())?;
        let space = self.space(dispatch, root, &own)?;
        let back_end = dispatch.backend().to_owned();
        let is_scalar = is_scalar(dispatch);
        Ok(Target { functions, root: root.clone(), back_end, is_scalar, space })
    }

    /// Returns the configurations to try: those that the user gives, or the compiler states, or generated ones.
    fn space(
        &self,
        dispatch: &Dispatch,
        root: &Operation,
        own: &Configuration,
    ) -> Result<Space, String> {
        let target = dispatch.target.as_ref().ok_or("its target is unknown")?;
        let stated: Vec<Constraints> =
            self.stated.iter().filter(|it| it.function == dispatch.name).cloned().collect();
        let space = if let Some(values) = values_of(self.user_spaces, &dispatch.name) {
            Some(
                Space::of_values(values, own)
                    .map_err(|error| self.style.spell(&format!("option `space`: {error}")))?,
            )
        } else if !stated.is_empty() {
            Some(Space::of_constraints(&stated, own).map_err(|error| error.to_string())?)
        } else {
            match dispatch.backend() {
                "llvm-cpu" => Space::of_cpu(root, own, Cpu::of(target)),
                "vulkan-spirv" => Space::of_vulkan(root, own, Vulkan::of(target)),
                _ => return Err("the compiler states no constraints for it".to_owned()),
            }
        };
        let space = space.ok_or("its loops are not known")?;
        if space.points.len() < 2 {
            return Err("there is nothing but the compiler's own choice".to_owned());
        }
        Ok(space)
    }
}

/// Chooses among the dispatches of a model by their times in a run.
pub fn choose(
    dispatches: &[Dispatch],
    times: &RunTimes,
    selection: &Selection<'_>,
) -> (Vec<Target>, Vec<Skipped>) {
    let mut groups: Vec<(Vec<&Dispatch>, Option<Pattern>, f64)> = Vec::new();
    for dispatch in dispatches {
        let Some(ns) = times.functions.get(&dispatch.name) else { continue };
        let pattern = pattern(dispatch);
        let known = groups.iter_mut().find(|(_, known, _)| {
            known.as_ref().zip(pattern.as_ref()).is_some_and(|(known, new)| known.is_same(new))
        });
        match known {
            Some((all, _, sum)) => {
                all.push(dispatch);
                *sum += ns;
            }
            None => groups.push((vec![dispatch], pattern, *ns)),
        }
    }
    let saved = |(all, ..): &(Vec<&Dispatch>, Option<Pattern>, f64)| -> f64 {
        all.iter().map(|it| saved(it, times)).sum()
    };
    groups.sort_by(|one, other| saved(other).total_cmp(&saved(one)));
    let globs: Vec<Glob> = selection.patterns.iter().map(|it| Glob::new(it)).collect();
    let (mut targets, mut skipped, mut covered) = (Vec::new(), Vec::new(), 0.0);
    for (all, _, ns) in groups {
        let Some(first) = all.first() else { continue };
        let is_named = |glob: &Glob| all.iter().any(|it| glob.matches(&it.name));
        let is_wanted = globs.is_empty() || globs.iter().any(is_named);
        let is_enough = globs.is_empty() && covered >= selection.cover;
        let why = if !is_wanted {
            Some(selection.style.spell("no option `dispatch` matches it"))
        } else if targets.len() >= selection.top {
            Some(selection.style.spell("option `top` has others"))
        } else if is_enough {
            Some("the others cover enough of the time".to_owned())
        } else {
            None
        };
        covered += ns / times.total;
        let names: Vec<String> = all.iter().map(|it| it.name.clone()).collect();
        let found = why.map_or_else(|| selection.target(first, names), Err);
        match found {
            Ok(target) => targets.push(target),
            // Each has a row of its own, so that the times of all are known.
            Err(why) => skipped.extend(all.iter().map(|it| Skipped::of(&it.name, times, &why))),
        }
    }
    (targets, skipped)
}

/// The shares of a dispatch's time that tuning is expected to save where the roofline is not known: of one that the compiler
/// left without vectors, and of others (docs/tuning.md has what was found).
const SAVED_OF_SCALAR: f64 = 0.6;
const SAVED: f64 = 0.2;

/// Returns the time that tuning is expected to save of a dispatch.
fn saved(dispatch: &Dispatch, times: &RunTimes) -> f64 {
    let ns = times.functions.get(&dispatch.name).copied().unwrap_or_default();
    let guess = if is_scalar(dispatch) { SAVED_OF_SCALAR } else { SAVED };
    ns * times.fractions.get(&dispatch.name).map_or(guess, |fraction| 1.0 - fraction)
}

/// Whether the compiler left a dispatch without vectors.
fn is_scalar(dispatch: &Dispatch) -> bool {
    let own = dispatch.root().map(|root| dispatch.configuration(root));
    let vectors = own.and_then(|it| it.get("vector_common_parallel").and_then(Attribute::integers));
    vectors.is_some_and(|sizes| sizes.iter().all(|size| *size <= 1))
}

/// Returns what a matcher for the root operation matches.
fn pattern(dispatch: &Dispatch) -> Option<Pattern> {
    let root = dispatch.root()?;
    Some(Entry::of("any", root, &dispatch.configuration(root)).ok()?.0.pattern)
}
