//! What the file of a single bundle tells of its capture, where no capture set has more: each with the evidence for it.

use std::collections::BTreeSet;
use std::fs::metadata;
use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use report::text::counted;

use super::parts::PanelError;
use super::subject::Subject;
use super::table::{Cell, Table};

const DEVICES: &str = "SELECT DISTINCT s.name AS driver, d.physical_device_ordinal AS device, d.queue_count, \
d.physical_device_uuid AS uuid FROM sessions AS s LEFT JOIN devices AS d ON d.bundle = s.bundle AND d.session_id = s.session_id \
ORDER BY driver, device, queue_count, uuid";
const FUNCTIONS: &str =
    "SELECT name, executable_id, session_id FROM functions WHERE name IS NOT NULL ORDER BY name";

/// What is between the name of a model's function and the number of a dispatch in names of the compiler.
const DISPATCH: &str = "_dispatch_";
/// Ends names of asynchronous variants of functions.
const ASYNC: &str = "$async";
/// Names of functions that are listed.
const NAMED: usize = 4;

/// Returns the table and its queries, if there is a single bundle that was opened by itself.
pub fn told(subject: &Subject<'_>) -> Result<Option<(Table, Vec<String>)>, PanelError> {
    let [bundle] = subject.workspace.engine.bundles() else { return Ok(None) };
    if bundle.set.is_some() || bundle.stand_in.is_some() {
        return Ok(None);
    }
    let mut table = Table::new("What the file tells of the capture", &["what", "value", "from"]);
    let mut add = |what: &str, value: String, from: &str| {
        table.rows.push([what, &value, from].map(Cell::text).into());
    };
    if let Some(changed) = changed(&bundle.path) {
        add(
            "file last changed",
            changed,
            "the file system; the date of the capture is not recorded",
        );
    }
    let asked = subject.ask(DEVICES)?;
    let rows = asked.rows();
    let drivers: BTreeSet<String> = rows.iter().map(|row| row.text("driver")).collect();
    let drivers: Vec<String> = drivers.into_iter().filter(|driver| !driver.is_empty()).collect();
    if !drivers.is_empty() {
        add("driver", drivers.join(", "), "the names of the sessions");
    }
    for row in rows {
        let Some(ordinal) = row.whole("device") else { continue };
        let uuid = Some(row.text("uuid")).filter(|uuid| !uuid.is_empty());
        let uuid = uuid.map(|uuid| format!(", UUID {uuid}")).unwrap_or_default();
        let queues = counted(row.count("queue_count"), "queue");
        add("device", format!("{ordinal}: {queues}{uuid}"), "the metadata of devices");
    }
    let asked = subject.ask(FUNCTIONS)?;
    let rows = asked.rows();
    let names: Vec<String> = rows.iter().map(|row| row.text("name")).collect();
    if let Some(models) = models(&names) {
        add("functions of the model", models, "the beginnings of the names of dispatches");
    }
    if !rows.is_empty() {
        let executables: BTreeSet<(u64, u64)> =
            rows.iter().map(|row| (row.count("session_id"), row.count("executable_id"))).collect();
        let number = counted(executables.len() as u64, "executable");
        let functions = counted(rows.len() as u64, "function");
        add("executables", format!("{number} with {functions}"), "the metadata of executables");
    }
    let header = &bundle.header;
    let version = format!("{}.{}", header.version_major, header.version_minor);
    add("version of the format", version, "the file; the version of IREE is not recorded");
    Ok(Some((table, [DEVICES, FUNCTIONS].map(str::to_owned).into())))
}

/// Returns when a file was changed last; `None` if there is no such file here, as for objects and standard input.
fn changed(path: &Path) -> Option<String> {
    let is_file = path.as_os_str() != "-";
    let changed =
        is_file.then(|| metadata(path).and_then(|file| file.modified()).ok()).flatten()?;
    let text = DateTime::<Utc>::from(changed).to_rfc3339_opts(SecondsFormat::Secs, true);
    Some(text.replace('T', " ").replace('Z', " UTC"))
}

/// Returns the functions of the model that the compiler named its dispatches after.
fn models(names: &[String]) -> Option<String> {
    let of = |name: &String| {
        let (model, _) = name.split_once(DISPATCH)?;
        Some(model.strip_suffix(ASYNC).unwrap_or(model).to_owned()).filter(|it| !it.is_empty())
    };
    let models: BTreeSet<String> = names.iter().filter_map(of).collect();
    let more = models.len().saturating_sub(NAMED);
    let shown: Vec<String> = models.into_iter().take(NAMED).collect();
    let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| shown.join(", ") + &tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_are_named_after_functions_of_the_model() {
        let of =
            |names: &[&str]| models(&names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["main_dispatch_0_matmul_4x4x4_f32", "main_dispatch_1"]).unwrap(), "main");
        let two = ["prefill$async_dispatch_22_a", "decode_dispatch_3_b_dispatch_c"];
        assert_eq!(of(&two).unwrap(), "decode, prefill");
        assert_eq!(of(&["kernel", "_dispatch_0"]), None);
        let many = ["a", "b", "c", "d", "e", "f"].map(|it| format!("{it}_dispatch_0"));
        assert_eq!(models(&many).unwrap(), "a, b, c, d and 2 more");
    }

    #[test]
    fn only_files_have_a_time() {
        assert!(changed(Path::new("-")).is_none() && changed(Path::new("s3://bucket/a")).is_none());
        let time = changed(Path::new("Cargo.toml")).unwrap();
        assert!(time.ends_with(" UTC") && time.len() == "2026-01-01 00:00:00 UTC".len(), "{time}");
    }
}
