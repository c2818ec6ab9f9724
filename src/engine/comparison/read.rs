//! Reads the rows of the reports in sql/reports/compare.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use base::digest;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use model::compare::{Measured, Operands, Run};
use read::bundle::Bundle;
use read::bundle::set::{self, Manifest};
use schemas::Clock;

/// Reads the rows of `compared_run`, and what is known of their bundles besides.
pub fn runs(batches: &[RecordBatch], bundles: &[Arc<Bundle>]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    // To digest a bundle takes longer than to read its times, and bundles of different sizes differ.
    let sizes: Vec<usize> = bundles.iter().map(|bundle| bundle.bytes().len()).collect();
    let may_be_copied = |bundle: &Bundle| {
        let size = bundle.bytes().len();
        bundle.stand_in.is_none() && sizes.iter().filter(|other| **other == size).count() > 1
    };
    for batch in batches {
        let column = |name: &str, kind: &DataType| column(batch, name, kind);
        let (labels, drivers, devices) = (
            column("bundle", &DataType::Utf8)?,
            column("driver", &DataType::Utf8)?,
            column("devices", &DataType::Utf8)?,
        );
        let (counters, throttled, cut) = (
            column("has_counters", &DataType::Boolean)?,
            column("is_throttled", &DataType::Boolean)?,
            column("is_cut", &DataType::Boolean)?,
        );
        let contradictions = column("contradiction", &DataType::Utf8)?;
        let ticks = column("tick_ns", &DataType::Float64)?;
        let (certain, per_call) = (
            column("calls_confidence", &DataType::Float64)?,
            column("call_dispatches", &DataType::Float64)?,
        );
        let results = column("results", &DataType::Utf8)?;
        let untimed = column("untimed_functions", &DataType::UInt64)?;
        let started = column("started_ns", &DataType::Int64)?;
        let sequences = column("sequence", &DataType::new_list(DataType::Utf8, true))?;
        let bundle = |row| {
            let label = text(&labels, row)?;
            bundles.iter().find(|bundle| bundle.label == label)
        };
        let run =
            |row| bundle(row).and_then(|it| it.own_run().cloned().or_else(|| run_of(&it.path)));
        let is =
            |column: &ArrayRef, row: usize| column.is_valid(row) && column.as_boolean().value(row);
        runs.extend((0..batch.num_rows()).map(|row| {
            let run = run(row);
            Run {
                name: text(&labels, row).unwrap_or_default(),
                driver: text(&drivers, row).unwrap_or_default(),
                devices: text(&devices, row).unwrap_or_default(),
                has_counters: is(&counters, row),
                is_throttled: is(&throttled, row),
                is_cut: is(&cut, row),
                contradiction: text(&contradictions, row),
                calls: number(&certain, row).zip(number(&per_call, row)).map(<[f64; 2]>::from),
                tick_ns: number(&ticks, row),
                results: text(&results, row),
                untimed_functions: count(&untimed, row).unwrap_or_default(),
                started: started
                    .is_valid(row)
                    .then(|| started.as_primitive::<Int64Type>().value(row)),
                sequence: texts(&sequences, row),
                digest: bundle(row).filter(|it| may_be_copied(it)).map(|it| digest::of(it.bytes())),
                file: bundle(row).map(|it| (it.path.clone(), it.bytes().len() as u64)),
                inputs: run.as_ref().and_then(set::Run::inputs),
                build: run.as_ref().and_then(set::Run::build),
                machine: run.as_ref().and_then(set::Run::machine),
                flags: run.as_ref().and_then(set::Run::flags),
                asked: run.filter(|it| it.process.is_some()).map(|it| it.asked),
            }
        }));
    }
    Ok(runs)
}

/// Returns the run of a bundle that was opened by its path, as the runs of a race are, if its folder is a capture set.
fn run_of(path: &Path) -> Option<set::Run> {
    let folder = path.parent().filter(|folder| set::is_one(folder))?;
    let runs = Manifest::read(folder).ok()?.runs;
    let is_of = |run: &set::Run| run.bundle.as_ref().is_some_and(|it| folder.join(it) == path);
    runs.into_iter().find(is_of)
}

/// Reads the rows of the report of a measure: those on the device's clock, and those on the host's, of runs that it timed.
pub fn times(batches: &[RecordBatch]) -> Result<[Vec<Measured>; 2]> {
    let (mut device, mut host) = (Vec::new(), Vec::new());
    for batch in batches {
        let column = |name: &str, kind: &DataType| column(batch, name, kind);
        let (labels, sources, keys, hashes) = (
            column("bundle", &DataType::Utf8)?,
            column("timing_source", &DataType::Utf8)?,
            column("key", &DataType::Utf8)?,
            column("function_hash", &DataType::Utf8)?,
        );
        let (iterations, calls) =
            (column("iteration", &DataType::UInt64)?, column("dispatch_count", &DataType::UInt64)?);
        let (ns, workgroups) = (
            column("total_ns", &DataType::Float64)?,
            column("workgroup_count", &DataType::Float64)?,
        );
        let (bindings, constants) = (
            column("binding_count", &DataType::UInt64)?,
            column("constant_count", &DataType::UInt64)?,
        );
        for row in 0..batch.num_rows() {
            let operands = count(&bindings, row).zip(count(&constants, row));
            let times = if text(&sources, row).as_deref() == Some(Clock::Device.name()) {
                &mut device
            } else {
                &mut host
            };
            times.push(Measured {
                run: text(&labels, row).unwrap_or_default(),
                iteration: count(&iterations, row),
                function: text(&keys, row).unwrap_or_default(),
                hash: text(&hashes, row),
                calls: count(&calls, row).unwrap_or_default(),
                ns: number(&ns, row),
                workgroups: number(&workgroups, row),
                operands: operands.map(|(bindings, constants)| Operands { bindings, constants }),
            });
        }
    }
    for times in [&mut device, &mut host] {
        let timed: HashSet<String> =
            times.iter().filter(|row| row.ns.is_some()).map(|row| row.run.clone()).collect();
        times.retain(|row| timed.contains(&row.run));
    }
    Ok([device, host])
}

fn column(batch: &RecordBatch, name: &str, kind: &DataType) -> Result<ArrayRef> {
    let column = batch.column_by_name(name);
    let column = column.ok_or_else(|| exec_datafusion_err!("there is no column {name}"))?;
    Ok(cast(column, kind)?)
}

fn text(column: &ArrayRef, row: usize) -> Option<String> {
    column.is_valid(row).then(|| column.as_string::<i32>().value(row).to_owned())
}

fn texts(column: &ArrayRef, row: usize) -> Vec<String> {
    if column.is_null(row) {
        return Vec::new();
    }
    let all = column.as_list::<i32>().value(row);
    all.as_string::<i32>().iter().flatten().map(str::to_owned).collect()
}

fn count(column: &ArrayRef, row: usize) -> Option<u64> {
    column.is_valid(row).then(|| column.as_primitive::<UInt64Type>().value(row))
}

fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    column.is_valid(row).then(|| column.as_primitive::<Float64Type>().value(row))
}
