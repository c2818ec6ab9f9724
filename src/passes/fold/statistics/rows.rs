//! Distributes the sums of groups to the rows of statistics, and resolves names and clocks of the rows.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError, Fault};
use schemas::enums::{MEMORY_EVENT_TYPE, QUEUE_EVENT_TYPE};
use schemas::place::Places;

use crate::fold::clocks::{CLOCK_CORRELATIONS, DeviceClocks, add_correlation, nearest};
use crate::fold::shared::{ABSENT, Columns, Grouped, Relation, Times, blocks};
use crate::fold::statistics::groups::{
    DEVICE_OPERATIONS, DISPATCHES, HOST_OPERATIONS, HOST_SPANS, Key, NO_COMMAND, Sums, overflow,
    pair, parts,
};
use crate::fold::statistics::sums::Totals;

/// Names of the row types; the index is the type. 0 means no row.
const ROW_TYPES: [&str; 11] = [
    "none",
    "dispatch_function",
    "dispatch_command_buffer",
    "dispatch_command_operation",
    "queue_device_operation",
    "queue_host_operation",
    "host_execution_function",
    "host_execution_command_buffer",
    "host_execution_command_operation",
    "host_execution_queue_operation",
    "memory_lifecycle",
];

const FUNCTION: Places<2> =
    Places::new("executable_functions", ["executable_id", "function_ordinal"]);

/// Clocks and function names, for the conversion of ticks and the names of rows.
pub struct References {
    clocks: DeviceClocks,
    names: Grouped<2, String>,
}

impl References {
    /// Reads the clocks and functions of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut references = Self { clocks: DeviceClocks::new(), names: Grouped::default() };
        blocks(bundle, &[FUNCTION.table, CLOCK_CORRELATIONS], |block| {
            block.rows().for_each(|row| match block.table {
                0 => references.names.define(row.numbers(&FUNCTION), || row.text(0).into_owned()),
                _ => add_correlation(&mut references.clocks, |device| device, row),
            });
            Ok(())
        })?;
        Ok(references)
    }

    fn name(&self, row: &RowKey) -> Option<&str> {
        let (function, _) = parts(row.command);
        let name = self.names.find([row.executable, function])?;
        (!name.is_empty()).then_some(name.as_str())
    }

    fn nanoseconds(&self, row: &RowKey, duration: u64) -> Option<u64> {
        match row.time_domain() {
            TICKS => {
                let fit = self.clocks.get(&parts(row.place).0)?.any_fit()?;
                let ns = nearest(duration, fit.device_tick_span, fit.time_span_ns)?;
                u64::try_from(ns).ok()
            }
            HOST_TIME => Some(duration),
            _ => None,
        }
    }
}

const TICKS: u64 = 1;
const HOST_TIME: u64 = 2;

/// The key of a row.
#[derive(Debug, Clone, Copy)]
struct RowKey {
    row_type: u64,
    place: u64,
    event_type: u64,
    executable: u64,
    buffer: u64,
    command: u64,
}

impl RowKey {
    /// Returns the rows that events of a group count in, in order.
    fn of([family, place, executable, buffer, command]: Key) -> impl Iterator<Item = Self> {
        let (family, event_type) = parts(family);
        let (function, index) = parts(command);
        let [operation, by_function, by_buffer, by_command] = match usize::try_from(family) {
            Ok(DISPATCHES) => [0, 1, 2, 3],
            Ok(DEVICE_OPERATIONS) => [4, 0, 0, 0],
            Ok(HOST_OPERATIONS) => [5, 0, 0, 0],
            Ok(HOST_SPANS) => [9, 6, 7, 8],
            _ => [10, 0, 0, 0],
        };
        let row = |row_type| Self {
            row_type,
            place,
            event_type: 0,
            executable: 0,
            buffer: 0,
            command: NO_COMMAND,
        };
        let of_operation =
            (operation != 0).then_some(Self { event_type, buffer, ..row(operation) });
        let of_function = (by_function != 0 && executable != 0 && function != ABSENT)
            .then_some(Self { executable, command: pair(function, ABSENT), ..row(by_function) });
        let of_buffer =
            (by_buffer != 0 && buffer != 0).then_some(Self { buffer, ..row(by_buffer) });
        let of_command = (by_command != 0 && buffer != 0 && index != ABSENT).then_some(Self {
            executable,
            buffer,
            command,
            ..row(by_command)
        });
        [of_operation, of_function, of_buffer, of_command].into_iter().flatten()
    }

    const fn of_words(
        [row_type, place, event_type, executable, buffer, command]: [u64; 6],
    ) -> Self {
        Self { row_type, place, event_type, executable, buffer, command }
    }

    const fn words(&self) -> [u64; 6] {
        [self.row_type, self.place, self.event_type, self.executable, self.buffer, self.command]
    }

