//! Verifies a dispatch: runs `iree-run-module` on the reference inputs, which compares with the reference result.

use std::path::Path;

use super::event::Event;
use super::folders::Mode;
use super::plan::Plan;
use super::row::{DispatchRun, Failure, Verification};
use super::sweep::Running;
use super::tool_run::{self, ToolRun, missing};
use crate::bench::operation::Operation;
use crate::bench::reference::{Reference, reference};
use crate::bench::target::Target;
use crate::capture::chain;
use crate::capture::process::Said;

/// Number of elements of each tensor that the tool prints on a mismatch. A separate line reports the first mismatch.
const SHOWN_ELEMENTS: u32 = 16;

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

impl Running<'_> {
    /// Verifies a dispatch. Unless it succeeds, returns the reason.
    pub fn verify(&self, row: &mut DispatchRun, operation: &Operation) -> Result<(), Failure> {
        let Plan { target, folders, settings, tools, .. } = self.plan;
        let tool = tools.run.as_ref().map_err(|message| missing(message))?;
        let reference = reference(operation, settings.seed, &folders.reference(operation))
            .map_err(|error| Failure::said(chain(&error)))?;
        let module = folders.module(operation, target, Mode::Verify);
        let run = ToolRun {
            tool,
            arguments: arguments(&module, &row.dispatch, target, &reference),
            folder: module.parent().unwrap_or(Path::new(".")),
            stem: format!("{}.verify", row.dispatch),
        };
        (self.tell)(&Event::Command { what: "Verification", line: run.line() });
        let said = run.run(settings.run_limit, self.stop, "run_timeout");
        run.tidy(settings.save_commands);
        let (verification, failure) = judge(&said?);
        row.verification = verification;
        failure.map_or(Ok(()), Err)
    }
}

fn judge(said: &Said) -> (Verification, Option<Failure>) {
    let line = |head: &str| said.stdout.lines().find(|line| line.starts_with(head));
    if let Some(mismatch) = line("[FAILED]") {
        return (Verification::Failed, Some(Failure::said(mismatch.to_owned())));
    }
    if said.is_well && line("[SUCCESS]").is_some() {
        return (Verification::Success, None);
    }
    let message = tool_run::message(said, "the tool printed neither SUCCESS nor FAILED");
    (Verification::NotVerified, Some(Failure::said(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(is_well: bool, stdout: &str, stderr: &str) -> Said {
        Said { is_well, cut: None, stdout: stdout.to_owned(), stderr: stderr.to_owned() }
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
