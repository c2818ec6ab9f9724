//! Tests of the processes that decode traces: how they end, what is told of it, and what is kept of their work.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::att_decode::{Place, libraries, traced};
use crate::Test;
use crate::capture::said;

pub const TESTS: &[Test] = &[
    ("any_exit_code_of_a_library_costs_one_trace", exit_codes),
    ("no_process_outlives_the_program", orphans),
    ("damaged_files_are_not_read", damaged),
    ("queries_warn_of_what_was_not_decoded", warned),
    ("traces_are_decoded_once_for_a_timeline", once),
];

const SUMS: &str = "SELECT trace_id, gfxip FROM att_traces ORDER BY 1";

fn exit_codes() {
    for code in 0..6 {
        let trace = format!("gfxip 9\nexit {code}");
        let place = Place::of(traced().trace(1, 0, trace.as_bytes()).trace(2, 0, b"gfxip 12"));
        let told = place.run(&["att", "--format=jsonl", "b.ireeprof"]);
        assert_eq!(told.code, Some(3), "{told:?}");
        assert_eq!(told.out.lines().count(), 1, "{told:?}");
        let wanted = format!("the process ended with exit status: {code} while ");
        assert!(told.err.contains(&wanted), "{told:?}");
    }
}

/// Returns the processes whose parent is this one.
fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stat = fs::read_to_string(format!("/proc/{name}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        (fields[1] == parent.to_string()).then(|| name.parse().unwrap())
    });
    processes.collect()
}

fn orphans() {
    let place = Place::of(traced().trace(1, 0, b"hang"));
    let mut command = place.command(&["att", "b.ireeprof"]);
    command.env("IREE_HAL_AMDGPU_LIBHSA_PATH", libraries()).stderr(Stdio::null());
    let mut program = command.stdout(Stdio::null()).spawn().unwrap();
    let until = |is_done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_done() {
            assert!(start.elapsed() < Duration::from_mins(1));
            sleep(Duration::from_millis(5));
        }
    };
    let runs = |child: u32| {
        let status = fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
        status.contains("\nState:\t") && !status.contains("\nState:\tZ")
    };
    // The library is loaded once the process has asked for the signal.
    let hangs = |child: &u32| {
        let maps = fs::read_to_string(format!("/proc/{child}/maps")).unwrap_or_default();
        maps.contains("librocprofiler-sdk.so")
    };
    until(&|| children(program.id()).iter().any(hangs));
    let decoding = children(program.id());
    program.kill().unwrap();
    program.wait().unwrap();
    until(&|| decoding.iter().all(|child| !runs(*child)));
}

fn damaged() {
    let place = Place::of(traced().trace(1, 0, b"gfxip 9\nwave 1 2 3 100 200"));
    let without = |query: &str| {
        let words = ["sql", "--format=csv", "-c", query, "b.ireeprof"];
        let nowhere = place.path("nowhere");
        said(&place.command(&words).env("IREE_HAL_AMDGPU_LIBHSA_PATH", nowhere).output().unwrap())
    };
    let with = |query: &str| place.fine(&["sql", "--format=csv", "-c", query, "b.ireeprof"]);
    let waves = "SELECT cu, simd, slot FROM att_waves";
    let wanted = [with(waves), with(SUMS)];
    for entry in fs::read_dir(place.path("cache/ireescope/traces")).unwrap() {
        let path = entry.unwrap().path();
        let whole = fs::read(&path).unwrap();
        for place in (0..whole.len()).step_by(97).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[place] ^= 4;
            fs::write(&path, bytes).unwrap();
            assert_eq!(without(waves).code, Some(4), "{place} of {}", path.display());
        }
        assert_eq!([with(waves), with(SUMS)], wanted);
        assert_eq!(without(waves).out, wanted[0]);
    }
}

fn warned() {
    let place = Place::of(traced().trace(1, 0, b"status 5").trace(2, 0, b"gfxip 12"));
    let words =
        ["sql", "--format=csv", "-c", "SELECT count(*) FROM att_instructions", "b.ireeprof"];
    let told = place.run(&words);
    assert_eq!((told.code, told.out.as_str()), (Some(0), "count(*)\n0\n"), "{told:?}");
    let warning = "ireescope: warning: trace 1 of b cannot be decoded: ";
    assert_eq!(told.err.matches(warning).count(), 1, "{told:?}");
    // A query of `render` is one that someone will look at.
    let slices = "SELECT track, name, start_ns, end_ns FROM report.wave_slice";
    let told = place.run(&["render", "--slices", slices, "-o", "x.pftrace", "b.ireeprof"]);
    assert_eq!(told.code, Some(3), "{told:?}");
    assert!(told.err.contains("trace 1 of b cannot be decoded: "), "{told:?}");
}

fn once() {
    let place = Place::of(traced().trace(1, 0, b"print here\nstatus 5"));
    let told = place.run(&["render", "--att=instructions", "-o", "x.pftrace", "b.ireeprof"]);
    assert_eq!(told.err.matches("cannot be decoded").count(), 1, "{told:?}");
}
