//! Tests reports: waits are drawn where clocks can be related, else it says why not; and what the file of a bundle tells.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use ireescope::page::of_captures;
use ireescope::panel::{Panel, Table};
use ireescope::plot::{Chart, Mark};
use ireescope::workspace::WorkspaceOptions;
use tempfile::NamedTempFile;

use crate::Test;
use crate::support::ask::{cell, engine, file, root};
use crate::support::changes::{HOST, bend};
use crate::support::parts::Parts;

pub const TESTS: &[Test] = &[
    ("waits_are_drawn_where_clocks_are_related", drawn),
    ("waits_that_are_not_drawn_have_a_reason", reasons),
    ("a_single_file_tells_what_it_knows", told),
    ("times_of_calls_are_by_kind_and_their_number_may_be_doubtful", calls),
];

fn data(name: &str) -> String {
    root().join("tests/data").join(format!("{name}.ireeprof")).display().to_string()
}

fn panels(bundles: &[String]) -> Vec<Panel> {
    of_captures(bundles, &WorkspaceOptions::default()).unwrap().panels
}

fn timeline(bundle: &str) -> Panel {
    let mut panels = panels(&[bundle.to_owned()]).into_iter();
    panels.find(|panel| panel.name == "timeline").unwrap()
}

/// Returns the bars of all waits.
fn waits(panel: &Panel) -> Vec<[f64; 2]> {
    let Chart::Rows(chart) = &panel.charts[0].chart else { panic!("it has rows") };
    let rows = chart.rows.iter().filter(|row| ["operations that wait", ""].contains(&&*row.name));
    let bar = |mark: &Mark| match mark {
        Mark::Bar { from, to, .. } => [*from, *to],
        other => panic!("{other:?} is no bar"),
    };
    rows.flat_map(|row| row.marks.iter().map(bar)).collect()
}

fn drawn() {
    // This driver's clock is the one that IREE reads: there, times need no conversion.
    for (name, call, submissions) in
        [("mlp-vulkan", 16, "63"), ("matmul-vulkan", 3, "6"), ("two-vulkan", 2, "8")]
    {
        let engine = engine(Path::new(&data(name)));
        let start = format!("SELECT start_ns FROM invocations WHERE invocation = {call}");
        let wait = |time: &str| {
            let query = format!(
                "SELECT CAST({time} - ({start}) AS DOUBLE) FROM queue_events WHERE submission_id = {submissions}"
            );
            cell(&engine, &query).parse::<f64>().unwrap()
        };
        let panel = timeline(&data(name));
        assert!(panel.words[0].starts_with(&format!("Call {call} of")), "{:?}", panel.words);
        let [[from, to]] = waits(&panel)[..] else { panic!("{name} has one wait") };
        assert!((from - wait("host_time_ns")).abs() < 2_000.0, "{name}: {from}");
        assert!((to - wait("ready_host_time_ns")).abs() < 2_000.0, "{name}: {to}");
        assert!(panel.words.iter().any(|said| said.contains("known with the device's to within")));
    }
    // Waits that overlap are below each other.
    let panel = timeline(&data("loop-local-task"));
    assert!(panel.words[1].starts_with("10 queue operations waited"), "{:?}", panel.words);
    assert_eq!(waits(&panel).len(), 10);
    assert!(!panel.words.iter().any(|said| said.contains("known with the device's")));
}

