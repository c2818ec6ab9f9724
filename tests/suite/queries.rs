//! Tests queries that are read by threads of others, tables that other sessions of DataFusion scan, and rows that become tables.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use arrow::array::{AsArray, Int64Array, RecordBatch};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use datafusion::prelude::SessionContext;
use ireescope::workspace::{Next, Query, Workspace, WorkspaceOptions};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("each_reader_gets_all_rows", again),
    ("statements_before_the_last_run_at_once", scripts),
    ("a_reader_that_is_dropped_ends_the_query", dropped),
    ("other_sessions_scan_what_they_need", offered),
    ("rows_become_tables", registered),
    ("a_workspace_may_be_dropped_by_a_task", dropped_in_a_task),
];

fn open() -> Arc<Workspace> {
    let bundle = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp-local-task.ireeprof");
    let bundle = bundle.display().to_string();
    Arc::new(Workspace::open_stoppable(&[bundle], &WorkspaceOptions::default()).unwrap())
}

/// Reads all rows of a query.
fn read(query: &Query) -> Vec<RecordBatch> {
    let reader = query.read();
    let mut batches = Vec::new();
    loop {
        match reader.next_within(Duration::from_secs(10)).unwrap() {
            Next::Batch(batch) => batches.push(batch),
            Next::End => return batches,
            Next::Waiting => panic!("the query takes too long"),
        }
    }
}

fn count(query: &Query) -> usize {
    read(query).iter().map(RecordBatch::num_rows).sum()
}

fn again() {
    let workspace = open();
    let query = workspace.query("SELECT * FROM dispatches", &[]).unwrap();
    assert_eq!(query.schema().field(0).name(), "bundle");
    assert_eq!([count(&query), count(&query)], [80, 80]);
    // Threads read beside each other, and none waits for another to go on.
    let held = query.read();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| count(&query))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().unwrap() == 80));
    });
    drop(held);
    let variables = [("least".to_owned(), "60000".to_owned())];
    let some = workspace.query("SELECT * FROM dispatches WHERE duration_ns > $least", &variables);
    assert!(count(&some.unwrap()) < 80);
}

fn scripts() {
    let workspace = open();
    let query = workspace.query("CREATE VIEW v AS SELECT 1 AS x; SELECT x FROM v", &[]).unwrap();
    assert_eq!([count(&query), count(&query)], [1, 1]);
    let defined = workspace.query("CREATE VIEW w AS SELECT x FROM v", &[]).unwrap();
    // A definition is not repeated, as the name would be taken.
    assert_eq!([count(&defined), count(&defined)], [0, 0]);
    for wrong in ["", "SELECT y FROM v", "SELEC 1"] {
        assert!(workspace.query(wrong, &[]).is_err(), "{wrong}");
    }
}

fn dropped() {
    let workspace = open();
    let endless = "SELECT count(*) FROM dispatches a, dispatches b, dispatches c, dispatches d, dispatches e \
                   WHERE a.duration_ns + b.duration_ns + c.duration_ns + d.duration_ns + e.duration_ns = 7";
    let query = workspace.query(endless, &[]).unwrap();
    let reader = query.read();
    assert!(matches!(reader.next_within(Duration::from_millis(200)).unwrap(), Next::Waiting));
    drop(reader);
    let start = Instant::now();
    assert_eq!(count(&workspace.query("SELECT * FROM dispatches", &[]).unwrap()), 80);
    drop((query, workspace));
    assert!(start.elapsed() < Duration::from_secs(5), "the query goes on");
}

fn offered() {
    let workspace = open();
    let relation = |name: &str| workspace.runtime.block_on(workspace.engine.offered(name));
    let context = SessionContext::new();
    context.register_table("d", relation("dispatches").unwrap()).unwrap();
    let query = "SELECT d.key FROM d WHERE d.duration_ns > 1000 AND d.key LIKE '%matmul%' LIMIT 7";
    let (plan, rows) = workspace.runtime.block_on(async {
        let frame = context.sql(query).await.unwrap();
        let plan = frame.clone().create_physical_plan().await.unwrap();
        let plan = datafusion::physical_plan::displayable(plan.as_ref()).indent(false).to_string();
        (plan, frame.collect().await.unwrap())
    });
    // Nothing is left to do but to join the parts of the scan.
    assert!(plan.contains("IreescopeScan") && !plan.contains("Filter"), "{plan}");
    assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 7);
    assert_eq!(rows[0].schema().fields().len(), 1);
    let counted = workspace.runtime.block_on(async {
        context.sql("SELECT count(*) FROM d").await.unwrap().collect().await.unwrap()
    });
    assert_eq!(counted[0].column(0).as_primitive::<Int64Type>().value(0), 80);
    assert!(relation("no_such_table").is_err());
}

fn registered() {
    let workspace = open();
    let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
    let rows = |numbers: Vec<i64>| {
        let column = Arc::new(Int64Array::from(numbers));
        vec![RecordBatch::try_new(Arc::clone(&schema), vec![column]).unwrap()]
    };
    let engine = &workspace.engine;
    engine.register("numbers", Arc::clone(&schema), rows(vec![1, 2])).unwrap();
    engine.register("numbers", Arc::clone(&schema), rows(vec![1, 2, 3])).unwrap();
    assert_eq!(count(&workspace.query("SELECT * FROM numbers", &[]).unwrap()), 3);
    assert!(engine.relation_names().unwrap().contains(&"numbers".to_owned()));
    let error = engine.register("dispatches", Arc::clone(&schema), rows(vec![1])).unwrap_err();
    assert!(error.to_string().contains("built in"), "{error}");
}

fn dropped_in_a_task() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let workspace = open();
    let query = workspace.query("SELECT * FROM dispatches", &[]).unwrap();
    drop(workspace);
    runtime.block_on(async move {
        assert_eq!(count(&query), 80);
        drop(query);
    });
}
