//! `explain`: what the time is lost to.

use arrow::array::RecordBatch;
use report::absence;
use serde::Deserialize;
use serde_json::Value;
use workspace::{Command, ReportRequest, Workspace};

use super::top::left_out;
use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, object, paths, table, text};
use crate::table::Table;
use crate::tool::Tool;

/// The reports of a reply, the most telling first, and how they are called.
const SECTIONS: [(&str, &str); 5] = [
    ("bottlenecks", "explain_bottleneck"),
    ("hints", "explain_advice"),
    ("devices", "explain_utilization"),
    ("queues", "explain_queue"),
    ("functions", "explain_top_function"),
];

pub const TOOL: Tool = Tool {
    name: "explain",
    description: "Bottlenecks by their share of the time (weight), each with SQL for its figures; hints, busy time of devices and queues.",
    input: || {
        object(
            &[bundles(), ("filter", text("functions, as in top")), ("warmup", text("as in top"))],
            1,
        )
    },
    output: || {
        let mut parts: Vec<(&str, Value)> = SECTIONS.map(|(name, _)| (name, table())).into();
        parts.push(("notes", paths()));
        object(&parts, 0)
    },
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bundles: Vec<String>,
    #[serde(default)]
    filter: Option<String>,
    #[serde(default)]
    warmup: Option<String>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let Arguments { bundles, filter, warmup } = read(arguments)?;
    let warmup = left_out(warmup.as_deref())?;
    let filter = filter.unwrap_or_else(|| "*".to_owned());
    let workspace = call.open(&bundles, Workspace::open)?;
    let unknown = || CallError::Arguments("there is no command explain".to_owned());
    let command = Command::named("explain").ok_or_else(unknown)?;
    let request = ReportRequest { filter, warmup, ..ReportRequest::default() };
    let overview = workspace.overview(command, &request, call.limits.rows)?;
    let mut reply = Reply::default();
    if let Some(there) = &overview.unmatched {
        let asked = format!("filter={}", request.filter);
        reply.text = absence::unmatched(&there.noun, &[asked], &there.known, &there.similar);
    }
    if let Some(nothing) = overview.nothing {
        reply.text = nothing;
    }
    let mut room = call.room(None);
    for (name, report) in SECTIONS {
        let none: &[RecordBatch] = &[];
        let head = overview.heads.get(report);
        let batches = head.map_or(none, |head| head.batches.as_slice());
        let mut table = Table::of_report(report, batches, &mut room)?;
        if head.is_some_and(|head| head.more) {
            table.cut_at_rows(&room);
        }
        reply = reply.section(name, table);
    }
    call.checked()?;
    let text = reply.text.trim_start().to_owned();
    Ok(Reply { text, ..reply }.noting(call))
}
