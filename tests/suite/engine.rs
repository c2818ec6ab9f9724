//! Tests the engine: projections and filters skip columns and chunks, limits stop a scan early, results do not depend
//! on the number of threads, and memory is bounded.

use super::profile::optimized;
use crate::Test;
use crate::support::ask::{cell, csv, engine_of, engine_over, file, open, rows};
use crate::support::builder::{Bundle, Chunk, record};
use crate::support::built;

pub const TESTS: &[Test] = &[
    ("a_projection_decodes_only_its_columns", projection),
    ("count_decodes_nothing", count),
    ("filters_skip_chunks", skipping),
    ("a_limit_stops_early", limit),
    ("answers_do_not_depend_on_threads", threads),
    ("file_order_needs_no_sort", file_order),
    ("many_bundles_are_told_apart", many),
    ("a_plan_that_runs_twice_answers_twice", twice),
    ("a_stream_of_rows_needs_little_memory", bounded_memory),
    ("users_can_create_views_and_tables", creating),
    ("statements_of_every_kind_answer", statements),
    ("what_is_looked_up_of_nothing_is_null", lookups),
    ("errors_say_what_is_wrong", errors),
    ("explain_has_a_row_for_each_operator", explained),
    ("every_view_and_table_plans_and_runs", everything),
];

/// Builds a bundle of `chunks` chunks of `rows` dispatch events, on two alternating devices, half of them in each of
/// two sessions.
fn large(chunks: u64, rows: u64) -> Vec<u8> {
    let mut bundle = Bundle::new();
    for chunk in 0..chunks {
        let events: Vec<Vec<u8>> = (0..rows)
            .map(|row| {
                let id = i128::from(chunk * rows + row);
                record(
                    "dispatch_event",
                    &[
                        ("event_id", id),
                        ("executable_id", 1),
                        ("start_tick", id + 1),
                        ("end_tick", 2 * id + 1),
                    ],
                    &[],
                )
            })
            .collect();
        let header = Chunk {
            session: 1 + 2 * chunk / chunks,
            device: (chunk % 2) as u32,
            queue: 0,
            stream: chunk,
            ..Chunk::default()
        };
        bundle = bundle.chunk("dispatch-events", header, &events);
    }
    bundle.finish()
}

/// Returns the value of a metric of the scan, summed over its threads, from EXPLAIN ANALYZE.
fn counter(bytes: &[u8], query: &str, name: &str) -> usize {
    let plan = csv(&engine_of(bytes), &format!("EXPLAIN ANALYZE VERBOSE {query}")).unwrap();
    let scan = plan
        .lines()
        .find(|line| line.contains("BundleScan"))
        .unwrap_or_else(|| panic!("{query} scans: {plan}"));
    let (_, value) =
        scan.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("{name} is counted: {scan}"));
    let number: String =
        value.chars().take_while(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    let unit = value.strip_prefix(&number).unwrap_or_default();
    let number: f64 = number.parse().unwrap();
    (if unit.trim_start().starts_with('K') { number * 1000.0 } else { number }) as usize
}

fn projection() {
    let bytes = large(2, 400);
    assert_eq!(
        counter(&bytes, "SELECT max(start_tick) FROM dispatch_events", "bytes_decoded"),
        800 * 8 / 1000 * 1000 + 400
    );
    assert_eq!(
        counter(&bytes, "SELECT max(command_index) FROM dispatch_events", "bytes_decoded"),
        3200
    );
    assert_eq!(
        counter(
            &bytes,
            "SELECT max(physical_device_ordinal) FROM dispatch_events",
            "bytes_decoded"
        ),
        0
    );
}

fn count() {
    let bytes = large(3, 100);
    let plan =
        csv(&engine_of(&bytes), "EXPLAIN FORMAT INDENT SELECT count(*) FROM dispatch_events")
            .unwrap();
    assert!(!plan.contains("BundleScan"), "the count is known before the scan: {plan}");
    let engine = engine_of(&bytes);
    assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events"), "300");
    assert_eq!(
        cell(&engine, "SELECT count(*) FROM dispatch_events WHERE physical_device_ordinal = 1"),
        "100"
    );
    assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events WHERE start_tick > 100"), "200");
}

