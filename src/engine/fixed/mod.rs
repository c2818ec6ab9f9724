//! Fixed queries, which are those of our SQL files, are planned in a fraction of the time that what people write takes.
//!
//! A statement becomes a plan in `selects`, which knows by `shapes` what it can plan by itself, and by `names` what is read.
//! `optimizing` turns that into what runs:
//! types are made to fit (`coercion`), what no bundle has is left out (`absent`), and a few rules of `DataFusion`'s do the rest
//! (`rules`), with one of ours where a single thread runs it all (`one_thread`).

mod absent;
mod coercion;
mod names;
mod one_thread;
mod optimizing;
mod rules;
mod selects;
mod shapes;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;

use super::pruning::{Asked, Mentioned, prune};
use super::statement::Statement;

pub use optimizing::physical;
pub use rules::of_reports;
pub use selects::plan;

/// The plan of a statement as far as columns of it are wanted, and which it lacks.
pub async fn plan_wanted(
    state: &SessionState,
    mut statement: Statement,
    wanted: &Mentioned,
    asked: &Arc<Asked>,
) -> Result<(LogicalPlan, Vec<String>)> {
    let missing = prune(&mut statement, wanted, state);
    let _asking = asked.ask(Mentioned::by(&statement.parsed));
    Ok((plan(state, statement.parsed).await?, missing))
}
