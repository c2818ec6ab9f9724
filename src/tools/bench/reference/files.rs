//! Writes tensors as files: in numpy's NPY format, or as raw elements for types that IREE's tools cannot read from NPY.
//!
//! The header is written here because IREE's reader accepts only the exact spelling of numpy, while existing crates
//! (npyz 0.9) write `(4, 5, )` for a shape.

use std::io::{BufWriter, Write};
use std::path::Path;

use base::replace;
use half::{bf16, f16};

use crate::bench::element::Element;
use crate::bench::error::BenchError;
use crate::bench::operation::Tensor;

/// Writes integral values as the elements of a tensor, to a temporary file that is then renamed.
pub fn write(
    path: &Path,
    tensor: &Tensor,
    values: impl Iterator<Item = f32>,
) -> Result<(), BenchError> {
    replace(path, |file| {
        let mut writer = BufWriter::new(file);
        contents(&mut writer, tensor, values)?;
        writer.flush()
    })
    .map_err(BenchError::file("write", path))
}

fn contents(
    to: &mut impl Write,
    tensor: &Tensor,
    mut values: impl Iterator<Item = f32>,
) -> std::io::Result<()> {
    if let Some(name) = numpy_name(tensor.element) {
        to.write_all(&head(name, &tensor.shape))?;
    }
    values.try_for_each(|value| match tensor.element {
        Element::F32 => to.write_all(&value.to_le_bytes()),
        Element::F16 => to.write_all(&f16::from_f32(value).to_le_bytes()),
        Element::Bf16 => to.write_all(&bf16::from_f32(value).to_le_bytes()),
        Element::I8 => to.write_all(&i8::try_from(whole(value)).unwrap_or(i8::MAX).to_le_bytes()),
        Element::I32 => to.write_all(&whole(value).to_le_bytes()),
    })
}

/// Returns the numpy name of a type. `None` for bf16, which numpy does not have, and for i32: IREE's tools read it as a
/// signed type, which differs from the type of results.
pub(crate) const fn numpy_name(element: Element) -> Option<&'static str> {
    match element {
        Element::F32 => Some("<f4"),
        Element::F16 => Some("<f2"),
        Element::I8 => Some("|i1"),
        Element::Bf16 | Element::I32 => None,
    }
}

/// Returns the length of the file of a tensor in bytes.
pub fn length(tensor: &Tensor) -> u64 {
    let head = numpy_name(tensor.element).map_or(0, |name| head(name, &tensor.shape).len() as u64);
    head + tensor.bytes()
}

/// Returns the header of NPY version 1.0 (NEP 1): magic, version, length of the text, and a Python dictionary that is
/// padded with spaces so that the elements are aligned to 64 bytes.
fn head(name: &str, shape: &[u64]) -> Vec<u8> {
    let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
    let one = if shape.len() == 1 { "," } else { "" };
    let text = format!(
        "{{'descr': '{name}', 'fortran_order': False, 'shape': ({}{one}), }}",
        extents.join(", ")
    );
    // Ten bytes precede the text, and a newline follows.
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend(u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes());
    head.extend(format!("{text:<0$}\n", length - 1).into_bytes());
    head
}

/// Converts an integral value of at most 2^24.
#[expect(clippy::cast_possible_truncation, reason = "integers up to 2^24")]
fn whole(value: f32) -> i32 {
    value as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(shape: &[u64], element: Element, values: &[f32]) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("values");
        let tensor = Tensor::rows(shape.iter().copied(), element);
        write(&path, &tensor, values.iter().copied()).expect("written");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        std::fs::read(path).expect("there")
    }

    /// The expected bytes are those of `np.save(file, np.array([[1, -2]], np.float16))` with numpy 2.
    #[test]
    fn files_are_those_of_numpy() {
        let mut expected = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        expected.extend(b"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), }");
        expected.resize(127, b' ');
        expected.extend(b"\n\x00\x3c\x00\xc0");
        assert_eq!(bytes(&[1, 2], Element::F16, &[1.0, -2.0]), expected);
    }

    #[test]
    fn elements_are_those_of_their_types() {
        let behind = |element, values: &[f32]| bytes(&[2], element, values).split_off(128);
        assert_eq!(behind(Element::I8, &[7.0, -7.0]), [7, 249]);
        assert_eq!(behind(Element::F32, &[1.0, -2.0]), [0, 0, 128, 63, 0, 0, 0, 192]);
        let one = bytes(&[2], Element::I8, &[0.0, 0.0]);
        assert!(
            String::from_utf8_lossy(&one)
                .contains("'descr': '|i1', 'fortran_order': False, 'shape': (2,), }")
        );
    }

    #[test]
    fn some_types_are_bare() {
        let bare = bytes(&[2], Element::I32, &[-1.0, 16_777_216.0]);
        assert_eq!(bare, [255, 255, 255, 255, 0, 0, 0, 1]);
        assert_eq!(bytes(&[1, 2], Element::Bf16, &[1.0, -2.0]), [0x80, 0x3f, 0x00, 0xc0]);
    }
}