fn skipping() {
    let bytes = large(8, 10);
    for (filter, kept, rows) in [
        ("physical_device_ordinal = 0", 4, 40),
        ("physical_device_ordinal <> 0", 4, 40),
        ("session_id = 1", 4, 40),
        ("session_id BETWEEN 2 AND 9", 4, 40),
        ("stream_id >= 6", 2, 20),
        ("stream_id IN (1, 3) AND physical_device_ordinal = 1", 2, 20),
        ("stream_id = 1 OR stream_id = 2", 2, 20),
        ("queue_ordinal = 0 AND event_id < 5", 8, 5),
        ("queue_ordinal IS NULL", 0, 0),
        ("bundle = 'b'", 8, 80),
        ("stream_id = 1 OR event_id = 79", 8, 11),
        ("stream_id NOT IN (1, NULL)", 0, 0),
        ("NOT (session_id IN (1, NULL))", 0, 0),
        ("bundle = 'nobody'", 0, 0),
    ] {
        let query = format!("SELECT max(event_id) FROM dispatch_events WHERE {filter}");
        assert_eq!(counter(&bytes, &query, "chunks_read"), kept, "{filter}");
        assert_eq!(counter(&bytes, &query, "chunks_skipped"), 8 - kept, "{filter}");
        let counted = cell(
            &engine_of(&bytes),
            &format!("SELECT count(event_id) FROM dispatch_events WHERE {filter}"),
        );
        assert_eq!(counted, rows.to_string(), "{filter}");
    }
}

fn limit() {
    let bytes = large(4, 5000);
    assert_eq!(counter(&bytes, "SELECT event_id FROM dispatch_events LIMIT 7", "output_rows"), 7);
    assert_eq!(
        counter(
            &bytes,
            "SELECT event_id FROM dispatch_events WHERE physical_device_ordinal = 1 LIMIT 7",
            "output_rows"
        ),
        7
    );
    assert_eq!(
        rows(&engine_of(&bytes), "SELECT event_id FROM dispatch_events LIMIT 3 OFFSET 2"),
        [["2"], ["3"], ["4"]]
    );
}

fn threads() {
    // Large enough that more than one thread is used.
    let bytes = large(6, 12_000);
    let file = file(&bytes);
    let query = "SELECT physical_device_ordinal, count(*), sum(end_tick - start_tick), min(event_id), max(event_id) \
                 FROM dispatch_events GROUP BY 1 ORDER BY 1";
    let one = csv(&engine_over(vec![open(file.path(), "b").unwrap()], Some(1)), query).unwrap();
    for count in [2, 3, 8] {
        let engine = engine_over(vec![open(file.path(), "b").unwrap()], Some(count));
        assert_eq!(engine.threads(), count);
        assert_eq!(csv(&engine, query).unwrap(), one, "{count} threads");
        assert_eq!(cell(&engine, "SELECT count(DISTINCT event_id) FROM dispatch_events"), "72000");
    }
}

fn file_order() {
    let file = file(&large(6, 12_000));
    let engine = engine_over(vec![open(file.path(), "b").unwrap()], Some(3));
    let query = "SELECT event_id FROM dispatch_events WHERE event_id % 3 = 0 ORDER BY byte_offset";
    let plan = csv(&engine, &format!("EXPLAIN FORMAT INDENT {query}")).unwrap();
    assert!(plan.contains("SortPreservingMergeExec") && !plan.contains("SortExec"), "{plan}");
    let ids: Vec<usize> = rows(&engine, query).iter().map(|row| row[0].parse().unwrap()).collect();
    assert_eq!(ids, (0..72_000).step_by(3).collect::<Vec<_>>());
    let plan = csv(&engine, "EXPLAIN FORMAT INDENT SELECT name FROM records ORDER BY record_index")
        .unwrap();
    assert!(!plan.contains("SortExec"), "{plan}");
}

