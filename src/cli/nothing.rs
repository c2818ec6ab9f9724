//! Says that nothing matches what was asked, with the names that there are and those that may be meant.

use crate::report::absence;
use crate::workspace::Unmatched;

/// What was asked of a report.
#[derive(Debug, Default)]
pub struct Asked {
    /// The flags, as they were given.
    flags: Vec<String>,
    pattern: String,
}

impl Asked {
    /// Adds `--NAME=PATTERN`, unless the pattern matches everything.
    #[must_use]
    pub fn pattern(mut self, flag: &str, pattern: &str) -> Self {
        if pattern != "*" {
            self.flags.push(format!("{flag}={pattern}"));
            pattern.clone_into(&mut self.pattern);
        }
        self
    }

    /// Adds `--id=N`, unless it is negative, which selects everything.
    #[must_use]
    pub fn id(mut self, id: i64) -> Self {
        self.flags.extend((id >= 0).then(|| format!("--id={id}")));
        self
    }

    /// Says that none of these names matches; `None` if nothing was asked, or there are none.
    pub fn unmatched<'a>(
        &self,
        noun: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        self.said(Unmatched::among(noun, &self.pattern, known)?)
    }

    /// Says what there is instead; `None` if nothing was asked.
    pub fn said(&self, there: Unmatched) -> Option<String> {
        let Unmatched { noun, known, similar } = there;
        (!self.flags.is_empty()).then(|| absence::unmatched(&noun, &self.flags, &known, &similar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 3] =
        ["main_dispatch_0_matmul_32x256x128_f32", "main_dispatch_1_softmax_32x64xf32", "other"];

    #[test]
    fn what_there_is_is_said() {
        let asked = |pattern| Asked::default().pattern("--filter", pattern);
        assert_eq!(asked("*").unmatched("function", KNOWN), None);
        assert_eq!(asked("x").unmatched("function", []), None);
        assert_eq!(
            asked("*matmull*").id(7).unmatched("function", KNOWN).unwrap(),
            "No function matches --filter=*matmull* and --id=7; there are 3 functions; did you mean \
             main_dispatch_0_matmul_32x256x128_f32?"
        );
        assert_eq!(
            asked("nosuch").unmatched("function", ["b", "a", "a"]).unwrap(),
            "No function matches --filter=nosuch; there are 2 functions: b, a."
        );
    }
}
