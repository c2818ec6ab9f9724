//! Asks random statements in every way that plans differently, and of `DuckDB` on the exported rows: all answers are the same,
//! or the statement is refused.
//!
//! `IREESCOPE_CASES` sets the number of statements, `IREESCOPE_SEED` which ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use exporters::Format;
use ireescope::bundle::Bundle;
use ireescope::engine::dataset::Dataset;
use ireescope::engine::{Engine, Memory, Options, Planning};
use libtest_mimic::Trial;
use serde_json::json;

use super::dataset::export;
use super::differential::BIN;
use crate::support::ask::{csv, encoded, open, root, rows};
use crate::support::day;
use crate::support::random_sql::{Kind, Relation, Statement, statement};
use crate::{Test, trial};

/// Statements that a run asks.
const CASES: u64 = 300;

/// Answers with more rows are not compared.
const MOST_ROWS: usize = 20_000;

/// The bundles, and their labels.
const BUNDLES: [(&str, &str); 2] = [("a", "matmul-local-task"), ("b", "matmul-vulkan")];

/// The relations that statements ask, which have few rows.
const RELATIONS: [&str; 6] =
    ["dispatches", "invocations", "queue_events", "memory_events", "executables", "top_functions"];

pub const TESTS: &[Test] =
    &[("known_statements_have_their_rows", known), ("datafusion_still_needs_our_rules", needed)];

/// A join whose condition has columns that are not selected.
const BETWEEN: &str = "SELECT d.bundle, d.end_ns, i.bundle AS ib, i.end_ns AS ie FROM dispatches d JOIN invocations i \
    ON d.bundle = i.bundle AND d.start_ns >= i.start_ns AND i.invocation < 3";

/// Groups of a join with groups, whose keys determine fewer columns than DataFusion has it.
const OF_GROUPS: &str = "FROM (VALUES ('p'), ('q'), ('r')) a(x) LEFT JOIN \
    (SELECT k, max(v) AS m FROM (VALUES ('z', 1)) t(k, v) GROUP BY k) b ON a.x = b.k GROUP BY b.k, a.x";

/// Rows of such groups, ordered by all keys.
const ORDERED: &str = "SELECT b.k, a.x, count(*) AS n {of_groups} ORDER BY b.k, a.x DESC";

/// A side of an outer join with a constant column, which is NULL where there is no match.
const CONSTANT: &str = "SELECT DISTINCT b.k FROM (VALUES (1), (2)) a(x) LEFT JOIN (SELECT max(v) AS k FROM (VALUES (1), (3)) t(v) GROUP BY v HAVING max(v) = 1) b \
    ON a.x = b.k ORDER BY b.k NULLS FIRST";

/// A join whose sides have columns that only its condition reads, and one that nothing does.
const FILTERED: &str = "SELECT c2, d2 FROM (VALUES (100, 1, 0)) a(c1, c2, c3) JOIN (VALUES (10, 1)) b(d1, d2) ON c2 = d2 AND c1 > d1";

