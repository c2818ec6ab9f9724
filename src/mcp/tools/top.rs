//! `top`: what takes the time.

use base::words::OptionStyle;
use engine::Warmup;
use report::{absence, doubt, health, rows, warmup};
use serde::Deserialize;
use serde_json::Value;
use workspace::{GroupBy, SortBy, Top, TopRequest, Workspace};

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, columns, object, one_of, text, whole};
use crate::table::Table;
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "top",
    description: "Functions by time, per clock (timing_source: device or host; never add both), without warm-up. Times in ns.",
    input: || {
        object(
            &[
                bundles(),
                ("by", one_of(&GroupBy::ALL.map(GroupBy::name))),
                ("sort", one_of(&SortBy::ALL.map(SortBy::name))),
                ("filter", text("name pattern with * and ?")),
                ("warmup", text("calls left out at the start: auto, keep, or a number")),
                ("limit", whole("")),
            ],
            1,
        )
    },
    output: || object(&columns(), 2),
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bundles: Vec<String>,
    #[serde(default)]
    by: Option<String>,
    #[serde(default)]
    sort: Option<String>,
    #[serde(default)]
    filter: Option<String>,
    #[serde(default)]
    warmup: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let arguments: Arguments = read(arguments)?;
    let by = chosen("by", arguments.by.as_deref(), &GroupBy::ALL, GroupBy::name)?;
    let sort = chosen("sort", arguments.sort.as_deref(), &SortBy::ALL, SortBy::name)?;
    let request = TopRequest {
        by,
        sort,
        filter: arguments.filter.unwrap_or_else(|| "*".to_owned()),
        warmup: left_out(arguments.warmup.as_deref())?,
    };
    let workspace = call.open(&arguments.bundles, Workspace::open)?;
    let top = workspace.top(&request)?;
    let mut room = call.room(arguments.limit);
    // The name repeats the key.
    let table =
        Table::of_report("top_function", &top.functions.batches, &mut room)?.without("name");
    let head = head(&top, &request)
        .map_err(|error| CallError::System { action: "write a text", what: error.to_string() })?;
    call.checked()?;
    Ok(Reply::table(&head, table).noting(call))
}

/// Returns the lines above the functions: whether the captures are complete, and what is left out.
fn head(top: &Top, request: &TopRequest) -> std::io::Result<String> {
    let mut out = Vec::new();
    let (all, options) = (rows(&top.functions.batches), OptionStyle(argument));
    health::draw(&mut out, &top.health.batches)?;
    if let Some([readings, left_out]) = &top.invocations {
        doubt::draw(&mut out, &rows(&readings.batches), options)?;
        warmup::draw(&mut out, &rows(&left_out.batches), &all, options)?;
    }
    let mut text = String::from_utf8_lossy(&out).into_owned();
    if let Some(there) = &top.unmatched {
        let asked = format!("filter={}", request.filter);
        text += &absence::unmatched(&there.noun, &[asked], &there.known, &there.similar);
    } else if !all.iter().any(|row| row.count("dispatch_count") > 0) {
        text += absence::of_shown(&rows(&top.health.batches));
    }
    Ok(text)
}

/// Spells the options that are arguments.
fn argument(option: &str) -> Option<String> {
    option.starts_with("warmup").then(|| format!("argument `{option}`"))
}

/// Returns the value of a list that was chosen, or the default.
fn chosen<T: Copy + Default>(
    what: &str,
    name: Option<&str>,
    all: &[T],
    named: fn(T) -> &'static str,
) -> Result<T, CallError> {
    let Some(name) = name else { return Ok(T::default()) };
    all.iter().copied().find(|it| named(*it) == name).ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|it| named(*it)).collect();
        CallError::Arguments(format!("`{what}` is one of {}", known.join(", ")))
    })
}

/// Reads which calls are left out.
pub fn left_out(text: Option<&str>) -> Result<Warmup, CallError> {
    let wrong = || CallError::Arguments("`warmup` is auto, keep, or a number of calls".to_owned());
    text.map_or(Ok(Warmup::Auto), |text| Warmup::parse(text).ok_or_else(wrong))
}
