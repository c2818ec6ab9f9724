//! Finds what a new result is compared with: the baseline of its branch, or the entries before it.

use std::collections::BTreeSet;
use std::path::Path;

use engine::Warmup;
use engine::comparison::KERNEL_TIME;

use super::entries::{Entries, Entry, Labels, last, listed};
use super::error::TrackingError;
use crate::WorkspaceOptions;
use crate::comparison::{Selection, SideSource, Sides};

/// Number of entries that are compared with if none is accepted.
const WINDOW: u32 = 10;

/// The branch of bundles if the history has no entries.
const MAIN: &str = "main";

/// What is checked, and with which entries it is compared.
#[derive(Debug, Clone, Default)]
pub struct CheckRequest {
    /// An entry, or a bundle, pattern, folder or capture set; `None` for the newest entry.
    pub new: Option<String>,
    /// Branch of the baseline; `None` for that of the entry.
    pub branch: Option<String>,
    /// Entries that have another label of these keys are compared with, too.
    pub across: Vec<String>,
    /// Number of entries to compare with, instead of with the accepted one; `None` for that or, without one, for ten.
    pub window: Option<u32>,
    /// The invocations at the start of a run of bundles that are left out.
    pub warmup: Warmup,
}

/// A new result, and what it is compared with.
#[derive(Debug)]
pub struct Check<'e> {
    /// The name of what is checked.
    pub name: String,
    /// The entry that is checked; `None` for bundles.
    new: Option<&'e Entry>,
    /// The branch of the baseline.
    pub branch: String,
    /// The labels of the entries that are compared with.
    pub labels: Labels<'e>,
    /// What is compared with; `None` if the branch has no accepted and no earlier entry.
    pub baseline: Option<Baseline<'e>>,
}

/// What is compared with.
#[derive(Debug)]
pub struct Baseline<'e> {
    pub name: String,
    /// The same, with the entries.
    pub description: String,
    pub entries: Vec<&'e Entry>,
}

impl Entries {
    /// Finds what a new result is compared with.
    pub fn check(&self, request: &CheckRequest) -> Result<Check<'_>, TrackingError> {
        let new = self.checked(request)?;
        let branch = match (&request.branch, new) {
            (Some(branch), _) => branch.clone(),
            (None, Some(new)) => new.branch.clone(),
            (None, None) => {
                self.newest(None).map_or_else(|_| MAIN.to_owned(), |newest| newest.branch.clone())
            }
        };
        let labels = self.labels(request, &branch, new)?;
        let baseline = self.baseline(request, (&branch, &labels), new)?;
        let name = new.map_or_else(|| request.new.clone().unwrap_or_default(), Entry::name);
        Ok(Check { name, new, branch, labels, baseline })
    }

    /// Reads both sides of a check; `None` if there is nothing to compare with.
    pub fn sides(
        &self,
        check: &Check<'_>,
        request: &CheckRequest,
        options: &WorkspaceOptions,
    ) -> Result<Option<Sides>, TrackingError> {
        let Some(baseline) = &check.baseline else { return Ok(None) };
        let base = self.side(baseline.name.clone(), &baseline.entries)?;
        let new = if let Some(new) = check.new {
            self.side(check.name.clone(), &[new])?
        } else {
            let selection = Selection { warmup: request.warmup, ..Selection::default() };
            SideSource::of(&check.name).open(&selection, options)?
        };
        Ok(Some(Sides::of(vec![base, new], &KERNEL_TIME, &options.files)?))
    }

    /// Returns the entry that is checked; `None` for bundles.
    fn checked(&self, request: &CheckRequest) -> Result<Option<&Entry>, TrackingError> {
        // With a baseline of another branch, the newest entry of all is what is checked.
        let Some(text) = &request.new else { return self.newest(None).map(Some) };
        if Path::new(text).exists() {
            return Ok(None);
        }
        let found = self.find(text)?;
        if found.is_none() && text.chars().all(|letter| letter.is_ascii_hexdigit()) {
            let (folder, id) = (self.folder.clone(), text.clone());
            return Err(TrackingError::UnknownEntry { folder, id });
        }
        Ok(found)
    }

    /// Returns the labels of the entries that are compared with: those of the new entry or, as bundles have none, those that
    /// the entries of the branch have in common.
    fn labels<'e>(
        &'e self,
        request: &CheckRequest,
        branch: &str,
        new: Option<&'e Entry>,
    ) -> Result<Labels<'e>, TrackingError> {
        if let Some(new) = new {
            return Ok(new.labels_without(&request.across));
        }
        let of_branch = self.all.iter().filter(|entry| entry.branch == branch);
        let all: BTreeSet<Labels<'_>> =
            of_branch.map(|entry| entry.labels_without(&request.across)).collect();
        if all.len() > 1 {
            let (branch, labels) = (branch.to_owned(), all.iter().map(listed).collect());
            return Err(TrackingError::DifferentLabels { branch, labels });
        }
        Ok(all.into_iter().next().unwrap_or_default())
    }

    /// Returns what is compared with; `None` if there is nothing.
    fn baseline(
        &self,
        request: &CheckRequest,
        (branch, labels): (&str, &Labels<'_>),
        new: Option<&Entry>,
    ) -> Result<Option<Baseline<'_>>, TrackingError> {
        let is_alike = |entry: &Entry| entry.labels_without(&request.across) == *labels;
        let accepted = self.accepted(branch, is_alike).filter(|_| request.window.is_none());
        if let Some(accepted) = accepted {
            let name = accepted.name();
            if new.is_some_and(|new| new.id == accepted.id) {
                let (entry, branch) = (name, branch.to_owned());
                return Err(TrackingError::IsBaseline { entry, branch });
            }
            let name = format!("accepted {name}");
            let description = format!("{name} of {branch}");
            return Ok(Some(Baseline { name, description, entries: vec![accepted] }));
        }
        let count = usize::try_from(request.window.unwrap_or(WINDOW)).unwrap_or(usize::MAX);
        let before = self.before(branch, count, new, is_alike);
        let Some((newest, oldest)) = before.first().zip(before.last()) else { return Ok(None) };
        let name = last(&before, branch);
        let description = if before.len() > 1 {
            format!("{name}, {} to {}", oldest.name(), newest.name())
        } else {
            format!("{name}, {}", newest.name())
        };
        Ok(Some(Baseline { name, description, entries: before }))
    }
}
