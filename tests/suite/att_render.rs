//! Tests that `render --att` draws the waves of instruction traces, and where it places them in time.

use std::fs;

use exporters::perfetto::proto::track_event::Type;

use super::att_decode::{Place, traced};
use crate::Test;
use crate::capture::said;
use crate::support::perfetto::{Seen, seen};

pub const TESTS: &[Test] = &[
    ("waves_are_placed_by_the_clocks_of_the_gpu", placed),
    ("waves_without_a_valid_time_leave_all_else", boundless),
    ("waves_are_drawn_by_slot_with_states", drawn),
    ("instructions_are_drawn_on_demand", instructions),
    ("what_cannot_be_decoded_is_told_and_all_else_drawn", failing),
    ("each_level_of_detail_is_decoded_when_it_is_needed", levels),
];

/// Two waves on a SIMD. The shader clock has 20 cycles for a tick of 10 ns, and is 0 at the start of the dispatch, 50,500 ns.
const CLOCKS: &str = "clock 0 1000\nclock 2200 1110\nfrequency 100000000\n";
const WAVES: &str = "\
wave 1 2 3 100 1100
state 2 600
state 4 400
run 6 3 10 110 4096 3
run 3 7 21 131 4097 3
wave 1 2 0 120 1000
run 2 9 3 140 0 0";

/// Returns the rows of a query, without their head.
fn rows(place: &Place, query: &str) -> String {
    let rows = place.fine(&["sql", "--format=csv", "-c", query, "b.ireeprof"]);
    rows.split_once('\n').unwrap().1.to_owned()
}

fn placed() {
    let query = "SELECT placed_by, start_ns, end_ns FROM report.wave_slice ORDER BY wave";
    let of = |trace: &str| rows(&Place::of(traced().clocks().trace(1, 0, trace.as_bytes())), query);
    // 0.5 ns for a cycle.
    let by_clocks = "realtime,50550,51050\nrealtime,50560,51000\n";
    assert_eq!(of(&format!("{CLOCKS}{WAVES}")), by_clocks);
    // 1000 cycles from the first begin to the last end are the 1100 ns of the dispatch.
    let by_dispatch = "dispatch,50500,51600\ndispatch,50522,51490\n";
    assert_eq!(of(WAVES), by_dispatch);
    // Too few readings, and those of a clock that does not count device ticks.
    assert_eq!(of(&format!("clock 0 1000\n{WAVES}")), by_dispatch);
    assert_eq!(of(&format!("clock 0 900000\nclock 2200 900110\n{WAVES}")), by_dispatch);
    // A clock that stands still says nothing.
    assert_eq!(of(&format!("clock 0 1000\nclock 2200 1000\n{WAVES}")), by_dispatch);
    assert_eq!(of(&format!("clock 7 1000\nclock 7 1110\n{WAVES}")), by_dispatch);
    // Without readings of the device's clock, there is no host time.
    let place = Place::of(traced().trace(1, 0, WAVES.as_bytes()));
    assert_eq!(rows(&place, query), "dispatch,,\ndispatch,,\n");
    // Neither readings nor the dispatch.
    let place = Place::of(traced().clocks().trace(3, 0, WAVES.as_bytes()));
    assert_eq!(rows(&place, query), ",,\n,,\n");
    let clocks = "SELECT time, realtime, realtime_frequency FROM att_clocks ORDER BY time";
    let place = Place::of(traced().trace(1, 0, CLOCKS.as_bytes()));
    assert_eq!(rows(&place, clocks), "0,1000,100000000\n2200,1110,100000000\n");
}

