//! `open`: says what captures contain, or which there are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use engine::dataset::Dataset;
use engine::{EngineError, Parameters};
use read::bundle::{Bundle, is_bundle_name, set};
use read::history::History;
use report::health;
use serde::Deserialize;
use serde_json::{Map, Value};
use tools::bench::run::Folders as BenchFolders;
use workspace::Workspace;

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{bundles, object, paths, table, text};
use crate::table::{Room, Table};
use crate::tool::Tool;

/// How deep folders are listed, and how many files are looked at.
const DEPTH: usize = 4;
const ENTRIES: usize = 50_000;

pub const TOOL: Tool = Tool {
    name: "open",
    description: "What captures contain: health, devices, calls. Start here. Without bundles: lists those below the server's folders. \
A bundle is a file, folder, glob, capture set, dataset, history, or NAME=PATH; several are read together.",
    input: || object(&[bundles()], 0),
    output: || {
        object(
            &[
                ("kind", text("")),
                ("found", table()),
                ("paths", table()),
                ("bundles", table()),
                ("devices", table()),
                ("calls", table()),
                ("entries", table()),
                ("tables", paths()),
                ("notes", paths()),
            ],
            1,
        )
    },
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    bundles: Vec<String>,
}

fn run(call: &Call, arguments: Value) -> Result<Reply, CallError> {
    let arguments: Arguments = read(arguments)?;
    let mut room = call.room(None);
    if arguments.bundles.is_empty() {
        return listed(call, &mut room);
    }
    let workspace = call.open(&arguments.bundles, Workspace::open_any)?;
    let reply = if workspace.engine.is_of_history() {
        of_history(&workspace, &mut room)?
    } else {
        of_captures(&workspace, &mut room)?
    };
    call.checked()?;
    Ok(reply.noting(call))
}

/// Lists what there is below the folders.
fn listed(call: &Call, room: &mut Room) -> Result<Reply, CallError> {
    let mut found = Vec::new();
    for root in call.folders.roots() {
        find(root, &mut found);
    }
    let (paths, kinds): (Vec<String>, Vec<&str>) =
        found.iter().map(|(path, kind)| (path.display().to_string(), *kind)).unzip();
    let columns = ["path", "kind"].map(|name| Field::new(name, DataType::Utf8, false));
    let schema = Arc::new(Schema::new(columns.to_vec()));
    let columns: [Arc<dyn Array>; 2] =
        [Arc::new(StringArray::from(paths)), Arc::new(StringArray::from(kinds))];
    let batch = RecordBatch::try_new(schema, columns.to_vec())?;
    let mut table = Table::new(&batch.schema(), None, room);
    table.add(&batch, room)?;
    let head = if found.is_empty() {
        "There are no captures below the folders of this server."
    } else {
        "What there is below the folders of this server:"
    };
    let text = format!("{head}\n{}", table.text());
    let rows = table.count();
    let reply = Reply { text, rows, ..Reply::default() };
    Ok(reply.with("kind", "folders").with("found", table.part()))
}

/// Finds bundles, capture sets, datasets and histories, in the order of their paths. Links to folders are left out.
fn find(root: &Path, found: &mut Vec<(PathBuf, &'static str)>) {
    let first = found.len();
    let mut level = vec![root.to_owned()];
    let mut count = 0;
    for _ in 0..=DEPTH {
        let mut next = Vec::new();
        for folder in level {
            if let Some(kind) = kind_of(&folder) {
                found.push((folder, kind));
                continue;
            }
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                count += 1;
                let name = entry.file_name().to_string_lossy().into_owned();
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && !name.starts_with('.') && count <= ENTRIES {
                    next.push(entry.path());
                } else if kind.is_file() && is_bundle_name(&name) {
                    found.push((entry.path(), "bundle"));
                }
            }
        }
        level = next;
    }
    if let Some(of_root) = found.get_mut(first..) {
        of_root.sort();
    }
}

fn kind_of(folder: &Path) -> Option<&'static str> {
    if set::is_one(folder) {
        Some("capture set")
    } else if History::is_one(folder) {
        Some("history")
    } else if Dataset::is_one(folder) {
        Some("dataset")
    } else if BenchFolders::holds_runs(folder) {
        Some("results of bench")
    } else {
        None
    }
}

/// Says what captures contain.
fn of_captures(workspace: &Workspace, room: &mut Room) -> Result<Reply, CallError> {
    let is_dataset = workspace.engine.is_of_dataset();
    let health = report(workspace, "capture_health")?;
    let devices = report(workspace, "device_summary")?;
    let calls = report(workspace, "invocation_reading")?;
    let mut drawn = Vec::new();
    health::draw(&mut drawn, &health)
        .map_err(|error| CallError::System { action: "write a text", what: error.to_string() })?;
    let text = String::from_utf8_lossy(&drawn).trim_end().to_owned();
    let bundles = Table::of_report("capture_health", &health, room)?;
    let devices = Table::of_report("device_summary", &devices, room)?;
    let calls = Table::of_report("invocation_reading", &calls, room)?;
    let kind = if is_dataset { "dataset" } else { "bundles" };
    let path = |bundle: &Arc<Bundle>| {
        (bundle.label.clone(), Value::from(bundle.path.display().to_string()))
    };
    // As many as there are rows, of which there is one for each.
    let named = workspace.engine.bundles().iter().take(bundles.count());
    let paths: Map<String, Value> = named.map(path).collect();
    let reply = Reply { text, rows: bundles.count(), ..Reply::default() }
        .with("kind", kind)
        .with("bundles", bundles.part())
        .section("devices", devices)
        .section("calls", calls);
    Ok(if paths.is_empty() { reply } else { reply.with("paths", paths) })
}

/// Says what a history contains.
fn of_history(workspace: &Workspace, room: &mut Room) -> Result<Reply, CallError> {
    let head = workspace.runtime.block_on(async {
        workspace.engine.relation("history_entries", &[]).await?.answer().await
    })?;
    let entries = Table::of_report("", &head.batches, room)?;
    let tables = workspace.engine.relation_names()?;
    let text = format!("A history with {} entries", entries.count());
    let reply = Reply { text, ..Reply::default() }.with("kind", "history").with("tables", tables);
    Ok(reply.section("entries", entries))
}

fn report(workspace: &Workspace, name: &str) -> Result<Vec<RecordBatch>, EngineError> {
    let every = Parameters::default();
    Ok(workspace.runtime.block_on(workspace.engine.report(name, &every))?.batches)
}
