//! Tests `render`: compares traces with those of `iree-profile-render`, and tests the features that it lacks.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use exporters::perfetto::proto::{Trace, TracePacket, track_event::Type};
use ireescope::timeline::{self, EmptyTimeline, Event, TimelineError, TimelineSpec};
use ireescope::workspace::WorkspaceOptions;
use libtest_mimic::Trial;
use prost::Message;
use tempfile::NamedTempFile;

use super::differential::{BIN, whole_capture};
use super::sql_files::settle;
use crate::support::ask::{captures, file, root};
use crate::support::builder::{Bundle, Chunk};
use crate::support::{built, random_bundle};
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("generated_messages_are_fresh", messages),
    ("a_window_is_a_part_of_the_capture", window),
    ("a_filter_leaves_other_names_out", filter),
    ("bundles_stand_side_by_side", several),
    ("queries_draw_what_they_ask_for", queries),
    ("annotations_are_columns_of_any_type", annotations),
    ("overlaps_lie_in_lanes", lanes),
    ("the_same_bytes_every_time", deterministic),
    ("a_trace_appears_whole_or_not_at_all", whole_or_nothing),
    ("a_closed_pipe_ends_quietly", closed_pipe),
    ("damage_in_what_is_not_drawn_keeps_nothing_from_being_drawn", damage_elsewhere),
    ("the_library_tells_its_caller_what_happens", library),
];

/// Number of random bundles to compare.
const SEEDS: u64 = 24;

/// The comparisons with `iree-profile-render`, several bundles in one process.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("render::captures_as_the_reference".into(), || {
            compare(captures().iter().map(|path| whole_capture(path)), 7, &[]);
        }),
        trial("render::built_bundles_as_the_reference".into(), || {
            compare(built::ALL.iter().map(|name| file(&built::named(name))), 15, &[]);
        }),
        trial("render::random_bundles_as_the_reference".into(), || {
            let files = (0..SEEDS).map(|seed| file(&random_bundle::bundle(seed)));
            compare(files, 7, &["--any-size"]);
        }),
    ]
}

/// Renders the bundles, and compares them with `tests/tools/check_trace.py`. At least `wanted` must be comparable.
fn compare(files: impl Iterator<Item = NamedTempFile>, wanted: usize, flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = files.collect();
    let mut arguments = Vec::new();
    for (nth, bundle) in files.iter().map(NamedTempFile::path).enumerate() {
        let trace = folder.path().join(format!("{nth}.pftrace"));
        let done = render(&[bundle.to_str().unwrap()], &trace);
        // The tool rejects these bundles, too.
        if done.status.code() == Some(3) {
            continue;
        }
        assert!(
            done.status.success(),
            "{}: {}",
            bundle.display(),
            String::from_utf8_lossy(&done.stderr)
        );
        arguments.extend([bundle.to_path_buf(), trace]);
    }
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_trace.py"))
        .args(flags)
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{said}{}", String::from_utf8_lossy(&checked.stderr));
    let agreed = said.lines().filter(|line| line.contains(" events agree")).count();
    assert!(agreed >= wanted, "only {agreed} were compared:\n{said}");
}

/// Runs `render` with arguments that include the bundles.
fn render(arguments: &[&str], to: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .arg("render")
        .args(arguments)
        .arg("-o")
        .arg(to)
        .current_dir(root().join("tests/data"))
        .output()
        .unwrap()
}

/// An event as Perfetto shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    pub kind: i32,
    /// Names of the tracks on the path from the root.
    pub track: Vec<String>,
    pub name: String,
    pub time: u64,
    value: Option<f64>,
    pub annotations: HashMap<String, String>,
}

/// Renders a trace, and returns its events.
fn drawn(arguments: &[&str]) -> Vec<Seen> {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("x.pftrace");
    let done = render(arguments, &trace);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    seen(&std::fs::read(&trace).unwrap())
}

/// Returns the events of a trace.
pub fn seen(trace: &[u8]) -> Vec<Seen> {
    let trace = Trace::decode(trace).unwrap();
    let mut reader = Reader::default();
    trace.packet.iter().filter_map(|packet| reader.read(packet)).collect()
}

