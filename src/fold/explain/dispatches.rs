//! One pass over the dispatches of a family: sums by function and by submission, and the longest dispatches.

use std::sync::Arc;

use super::super::blocks::{Block, Wanted, plain_blocks};
use super::super::dispatch_rows::{OnDevice, OnHost, Record, Timed};
use super::super::dispatch_sums::Sum;
use super::super::groups::Groups;
use super::super::references::References;
use super::super::summary::{Devices, Spans, Tally};
use super::super::{Call, Metadata};
use super::longest::{Long, Longest};
use crate::bundle::{Bundle, BundleError, Fault};

/// A family of dispatches, with what is added up of all its records.
pub trait Tallied: Timed {
    type Tally: Tally + Default;
}

impl Tallied for OnDevice {
    type Tally = Devices;
}

impl Tallied for OnHost {
    type Tally = Spans;
}

/// From the first start to the last end of a submission's valid dispatches.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub has_valid: bool,
    pub has_invalid: bool,
    pub start: u64,
    pub end: u64,
    pub total: u64,
}

impl Default for Span {
    fn default() -> Self {
        Self { has_valid: false, has_invalid: false, start: u64::MAX, end: 0, total: 0 }
    }
}

/// What the matching dispatches of a family add up to.
pub struct Pass<'a, T: Tallied> {
    pub references: References<'a>,
    id: Option<u64>,
    /// Whether mean durations are wanted: each costs a division.
    has_means: bool,
    pub matched: u64,
    pub valid: u64,
    pub groups: Groups<3>,
    pub sums: Vec<T::Sum>,
    pub longest: Longest,
    /// Submissions by queue, of dispatches that the device timed.
    pub submissions: Groups<4>,
    pub spans: Vec<Span>,
    /// Executions of command buffers, where their sums must be watched.
    executions: Option<(Groups<5>, Vec<T::Sum>)>,
    /// What all events of the family add up to.
    pub tally: T::Tally,
}

impl<'a, T: Tallied> Pass<'a, T> {
    fn new(call: &Call<'a>, has_means: bool) -> Self {
        Self {
            references: References::new(call),
            id: call.id(),
            has_means,
            matched: 0,
            valid: 0,
            groups: Groups::default(),
            sums: Vec::new(),
            longest: Longest::default(),
            submissions: Groups::default(),
            spans: Vec::new(),
            executions: None,
            tally: T::Tally::default(),
        }
    }

    /// Passes over a bundle's dispatches.
    pub fn run(call: &Call<'a>, has_means: bool) -> Result<Self, BundleError> {
        let pass = Self::new(call, has_means).over(call.bundle)?;
        if pass.may_overflow() {
            // A command buffer's execution is of several functions, so it may overflow where none of them does; the
            // reference refuses that.
            let executions = Some((Groups::default(), Vec::new()));
            return Self { executions, ..Self::new(call, has_means) }.over(call.bundle);
        }
        Ok(pass)
    }

    fn over(mut self, bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        plain_blocks(bundle, &[Wanted::of(T::TABLE, &[])], |block| {
            self.add(block).map_err(|fault| bundle.damaged(fault))
        })?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let mut tally = self.tally.take(block);
        T::each_record(block, |row, record| {
            T::Tally::add_times(&mut tally, block, row, [record.event.start, record.event.end])?;
            self.add_record(block, row, record)
        })?;
        self.tally.put(block, tally);
        Ok(())
    }

    #[inline]
    fn add_record(&mut self, block: &Block<'_>, row: usize, record: &Record) -> Result<(), Fault> {
        if !record.is_dispatch || self.id.is_some_and(|id| id != record.event_id) {
            return Ok(());
        }
        let key = [record.queue[0], record.executable_id, record.function_ordinal];
        let group = self.groups.number(key);
        self.references.check_queue(block, row, record.queue)?;
        self.references.check_function(block, row, group, key)?;
        if self.references.function(group).is_none() {
            return Ok(());
        }
        self.matched += 1;
        let is_valid = T::Sum::is_valid(&record.event);
        if is_valid {
            self.valid += 1;
            let duration = record.event.end.wrapping_sub(record.event.start);
            if self.longest.has_room(duration) {
                self.longest.keep(Long { duration, group, dispatch: *record });
            }
        }
        if self.add_sums(group, record, is_valid) && self.add_span(record, is_valid) {
            return Ok(());
        }
        let what = "the durations of its group add up to more than 64 bits hold".to_owned();
        Err(block.fault(row, T::Sum::END, what))
    }

