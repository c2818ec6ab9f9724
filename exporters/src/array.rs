//! JSON lines as one array.

use std::io::{self, Write};

/// A writer of JSON lines that separates them by commas. The brackets are written by [`LineArray::new`] and
/// [`LineArray::finish`].
pub struct LineArray<'a> {
    output: &'a mut dyn Write,
    /// Whether a line has ended, after which another may follow.
    is_between: bool,
}

impl<'a> LineArray<'a> {
    /// Begins an array.
    pub fn new(output: &'a mut dyn Write) -> io::Result<Self> {
        output.write_all(b"[")?;
        Ok(Self { output, is_between: false })
    }

    /// Ends the array.
    pub fn finish(self) -> io::Result<()> {
        self.output.write_all(b"]\n")
    }
}

impl Write for LineArray<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.is_between {
                self.output.write_all(b",\n")?;
            }
            let line = part.strip_suffix(b"\n");
            self.is_between = line.is_some();
            self.output.write_all(line.unwrap_or(part))?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_separated_wherever_they_are_cut() {
        for (parts, wanted) in [
            (&[][..], "[]\n"),
            (&["{}\n"], "[{}]\n"),
            (&["{", "}\n", "{}\n{}\n"], "[{},\n{},\n{}]\n"),
            (&["{}\n{", "}\n"], "[{},\n{}]\n"),
        ] {
            let mut output = Vec::new();
            let mut array = LineArray::new(&mut output).unwrap();
            for part in parts {
                array.write_all(part.as_bytes()).unwrap();
            }
            array.finish().unwrap();
            assert_eq!(String::from_utf8(output).unwrap(), wanted);
        }
    }
}