fn boundless() {
    let query = "SELECT placed_by, start_ns, end_ns FROM report.wave_slice ORDER BY byte_offset";
    let fine = format!("{CLOCKS}{WAVES}");
    let mut bundle = traced().clocks().trace(1, 0, fine.as_bytes());
    // All times there are, a clock of 5e18 ns for a cycle, and an instruction as far away as times can be.
    for trace in [
        "wave 1 2 0 -9223372036854775808 9223372036854775807",
        "clock 0 1000\nclock 1 500000000000000000\nwave 1 2 1 0 9\nstate 2 9",
        "wave 1 2 2 100 200\nrun 6 3 10 9223372036854775807 4096 3",
    ] {
        bundle = bundle.trace(2, 0, trace.as_bytes());
    }
    let place = Place::of(bundle);
    let waves = "realtime,50550,51050\nrealtime,50560,51000\ndispatch,50500,51700\nrealtime,50500,\ndispatch,50500,51700\n";
    assert_eq!(rows(&place, query), waves);
    let ends = "SELECT start_ns IS NULL, end_ns IS NULL FROM report.";
    let states = rows(&place, &format!("{ends}wave_state_slice WHERE trace_id = 2"));
    assert_eq!(states, "false,true\n");
    let executions = rows(&place, &format!("{ends}execution_slice WHERE trace_id = 2"));
    assert_eq!(executions, "true,true\n");
    let told = place.run(&["render", "--att=instructions", "-o", "x.pftrace", "b.ireeprof"]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.err.contains("; 3 without a time are not drawn"), "{told:?}");
    let events = seen(&fs::read(place.path("x.pftrace")).unwrap());
    assert_eq!(slices(&events, &format!("{SIMD}/slot 3")), [(50, 550, "matmul".to_owned())]);
}

/// Renders a bundle. Returns the events.
fn render(place: &Place, flags: &[&str]) -> Vec<Seen> {
    let words = [&["render", "--quiet", "-o", "x.pftrace"][..], flags, &["b.ireeprof"]].concat();
    place.fine(&words);
    seen(&fs::read(place.path("x.pftrace")).unwrap())
}

/// Returns begin, end and name of the slices on the track of this path below the root.
fn slices(events: &[Seen], track: &str) -> Vec<(u64, u64, String)> {
    let on = events.iter().filter(|it| it.track[1..].join("/") == track);
    let (begins, ends): (Vec<&Seen>, Vec<&Seen>) =
        on.partition(|it| it.kind == Type::SliceBegin as i32);
    let pairs = begins.iter().zip(&ends);
    pairs.map(|(begin, end)| (begin.time, end.time, begin.name.clone())).collect()
}

const SIMD: &str = "device[0]/shader engine 1 (waves)/CU 1 SIMD 2";

fn drawn() {
    let trace = format!("{CLOCKS}{WAVES}");
    let place = Place::of(traced().clocks().trace(1, 0, trace.as_bytes()));
    let events = render(&place, &["--att"]);
    // The trace begins at the first reading of the clock, which is at the start of the dispatch.
    let on = |track: &str| slices(&events, &format!("{SIMD}/{track}"));
    assert_eq!(on("slot 3"), [(50, 550, "matmul".to_owned())]);
    assert_eq!(on("slot 0"), [(60, 500, "matmul".to_owned())]);
    let states = [(50, 350, "exec".to_owned()), (350, 550, "stall".to_owned())];
    assert_eq!(on("slot 3/states"), states);
    assert_eq!(on("slot 3/instructions"), []);
    let wave = events.iter().find(|it| it.track.last().unwrap() == "slot 3").unwrap();
    for (name, value) in [("trace_id", "1"), ("begin_time", "100"), ("placed_by", "realtime")] {
        assert_eq!(wave.annotations[name], value, "{wave:?}");
    }
    assert_eq!(wave.category, "wave");
    // Without the flag, nothing is decoded.
    let plain = place.command(&["render", "--quiet", "-o", "y.pftrace", "b.ireeprof"]).output();
    assert_eq!(said(&plain.unwrap()).code, Some(0));
    let plain = seen(&fs::read(place.path("y.pftrace")).unwrap());
    assert!(plain.iter().all(|it| !it.track.join("/").contains("shader engine")));
    assert!(plain.iter().any(|it| it.name == "matmul"));
}

