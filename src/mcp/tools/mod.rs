//! The tools, each in a file of its name.

mod compare;
mod doctor;
mod explain;
mod gaps;
mod open;
mod report;
mod sql;
mod tables;
mod top;

use super::tool::Tool;

/// All tools, in the order in which they are listed.
pub const ALL: [&Tool; 9] = [
    &open::TOOL,
    &top::TOOL,
    &explain::TOOL,
    &sql::TOOL,
    &tables::TOOL,
    &doctor::TOOL,
    &gaps::TOOL,
    &compare::TOOL,
    &report::TOOL,
];

/// Returns the tool of this name.
pub fn named(name: &str) -> Option<&'static Tool> {
    ALL.into_iter().find(|tool| tool.name == name)
}
