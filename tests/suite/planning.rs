//! Tests that query results do not depend on projections, the way in or the grouping strategy.

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use arrow::datatypes::FieldRef;
use arrow::util::pretty::pretty_format_batches;
use futures::StreamExt;
use ireescope::engine::{Answer, Engine, EngineError, Parameters};

use crate::Test;
use crate::support::ask::{
    captures, cell, csv, engine, engine_of, engine_over, file, generated, open, root, rows,
};
use crate::support::built;
use crate::support::day::is_tried;
use crate::support::generator::Capture;

pub const TESTS: &[Test] = &[
    ("a_column_alone_is_what_it_is_among_all", columns),
    ("files_answer_like_the_relations_of_their_names", relations),
    ("columns_are_those_of_any_bundle", same_columns),
    ("a_session_that_was_asked_for_little_answers_more", more),
    ("a_wrong_name_is_told_of_near_columns", wrong_names),
    ("groups_by_number_are_those_by_name", groups_by_number),
];

/// Sorts rows, because the rows of a query have no order.
fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

fn columns() {
    let capture = root().join("tests/data/mlp-local-task.ireeprof");
    for engine in [engine_of(&built::named("gpu")), engine(&capture)] {
        for view in sql::all() {
            let name = view.qualified();
            let all = csv(&engine, &format!("SELECT * FROM {name}")).unwrap();
            let mut all = csv::Reader::from_reader(all.as_bytes());
            let all: Vec<csv::StringRecord> = all.records().map(Result::unwrap).collect();
            for (nth, column) in view.header().columns.iter().enumerate() {
                let alone =
                    csv(&engine, &format!("SELECT \"{}\" FROM {name}", column.name)).unwrap();
                let mut alone = csv::Reader::from_reader(alone.as_bytes());
                let cells = |record: csv::StringRecord, nth: usize| vec![record[nth].to_owned()];
                let alone = alone.records().map(|record| cells(record.unwrap(), 0)).collect();
                let among = all.iter().map(|record| cells(record.clone(), nth)).collect();
                assert_eq!(sorted(alone), sorted(among), "{} of {name}", column.name);
            }
        }
    }
}

/// An answer or an error message.
type Said = Result<Answer, String>;

/// Runs the SQL files of a kind as commands do, and returns their answers by name.
fn each(engine: &Engine, kind: sql::Kind) -> BTreeMap<&'static str, Said> {
    answers(engine, kind, sql::names(kind))
}

/// Runs some SQL files of a kind.
fn answers(
    engine: &Engine,
    kind: sql::Kind,
    names: impl Iterator<Item = &'static str>,
) -> BTreeMap<&'static str, Said> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answer = |name: &'static str| {
        let parameters = Parameters::of_relation(name);
        let answer = runtime
            .block_on(async { engine.prepare(kind, name, &parameters).await?.answer().await });
        (name, answer.map_err(|error: EngineError| error.to_string()))
    };
    names.map(answer).collect()
}

/// Formats batches as a table, and sorts its lines, because rows have no order.
fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let table = pretty_format_batches(batches).unwrap().to_string();
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Selects everything from a relation, as a user does.
fn selected(engine: &Engine, kind: sql::Kind, name: &str) -> Result<Vec<String>, String> {
    let qualified = sql::find(kind, name).unwrap().qualified();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let batches: Result<Vec<RecordBatch>, EngineError> = runtime.block_on(async {
        let mut stream = engine.query(&format!("SELECT * FROM {qualified}")).await?;
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    });
    batches.map(|batches| lines(&batches)).map_err(|error| error.to_string())
}

/// One in so many pairs of a relation and a bundle is tried a day.
const PAIRS: usize = 3;

fn relations() {
    let captures = captures().into_iter().map(|path| (path.display().to_string(), path, None));
    let built = built::ALL.iter().map(|name| {
        let made = file(&built::named(name)).into_temp_path();
        ((*name).to_owned(), made.to_path_buf(), Some(made))
    });
    for (nth, (called, path, made)) in captures.chain(built).enumerate() {
        let engine = engine_over(vec![open(&path, "b").unwrap()], Some(1));
        let mut says_something = false;
        for kind in sql::Kind::ALL {
            let names = sql::names(kind).enumerate();
            let names = names.filter(|(at, _)| is_tried(nth + at, PAIRS)).map(|(_, name)| name);
            for (name, said) in answers(&engine, kind, names) {
                let said = said.map(|answer| lines(&answer.batches));
                says_something |= said.as_ref().is_ok_and(|lines| lines.len() > 5);
                assert_eq!(said, selected(&engine, kind, name), "{name} of {called}");
            }
        }
        // Only built bundles may be empty.
        assert!(says_something || made.is_some(), "{called} says something");
    }
}

