//! What a sweep is to do.

use super::event::Event;
use super::folders::Folders;
use super::settings::Settings;
use super::tools::Tools;
use crate::bench::request::Collection;
use crate::bench::target::Target;

/// The dispatches to run, with folders, settings and tools.
#[derive(Debug)]
pub struct Plan {
    pub target: Target,
    pub collections: Vec<Collection>,
    pub folders: Folders,
    pub settings: Settings,
    pub tools: Tools,
}

/// A callback for progress events, called from any thread.
pub type Tell<'a> = &'a (dyn Fn(&Event<'_>) + Sync);