/// Converts an integer to a counter value.
#[expect(clippy::cast_precision_loss, reason = "the numbers of these tests are small")]
const fn whole(value: i64) -> f64 {
    value as f64
}

/// The state of a trace reader. Interned texts and clocks are per sequence.
#[derive(Debug, Default)]
struct Reader {
    tracks: HashMap<u64, Vec<String>>,
    /// The tracks whose descriptor announces a counter.
    counters: HashSet<u64>,
    names: HashMap<(u32, u64), String>,
    keys: HashMap<(u32, u64), String>,
    texts: HashMap<(u32, u64), String>,
    /// The start and the current time of an incremental clock.
    clocks: HashMap<(u32, u32), (u64, u64)>,
}

impl Reader {
    fn read(&mut self, packet: &TracePacket) -> Option<Seen> {
        let sequence = packet.trusted_packet_sequence_id();
        if let Some(track) = &packet.track_descriptor {
            let mut path =
                track.parent_uuid.map_or_else(Vec::new, |above| self.tracks[&above].clone());
            path.push(track.name().to_owned());
            self.tracks.insert(track.uuid(), path);
            if track.counter.is_some() {
                self.counters.insert(track.uuid());
            }
        }
        if let Some(snapshot) = &packet.clock_snapshot {
            for clock in snapshot.clocks.iter().filter(|clock| clock.is_incremental()) {
                self.clocks
                    .insert((sequence, clock.clock_id()), (clock.timestamp(), clock.timestamp()));
            }
        }
        if let Some(data) = &packet.interned_data {
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            self.names.extend(
                data.event_names.iter().map(|it| ((sequence, it.iid()), it.name().to_owned())),
            );
            self.keys.extend(
                data.debug_annotation_names
                    .iter()
                    .map(|it| ((sequence, it.iid()), it.name().to_owned())),
            );
            self.texts.extend(
                data.debug_annotation_string_values
                    .iter()
                    .map(|it| ((sequence, it.iid()), text(it.str()))),
            );
        }
        let event = packet.track_event.as_ref()?;
        // Perfetto drops values on other tracks, and other events on those of counters.
        let is_value = event.r#type == Some(Type::Counter as i32);
        assert_eq!(is_value, self.counters.contains(&event.track_uuid()), "{event:?}");
        let clock =
            self.clocks.get_mut(&(sequence, packet.timestamp_clock_id.unwrap_or(64))).unwrap();
        clock.1 += packet.timestamp();
        let time = clock.1 - clock.0;
        let annotations = event.debug_annotations.iter().map(|it| {
            let value = match (
                it.uint_value,
                it.int_value,
                it.double_value,
                it.bool_value,
                it.string_value_iid,
            ) {
                (Some(value), ..) => value.to_string(),
                (_, Some(value), ..) => value.to_string(),
                (_, _, Some(value), ..) => value.to_string(),
                (.., Some(value), _) => value.to_string(),
                (.., Some(text)) => self.texts[&(sequence, text)].clone(),
                _ => it.string_value().to_owned(),
            };
            (self.keys[&(sequence, it.name_iid())].clone(), value)
        });
        Some(Seen {
            kind: event.r#type.unwrap(),
            track: self.tracks[&event.track_uuid()].clone(),
            name: event
                .name_iid
                .map_or_else(String::new, |name| self.names[&(sequence, name)].clone()),
            time,
            value: event.double_counter_value.or(event.counter_value.map(whole)),
            annotations: annotations.collect(),
        })
    }
}

fn of(kind: Type, events: &[Seen]) -> Vec<&Seen> {
    events.iter().filter(|event| event.kind == kind as i32).collect()
}