fn same_columns() {
    let capture = |name| engine(&root().join(format!("tests/data/{name}.ireeprof")));
    let engines = [
        ("a GPU's", capture("mlp-vulkan")),
        ("a CPU's", capture("mlp-local-task")),
        ("of all kinds", engine_of(&built::named("gpu"))),
        ("empty", engine_of(&built::named("empty"))),
    ];
    for kind in sql::Kind::ALL {
        let [first, others @ ..] = engines.each_ref().map(|(is, engine)| (is, each(engine, kind)));
        let columns = |said: &Said| {
            let schema = &said.as_ref().unwrap().schema;
            let column =
                |it: &FieldRef| (it.name().clone(), it.data_type().clone(), it.is_nullable());
            schema.fields().iter().map(column).collect::<Vec<_>>()
        };
        for (is, answers) in others {
            for (name, said) in answers {
                assert_eq!(columns(&said), columns(&first.1[name]), "{name} of what is {is}");
            }
        }
    }
}

fn more() {
    let engine = engine_of(&built::named("gpu"));
    let count = cell(&engine, "SELECT count(*) FROM dispatches");
    assert_ne!(count, "0");
    let keys = rows(&engine, "SELECT key FROM dispatches");
    assert_eq!(keys.len().to_string(), count);
    assert_eq!(rows(&engine, "SELECT key FROM dispatches WHERE duration_ns >= 0 OR true"), keys);
    let widths: Vec<usize> =
        rows(&engine, "SELECT * FROM dispatches").iter().map(Vec::len).collect();
    let documented = sql::find(sql::Kind::View, "dispatches").unwrap().header().columns.len();
    assert!(widths.iter().all(|width| *width == documented), "{widths:?}");
    let columns =
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'dispatches'";
    assert_eq!(rows(&engine, columns).len(), documented);
    for (query, expected) in [
        // NULL columns equal nothing.
        ("SELECT count(*) FROM dispatches NATURAL JOIN dispatches AS other", "0"),
        ("WITH d AS (SELECT * FROM dispatches) SELECT count(DISTINCT key) > 0 FROM d", "true"),
    ] {
        assert_eq!(cell(&engine, query), expected, "{query}");
    }
    let renamed = csv(&engine, "SELECT count(a) FROM dispatches AS d(a)").unwrap_err().to_string();
    assert!(renamed.contains(&format!("{documented} columns")), "{renamed}");
}

fn wrong_names() {
    let engine = engine_of(&built::named("gpu"));
    // Columns that the query does not read are suggested, too.
    for column in ["key", "byte_offset", "tile_count"] {
        let error = csv(&engine, &format!("SELECT {column}x FROM dispatches")).unwrap_err();
        assert!(error.to_string().contains(&format!("did you mean {column}")), "{error}");
    }
    let documented = sql::find(sql::Kind::View, "dispatches").unwrap().header().columns.len();
    let error = csv(&engine, "SELECT zzz FROM dispatches").unwrap_err().to_string();
    assert!(error.contains(&format!("and {} more", documented - 8)), "{error}");
}

/// Opens two bundles with the same functions, large enough for partial aggregation.
fn two_large() -> Engine {
    let file = generated(&Capture {
        dispatches: 20_000,
        device: true,
        host: true,
        seed: 5,
        per_submission: false,
    });
    let bundles = ["one", "two"].map(|label| open(file.path(), label).unwrap());
    engine_over(bundles.into(), Some(2))
}

fn groups_by_number() {
    let engine = two_large();
    let device = "SELECT function_key(bundle, physical_device_ordinal, executable_id, function_ordinal) AS key, event_id AS ns \
                  FROM dispatch_events";
    let some_null = device.replace("(bundle,", "(CASE WHEN event_id % 3 = 0 THEN bundle END,");
    let named = "SELECT key, bundle, duration_ns AS ns FROM dispatches";
    for (from, select) in [
        (named, "key, count(*), sum(ns)"),
        (named, "key, count(*), min(ns), max(ns), avg(ns)"),
        (named, "bundle, key, count(*), sum(ns)"),
        (device, "key, count(*), sum(ns)"),
        (&some_null, "key, count(*), sum(ns)"),
    ] {
        let groups = if select.starts_with("bundle") { "1, 2" } else { "1" };
        let by_number = format!("SELECT {select} FROM ({from}) GROUP BY {groups}");
        // An expression over the name prevents grouping by number.
        let by_name = format!(
            "SELECT {select} FROM (SELECT * REPLACE (nullif(key, '-') AS key) FROM ({from})) GROUP BY {groups}"
        );
        let is_numbered = |query: &str| {
            csv(&engine, &format!("EXPLAIN FORMAT INDENT {query}")).unwrap().contains("number_of_")
        };
        assert!(is_numbered(&by_number), "{by_number}");
        assert!(!is_numbered(&by_name), "{by_name}");
        let expected = sorted(rows(&engine, &by_name));
        assert!(expected.len() >= 64, "{} groups", expected.len());
        assert_eq!(sorted(rows(&engine, &by_number)), expected, "{by_number}");
    }
    // Aggregates over the group key itself get the name.
    let named = "SELECT key, count(DISTINCT key), min(key) FROM dispatches GROUP BY key";
    for row in rows(&engine, named) {
        assert_eq!(row[1..], ["1".to_owned(), row[0].clone()]);
    }
}
