//! Reads dumped configurations.

use std::io;
use std::path::{Path, PathBuf};

use base::with_extension;

use super::attribute::Syntax;
use super::configuration::{self, Dispatch};

/// Why a dump cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A configuration is malformed.
    #[error("cannot read the configuration in {}", path.display())]
    Malformed { path: PathBuf, source: Syntax },
}

/// True if an argument is a dump, or a folder of them, and not a model.
pub fn is_one(path: &Path) -> bool {
    path.is_dir()
        || std::fs::read_to_string(path).is_ok_and(|text| text.contains("hal.executable.variant "))
}

/// Reads the dispatches of a dump, or of all dumps in a folder, in the order of their numbers.
pub fn read(path: &Path) -> Result<Vec<Dispatch>, DumpError> {
    let failed = |path: &Path, source| DumpError::Read { path: path.to_owned(), source };
    let mut paths = if path.is_dir() {
        with_extension(path, "mlir").map_err(|source| failed(path, source))?
    } else {
        vec![path.to_owned()]
    };
    paths.sort_by_key(|path| numbered(&path.to_string_lossy()));
    let mut dispatches = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|source| failed(&path, source))?;
        let read = configuration::dispatches(&text);
        dispatches
            .extend(read.map_err(|source| DumpError::Malformed { path: path.clone(), source })?);
    }
    Ok(dispatches)
}

/// Returns a name with its numbers padded, so that 10 follows 9.
fn numbered(name: &str) -> String {
    let mut padded = String::new();
    let mut digits = String::new();
    for letter in name.chars().chain(['\0']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        if !digits.is_empty() {
            padded.push_str(&format!("{digits:0>20}"));
            digits.clear();
        }
        padded.push(letter);
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_their_numbers() {
        let mut names =
            ["m_dispatch_10.mlir", "m_dispatch_9.mlir", "m_dispatch_1.mlir", "m_dispatch_b.mlir"];
        names.sort_by_key(|name| numbered(name));
        assert_eq!(names.map(|name| &name[11..name.len() - 5]), ["1", "9", "10", "b"]);
    }
}
