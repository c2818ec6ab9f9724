//! Collects the dispatches of a bundle by submission.

use std::ops::Range;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};

use super::evidence::modules::Modules;
use super::functions::Functions;
use super::invocation::key;
use super::place::Place;
use super::step::narrow;
use crate::fold::dispatches::best_clock::BestClocks;
use crate::fold::dispatches::rows::{OnDevice, OnHost, SubmissionKey, Timed};
use crate::fold::metadata::definitions::Definitions;
use crate::fold::shared::{Grouped, Row};

/// The dispatches of a submission.
#[derive(Debug, Clone, Copy)]
pub struct Submission {
    /// A sum over its functions: dispatches that overlap are recorded in any order.
    pub functions: u64,
    /// A sum over its functions and their workgroups: equal for submissions of the same functions on data of the same sizes.
    pub size: u64,
    pub dispatch_count: u32,
    pub is_on_device: bool,
    pub executable: u32,
    pub load: u32,
    pub command_buffer: u64,
    pub place: Place,
    /// First start and last end of the valid dispatches.
    pub span: Option<[u64; 2]>,
}

impl Default for Submission {
    fn default() -> Self {
        Self {
            functions: 0,
            size: 0,
            dispatch_count: 0,
            is_on_device: false,
            executable: 0,
            load: 0,
            command_buffer: 0,
            place: Place::UNKNOWN,
            span: None,
        }
    }
}

/// All submissions with dispatches, each by the best clock of its device. Memory: 16 bytes per dispatch, and about 150 per
/// submission.
#[derive(Debug, Default)]
pub struct Submissions {
    pub all: Grouped<5, Submission>,
    pub modules: Modules,
    /// Start and end of each valid dispatch.
    spans: Vec<[u64; 2]>,
    /// The spans that were recorded together, ordered by submission.
    runs: Vec<(u32, Range<u32>)>,
}

impl Submissions {
    /// Reads the submissions of `bundle`.
    pub fn read(bundle: &Arc<Bundle>, best: &BestClocks) -> Result<Self, BundleError> {
        let mut functions = Functions::of(Definitions::read(bundle)?);
        let mut submissions = Self::default();
        submissions.add::<OnDevice>(bundle, best, &mut functions)?;
        submissions.add::<OnHost>(bundle, best, &mut functions)?;
        submissions.runs.sort_by_key(|(submission, _)| *submission);
        Ok(submissions)
    }

    /// Returns the spans of a submission.
    pub fn spans(&self, submission: u32) -> impl Iterator<Item = [u64; 2]> + '_ {
        let first = self.runs.partition_point(|(of, _)| *of < submission);
        let runs = self.runs.get(first..).unwrap_or_default().iter();
        let runs = runs.take_while(move |(of, _)| *of == submission);
        runs.flat_map(|(_, range)| {
            let range = range.start as usize..range.end as usize;
            self.spans.get(range).unwrap_or_default().iter().copied()
        })
    }

    fn add<T: Timed>(
        &mut self,
        bundle: &Bundle,
        best: &BestClocks,
        functions: &mut Functions,
    ) -> Result<(), BundleError> {
        // The dispatches of a submission are mostly adjacent, so that they are added together.
        let (mut key, mut run, mut is_best) = ([0; 6], Submission::default(), false);
        T::each(bundle, |next, row| {
            if next != key {
                self.append(key, &mut run);
                is_best = best.is_best(next[0], T::ON_DEVICE, next[2]);
                key = next;
            }
            if is_best {
                self.add_dispatch::<T>(&mut run, key[0], row, functions);
            }
        })?;
        self.append(key, &mut run);
        Ok(())
    }

    fn add_dispatch<T: Timed>(
        &mut self,
        run: &mut Submission,
        session: u64,
        row: Row<'_>,
        functions: &mut Functions,
    ) {
        let [executable, ordinal] = T::function(row);
        let modules = &mut self.modules;
        let Some(function) = functions.find([session, executable, ordinal], modules) else {
            return;
        };
        run.add(
            &Submission {
                functions: function.content,
                size: size(function.content, T::workgroups(row)),
                dispatch_count: 1,
                is_on_device: T::ON_DEVICE,
                executable: function.executable,
                load: function.load,
                command_buffer: T::ids(row).command_buffer_id,
                place: function.place,
                span: None,
            },
            modules,
        );
        let event = T::event(row);
        if T::is_valid(&event) {
            run.cover([event.start, event.end]);
            self.spans.push([event.start, event.end]);
        }
    }

    /// Moves dispatches to their submission.
    fn append(&mut self, of: SubmissionKey, run: &mut Submission) {
        let run = std::mem::take(run);
        if run.dispatch_count == 0 {
            return;
        }
        let (number, submission) = self.all.numbered(key(of));
        if let Some(submission) = submission {
            submission.add(&run, &mut self.modules);
        }
        let first = self.runs.last().map_or(0, |(_, range)| range.end);
        let end = narrow(self.spans.len());
        if first < end {
            self.runs.push((narrow(number), first..end));
        }
    }
}

impl Submission {
    /// Adds other dispatches of the same submission.
    fn add(&mut self, other: &Self, modules: &mut Modules) {
        if self.dispatch_count == 0 {
            *self = *other;
            return;
        }
        if self.executable != other.executable {
            modules.join(self.executable, other.executable);
        }
        self.load = self.load.max(other.load);
        self.dispatch_count += other.dispatch_count;
        self.functions = self.functions.wrapping_add(other.functions);
        self.size = self.size.wrapping_add(other.size);
        self.place = self.place.with(&other.place);
        if let Some(span) = other.span {
            self.cover(span);
        }
    }

    fn cover(&mut self, [start, end]: [u64; 2]) {
        let [first, last] = self.span.unwrap_or([start, end]);
        self.span = Some([first.min(start), last.max(end)]);
    }
}

/// Mixes a function with the number of its workgroups (as the finalizer of `MurmurHash3` by Appleby, 2011).
#[inline]
fn size(content: u64, workgroups: [u64; 3]) -> u64 {
    workgroups.into_iter().fold(content, |mixed, count| {
        let mixed = (mixed ^ count).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 33)
    })
}
