//! `compare`: whether one side is faster than another.

use arrow::array::RecordBatch;
use engine::comparison::{MEASURES, Measure};
use model::compare::Comparison;
use report::comparison::{Terms, remarks, text as words};
use serde::Deserialize;
use serde_json::{Value, json};
use workspace::comparison::{CompareOptions, CompareRequest, Selection, SideSource, Sides, batch};

use super::top::left_out;
use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{columns, number, object, one_of, paths, text};
use crate::table::Table;
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "compare",
    description: "Whether new is faster than base: verdict with 95 % interval, then functions by their part in the difference (ns per call). \
Several bundles are runs of a side; four or more on each decide. Without new, base is the folder of a race.",
    input: || {
        object(
            &[
                ("base", paths()),
                ("new", paths()),
                ("filter", text("functions, as in top")),
                ("warmup", text("as in top")),
                ("measure", one_of(&MEASURES.map(|it| it.name))),
                ("noise_floor", number("share that does not matter, as 0.02")),
            ],
            1,
        )
    },
    output: || {
        let [columns, rows, cut, notes] = columns();
        object(
            &[
                columns,
                rows,
                ("verdict", text("")),
                ("total", json!({"type": "object"})),
                cut,
                notes,
            ],
            4,
        )
    },
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    base: Vec<String>,
    #[serde(default)]
    new: Vec<String>,
    #[serde(default)]
    filter: Option<String>,
    #[serde(default)]
    warmup: Option<String>,
    #[serde(default)]
    measure: Option<String>,
    #[serde(default)]
    noise_floor: Option<f64>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let arguments: Arguments = read(arguments)?;
    if arguments.noise_floor.is_some_and(|share| !(0.0..10.0).contains(&share)) {
        return Err(CallError::Arguments("`noise_floor` is a share, such as 0.02 for 2 %".into()));
    }
    let selection = Selection {
        measure: measure(arguments.measure.as_deref())?,
        warmup: left_out(arguments.warmup.as_deref())?,
        filter: arguments.filter.clone().unwrap_or_else(|| "*".to_owned()),
    };
    let sides = sides(call, &arguments, &selection)?;
    let options =
        CompareOptions { noise_floor: arguments.noise_floor, ..CompareOptions::default() };
    let compared = sides.compare(&options)?;
    call.checked()?;
    let Some(only) = compared.first() else {
        return Err(CallError::Arguments("there is nothing to compare".into()));
    };
    reply(call, only, &batch(&compared)?)
}

/// Opens the sides; those of a race are found by its folder.
fn sides(call: &Call, arguments: &Arguments, selection: &Selection) -> Result<Sides, CallError> {
    if arguments.new.is_empty() {
        if arguments.base.len() != 1 {
            let text = "give `new`, or one folder of a race as `base`";
            return Err(CallError::Arguments(text.into()));
        }
        let sides = call.arguments(&arguments.base)?;
        let request =
            CompareRequest { sides, selection: selection.clone(), ..CompareRequest::default() };
        let sides = Sides::open(&request, &call.options)?;
        call.checked()?;
        return Ok(sides);
    }
    let side = |name: &str, bundles: &[String]| {
        let source = SideSource { name: name.to_owned(), bundles: call.arguments(bundles)? };
        Ok::<_, CallError>(source.open(selection, &call.options)?)
    };
    let runs = vec![side("base", &arguments.base)?, side("new", &arguments.new)?];
    call.checked()?;
    Ok(Sides::of(runs, selection.measure, &call.options.files)?)
}

/// Returns the measure of this name.
fn measure(name: Option<&str>) -> Result<&'static Measure, CallError> {
    let Some(name) = name else { return Ok(Selection::default().measure) };
    Measure::named(name).ok_or_else(|| {
        let names = MEASURES.map(|it| it.name).join(", ");
        CallError::Arguments(format!("`measure` is one of {names}"))
    })
}

fn reply(call: &Call, compared: &Comparison, rows: &RecordBatch) -> Result<Reply, CallError> {
    let total = compared.total();
    let remarks = remarks(compared, &Terms::default());
    let head = [vec![words::verdict(compared), words::sides(compared)], remarks.clone()]
        .concat()
        .join("\n");
    // The first row is the total.
    let functions = rows.slice(1.min(rows.num_rows()), rows.num_rows().saturating_sub(1));
    let table = Table::of_report("comparison_function", &[functions], &mut call.room(None))?;
    let runs = [&compared.base, &compared.new].map(|side| side.runs.len());
    let summary = json!({
        "base_ns": total.base_ns,
        "new_ns": total.new_ns,
        "delta_ns": total.delta_ns(),
        "ratio": total.interval.map(|it| it.ratio),
        "ratio_low": total.interval.map(|it| it.low),
        "ratio_high": total.interval.map(|it| it.high),
        "noise_floor": total.floor - 1.0,
        "reason": total.reason,
        "clock": compared.clock.name(),
        "per": if compared.by_iteration { "call" } else { "run" },
        "base_runs": runs[0],
        "new_runs": runs[1],
        "further_runs": total.further_runs,
        "remarks": remarks,
    });
    Ok(Reply::table(&head, table)
        .with("verdict", total.verdict.name())
        .with("total", summary)
        .noting(call))
}
