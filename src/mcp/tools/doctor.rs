//! `doctor`: whether captures are complete.

use engine::Parameters;
use read::bundle::Severity;
use report::text::counted;
use serde::Deserialize;
use serde_json::Value;
use workspace::Workspace;

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, columns, object};
use crate::table::Table;
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "doctor",
    description: "Whether captures are complete and consistent: findings by severity, with evidence (SQL) and advice. Errors make other answers doubtful.",
    input: || object(&[bundles()], 1),
    output: || object(&columns(), 2),
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bundles: Vec<String>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let Arguments { bundles } = read(arguments)?;
    let workspace = call.open(&bundles, Workspace::salvage)?;
    let findings = workspace.findings()?;
    let worst = findings.iter().filter(|it| it.severity == Severity::Error).count();
    let answer =
        workspace.runtime.block_on(workspace.engine.report("doctor", &Parameters::default()))?;
    let table = Table::of_report("doctor", &answer.batches, &mut call.room(None))?;
    call.checked()?;
    let head = if worst == 0 { "no errors".to_owned() } else { counted(worst as u64, "error") };
    Ok(Reply::table(&head, table).noting(call))
}