fn many() {
    let (gpu, two) = (file(&built::named("gpu")), file(&built::named("two_sessions")));
    let engine =
        engine_over(vec![open(gpu.path(), "gpu").unwrap(), open(two.path(), "two").unwrap()], None);
    let counts =
        rows(&engine, "SELECT bundle, count(*) FROM dispatches GROUP BY bundle ORDER BY bundle");
    assert_eq!(counts, [["gpu", "8"], ["two", "3"]]);
    assert_eq!(
        rows(&engine, "SELECT DISTINCT bundle FROM executable_functions WHERE bundle <> 'gpu'"),
        [["two"]]
    );
}

fn twice() {
    let engine = engine_of(&large(2, 100));
    let query = "SELECT count(*) FROM dispatch_events AS a JOIN dispatch_events AS b ON a.event_id = b.event_id";
    assert_eq!(cell(&engine, query), "200");
    let recursive = "WITH RECURSIVE steps(n) AS (SELECT 0 AS n UNION ALL SELECT steps.n + 1 FROM steps \
                     JOIN dispatch_events AS e ON CAST(e.event_id AS BIGINT) = steps.n WHERE steps.n < 5) SELECT max(n) FROM steps";
    assert_eq!(cell(&engine, recursive), "5");
}

/// Streams a million rows of 30 columns to a pipe under a memory limit that is lower than the size of the table.
/// Invocations take about 100 bytes per dispatch while they are found.
fn bounded_memory() {
    let file = file(&large(20, 50_000));
    for (query, lines, limit) in [
        ("SELECT * FROM dispatch_events", 1_000_001, 200_000),
        ("SELECT * FROM dispatches WHERE event_id % 2 = 0", 500_001, 250_000),
    ] {
        let command = format!(
            "ulimit -d {limit}; exec '{}' --threads=2 sql --format=csv -c '{query}' '{}' | wc -l; exit ${{PIPESTATUS[0]}}",
            optimized().display(),
            file.path().display()
        );
        let output = std::process::Command::new("bash").args(["-c", &command]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {said}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            lines.to_string(),
            "{query}: {said}"
        );
    }
}

