//! Selects operations: those whose shapes are given, else those of earlier requests in the folder, else the predefined
//! ones. Given shapes alone select the kinds that they describe, without an epilogue.

use std::io::{self, Write};
use std::path::Path;

use base::replace;

use super::collection::{Collection, collections};
use super::text::RequestText;
use crate::bench::error::BenchError;
use crate::bench::target::Target;

/// The operations of a request, and what they follow from.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    pub given: &'a RequestText,
    /// Patterns for the names of dispatches, of which one must match.
    pub dispatches: &'a [String],
    /// The file of earlier requests.
    pub(crate) remembered: &'a Path,
    /// Whether earlier requests do not count.
    pub is_new: bool,
    /// Whether the request is stored with the earlier ones.
    pub(crate) is_stored: bool,
}

impl Selection<'_> {
    /// Returns the operations for a target. Calls `predefined` first if they are the predefined ones.
    pub fn collections(
        &self,
        target: &Target,
        predefined: impl FnOnce(),
    ) -> Result<Vec<Collection>, BenchError> {
        let given = self.given.completed()?;
        let mut known = read(self.remembered)?;
        let mut asked: Vec<RequestText> =
            known.iter().filter_map(|known| known.narrowed(self.given)).collect();
        let is_new = self.is_new || self.given.has_extents() || asked.is_empty();
        if is_new {
            asked = vec![given.clone()];
            if !self.given.has_extents() {
                predefined();
            }
        }
        let mut all: Vec<Collection> = Vec::new();
        for text in &asked {
            for collection in collections(&text.request(self.dispatches)?, target)? {
                merge(&mut all, collection);
            }
        }
        if is_new && self.is_stored && !all.is_empty() && !known.contains(&given) {
            known.push(given);
            write(self.remembered, &known).map_err(BenchError::file("write", self.remembered))?;
        }
        Ok(all)
    }
}

/// Adds a collection. If the operation is already in the list, adds the configurations that it lacks, and those that
/// were skipped.
fn merge(all: &mut Vec<Collection>, collection: Collection) {
    let Some(known) = all.iter_mut().find(|known| known.operation == collection.operation) else {
        return all.push(collection);
    };
    for configuration in collection.configurations {
        if known.configurations.iter().all(|it| it.name() != configuration.name()) {
            known.configurations.push(configuration);
        }
    }
    for (configuration, reason) in collection.skipped {
        if known.skipped.iter().all(|(it, _)| it.name() != configuration.name()) {
            known.skipped.push((configuration, reason));
        }
    }
}

fn read(path: &Path) -> Result<Vec<RequestText>, BenchError> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(BenchError::file("read", path))?,
    };
    serde_json::from_slice(&text).map_err(|error| BenchError::file("read", path)(error.into()))
}

fn write(path: &Path, known: &[RequestText]) -> io::Result<()> {
    let text = serde_json::to_string_pretty(known)? + "\n";
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    replace(path, |file| file.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::operation::Shape;
    use crate::bench::{Configuration, Epilogue, Operation, Types};

    #[test]
    fn merged_collections_keep_what_was_skipped() {
        let shape = Shape::Matmul { m: 1, n: 1, k: 1 };
        let operation = Operation { shape, types: Types::F32, epilogue: Epilogue::None };
        let (skipped, configurations) = (Vec::new(), Vec::new());
        let mut all = vec![Collection { operation, configurations, skipped }];
        for _ in 0..2 {
            let skipped = vec![(Configuration::DEFAULT, "unsuitable".to_owned())];
            merge(&mut all, Collection { operation, configurations: Vec::new(), skipped });
        }
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].skipped.len(), 1);
    }
}