fn instructions() {
    let trace = format!("{CLOCKS}{WAVES}");
    let bundle = traced().clocks().trace(1, 0, trace.as_bytes()).trace(2, 0, b"crash");
    let place = Place::of(bundle);
    // The trace of the other function is not decoded. Names of instructions need not match.
    let events = render(&place, &["--att=instructions", "--filter=mat*"]);
    let on = |track: &str| slices(&events, &format!("{SIMD}/{track}/instructions"));
    assert_eq!(on("slot 3"), [(55, 60, "op_10".to_owned()), (65, 76, "op_20".to_owned())]);
    assert_eq!(on("slot 0"), [(70, 71, "SALU".to_owned())]);
    let event = events.iter().find(|it| it.name == "op_20").unwrap();
    for (name, value) in [("pc", "4097"), ("stall", "7"), ("category", "VMEM")] {
        assert_eq!(event.annotations[name], value, "{event:?}");
    }
    assert_eq!(event.category, "execution");
    // A window selects of them, too.
    let part = render(&place, &["--att=instructions", "--filter=mat*", "--window=60ns:80ns"]);
    assert_eq!(
        slices(&part, &format!("{SIMD}/slot 3/instructions")),
        [(65, 76, "op_20".to_owned())]
    );
}

fn failing() {
    let trace = format!("{CLOCKS}{WAVES}");
    let bundle = traced().clocks().trace(1, 0, trace.as_bytes()).trace(2, 0, b"status 12");
    let place = Place::of(bundle);
    let words = ["render", "--att", "--quiet", "-o", "x.pftrace", "b.ireeprof"];
    let told = place.run(&words);
    assert_eq!(told.code, Some(3), "{told:?}");
    assert!(told.err.contains("trace 2 of b cannot be decoded: "), "{told:?}");
    let events = seen(&fs::read(place.path("x.pftrace")).unwrap());
    assert_eq!(slices(&events, &format!("{SIMD}/slot 3")).len(), 1);
    // Without a library there is no trace.
    let place = Place::of(traced().trace(1, 0, trace.as_bytes()));
    let mut lacking = place.command(&words);
    let lacking = lacking.env("IREE_HAL_AMDGPU_LIBHSA_PATH", place.path("nowhere")).output();
    let lacking = said(&lacking.unwrap());
    assert_eq!(lacking.code, Some(4), "{lacking:?}");
    assert!(!place.path("x.pftrace").exists());
    let none = Place::of(traced()).run(&words);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(none.err.contains("no instruction traces"), "{none:?}");
}

/// Returns the numbers of files that are kept of each level of detail.
fn kept(place: &Place) -> [usize; 3] {
    let folder = place.path("cache/ireescope/traces");
    let paths = fs::read_dir(folder).map_or_else(
        |_| Vec::new(),
        |entries| entries.map(|entry| entry.unwrap().path()).collect(),
    );
    ["sums", "waves", "executions"].map(|level| {
        paths.iter().filter(|path| path.extension().is_some_and(|it| it == level)).count()
    })
}

fn levels() {
    let place = Place::of(traced().trace(1, 0, WAVES.as_bytes()));
    let waves = "SELECT count(*) FROM att_waves";
    assert_eq!(kept(&place), [0; 3]);
    // A plan needs no decoding, and so no library.
    place.fine(&["sql", "-c", &format!("EXPLAIN {waves}"), "b.ireeprof"]);
    assert_eq!(kept(&place), [0; 3]);
    assert_eq!(rows(&place, "SELECT instruction_events FROM att_traces"), "2\n");
    assert_eq!(kept(&place), [1, 0, 0]);
    assert_eq!(rows(&place, "SELECT count(*) FROM att_executions"), "3\n");
    assert_eq!(kept(&place), [1, 1, 1]);
    assert_eq!(rows(&place, waves), "2\n");
    // A query decodes once, in the detail that one of its tables needs.
    let place = Place::of(traced().trace(1, 0, WAVES.as_bytes()));
    let joined = "SELECT e.wave, e.position, e.category, e.stall, i.instruction FROM att_traces JOIN att_waves USING (byte_offset) JOIN att_executions AS e USING (byte_offset, wave) LEFT JOIN att_instructions AS i ON i.pc = e.pc ORDER BY 1, 2";
    assert_eq!(rows(&place, joined), "0,0,VALU,3,\top_10\n0,1,VMEM,7,\top_20\n1,0,SALU,9,\n");
    let place = Place::of(traced().trace(1, 0, WAVES.as_bytes()));
    assert_eq!(rows(&place, waves), "2\n");
    assert_eq!(kept(&place), [1, 1, 0]);
}