fn reasons() {
    let exported = Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["export", "--format=ireeperf-jsonl", &data("mlp-vulkan")])
        .output()
        .unwrap();
    let text = String::from_utf8(exported.stdout).unwrap();
    let said = |text: &str| {
        let mut file = NamedTempFile::with_suffix(".ireeperf.jsonl").unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let panel = timeline(&file.path().display().to_string());
        assert_eq!(waits(&panel), [[0.0; 2]; 0]);
        panel.words.join(" ")
    };
    let without = |what: &str| -> String {
        text.lines().filter(|line| !line.contains(what)).map(|line| format!("{line}\n")).collect()
    };
    // Without the bit that says that the host's clock was read.
    let unrelated = text.replace("\"flags\":15,", "\"flags\":7,");
    assert_ne!(unrelated, text);
    assert!(said(&unrelated).contains("whose clock cannot be related to the host's"));
    let requests = without("\"record_type\":\"queue_event\"");
    assert!(said(&requests).contains("queue operations were not recorded"));
    let (mut endless, key) = (String::new(), "\"ready_host_time_ns\":");
    for line in text.lines() {
        match line.split_once(key).and_then(|(head, tail)| Some((head, tail.split_once(',')?.1))) {
            Some((head, tail)) => endless += &format!("{head}{key}0,{tail}\n"),
            None => endless += &format!("{line}\n"),
        }
    }
    assert!(said(&endless).contains("it was not recorded when they ended"));
    // With a clock that jumps by 30 ms, it is not known when the device ran on the host's clock.
    let mut parts = Parts::of(&fs::read(data("mlp-vulkan")).unwrap());
    bend(&mut parts, &HOST, 11, |time| time + 30_000_000);
    let jumped = file(&parts.bytes());
    let panel = timeline(&jumped.path().display().to_string());
    assert_eq!(waits(&panel), [[0.0; 2]; 0]);
    let words = panel.words.join(" ");
    assert!(words.contains("1 queue operation that waited for less than 1"), "{words}");
    assert!(words.contains(" ms is not drawn: when the device's work ran"), "{words}");
    assert!(words.contains("its clock is known with the device's to within 1"), "{words}");
    let none = timeline(&data("mlp-local-sync"));
    assert!(none.words[1].starts_with("No queue operation waited"), "{:?}", none.words);
}

fn calls() {
    let overview = |name: &str| panels(&[data(name)]).remove(0);
    let figures = |panel: &Panel| -> Vec<String> {
        panel.tables[0].rows.iter().map(|row| row[0].text.clone()).collect()
    };
    let kinds = overview("two-vulkan");
    assert_eq!(
        figures(&kinds)[..3],
        ["time of a call of kind 1", "time of a call of kind 2", "busy"]
    );
    assert!(!kinds.words.concat().contains("not certain"), "{:?}", kinds.words);
    let turns = overview("loop-vulkan");
    assert_eq!(figures(&turns)[..2], ["time of a call", "busy"]);
    let doubt = "Note: the number of invocations is not certain: 6 (73 %), or 18 (18 %); times of a call depend on it.";
    assert_eq!(turns.words[0], doubt);
}

fn told() {
    let table_of = |bundles: &[String]| -> Option<Table> {
        let overview = panels(bundles).into_iter().next().unwrap();
        overview.tables.into_iter().find(|table| table.caption.starts_with("What the file tells"))
    };
    let table = table_of(&[data("two-vulkan")]).unwrap();
    let rows: Vec<[&str; 2]> =
        table.rows.iter().map(|row| [&row[0], &row[1]].map(|cell| cell.text.as_str())).collect();
    assert!(rows[0][0] == "file last changed" && rows[0][1].ends_with(" UTC"), "{rows:?}");
    assert_eq!(
        rows[1..],
        [
            ["driver", "vulkan"],
            ["device", "0: 2 queues, UUID 6d657361-3232-2e33-2e36-000000000000"],
            ["functions of the model", "first, second"],
            ["executables", "3 executables with 3 functions"],
            ["version of the format", "1.6"],
        ]
    );
    // Nothing is said of what is not known.
    let table = table_of(&[data("queue-only")]).unwrap();
    let whats: Vec<&str> = table.rows.iter().map(|row| row[0].text.as_str()).collect();
    assert_eq!(whats, ["file last changed", "driver", "device", "version of the format"]);
    assert!(table_of(&[data("two-vulkan"), data("mlp-vulkan")]).is_none());
}
