//! What an operation is run with, and what must come out.

use std::path::{Path, PathBuf};

use super::{BenchError, Operation};

/// Files of an operation's inputs and of its result.
#[derive(Debug, Clone)]
pub struct Reference {
    /// One for each of [`Operation::inputs`], as `--input=@FILE` takes it.
    pub inputs: Vec<PathBuf>,
    /// As `--expected_output=@FILE` takes it.
    pub expected: PathBuf,
}

impl Reference {
    /// Those of an operation in a folder, whether they are there or not.
    pub fn of(operation: &Operation, _seed: u64, folder: &Path) -> Self {
        let inputs = (0..operation.inputs().len()).map(|at| folder.join(format!("input_{at}.npy")));
        Self { inputs: inputs.collect(), expected: folder.join("expected.npy") }
    }

    /// The flags that make `iree-run-module` take these inputs and compare with this result.
    pub fn flags(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|path| format!("--input=@{}", path.display()));
        inputs.chain([format!("--expected_output=@{}", self.expected.display())]).collect()
    }
}

/// Makes them in `folder`, or finds them there.
pub fn reference(operation: &Operation, seed: u64, folder: &Path) -> Result<Reference, BenchError> {
    let _ = (operation, seed);
    Err(BenchError::File {
        action: "write",
        path: folder.to_owned(),
        source: std::io::ErrorKind::Unsupported.into(),
    })
}
