//! Compaction: the pieces of a month become one.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use super::error::HistoryError;
use super::files::write;
use super::folder::{History, Piece};
use super::read::read;
use crate::bundle::exchange;

/// Adding compacts the newest month if it has more pieces than this.
const MANY: usize = 64;

/// The same for those before, to which little is added.
const FEW: usize = 4;

/// The name of a piece with all rows of its month.
const WHOLE: &str = "compacted";

/// What compaction has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    pub months: usize,
    pub pieces: usize,
}

/// Compacts every month of a history, which must be locked alone.
pub fn compact(history: &History) -> Result<Compacted, HistoryError> {
    let mut done = Compacted::default();
    for pieces in history.pieces()?.chunk_by(|one, other| one.month == other.month) {
        if pieces.len() > 1 {
            whole(history, pieces)?;
            done.months += 1;
            done.pieces += pieces.len();
        }
    }
    Ok(done)
}

/// Compacts the months that have too many pieces, unless others use the history.
pub fn compact_if_many(history: &History) -> Result<(), HistoryError> {
    if due(&history.pieces()?).next().is_some() && history.lock_alone(false)? {
        // Another process may have done so before the lock.
        let pieces = history.pieces()?;
        for pieces in due(&pieces) {
            whole(history, pieces)?;
        }
    }
    Ok(())
}

/// Returns the pieces of each month that has too many.
fn due(pieces: &[Piece]) -> impl Iterator<Item = &[Piece]> {
    let newest = pieces.last().map(|piece| piece.month.as_str());
    let months = pieces.chunk_by(|one, other| one.month == other.month);
    months.filter(move |month| {
        let is_newest = month.first().map(|piece| piece.month.as_str()) == newest;
        month.len() > if is_newest { MANY } else { FEW }
    })
}

/// Writes the rows of all pieces of a month to one, and lets both change places: a reader sees the one or the other.
fn whole(history: &History, pieces: &[Piece]) -> Result<(), HistoryError> {
    let Some(first) = pieces.first() else { return Ok(()) };
    let staging = history.staging()?;
    let folder = staging.path().join(WHOLE);
    let failed = HistoryError::writing(&history.folder);
    fs::create_dir(&folder).map_err(failed)?;
    for (name, paths) in files(pieces)? {
        let schema = common(&paths)?;
        let rows = paths.iter().flat_map(|path| match read(path, &schema, None) {
            Ok(batches) => batches,
            Err(error) => Box::new(std::iter::once(Err(error))),
        });
        write(&folder.join(name), &schema, rows)?;
    }
    // What is in the temporary folder now are the old pieces, which are removed with it.
    exchange(staging.path(), &history.month(&first.month)).map_err(failed)
}

/// Returns the names of the files in any piece, each with its paths.
fn files(pieces: &[Piece]) -> Result<Vec<(String, Vec<PathBuf>)>, HistoryError> {
    let mut names = BTreeSet::new();
    for piece in pieces {
        let entries = fs::read_dir(&piece.folder).map_err(HistoryError::reading(&piece.folder))?;
        names.extend(
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()),
        );
    }
    names.retain(|name| Path::new(name).extension().is_some_and(|end| end == "parquet"));
    let of = |name: String| {
        let paths = pieces.iter().map(|piece| piece.folder.join(&name));
        let paths = paths.filter(|path| path.exists()).collect();
        (name, paths)
    };
    Ok(names.into_iter().map(of).collect())
}

/// Returns the columns of some files, with the types of the last file that has them.
fn common(paths: &[PathBuf]) -> Result<SchemaRef, HistoryError> {
    let mut fields: Vec<Field> = Vec::new();
    for path in paths {
        let file = File::open(path).map_err(HistoryError::reading(path))?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())
            .map_err(HistoryError::damaged(path))?;
        for field in metadata.schema().fields() {
            let field = field.as_ref().clone().with_nullable(true);
            match fields.iter_mut().find(|known| known.name() == field.name()) {
                Some(known) => *known = field,
                None => fields.push(field),
            }
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}