fn messages() {
    let folder = root().join("exporters/proto");
    let files = ["perfetto.proto", "gpu.proto"];
    let set = protox::compile(files.map(|file| folder.join(file)), [&folder]).unwrap();
    let out = tempfile::tempdir().unwrap();
    prost_build::Config::new().out_dir(out.path()).compile_fds(set).unwrap();
    for (file, made, module) in [
        (files[0], "perfetto.protos.rs", "proto.rs"),
        (files[1], "perfetto.gpu.rs", "gpu_proto.rs"),
    ] {
        let made = std::fs::read_to_string(out.path().join(made)).unwrap();
        let head = format!(
            "//! Perfetto messages, generated by `prost` from `exporters/proto/{file}`; a test checks that they are current.\n\n"
        );
        let path = root().join("exporters/src/perfetto").join(module);
        settle(
            &path,
            &std::fs::read_to_string(&path).unwrap_or_default(),
            &format!("{head}{made}"),
        );
    }
}

const VULKAN: &str = "mlp-vulkan.ireeprof";

fn window() {
    let all = drawn(&[VULKAN]);
    let last = all.iter().map(|event| event.time).max().unwrap();
    let part = drawn(&["--window=25%:50%", VULKAN]);
    let begins = of(Type::SliceBegin, &part);
    assert!(!begins.is_empty() && begins.len() < of(Type::SliceBegin, &all).len());
    assert_eq!(begins.len(), of(Type::SliceEnd, &part).len());
    let (from, until) = (last / 4, last / 2 + 1);
    for event in of(Type::Instant, &part) {
        assert!((from..until).contains(&event.time), "{event:?}");
    }
    // Times are relative to the start of the whole capture, so every event also occurs in its trace.
    assert!(part.iter().filter(|event| event.kind != Type::SliceEnd as i32).all(|event| {
        all.iter().any(|known| {
            known.time == event.time
                && known.name == event.name
                && known.annotations == event.annotations
        })
    }));
    let names = |arguments: &[&str]| -> Vec<String> {
        let drawn = drawn(arguments);
        of(Type::Instant, &drawn).iter().map(|event| event.name.clone()).collect()
    };
    let instants = |arguments: &[&str]| names(arguments).len();
    let half = format!("--window=:{}", last / 2);
    let other = format!("--window={}ns:", last / 2);
    assert_eq!(instants(&[&half, VULKAN]) + instants(&[&other, VULKAN]), instants(&[VULKAN]));
    // A span that starts at -1 moves nothing, and the last event is in the last part.
    let transfers = file(&built::named("transfers"));
    let path = transfers.path().to_str().unwrap();
    let at_times = |arguments: &[&str]| {
        let mut names = names(arguments);
        names.retain(|name| name.starts_with("queue:") || name.starts_with("memory:"));
        names
    };
    let [most, last] = ["--window=0%:90%", "--window=90%:100%"].map(|part| at_times(&[part, path]));
    assert_eq!((most.len(), last), (3, vec!["memory:buffer_free".to_owned()]));
    let wrong = render(&["--window=5", VULKAN], Path::new("/dev/null"));
    assert_eq!(wrong.status.code(), Some(2));
}

fn filter() {
    let part = drawn(&["--filter=*matmul*", VULKAN]);
    let begins = of(Type::SliceBegin, &part);
    assert_eq!(begins.len(), 40);
    assert!(begins.iter().all(|event| event.name.contains("matmul")));
    assert_eq!(of(Type::Instant, &part).len(), 0);
    assert_eq!(of(Type::Counter, &part).len(), 0);
    let counters = drawn(&["--filter=*allocation bytes", VULKAN]);
    assert!(!counters.is_empty() && counters.len() == of(Type::Counter, &counters).len());
    // The name of a metric's track differs from its path.
    let gpu = file(&built::named("gpu"));
    let metric = drawn(&["--filter=*compute*", gpu.path().to_str().unwrap()]);
    assert!(!metric.is_empty() && metric.len() == of(Type::Counter, &metric).len());
}

