//! `gaps`: which questions captures answer, and what would answer the others.

use schemas::questions::{QUESTIONS, Question, question};
use serde::Deserialize;
use serde_json::Value;
use workspace::{Workspace, of_questions};

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, columns, object, paths};
use crate::table::Table;
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "gaps",
    description: "Which questions captures answer, on which clock, and the commands that capture what is missing.",
    input: || object(&[bundles(), ("questions", paths())], 1),
    output: || object(&columns(), 2),
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bundles: Vec<String>,
    #[serde(default)]
    questions: Vec<String>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let Arguments { bundles, questions } = read(arguments)?;
    let asked = asked(&questions)?;
    let workspace = call.open(&bundles, Workspace::salvage)?;
    let only = of_questions(&asked);
    let answer = workspace.runtime.block_on(workspace.engine.report("gap", &only))?;
    let table = Table::of_report("gap", &answer.batches, &mut call.room(None))?;
    call.checked()?;
    Ok(Reply::table("", table).noting(call))
}

/// Returns the questions of these names, or all.
fn asked(names: &[String]) -> Result<Vec<&'static Question>, CallError> {
    if names.is_empty() {
        return Ok(QUESTIONS.iter().collect());
    }
    let known = |name: &String| {
        question(name).ok_or_else(|| {
            let all: Vec<&str> = QUESTIONS.iter().map(|it| it.name).collect();
            CallError::Arguments(format!(
                "there is no question {name}; there are {}",
                all.join(", ")
            ))
        })
    };
    names.iter().map(known).collect()
}
