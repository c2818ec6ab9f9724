//! Reference inputs and results of operations, stored as files.
//!
//! Inputs are integers from a seeded generator, so small that every partial sum is exact in the type of the
//! accumulator, in any order of summation ([`values`]). All configurations therefore give bit-identical results.

mod compute;
mod files;
mod kernel;
mod values;

use std::path::{Path, PathBuf};

use self::values::Values;
use crate::bench::error::BenchError;
use crate::bench::operation::{Operation, Tensor};

/// Version of the generated values, which is part of the file names. To be increased when the values change.
const VERSION: u32 = 1;

/// The files of the inputs and the result of an operation.
#[derive(Debug, Clone)]
pub struct Reference {
    /// One file for each of [`Operation::inputs`].
    pub inputs: Vec<TensorFile>,
    pub expected: TensorFile,
}

/// A tensor in a file.
#[derive(Debug, Clone)]
pub struct TensorFile {
    pub path: PathBuf,
    /// Value of the flags `--input` and `--expected_output`. It includes the type if the file has no header with it.
    pub value: String,
}

impl Reference {
    /// Returns the flags that make `iree-run-module` read these inputs and compare with this result.
    pub fn flags(&self) -> Vec<String> {
        let inputs = self.inputs.iter().map(|input| format!("--input={}", input.value));
        inputs.chain([format!("--expected_output={}", self.expected.value)]).collect()
    }

    /// Returns the paths in a folder. The files need not exist.
    pub fn of(operation: &Operation, seed: u64, folder: &Path) -> Self {
        let stem = format!("v{VERSION}_seed{seed}");
        let inputs = operation
            .inputs()
            .iter()
            .zip(["lhs", "rhs", "extra"])
            .map(|(tensor, role)| TensorFile::of(tensor, &folder.join(format!("{stem}_{role}"))))
            .collect();
        let result = folder.join(format!("{stem}_result"));
        Self { inputs, expected: TensorFile::of(&operation.result(), &result) }
    }

    /// True if all files exist and have the expected length.
    fn is_there(&self, operation: &Operation) -> bool {
        let tensors = operation.inputs().into_iter().chain([operation.result()]);
        let files = self.inputs.iter().chain([&self.expected]);
        files.zip(tensors).all(|(file, tensor)| {
            std::fs::metadata(&file.path).is_ok_and(|found| found.len() == files::length(&tensor))
        })
    }
}

impl TensorFile {
    fn of(tensor: &Tensor, stem: &Path) -> Self {
        let (end, kind) = match files::numpy_name(tensor.element) {
            Some(_) => ("npy", String::new()),
            None => ("bin", format!("{}=", tensor.spec())),
        };
        let path = stem.with_extension(end);
        Self { value: format!("{kind}@{}", path.display()), path }
    }
}

/// Returns the reference files in `folder`; writes them if they do not exist yet.
pub fn reference(operation: &Operation, seed: u64, folder: &Path) -> Result<Reference, BenchError> {
    if let Err(reason) = operation.check() {
        return Err(BenchError::Operation { operation: operation.name(), reason });
    }
    let reference = Reference::of(operation, seed, folder);
    if reference.is_there(operation) {
        return Ok(reference);
    }
    std::fs::create_dir_all(folder).map_err(BenchError::file("create the folder", folder))?;
    let values = Values::new(operation, seed);
    let result = compute::result(operation, &values);
    let tensors = operation.inputs();
    for ((tensor, input), values) in tensors.iter().zip(&reference.inputs).zip(values.all()) {
        files::write(&input.path, tensor, values.iter().map(|value| f32::from(*value)))?;
    }
    // Written last, so that a valid result implies valid inputs.
    files::write(&reference.expected.path, &operation.result(), result.into_iter())?;
    Ok(reference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::operation::Shape;
    use crate::bench::{Epilogue, Types};

    const MATMUL: Operation = Operation {
        shape: Shape::Matmul { m: 4, n: 6, k: 8 },
        types: Types::Bf16F32,
        epilogue: Epilogue::BiasRelu,
    };

    #[test]
    fn references_are_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join("a/b");
        let first = reference(&MATMUL, 3, &at).expect("made");
        assert_eq!(first.inputs.len(), 3);
        // Flips one bit; the length stays the same.
        let mut doctored = std::fs::read(&first.expected.path).expect("there");
        let last = doctored.last_mut().expect("a byte");
        *last ^= 1;
        std::fs::write(&first.expected.path, &doctored).expect("room");
        let second = reference(&MATMUL, 3, &at).expect("found");
        assert_eq!(std::fs::read(&second.expected.path).expect("there"), doctored);
        reference(&MATMUL, 4, &at).expect("another seed");
        std::fs::remove_file(&first.inputs[0].path).expect("there");
        reference(&MATMUL, 3, &at).expect("made again");
        let right = std::fs::read(&second.expected.path).expect("there");
        assert_ne!(right, doctored);
        std::fs::write(&second.expected.path, "cut").expect("room");
        reference(&MATMUL, 3, &at).expect("made again");
        assert_eq!(std::fs::read(&second.expected.path).expect("there"), right);
    }

    #[test]
    fn tools_are_told_what_a_file_does_not_say() {
        let reference = Reference::of(&MATMUL, 3, Path::new("f"));
        assert_eq!(
            reference.flags(),
            [
                "--input=4x8xbf16=@f/v1_seed3_lhs.bin",
                "--input=8x6xbf16=@f/v1_seed3_rhs.bin",
                "--input=@f/v1_seed3_extra.npy",
                "--expected_output=@f/v1_seed3_result.npy",
            ]
        );
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        let shape = Shape::MatmulSplitk { m: 2, n: 2, k: 7, slices: 2 };
        let operation = Operation { shape, ..MATMUL };
        let error = reference(&operation, 1, Path::new("/nowhere")).expect_err("7 by 2");
        assert!(error.to_string().contains("not divisible by 2"), "{error}");
    }
}
