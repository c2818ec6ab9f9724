//! Collects the dispatches of a bundle by submission.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bundle::{Bundle, BundleError};
use crate::fold::dispatches::rows::{OnDevice, OnHost, SubmissionKey, Timed};
use crate::fold::metadata::definitions::Definitions;
use crate::fold::shared::{Grouped, Groups, Row};

/// The dispatches of a submission.
#[derive(Debug, Default)]
pub struct Submission {
    /// Numbers of functions, which are indexes of [`Submissions::executables`], ascending: dispatches that overlap are recorded
    /// in any order.
    pub functions: Vec<usize>,
    /// Start and end of each valid dispatch.
    pub spans: Vec<[u64; 2]>,
}

impl Submission {
    fn add<T: Timed>(&mut self, session: u64, row: Row<'_>, functions: &mut Functions) {
        let [executable, ordinal] = T::function(row);
        self.functions.push(functions.number([session, executable, ordinal]));
        let event = T::event(row);
        if T::is_valid(&event) {
            self.spans.push([event.start, event.end]);
        }
    }
}

/// All submissions with dispatches. Memory: about 24 bytes per dispatch.
#[derive(Debug, Default)]
pub struct Submissions {
    pub all: Grouped<6, Submission>,
    /// The executable of each function. Of functions with the same content, the first counts: a program may load an
    /// executable again for each invocation.
    pub executables: Vec<u64>,
}

/// Session, executable and ordinal of each function.
type Functions = Groups<3>;

impl Submissions {
    /// Reads the submissions of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let (mut submissions, mut functions) = (Self::default(), Functions::default());
        submissions.add_family::<OnDevice>(bundle, &mut functions)?;
        submissions.add_family::<OnHost>(bundle, &mut functions)?;
        submissions.merge_functions(&functions, &Definitions::read(bundle)?);
        Ok(submissions)
    }

    fn add_family<T: Timed>(
        &mut self,
        bundle: &Bundle,
        functions: &mut Functions,
    ) -> Result<(), BundleError> {
        // The dispatches of a submission are mostly adjacent, so that they are added together.
        let (mut key, mut run) = ([0; 6], Submission::default());
        T::each(bundle, |next, row| {
            if next != key {
                self.append(key, &mut run);
                key = next;
            }
            run.add::<T>(key[0], row, functions);
        })?;
        self.append(key, &mut run);
        Ok(())
    }

    /// Moves dispatches to their submission.
    fn append(&mut self, key: SubmissionKey, run: &mut Submission) {
        if run.functions.is_empty() {
            return;
        }
        if let Some(submission) = self.all.at(key) {
            submission.functions.append(&mut run.functions);
            submission.spans.append(&mut run.spans);
        }
    }

    /// Gives functions with the same content the same number, and orders those of each submission.
    fn merge_functions(&mut self, functions: &Functions, definitions: &Definitions) {
        let mut contents: HashMap<[&str; 2], usize> = HashMap::new();
        let numbers: Vec<usize> = (0..)
            .zip(functions.keys())
            .map(|(nth, key)| match definitions.content(*key) {
                Some(content) => *contents.entry(content).or_insert(nth),
                None => nth,
            })
            .collect();
        for submission in self.all.values_mut() {
            for function in &mut submission.functions {
                *function = numbers.get(*function).copied().unwrap_or(*function);
            }
            submission.functions.sort_unstable();
        }
        self.executables = functions.part(1).collect();
    }
}