    fn type_name(&self) -> &'static str {
        let name = usize::try_from(self.row_type).ok().and_then(|nth| ROW_TYPES.get(nth));
        name.copied().unwrap_or_default()
    }

    const fn time_domain(&self) -> u64 {
        match self.row_type {
            1..=4 => TICKS,
            5..=9 => HOST_TIME,
            _ => 0,
        }
    }

    /// Returns the name of the event type; `None` for rows without one. Type 0 is `unknown`.
    fn event_name(&self) -> Option<&'static str> {
        let names = match self.row_type {
            4 | 5 | 9 => &QUEUE_EVENT_TYPE,
            10 => &MEMORY_EVENT_TYPE,
            _ => return None,
        };
        let number = u32::try_from(self.event_type).ok().filter(|number| *number != 0);
        Some(number.map_or("unknown", |number| names.name_of(number)))
    }
}

/// The rows in order of appearance.
#[derive(Default)]
pub struct StatisticsRows(Grouped<6, Totals>);

impl StatisticsRows {
    /// Merges the groups of all threads. They are sorted by their first event, so that rows appear in the order of
    /// the first event that counts in them: that event is also the first of its group.
    pub fn of(passes: &[Sums]) -> Result<Self, Fault> {
        let mut groups: Vec<(u64, Key, Totals)> = Vec::new();
        for pass in passes {
            let keys = pass.groups.keys().iter().copied();
            let sums = keys.zip(pass.totals.iter().copied());
            groups.extend(
                pass.first_offsets.iter().zip(sums).map(|(offset, (key, sum))| (*offset, key, sum)),
            );
        }
        groups.sort_unstable_by_key(|(offset, ..)| *offset);
        let mut rows = Self::default();
        for (offset, key, sum) in &groups {
            for row in RowKey::of(*key) {
                rows.add(row, sum).map_err(|field| overflow(*offset, field))?;
            }
        }
        Ok(rows)
    }

    fn add(&mut self, row: RowKey, sum: &Totals) -> Result<(), &'static str> {
        self.0.at(row.words()).map_or(Ok(()), |totals| totals.merge(sum))
    }

    /// Returns the number of rows.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Builds the relation `statistics_rows`.
    pub fn relation(&self, references: &References) -> Relation {
        let row =
            |(key, totals): (&[u64; 6], _)| Row { key: RowKey::of_words(*key), totals, references };
        let rows: Vec<Row<'_>> = self.0.iter().map(row).collect();
        columns().relation(&rows)
    }
}

/// A row of `statistics_rows`.
pub struct Row<'a> {
    key: RowKey,
    totals: &'a Totals,
    references: &'a References,
}

impl Row<'_> {
    fn nanoseconds(&self, part: fn(&Times) -> u64) -> Option<u64> {
        let times = Some(&self.totals.times).filter(|times| times.valid != 0)?;
        self.references.nanoseconds(&self.key, part(times))
    }
}

/// The columns of `statistics_rows`.
pub fn columns<'a>() -> Columns<Row<'a>> {
    Columns::<Row<'_>>::new()
        .position()
        .text("row_type", |row| row.key.type_name())
        .number("row_type_value", |row| row.key.row_type)
        .number("time_domain_value", |row| row.key.time_domain())
        .number("physical_device_ordinal", |row| parts(row.key.place).0)
        .number("queue_ordinal", |row| parts(row.key.place).1)
        .number("event_type", |row| row.key.event_type)
        .optional_text("event_name", |row| row.key.event_name())
        .number("executable_id", |row| row.key.executable)
        .number("command_buffer_id", |row| row.key.buffer)
        .number("function_ordinal", |row| parts(row.key.command).0)
        .number("command_index", |row| parts(row.key.command).1)
        .optional_text("function_name", |row| row.references.name(&row.key))
        .number("count", |row| row.totals.times.count)
        .number("valid", |row| row.totals.times.valid)
        .number("operation_count", |row| row.totals.operations)
        .number("payload_bytes", |row| row.totals.payload_bytes)
        .number("tile_count", |row| row.totals.tiles)
        .number("tile_duration_sum_ns", |row| row.totals.tile_duration_ns)
        .number("first_start_time", |row| row.totals.times.first_start())
        .number("last_end_time", |row| row.totals.times.last_end())
        .number("total_duration", |row| row.totals.times.total)
        .number("minimum_duration", |row| row.totals.times.shortest())
        .number("maximum_duration", |row| row.totals.times.longest())
        .optional_number("total_duration_ns", |row| row.nanoseconds(|times| times.total))
        .optional_number("minimum_duration_ns", |row| row.nanoseconds(Times::shortest))
        .optional_number("maximum_duration_ns", |row| row.nanoseconds(Times::longest))
}