fn library() {
    let file = NamedTempFile::new().unwrap();
    let bundle = [root().join("tests/data").join(VULKAN).display().to_string()];
    let draw = |spec: &TimelineSpec| {
        let opened = timeline::open(&bundle, spec, &WorkspaceOptions::default()).unwrap();
        let output = Box::new(file.reopen().unwrap());
        let mut events = Vec::new();
        timeline::draw(opened, spec, output, &mut |event| events.push(event))
            .map(|drawn| (drawn, events))
    };
    let spec = TimelineSpec { filter: Some("nosuch".into()), ..TimelineSpec::default() };
    let (drawn, events) = draw(&spec).unwrap();
    assert_eq!(drawn.bytes, file.path().metadata().unwrap().len());
    assert!(matches!(events[0], Event::Progress(progress) if progress.done == 0));
    let Some(Event::EmptyTimeline { reason: EmptyTimeline::Unmatched(names), .. }) = events.last()
    else {
        panic!("{events:?}")
    };
    assert!(names.iter().any(|name| name.contains("matmul")), "{names:?}");
    let spec = TimelineSpec { window: Some("5:5".parse().unwrap()), ..TimelineSpec::default() };
    assert!(matches!(draw(&spec), Err(TimelineError::EmptyWindow)));
}

fn several() {
    let alone = [drawn(&[VULKAN]), drawn(&["mlp-local-task.ireeprof"])];
    let both = drawn(&["gpu=mlp-vulkan.ireeprof", "cpu=mlp-local-task.ireeprof"]);
    for (label, alone) in ["gpu", "cpu"].iter().zip(alone) {
        let below: Vec<Seen> =
            both.iter().filter(|event| event.track[0] == *label).cloned().collect();
        let renamed: Vec<Seen> = alone
            .into_iter()
            .map(|mut event| {
                (*label).clone_into(&mut event.track[0]);
                event
            })
            .collect();
        assert_eq!(below, renamed, "{label} is drawn as it is alone");
    }
    assert!(both.iter().all(|event| ["gpu", "cpu"].contains(&event.track[0].as_str())));
}

fn queries() {
    let slices = "--slices=SELECT concat('mine/', name) AS track, name, start_ns, end_ns, event_id FROM timeline_dispatches";
    let counters = "--counters=SELECT 'length' AS track, start_ns AS time_ns, end_ns - start_ns AS value FROM timeline_slices";
    let instants =
        "--instants=SELECT time_ns, name FROM timeline_instants WHERE name LIKE 'queue:%'";
    let drawn_alone = drawn(&[slices, counters, instants, VULKAN]);
    let begins = of(Type::SliceBegin, &drawn_alone);
    assert_eq!(begins.len(), 80);
    assert!(begins.iter().all(|event| event.track[1..] == ["mine".to_owned(), event.name.clone()]));
    assert!(begins.iter().any(|event| event.annotations["event_id"] == "1"));
    let values = of(Type::Counter, &drawn_alone);
    assert_eq!(values.len(), 100);
    assert!(values.iter().all(|event| event.track[1] == "length" && event.value.unwrap() > 0.0));
    assert!(of(Type::Instant, &drawn_alone).iter().all(|event| event.track[1] == "instants"));
    // A track has either values or other events; the reader checks it.
    let names = [
        "--slices=SELECT 'both' AS track, 1 AS start_ns, 2 AS end_ns",
        "--counters=SELECT 'both' AS track, 1 AS time_ns, 2 AS value",
    ];
    let both = drawn(&[names[0], names[1], VULKAN]);
    assert!(both.len() == 3 && both.iter().all(|event| event.track[1] == "both"), "{both:?}");
    let usual = drawn(&[VULKAN]).len();
    assert_eq!(drawn(&["--all", slices, VULKAN]).len(), usual + 160);
    for (wrong, why) in [
        ("--slices=SELECT 1 AS start_ns", "end_ns or duration_ns"),
        ("--slices=SELECT 1 AS x", "start_ns"),
        ("--counters=SELECT 1 AS time_ns", "value"),
        ("--counters=SELECT 1 AS time_ns, 'many' AS value", "many"),
        ("--window=20us:10us", "ends before it starts"),
        ("--slices=SELECT nope FROM dispatches", "nope"),
        ("--instants=SELEC", "SELEC"),
    ] {
        let done = render(&[wrong, VULKAN], Path::new("/dev/null"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.code() == Some(2) && said.contains(why), "{wrong}: {said}");
    }
}

fn annotations() {
    let slices = "--slices=SELECT 's' AS name, 5 AS start_ns, 7 AS duration_ns, -3 AS negative, 1.5 AS half, true AS yes, \
        'text' AS text, NULL AS nothing, make_array(1, 2) AS list, xyz(4, 5, 6) AS triple, CAST(2 AS TINYINT) AS small, \
        18446744073709551615 AS large, arrow_cast('d', 'Dictionary(Int32, Utf8)') AS entry";
    let drawn = drawn(&[slices, VULKAN]);
    let begins = of(Type::SliceBegin, &drawn);
    let wanted = [
        ("negative", "-3"),
        ("half", "1.5"),
        ("yes", "true"),
        ("text", "text"),
        ("list", "[1, 2]"),
        ("triple", "[4, 5, 6]"),
        ("small", "2"),
        ("large", "18446744073709551615"),
        ("entry", "d"),
    ];
    let wanted = wanted.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(begins[0].annotations, HashMap::from(wanted));
    assert_eq!(of(Type::SliceEnd, &drawn)[0].time - begins[0].time, 7);
}

fn lanes() {
    let slices = "--slices=SELECT 't' AS track, column1 AS name, column2 AS start_ns, column3 AS end_ns \
        FROM (VALUES ('a', 0, 10), ('b', 2, 4), ('c', 3, 20), ('d', 4, 4), ('e', 10, 12), ('f', 9, 1))";
    let drawn = drawn(&[slices, VULKAN]);
    let lanes: Vec<(String, String)> = of(Type::SliceBegin, &drawn)
        .iter()
        .map(|event| (event.name.clone(), event.track.last().unwrap().clone()))
        .collect();
    let wanted = [("a", "t"), ("b", "t lane 1"), ("c", "t lane 2"), ("d", "t lane 1"), ("e", "t")];
    assert_eq!(lanes, wanted.map(|(name, track)| (name.to_owned(), track.to_owned())));
}

fn deterministic() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |threads: &str, name: &str| {
        let path = folder.path().join(name);
        let done = render(&["--threads", threads, "mlp-local-task.ireeprof", VULKAN], &path);
        assert!(done.status.success());
        std::fs::read(path).unwrap()
    };
    assert_eq!(bytes("1", "a"), bytes("4", "b"));
}

