//! `sql`: the rows of a statement.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use workspace::{Next, Workspace, initialize};

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, columns, object, text, whole};
use crate::table::Table;
use crate::tool::Tool;

/// How often it is looked whether the call goes on.
const PULSE: Duration = Duration::from_millis(50);

pub const TOOL: Tool = Tool {
    name: "sql",
    description: "Rows of a query (Apache DataFusion, close to PostgreSQL; read-only). Resource ireescope://sql has the dialect, \
ireescope://cookbook examples. Names end in their units: _ns, _ticks, _bytes; timing_source is the clock.",
    input: || object(&[bundles(), ("query", text("")), ("max_rows", whole(""))], 2),
    output: || object(&columns(), 2),
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bundles: Vec<String>,
    query: String,
    #[serde(default)]
    max_rows: Option<usize>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let Arguments { bundles, query, max_rows } = read(arguments)?;
    let named = call.arguments(&bundles)?;
    let workspace = Arc::new(call.open(&bundles, Workspace::open_stoppable)?);
    initialize(&workspace.engine, &workspace.runtime, &named, &call.options.listener)?;
    let query = workspace.query(&query, &[])?;
    let mut room = call.room(max_rows);
    let mut table = Table::new(query.schema(), None, &mut room);
    let reader = query.read();
    loop {
        call.go_on()?;
        match reader.next_within(PULSE.min(call.left()))? {
            Next::Batch(batch) if !table.add(&batch, &mut room)? => break,
            Next::End => break,
            Next::Batch(_) | Next::Waiting => {}
        }
    }
    call.checked()?;
    let said = match table.count() {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    };
    Ok(Reply::table(&said, table).noting(call))
}
