//! The trials of a folder: a Parquet file with a row for each measurement, so that nothing is measured twice.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::targets::Target;
use crate::bundle::{digest, replace};
use crate::cli::error::CliError;
use crate::history::batch;
use crate::report::rows;

/// What became of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Measured,
    /// The compiler refused it.
    NotCompiled,
    /// It crashed, hung or was refused by the device.
    NotRun,
    /// Its results are wrong.
    Wrong,
}

impl Outcome {
    const ALL: [(Self, &str); 4] = [
        (Self::Measured, "measured"),
        (Self::NotCompiled, "not_compiled"),
        (Self::NotRun, "not_run"),
        (Self::Wrong, "wrong"),
    ];
}

/// A measurement of a configuration of a dispatch.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trial {
    /// Digest of the root operation, which is the same in all models that have it.
    pub operation_sha256: String,
    pub operation: String,
    pub dispatch: String,
    /// The back end and what it generates code for.
    pub target: String,
    pub compiler: String,
    /// The command that ran it.
    pub command: String,
    pub configuration: String,
    pub round: u32,
    pub outcome: Outcome,
    pub reason: Option<String>,
    pub time_ns: Option<f64>,
    /// Time with the compiler's own choice in the same round.
    pub own_time_ns: Option<f64>,
}

/// The trials of a folder.
pub struct Store {
    path: PathBuf,
    compiler: String,
    command: String,
    trials: Vec<Trial>,
}

impl Store {
    /// Opens the trials of a folder, which may have none yet.
    pub fn open(folder: &Path, compiler: String, command: String) -> Result<Self, CliError> {
        let path = folder.join("trials.parquet");
        let trials =
            if path.exists() { read(&path).map_err(CliError::reading(&path))? } else { Vec::new() };
        Ok(Self { path, compiler, command, trials })
    }

    /// Returns a trial of a target without its result.
    pub fn trial(&self, target: &Target) -> Trial {
        Trial {
            operation_sha256: digest::hexadecimal(&Sha256::digest(&target.root.text)),
            operation: format!("{} {}", target.root.name, target.root.shapes()),
            target: target.back_end.clone(),
            compiler: self.compiler.clone(),
            command: self.command.clone(),
            ..Trial::default()
        }
    }

    /// Returns the trials of a target, with the same compiler and command: the configuration, and the ratio to the own choice
    /// or `None` if it failed.
    pub fn known(&self, target: &Target) -> impl Iterator<Item = (&str, Option<f64>)> {
        let wanted = self.trial(target);
        let is_same = move |it: &&Trial| {
            it.operation_sha256 == wanted.operation_sha256
                && it.target == wanted.target
                && it.compiler == wanted.compiler
                && it.command == wanted.command
        };
        self.trials.iter().filter(is_same).map(|it| {
            let ratio = it.time_ns.zip(it.own_time_ns).map(|(ns, own)| ns / own);
            (it.configuration.as_str(), ratio.filter(|_| it.outcome == Outcome::Measured))
        })
    }

    /// Whether there are trials of a target.
    pub fn knows(&self, target: &Target) -> bool {
        self.known(target).next().is_some()
    }

    /// Returns the number of trials.
    pub fn count(&self) -> u32 {
        u32::try_from(self.trials.len()).unwrap_or(u32::MAX)
    }

    /// Adds trials and writes all, atomically.
    pub fn add(&mut self, trials: Vec<Trial>) -> Result<(), CliError> {
        self.trials.extend(trials);
        let write = |file: &File| -> io::Result<()> {
            let rows = batch(&schema(), &self.trials).map_err(io::Error::other)?;
            let mut writer = ArrowWriter::try_new(file, rows.schema(), None)?;
            writer.write(&rows)?;
            writer.close()?;
            Ok(())
        };
        replace(&self.path, |file| write(file.as_file())).map_err(CliError::writing(&self.path))
    }
}

fn schema() -> SchemaRef {
    let text = |name| Field::new(name, DataType::Utf8, true);
    let number = |name| Field::new(name, DataType::Float64, true);
    Arc::new(Schema::new(vec![
        text("operation_sha256"),
        text("operation"),
        text("dispatch"),
        text("target"),
        text("compiler"),
        text("command"),
        text("configuration"),
        Field::new("round", DataType::UInt32, false),
        text("outcome"),
        text("reason"),
        number("time_ns"),
        number("own_time_ns"),
    ]))
}

fn read(path: &Path) -> io::Result<Vec<Trial>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?.build()?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(io::Error::other)?;
    let trials = rows(&batches).into_iter().map(|row| {
        let outcome = row.text("outcome");
        let outcome = Outcome::ALL.iter().find(|(_, name)| *name == outcome);
        Trial {
            operation_sha256: row.text("operation_sha256"),
            operation: row.text("operation"),
            dispatch: row.text("dispatch"),
            target: row.text("target"),
            compiler: row.text("compiler"),
            command: row.text("command"),
            configuration: row.text("configuration"),
            round: u32::try_from(row.count("round")).unwrap_or_default(),
            outcome: outcome.map_or(Outcome::NotRun, |(outcome, _)| *outcome),
            reason: Some(row.text("reason")).filter(|it| !it.is_empty()),
            time_ns: row.number("time_ns"),
            own_time_ns: row.number("own_time_ns"),
        }
    });
    Ok(trials.collect())
}