fn whole_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.pftrace");
    let unwritable = render(&[VULKAN], Path::new("/nowhere/x.pftrace"));
    assert_eq!(unwritable.status.code(), Some(4));
    // A query that fails midway leaves no file.
    let failing =
        "--slices=SELECT 1 // (event_id - 50) AS start_ns, 2 AS end_ns FROM timeline_dispatches";
    assert_eq!(render(&[failing, VULKAN], &target).status.code(), Some(2));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // A killed process leaves no file under the final name.
    let endless = "--slices=SELECT a.record_index AS start_ns, 1000000000 AS end_ns FROM records AS a, records AS b, records AS c, records AS d";
    let mut child = Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["render", endless, VULKAN, "-o"])
        .arg(&target)
        .current_dir(root().join("tests/data"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it still draws");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!target.exists());
    let bundle = root().join("tests/data").join(VULKAN);
    assert_eq!(render(&[VULKAN], &bundle).status.code(), Some(2), "a bundle is not overwritten");
}

fn closed_pipe() {
    let command = format!(
        "'{}' render tests/data/mlp-local-task.ireeprof --quiet -o - | head -c 100 | wc -c; exit ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_ireescope")
    );
    let output = Command::new("bash").args(["-c", &command]).current_dir(root()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "100");
}

fn damage_elsewhere() {
    let rendered = |family: &str| {
        let damaged = Bundle::new()
            .begin(1, "s")
            .chunk(family, Chunk::PLAIN, &[vec![1; 16]])
            .end(1, 0)
            .finish();
        let folder = tempfile::tempdir().unwrap();
        let bundle = file(&damaged);
        let done = render(&[bundle.path().to_str().unwrap()], &folder.path().join("x.pftrace"));
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let (code, said) = rendered("command-region-events");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = rendered("queue-events");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("at byte"), "{said}");
}