fn creating() {
    let engine = engine_of(&built::named("gpu"));
    csv(&engine, "CREATE VIEW slow AS SELECT * FROM dispatches WHERE duration_ns > 1000").unwrap();
    assert_eq!(cell(&engine, "SELECT count(*) FROM slow"), "1");
    csv(&engine, "CREATE TABLE mine AS SELECT 1 AS x").unwrap();
    assert_eq!(cell(&engine, "SELECT x FROM mine"), "1");
    let names = rows(
        &engine,
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    for name in ["slow", "mine", "dispatches", "dispatch_events"] {
        assert!(names.contains(&vec![name.to_owned()]), "{name} is listed");
    }
}

fn statements() {
    let engine = engine_of(&built::named("gpu"));
    for (statement, expected) in [
        ("CREATE VIEW two AS SELECT 1 AS a, NULL AS b", "\"\""),
        ("SELECT * FROM two", "a,b\n1,\n"),
        ("PREPARE p AS SELECT a, count(*) AS n FROM two GROUP BY a", "\"\""),
        ("EXECUTE p", "a,n\n1,1\n"),
        ("DESCRIBE two", "column_name,data_type,is_nullable\na,Int64,NO\nb,Null,YES\n"),
        ("SET datafusion.execution.batch_size = 100", "\"\""),
        (
            "SHOW datafusion.execution.batch_size",
            "name,value\ndatafusion.execution.batch_size,100\n",
        ),
        ("VALUES (1, 'a')", "column1,column2\n1,a\n"),
    ] {
        assert_eq!(csv(&engine, statement).unwrap().trim(), expected.trim(), "{statement}");
    }
}

fn lookups() {
    let gpu = file(&built::named("gpu"));
    let engine = engine_over(vec![open(gpu.path(), "gpu").unwrap()], None);
    for (call, expected) in [
        ("session_function_key('gpu', 1, 7, 0)", "matmul"),
        ("session_function_key('gpu', 2, 7, 0)", "executable7#0"),
        ("session_function_key('gpu', 1, NULL, 1)", "executable0#1"),
        ("session_function_key('gpu', 1, 7, NULL)", "executable7#0"),
        ("session_function_key('elsewhere', 1, 7, 1)", "NULL"),
        ("session_function_key(NULL, 1, 7, 1)", "NULL"),
        ("device_clock_time_ns('gpu', 1, 0, 2000)", "60000"),
        ("device_clock_time_ns('gpu', 1, NULL, 2000)", "NULL"),
        ("device_clock_time_ns('gpu', 1, 9, 2000)", "NULL"),
        ("device_clock_time_ns('elsewhere', 1, 0, 2000)", "NULL"),
        ("device_clock_ticks_to_ns('gpu', 1, 0, 3)", "30"),
        ("device_clock_ticks_to_ns('gpu', 1, 0, NULL)", "NULL"),
        ("device_clock_time_domain('gpu', 1, 0)", "driver_host_cpu_timestamp_ns"),
    ] {
        let text = format!("SELECT coalesce(CAST({call} AS VARCHAR), 'NULL')");
        assert_eq!(cell(&engine, &text), expected, "{call}");
    }
}

fn errors() {
    let engine = engine_of(&built::named("gpu"));
    for (query, part) in [
        ("SELECT nope FROM dispatches", "there is no column nope"),
        ("SELECT * FROM nothing", "nothing"),
        ("SELEC 1", "SELEC"),
        ("SELECT 1 // 0", "divides by zero"),
        ("SELECT 1 % 0", "Divide by zero"),
    ] {
        let error = csv(&engine, query).expect_err(query).to_string();
        assert!(error.contains(part), "{query}: {error}");
    }
}

fn explained() {
    let engine = engine_of(&built::named("gpu"));
    let rows =
        csv(&engine, "EXPLAIN ANALYZE SELECT count(*) FROM dispatch_events WHERE event_id > 0");
    let rows = rows.unwrap();
    assert!(rows.starts_with("operator,rows,ms,what\n"), "{rows}");
    let count = cell(&engine, "SELECT count(*) FROM dispatch_events");
    let scan = rows.lines().find(|line| line.trim_start().starts_with("scan,")).unwrap();
    let fields: Vec<&str> = scan.trim_start().split(',').collect();
    assert_eq!(fields[1], count, "{rows}");
    assert!(fields[2].parse::<f64>().unwrap() >= 0.0, "{rows}");
    // DataFusion's own forms stay.
    assert!(csv(&engine, "EXPLAIN FORMAT INDENT SELECT 1").unwrap().starts_with("plan_type,plan"));
}

fn everything() {
    for name in ["gpu", "no_clock", "empty", "lossy", "two_sessions", "orphans"] {
        let engine = engine_of(&built::named(name));
        for table in schemas::all() {
            csv(&engine, &format!("SELECT * FROM {}", table.name))
                .unwrap_or_else(|error| panic!("{} of {name}: {error}", table.name));
        }
        for view in sql::all() {
            if view.kind != sql::Kind::View && name == "orphans" {
                // A dangling reference is an error in reports and exports, as in iree-profile.
                continue;
            }
            let text = csv(&engine, &format!("SELECT * FROM {}", view.qualified()))
                .unwrap_or_else(|error| panic!("{} of {name}: {error}", view.name));
            let header = text.lines().next().unwrap();
            let documented: Vec<&str> =
                view.header().columns.iter().map(|column| column.name.as_str()).collect();
            assert_eq!(
                header,
                documented.join(","),
                "{} documents its columns in order",
                view.name
            );
        }
    }
}
