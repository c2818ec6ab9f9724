//! Of what use the records of each mode are for each way of answering a question, and where they come from.

use std::collections::BTreeMap;

use arrow::datatypes::DataType::{Boolean, UInt64, Utf8View};
use schemas::drivers::{flags_of_mode, rows_for_question};
use schemas::questions::{Clock as On, MODES, Mode, QUESTIONS};

use super::super::arrays::{flags, numbers, optional_texts, texts};
use super::super::{Clock, Column, Columns};
use super::groups::Group;
use super::modes::{clockless, is_of, table};
use crate::bundle::Bundle;
use crate::bundle::set::{CaptureSet, Process, shell_words};

/// The columns of `question_records`.
pub const COLUMNS: &[Column] = &[
    ("question_position", UInt64),
    ("question", Utf8View),
    ("way", UInt64),
    ("clock", Utf8View),
    ("mode", Utf8View),
    ("is_needed", Boolean),
    ("flags", Utf8View),
    ("useful_row_count", UInt64),
    ("clockless_device_count", UInt64),
];

/// The columns of `capture_sources`.
pub const SOURCE_COLUMNS: &[Column] = &[
    ("path", Utf8View),
    ("capture_set", Utf8View),
    ("capture_set_path", Utf8View),
    ("tool_command", Utf8View),
    ("output_folder", Utf8View),
    ("counting_paths", Utf8View),
];

/// One mode of one way of answering a question.
struct Use {
    position: u64,
    question: &'static str,
    way: u64,
    clock: On,
    mode: &'static Mode,
    is_needed: bool,
}

fn uses() -> Vec<Use> {
    let mut uses = Vec::new();
    for (position, question) in (1..).zip(QUESTIONS) {
        for (way, how) in (1..).zip(question.ways) {
            let modes = MODES
                .iter()
                .filter(|mode| how.needs.contains(&mode.name) || how.helps.contains(&mode.name));
            uses.extend(modes.map(|mode| Use {
                position,
                question: question.name,
                way,
                clock: how.clock,
                mode,
                is_needed: how.needs.contains(&mode.name),
            }));
        }
    }
    uses
}

/// The rows of `question_records`; modes in their order.
pub fn columns(groups: &[Group], clocks: &BTreeMap<u64, Clock>) -> Columns {
    let has_clock = |device| clocks.get(&device).is_some_and(|it| it.preferred().is_some());
    let clockless = clockless(groups, has_clock);
    let uses = uses();
    let rows = |used: &Use| -> u64 {
        let rows = rows_for_question(used.question, used.mode.name);
        let of_table = groups.iter().filter(|group| group.table == table(used.mode));
        of_table.filter(|group| is_of(group, rows)).map(|group| group.row_count).sum()
    };
    let stay_in_ticks = |used: &Use| match used.clock {
        On::Device => clockless.get(table(used.mode)).copied().unwrap_or_default(),
        On::Host | On::None => 0,
    };
    vec![
        numbers(uses.iter().map(|used| used.position)),
        texts(uses.iter().map(|used| used.question)),
        numbers(uses.iter().map(|used| used.way)),
        texts(uses.iter().map(|used| used.clock.name())),
        texts(uses.iter().map(|used| used.mode.name)),
        flags(uses.iter().map(|used| used.is_needed)),
        texts(uses.iter().map(|used| flags_of_mode(used.mode.name))),
        numbers(uses.iter().map(rows)),
        numbers(uses.iter().map(stay_in_ticks)),
    ]
}

/// The row of `capture_sources`.
pub fn source_columns(bundle: &Bundle) -> Columns {
    let path = bundle.path.display().to_string();
    // Standard input cannot be named.
    let path = if path == "-" { "BUNDLE".to_owned() } else { shell_words([path.as_str()]) };
    let set = bundle.set.as_deref();
    let folder = set.map(|set| set.folder.display().to_string());
    let quoted = folder.as_deref().map(|folder| shell_words([folder]));
    let named = set.and_then(|set| set.name.clone()).or(folder);
    let process = set.and_then(|set| set.process_of(bundle));
    let elsewhere = process.and_then(elsewhere);
    let command = process.map(|process| command(process, elsewhere.is_some()));
    let output = elsewhere.map(|here| shell_words([format!("{here}/").as_str()]));
    let counting = set.map(CaptureSet::counting).filter(|paths| !paths.is_empty()).map(|paths| {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        shell_words(paths.iter().map(String::as_str))
    });
    let one = |text| optional_texts(std::iter::once(text));
    vec![one(Some(path)), one(named), one(quoted), one(command), one(output), one(counting)]
}

/// The working directory, where the tool ran in another.
fn elsewhere(process: &Process) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let is_there = here == process.directory;
    (!is_there && process.directory.is_dir()).then(|| here.display().to_string())
}

/// The tool's command line as it was given, from the folder where it ran.
fn command(process: &Process, is_elsewhere: bool) -> String {
    let tool = process.tool.path.to_string_lossy();
    let words = std::iter::once(&*tool).chain(process.arguments.iter().map(String::as_str));
    let words = shell_words(words);
    if !is_elsewhere {
        return words;
    }
    format!("cd {} && {words}", shell_words([&*process.directory.to_string_lossy()]))
}