/// Statements that were answered wrongly, and their rows.
pub const KNOWN: [(&str, &[&str]); 12] = [
    // A column that is constant, or NULL where there is no match.
    (CONSTANT, &["\"\"", "1"]),
    (
        "SELECT b.k, count(*) AS n FROM (VALUES (1), (2), (1)) a(x) LEFT JOIN (SELECT max(v) AS k FROM (VALUES (1), (3)) t(v) GROUP BY v HAVING max(v) = 1) b \
         ON a.x = b.k GROUP BY b.k ORDER BY b.k DESC NULLS LAST",
        &["1,2", ",1"],
    ),
    (
        "SELECT b.k, a.x FROM (SELECT max(v) AS k FROM (VALUES (1), (3)) t(v) GROUP BY v HAVING max(v) = 1) b FULL JOIN (VALUES (1), (2)) a(x) ON a.x = b.k \
         ORDER BY b.k NULLS FIRST, a.x",
        &[",2", "1,1"],
    ),
    // A condition that is never true.
    (
        "SELECT a.x, b.y FROM (VALUES (1), (2)) a(x) FULL JOIN (VALUES (2), (3)) b(y) ON a.x = b.y AND a.x <> CAST(NULL AS BIGINT) \
         ORDER BY a.x NULLS LAST, b.y",
        &["1,", "2,", ",2", ",3"],
    ),
    // A key with one value is NULL in the sets without it.
    (
        "SELECT workgroup_count_z AS z, timing_source AS t, count(*) AS n FROM dispatches WHERE workgroup_count_z = 1 \
         GROUP BY ROLLUP (timing_source, workgroup_count_z) ORDER BY z NULLS FIRST, t NULLS FIRST",
        &[",,16", ",device,8", ",host,8", "1,device,8", "1,host,8"],
    ),
    (
        "SELECT is_best_clock AS c, count(*) AS n FROM dispatches WHERE workgroup_count_z = 1 \
         GROUP BY ROLLUP (is_best_clock, workgroup_count_z) ORDER BY c NULLS FIRST",
        &[",16", "true,16", "true,16"],
    ),
    (ORDERED, &[",r,1", ",q,1", ",p,1"]),
    ("SELECT b.k, a.x, count(*) AS n {of_groups} ORDER BY b.k, a.x DESC LIMIT 1", &[",r,1"]),
    // The keys of the groups within determine nothing of those around them.
    (
        "SELECT b.k, a.y, count(*) AS n FROM (VALUES ('z', 1), ('z', 3), ('z', 2)) a(x, y) JOIN \
         (SELECT k, max(v) AS m FROM (VALUES ('z', 1)) t(k, v) GROUP BY k) b ON a.x = b.k GROUP BY b.k, a.y \
         ORDER BY b.k, a.y DESC",
        &["z,3,1", "z,2,1", "z,1,1"],
    ),
    (
        "SELECT k, count(*) AS n FROM (SELECT b.k, a.x {of_groups}) c GROUP BY k, x",
        &[",1", ",1", ",1"],
    ),
    ("SELECT DISTINCT k, m FROM (SELECT b.k, 1 AS m, a.x {of_groups}) c", &[",1"]),
    (FILTERED, &["1,1"]),
];

/// Returns the text of a statement of [`KNOWN`].
pub fn known_statement(text: &str) -> String {
    text.replace("{of_groups}", OF_GROUPS)
}

fn known() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = exported(folder.path());
    let ways = ways(&parquet, folder.path());
    for (text, wanted) in KNOWN {
        for (way, engine) in &ways {
            let text = known_statement(text);
            let found = csv(engine, &text).unwrap_or_else(|error| panic!("{way}: {text}: {error}"));
            assert_eq!(found.lines().skip(1).collect::<Vec<_>>(), wanted, "{way}: {text}");
        }
    }
    let between = Statement { text: BETWEEN.into(), is_ordered: false };
    let (_, plain) = &ways[0];
    let wanted = lines(plain, &between).unwrap();
    assert!(wanted.len() > 5, "{wanted:?}");
    for (way, engine) in &ways[1..] {
        assert_eq!(lines(engine, &between).unwrap(), wanted, "{way}");
    }
}

