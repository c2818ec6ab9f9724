//! Merges the pieces of a month.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};

use super::error::HistoryError;
use super::files::write;
use super::piece::Piece;
use super::read::read;

/// What compaction has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    pub months: usize,
    pub pieces: usize,
}

/// Returns the pieces of each month that has more than this: the newest, and those before.
pub fn due<P>(
    pieces: &[P],
    month: fn(&P) -> &str,
    [newest, before]: [usize; 2],
) -> impl Iterator<Item = &[P]> {
    let last = pieces.last().map(month);
    let months = pieces.chunk_by(move |one, other| month(one) == month(other));
    months
        .filter(move |all| all.len() > if all.first().map(month) == last { newest } else { before })
}

/// Writes the rows of all pieces to the files of one.
pub fn merged(pieces: &[Piece], folder: &Path) -> Result<(), HistoryError> {
    for (name, paths) in files(pieces)? {
        let schema = common(&paths)?;
        let rows = paths.iter().flat_map(|path| match read(path, &schema, None) {
            Ok(batches) => batches,
            Err(error) => Box::new(std::iter::once(Err(error))),
        });
        write(&folder.join(name), &schema, rows)?;
    }
    Ok(())
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
