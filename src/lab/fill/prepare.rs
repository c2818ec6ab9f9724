//! Prepares the capture that fills gaps.

use tools::capture::plan::{Known, plan};
use tools::capture::{CaptureRequest, Settings, check_filters};
use workspace::{Gaps, Workspace, WorkspaceOptions};

use super::command::Command;
use super::error::FillError;
use super::known::known;
use super::notice::Notice;
use super::request::FillRequest;
use super::subject::Subject;

/// What is to be done to fill gaps.
#[derive(Debug)]
pub enum FillPlan {
    /// Nothing: all that can be captured is.
    Complete { known: Known, gaps: Gaps },
    /// A capture.
    Capture {
        request: Box<CaptureRequest>,
        /// The gaps before the capture.
        gaps: Gaps,
        /// What the user should allow before the capture starts; `None` if its command is harmless.
        consent: Option<Consent>,
    },
}

/// A command from a file that may do harm. A program that asks no user must not run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Environment variables as NAME=VALUE, the tool and its arguments.
    pub command: Vec<String>,
    /// What of it is not known to be safe.
    pub reasons: Vec<String>,
}

/// Finds the gaps, and the command that fills them. Runs no tool.
pub fn prepare(
    request: &FillRequest,
    options: &WorkspaceOptions,
    tell: &mut dyn FnMut(&Notice),
) -> Result<FillPlan, FillError> {
    let FillRequest { wanted, .. } = request;
    let subject = Subject::of(request, tell)?;
    let gaps = Workspace::salvage(&[subject.path()], options)?.gaps(&wanted.questions)?;
    let command = Command::of(request, &subject, &gaps, tell)?;
    let device = command.as_ref().and_then(|command| command.device.as_deref());
    let known = known(wanted, &subject, &gaps, device);
    if plan(wanted, &known).is_empty() {
        return Ok(FillPlan::Complete { known, gaps });
    }
    check_filters(wanted, &known, &request.settings)?;
    let command = command.ok_or_else(|| FillError::UnknownCommand(request.path.clone()))?;
    let settings = command.settings(request.settings.clone());
    let flush_interval_ms = settings.flush_interval_ms.or_else(|| gaps.flush_interval_ms());
    let consent = consent(&command);
    let request = CaptureRequest {
        wanted: wanted.clone(),
        tool: command.tool,
        arguments: command.arguments,
        environment: command.environment,
        directory: Some(command.directory),
        tool_folder: request.tool_folder.clone(),
        folder: Some(subject.folder),
        settings: Settings { flush_interval_ms, ..settings },
        known: Some(known),
        given: subject.given,
    };
    Ok(FillPlan::Capture { request: Box::new(request), gaps, consent })
}

fn consent(command: &Command) -> Option<Consent> {
    let environment = command.environment.iter().map(|(name, value)| format!("{name}={value}"));
    let words = environment.chain([command.tool.clone()]).chain(command.arguments.clone());
    let reasons = command.objections.clone();
    (!reasons.is_empty()).then(|| Consent { command: words.collect(), reasons })
}