/// Checks that DataFusion itself answers wrongly. Where it no longer does, our rule can go.
fn needed() {
    let rows = |statement: &str, parts: usize| {
        let config = SessionConfig::new()
            .with_target_partitions(parts)
            .set_bool("datafusion.optimizer.prefer_hash_join", false);
        let answer = async {
            let context = SessionContext::new_with_config(config);
            context.sql(statement).await?.collect().await
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let batches = runtime.block_on(answer).unwrap();
        pretty_format_batches(&batches).unwrap().to_string()
    };
    let said = rows(FILTERED, 2);
    assert!(!said.contains("| 1 "), "src/engine/sort_merge_joins.rs is no longer needed: {said}");
    // One partition: the order of several, which nothing sorts, may be right by chance.
    let said = rows(&known_statement(ORDERED), 1);
    let places = ["| p |", "| r |"].map(|row| said.find(row).unwrap());
    assert!(
        places[0] < places[1],
        "src/engine/functional_dependencies.rs is no longer needed: {said}"
    );
    let said = rows(CONSTANT, 1);
    assert!(
        said.find("| 1 ") < said.find("|   |"),
        "src/engine/null_extended.rs is no longer needed for outer joins: {said}"
    );
    let said = rows(
        "SELECT id FROM (SELECT 'id' AS id UNION ALL SELECT 'id' AS id ORDER BY id) GROUP BY GROUPING SETS ((id), ())",
        1,
    );
    let groups = said.matches("| id |").count() - 1;
    assert_eq!(
        groups, 2,
        "src/engine/null_extended.rs is no longer needed for grouping sets: {said}"
    );
}

/// The trials, which need `DuckDB`.
pub fn trials() -> Vec<Trial> {
    vec![trial("sql_ways::random_statements_have_one_answer".into(), random)]
}

fn bundles() -> Vec<Bundle> {
    let open = |(label, name)| open(&root().join(format!("tests/data/{name}.ireeprof")), label);
    BUNDLES.into_iter().map(|it| open(it).unwrap()).collect()
}

/// Exports the bundles to a dataset in a folder.
fn exported(folder: &Path) -> PathBuf {
    let parquet = folder.join("parquet");
    let paths =
        BUNDLES.map(|(label, name)| (label, root().join(format!("tests/data/{name}.ireeprof"))));
    let exported = export(&parquet, &paths.each_ref().map(|it| (it.0, it.1.as_path())), &[]);
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    parquet
}

/// A way to plan: with so many parts, and joins that sort or hash them.
fn planned(parts: usize, hashes: bool, batch: usize, memory: Memory) -> Options {
    let planning = Planning(Arc::new(move |mut state| {
        let config = state.config().clone().with_target_partitions(parts).with_batch_size(batch);
        *state.config_mut() = config;
        let options = state.config_mut().options_mut();
        options.optimizer.prefer_hash_join = hashes;
        // Both sides are divided, however small.
        options.optimizer.hash_join_single_partition_threshold = 0;
        options.optimizer.hash_join_single_partition_threshold_rows = 0;
        options.optimizer.repartition_file_min_size = 0;
        state
    }));
    Options { planning: Some(planning), memory, threads: Some(parts), ..Options::default() }
}

/// The engines, by the way in which they plan. The first is what users have.
fn ways(dataset: &Path, spilled: &Path) -> Vec<(&'static str, Engine)> {
    let little = Memory::limited(24 << 20, spilled.into()).unwrap();
    let plain = Memory::default;
    vec![
        ("plain", Engine::new(bundles(), Options { threads: Some(1), ..Options::default() })),
        ("in parts", Engine::new(bundles(), planned(4, true, 64, plain()))),
        ("sorted", Engine::new(bundles(), planned(1, false, 8192, plain()))),
        ("sorted in parts", Engine::new(bundles(), planned(3, false, 64, plain()))),
        (LITTLE, Engine::new(bundles(), planned(2, false, 64, little))),
        ("a dataset", Engine::of_dataset(Dataset::open(dataset).unwrap(), Options::default())),
    ]
}

/// What errors say of sums and differences that their type does not hold.
const OVERFLOWS: &str = " overflows ";

/// What errors say of statements that DataFusion 55.2 plans wrongly, and of which other plans are right (apache/datafusion#23590); and of
/// windows that workers cannot compute.
const FAULTS: [&str; 2] =
    ["the query planner cannot combine", "workers cannot compute the windows of this statement"];

/// The way that may have too little memory.
const LITTLE: &str = "little memory";

/// Returns the relations that statements ask.
pub fn relations(engine: &Engine) -> [Relation; 6] {
    RELATIONS.map(|name| relation(engine, name))
}

/// Returns a relation with the columns that statements use.
fn relation(engine: &Engine, name: &str) -> Relation {
    let columns = format!(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '{name}'"
    );
    let mut found = Vec::new();
    for column in rows(engine, &columns) {
        let kind = match column[1].as_str() {
            "Int64" | "Int32" | "UInt32" | "UInt64" | "UInt16" | "UInt8" => Kind::Integer,
            "Utf8View" | "Utf8" | "LargeUtf8" => Kind::Text,
            "Boolean" => Kind::Bool,
            _ => continue,
        };
        let name_of_column = &column[0];
        let values = csv(
            engine,
            &format!(
                "SELECT DISTINCT {name_of_column} FROM {name} WHERE {name_of_column} IS NOT NULL \
                 ORDER BY 1 LIMIT 3"
            ),
        );
        let quoted = |value: &str| match kind {
            Kind::Text => format!("'{}'", value.trim_matches('"').replace('\'', "''")),
            _ => value.to_owned(),
        };
        let values = values.unwrap().lines().skip(1).map(quoted).collect();
        found.push((name_of_column.clone(), kind, values));
    }
    assert!(found.len() > 3, "{name}: {found:?}");
    Relation { name: name.into(), columns: found }
}

/// Returns the rows of an answer as lines, sorted unless they have an order; or the error.
fn lines(engine: &Engine, statement: &Statement) -> Result<Vec<String>, String> {
    let text = csv(engine, &statement.text).map_err(|error| error.to_string())?;
    let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    if !statement.is_ordered {
        lines.sort();
    }
    Ok(lines)
}

fn random() {
    let cases = std::env::var("IREESCOPE_CASES").ok().map(|text| text.parse().unwrap());
    let cases: u64 = cases.unwrap_or(CASES);
    let folder = tempfile::tempdir().unwrap();
    let parquet = exported(folder.path());
    let mut ways = ways(&parquet, folder.path());
    #[cfg(feature = "cluster")]
    let workers = crate::support::workers::Workers::start(2, 60, &[]);
    #[cfg(feature = "cluster")]
    ways.push(("a cluster", workers.engine(&parquet, Some(3))));
    let (_, plain) = &ways[0];
    let relations = relations(plain);
    let tables = folder.path().join("tables");
    std::fs::create_dir(&tables).unwrap();
    for name in RELATIONS {
        let bytes = encoded(plain, &format!("SELECT * FROM {name}"), Format::Parquet).unwrap();
        std::fs::write(tables.join(format!("{name}.parquet")), bytes).unwrap();
    }
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut asked = String::new();
    let first = day::seed() as u64 * CASES;
    for seed in first..first + cases {
        let statement = statement(&relations, seed);
        let wanted = lines(plain, &statement);
        if wanted.as_ref().is_ok_and(|lines| lines.len() > MOST_ROWS) {
            *counts.entry("of too many rows").or_default() += 1;
            continue;
        }
        for (way, engine) in &ways[1..] {
            let found = lines(engine, &statement);
            let fails = |it: &Result<Vec<String>, String>, why: &str| {
                it.as_ref().is_err_and(|error| error.contains(why))
            };
            if *way == LITTLE && fails(&found, "memory_limit") {
                *counts.entry("refused for want of memory").or_default() += 1;
            } else if fails(&found, OVERFLOWS) || fails(&wanted, OVERFLOWS) {
                // Whether a value is computed that no row of the answer needs is up to the plan.
                *counts.entry("with a value that has no type").or_default() += 1;
            } else if FAULTS.iter().any(|why| fails(&found, why) || fails(&wanted, why)) {
                *counts.entry("refused by a known fault").or_default() += 1;
            } else if found.is_err() != wanted.is_err() || found.is_ok() && found != wanted {
                let said = |it: &Result<Vec<String>, String>| match it {
                    Ok(lines) => format!("{} rows", lines.len()),
                    Err(error) => error.clone(),
                };
                let (found, wanted) = (said(&found), said(&wanted));
                wrong
                    .push(format!("seed {seed}, {way}: {found}, not {wanted}: {}", statement.text));
            }
        }
        if let Err(error) = &wanted {
            *counts.entry("refused").or_default() += 1;
            assert!(!error.is_empty(), "{}", statement.text);
            asked += &format!("{}\n", json!({"sql": statement.text, "refused": error}));
            continue;
        }
        *counts.entry("answered").or_default() += 1;
        let path = folder.path().join(format!("{seed}.parquet"));
        std::fs::write(&path, encoded(plain, &statement.text, Format::Parquet).unwrap()).unwrap();
        asked += &format!(
            "{}\n",
            json!({"sql": statement.text, "is_ordered": statement.is_ordered, "rows": path})
        );
    }
    let list = folder.path().join("asked.jsonl");
    std::fs::write(&list, asked).unwrap();
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_rows.py"))
        .args([&tables, &list])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout);
    println!("{said}{counts:?}, {} differ by the way of planning", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked.status.success(), "{said}{}", String::from_utf8_lossy(&checked.stderr));
    assert!(counts["answered"] * 10 > cases * 8, "{counts:?}");
    let faults = counts.get("refused by a known fault").copied().unwrap_or_default();
    assert!(faults * 20 <= cases, "{counts:?}");
}
