//! Verifies a dispatch: runs `iree-run-module` on the reference inputs, which compares with the reference result.

use std::path::Path;

use super::row::{Failure, Verification};
use super::tool_run::{self, Said, ToolRun};
use crate::bench::reference::Reference;
use crate::bench::run::event::Event;
use crate::bench::run::settings::Settings;
use crate::bench::target::Target;
use crate::bundle::set::ToolFacts;
use crate::capture::Stop;

/// Number of elements of each tensor that the tool prints on a mismatch. A separate line reports the first mismatch.
const SHOWN_ELEMENTS: u32 = 16;

/// The context of verification.
#[derive(Clone, Copy)]
pub struct Verifier<'a> {
    pub tool: &'a ToolFacts,
    pub target: &'a Target,
    pub settings: &'a Settings,
    pub stop: &'a Stop,
    pub tell: &'a dyn Fn(&Event<'_>),
}

/// Returns the arguments of `iree-run-module`.
pub fn arguments(
    module: &Path,
    dispatch: &str,
    target: &Target,
    reference: &Reference,
) -> Vec<String> {
    let mut words = vec![
        format!("--module={}", module.display()),
        format!("--function={dispatch}"),
        format!("--device={}", target.uri()),
        format!("--output_max_element_count={SHOWN_ELEMENTS}"),
    ];
    words.extend(reference.flags());
    words
}

impl Verifier<'_> {
    /// Verifies a dispatch. Unless it succeeds, also returns the reason.
    pub fn verify(
        &self,
        module: &Path,
        dispatch: &str,
        reference: &Reference,
    ) -> (Verification, Option<Failure>) {
        let run = ToolRun {
            tool: self.tool,
            arguments: arguments(module, dispatch, self.target, reference),
            folder: module.parent().unwrap_or(Path::new(".")),
            stem: format!("{dispatch}.verify"),
        };
        (self.tell)(&Event::Command { what: "Verification", line: run.line() });
        let judged = match run.run(self.settings.run_limit, self.stop, "--run-timeout") {
            Ok(said) => judge(&said),
            Err(failure) => (Verification::NotVerified, Some(failure)),
        };
        run.tidy(self.settings.save_commands);
        judged
    }
}

/// Evaluates the output of the tool.
fn judge(said: &Said) -> (Verification, Option<Failure>) {
    let line = |head: &str| said.stdout.lines().find(|line| line.starts_with(head));
    if let Some(mismatch) = line("[FAILED]") {
        return (Verification::Failed, Some(Failure::said(mismatch.to_owned())));
    }
    if said.is_well && line("[SUCCESS]").is_some() {
        return (Verification::Success, None);
    }
    let message = tool_run::message(said.words(), "the tool printed neither SUCCESS nor FAILED");
    (Verification::NotVerified, Some(Failure::said(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(is_well: bool, stdout: &str, stderr: &str) -> Said {
        Said { is_well, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
    }

    #[test]
    fn the_first_mismatch_is_the_reason() {
        let wrong = "EXEC @f\n[FAILED] result[0]: element at index 0 (128) does not match the expected (129)\n  expected:\n";
        let (verification, failure) = judge(&said(false, wrong, ""));
        assert_eq!(verification, Verification::Failed);
        let message = failure.expect("it failed").message;
        assert_eq!(
            message,
            "[FAILED] result[0]: element at index 0 (128) does not match the expected (129)"
        );
    }

    #[test]
    fn only_success_is_success() {
        assert_eq!(judge(&said(true, "[SUCCESS] all\n", "")), (Verification::Success, None));
        for (is_well, out, err, message) in [
            (false, "", "cuda.c:1: UNAVAILABLE; no driver", "cuda.c:1: UNAVAILABLE; no driver"),
            (false, "[SUCCESS] all", "", "[SUCCESS] all"),
            (true, "", "", "the tool printed neither SUCCESS nor FAILED"),
        ] {
            let (verification, failure) = judge(&said(is_well, out, err));
            assert_eq!(verification, Verification::NotVerified);
            assert_eq!(failure.expect("it failed").message, message);
        }
    }
}
