//! The functions of DataFusion that a session has.

use std::sync::Arc;

use datafusion::execution::SessionStateDefaults;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::functions::{core, datetime, encoding, math, regex, string, unicode};
use datafusion::logical_expr::planner::ExprPlanner;

/// Adds DataFusion's functions and how they are planned. `first` is asked before its planners.
///
/// `SessionStateBuilder::with_default_features` would do the same and add formats of files, which no statement here can name: their
/// readers and writers make the program a fifth larger. Hash functions are left out, as only some builds would have them.
pub(crate) fn with_functions(
    state: SessionStateBuilder,
    first: Option<Arc<dyn ExprPlanner>>,
) -> SessionStateBuilder {
    let planners = first.into_iter().chain(SessionStateDefaults::default_expr_planners());
    let scalars = [
        core::functions(),
        datetime::functions(),
        encoding::functions(),
        math::functions(),
        regex::functions(),
        unicode::functions(),
        string::functions(),
        datafusion::functions_nested::all_default_nested_functions(),
    ];
    state
        .with_expr_planners(planners.collect())
        .with_scalar_functions(scalars.concat())
        .with_higher_order_functions(SessionStateDefaults::default_higher_order_functions())
        .with_aggregate_functions(SessionStateDefaults::default_aggregate_functions())
        .with_window_functions(SessionStateDefaults::default_window_functions())
        .with_table_function_list(SessionStateDefaults::default_table_functions())
}
