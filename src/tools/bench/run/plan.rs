//! What a sweep is to do.

use std::path::PathBuf;

use super::event::Event;
use super::folders::Folders;
use super::settings::Settings;
use super::tools::Tools;
use crate::bench::error::{BenchError, NoDispatch};
use crate::bench::operation::Operation;
use crate::bench::request::{Collection, RequestText, Selection};
use crate::bench::target::Target;

/// A request to generate, compile, verify or measure dispatches.
#[derive(Debug, Clone, Default)]
pub struct BenchRequest {
    pub operations: RequestText,
    /// Patterns for the names of dispatches, of which one must match.
    pub dispatches: Vec<String>,
    pub target: Target,
    /// The folder of sources, modules, captures and results ([`Folders`]).
    pub folder: PathBuf,
    /// The folder of IREE's tools, if they are not in the environment.
    pub tools: Option<PathBuf>,
    pub settings: Settings,
    /// Whether earlier requests in the folder do not count if no extents are given.
    pub is_new: bool,
    /// Whether the request is not stored for later ones.
    pub is_dry: bool,
}

/// The dispatches to run, with folders, settings and tools.
#[derive(Debug)]
pub struct Plan {
    pub target: Target,
    pub collections: Vec<Collection>,
    pub folders: Folders,
    pub settings: Settings,
    pub tools: Tools,
}

/// What a user should know of a plan.
#[derive(Debug)]
pub enum PlanNotice {
    /// No shapes are given or known, so the predefined ones are used.
    Predefined,
    /// An operation is left out.
    Skipped(Operation, NoDispatch),
}

/// A callback for progress events, called from any thread.
pub type Tell<'a> = &'a (dyn Fn(&Event<'_>) + Sync);

/// Plans a sweep. Fails if there is no dispatch to run.
pub fn plan(request: BenchRequest, notice: &mut dyn FnMut(PlanNotice)) -> Result<Plan, BenchError> {
    let BenchRequest { operations, dispatches, target, folder, tools, settings, .. } = request;
    let folders = Folders::new(&folder);
    let selection = Selection {
        given: &operations,
        dispatches: &dispatches,
        remembered: &folders.requests(),
        is_new: request.is_new,
        is_stored: !request.is_dry,
    };
    let all = selection.collections(&target, || notice(PlanNotice::Predefined))?;
    let has_some = |collection: &Collection| !collection.configurations.is_empty();
    let (collections, empty): (Vec<_>, Vec<_>) = all.into_iter().partition(has_some);
    if collections.is_empty() {
        return Err(nothing(&empty, dispatches).into());
    }
    for collection in empty {
        let why = nothing(std::slice::from_ref(&collection), dispatches.clone());
        notice(PlanNotice::Skipped(collection.operation, why));
    }
    Ok(Plan { target, collections, folders, settings, tools: Tools::find(tools.as_deref()) })
}

/// Returns why collections without configurations have none.
fn nothing(collections: &[Collection], dispatches: Vec<String>) -> NoDispatch {
    match collections.iter().flat_map(|it| &it.skipped).next() {
        Some((configuration, reason)) => {
            NoDispatch::Unsuitable { configuration: configuration.name(), reason: reason.clone() }
        }
        None if dispatches.is_empty() => NoDispatch::NoConfiguration,
        None => NoDispatch::Unmatched(dispatches),
    }
}