    #[inline]
    fn add_sums(&mut self, group: usize, row: &Record, is_valid: bool) -> bool {
        let execution = match &mut self.executions {
            Some((executions, sums)) if row.command_buffer_id != 0 => {
                let [device, queue, stream] = row.queue;
                let key = [row.command_buffer_id, row.submission_id, device, queue, stream];
                add_to(sums, executions.number(key), |sum| sum.add(&row.event, is_valid, None))
            }
            _ => true,
        };
        let mean = self.has_means.then_some(0);
        execution && add_to(&mut self.sums, group, |sum| sum.add(&row.event, is_valid, mean))
    }

    /// Adds a dispatch to its submission; false where the total leaves 64 bits.
    #[inline]
    fn add_span(&mut self, row: &Record, is_valid: bool) -> bool {
        if !T::Sum::ON_DEVICE {
            return true;
        }
        let [device, queue, stream] = row.queue;
        let number = self.submissions.number([device, queue, stream, row.submission_id]);
        add_to(&mut self.spans, number, |span: &mut Span| {
            if !is_valid {
                span.has_invalid = true;
                return true;
            }
            span.has_valid = true;
            span.start = span.start.min(row.event.start);
            span.end = span.end.max(row.event.end);
            let total = span.total.checked_add(row.event.end - row.event.start);
            span.total = total.unwrap_or_default();
            total.is_some()
        })
    }

    /// Whether all sums together leave their types. On the device, the sums of each device are watched elsewhere.
    fn may_overflow(&self) -> bool {
        let limit = u128::from(i64::MAX.cast_unsigned());
        let add = |each: fn(&T::Sum) -> u128| self.sums.iter().map(each).sum::<u128>();
        !T::Sum::ON_DEVICE
            && self.executions.is_none()
            && (add(|sum| sum.total().into()) > limit
                || add(|sum| sum.tiles().0.into()) > u64::MAX.into()
                || add(|sum| sum.tiles().1.cast_unsigned().into()) > limit)
    }

    /// The device of each group with its function and sums, in order of appearance, where it matches.
    pub fn matching(&self) -> impl Iterator<Item = (usize, [u64; 3], &T::Sum)> {
        let groups = self.groups.keys().iter().zip(&self.sums).enumerate();
        groups
            .filter(|(group, _)| self.references.function(*group).is_some())
            .map(|(group, (key, sum))| (group, *key, sum))
    }

    /// The name of a group's function as reports print it.
    pub fn key(&self, group: usize) -> &str {
        self.references.function(group).map_or("", |known| known.key.as_str())
    }
}

/// Adds to the sum with a number, which may be new.
#[inline]
fn add_to<S: Default>(sums: &mut Vec<S>, number: usize, add: impl FnOnce(&mut S) -> bool) -> bool {
    if sums.len() <= number {
        sums.resize_with(number + 1, S::default);
    }
    sums.get_mut(number).is_some_and(add)
}

/// The queues of submissions: for each queue of the metadata, the spans of its submissions.
pub fn spans_by_queue(pass: &Pass<'_, OnDevice>, metadata: &Metadata) -> Vec<Vec<Span>> {
    let mut queues = vec![Vec::new(); metadata.queue_keys().len()];
    for ([device, queue, stream, _], span) in pass.submissions.keys().iter().zip(&pass.spans) {
        let position = metadata.queue([*device, *queue, *stream]);
        if let Some(spans) = position.and_then(|position| queues.get_mut(position)) {
            spans.push(*span);
        }
    }
    queues
}
