//! The dialect of users' statements: what DataFusion would answer wrongly or ignore becomes right, or an error.
//!
//! `forms` rewrites the tokens of what sqlparser does not know (with `tokens` and `refused`), `grammar` parses, `probes` finds what the
//! statement asks of its tables, `syntax` rewrites and checks the parsed statement (with `calls`, `joins`, `windows`,
//! `pivots` and `summary`), `arithmetic` plans its operators, and `subqueries`, `lists` and `intervals` rewrite the plan.
//! `unplanned` words what the planner refuses. The SQL files of this project are planned as
//! they stand.
//!
//! It knows DataFusion and the names of relations. It knows no bundles, passes or sessions.

mod aliases;
mod arithmetic;
pub mod built;
mod calls;
mod correlated;
mod forms;
mod grammar;
mod growth;
mod intervals;
mod joins;
mod lists;
mod macros;
mod pivots;
mod probes;
mod refusal;
mod refused;
mod subqueries;
mod summary;
mod syntax;
mod tokens;
mod unplanned;
pub mod walk;
mod windows;

pub use aliases::expand;
pub use arithmetic::Arithmetic;
pub use forms::rewrite as rewrite_forms;
pub use grammar::Grammar;
pub use intervals::Intervals;
pub use lists::Lists;
pub use macros::Macros;
pub use probes::{Answer, Probe, fill, next as next_probe};
pub use subqueries::Subqueries;
pub use syntax::rewrite;
pub use unplanned::in_plain_words;

/// Returns the functions of which the rewritten parts of statements are made, for processes that run plans of others.
pub fn functions() -> impl Iterator<Item = datafusion::logical_expr::ScalarUDF> {
    arithmetic::functions().into_iter().chain([intervals::function()])
}
