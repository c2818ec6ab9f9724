//! Tests that `att` decodes traces, with libraries that stand in for those of ROCm (`tests/tools/stand_in_decoder.rs`,
//! `tests/tools/stand_in_comgr.rs`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::Test;
use crate::capture::{Said, said};
use crate::growth::processor_time;
use crate::support::ask::root;
use crate::support::built_traces::{Traced, image};

pub const TESTS: &[Test] = &[
    ("lines_are_those_of_the_reference", lines),
    ("traces_are_chosen_and_instructions_sorted", chosen),
    ("every_format_has_the_rows", formats),
    ("the_worst_instructions_have_their_neighbours", runs),
    ("the_decoder_gets_what_was_recorded", loaded),
    ("libraries_are_looked_for_as_in_the_reference", looked_for),
    ("what_is_missing_is_told_with_what_to_install", lacking),
    ("a_trace_that_fails_leaves_the_others", failing),
    ("every_status_of_a_library_is_told", statuses),
    ("what_libraries_print_is_no_part_of_the_answer", printing),
    ("a_million_instructions_are_added_up", million),
    ("tables_have_what_was_decoded", tables),
    ("what_was_decoded_is_kept", kept),
];

/// Returns the folder of the stand-ins, which are built once.
pub fn libraries() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let built = || {
        let folder = tempfile::tempdir().unwrap();
        for (source, library) in
            [("decoder", "librocprofiler-sdk.so"), ("comgr", "libamd_comgr.so")]
        {
            let status = Command::new(std::env::var("RUSTC").unwrap_or("rustc".into()))
                .args(["--edition=2024", "--crate-type=cdylib", "-Copt-level=2", "-o"])
                .arg(folder.path().join(library))
                .arg(root().join(format!("tests/tools/stand_in_{source}.rs")))
                .status()
                .unwrap();
            assert!(status.success());
        }
        fs::write(folder.path().join("librocprof-trace-decoder.so"), "").unwrap();
        folder
    };
    FOLDER.get_or_init(built).path()
}

/// A folder with a bundle `b.ireeprof`.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn of(bundle: Traced) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.ireeprof"), bundle.finish()).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command in the folder, with no way to a library.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.args(words).current_dir(self.folder.path());
        command.env_remove("IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH");
        command.env_remove("IREE_HAL_AMDGPU_LIBHSA_PATH");
        // What other tests kept would hide failures.
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Runs a command with the stand-ins, with more environment variables.
    fn with(&self, variables: &[(&str, &str)], words: &[&str]) -> Said {
        let mut command = self.command(words);
        command.env("IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH", libraries());
        said(&command.envs(variables.iter().copied()).output().unwrap())
    }

    pub fn run(&self, words: &[&str]) -> Said {
        self.with(&[], words)
    }

    /// Runs a command that succeeds.
    pub fn fine(&self, words: &[&str]) -> String {
        let said = self.run(words);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{words:?}: {said:?}");
        said.out
    }
}

const JSONL: &str = "--format=jsonl";

/// Two waves; instructions at four addresses, one of them in no code object, and one whose address is unknown.
const TRACE: &str = "\
gfxip 9
occupancy 90 1 2 3 1 4096 3
wave 1 2 3 100 200
state 2 60
state 4 40
run 6 3 10 110 4096 3
run 6 1 5 120 4096 3
run 3 7 20 130 4097 3
wave 0 1 0 105 150
run 3 2 4 106 4097 3
run 6 0 6 112 4098 3
run 3 0 6 118 4098 3
run 2 9 1 140 0 0
run 2 9 1 141 9999 8
occupancy 210 1 2 3 0 4096 3
info 1
unknown";

/// Instructions at 4096, 4097 and 4098, of which the last cannot be disassembled.
pub const CODE: &[u8] = &[0x10, 0x20, 0xff];

pub fn traced() -> Traced {
    Traced::new().image(3, &image(CODE)).load(3, 0, 0x7000, 4096)
}

fn lines() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()).trace(2, 0, b"gfxip 10"));
    let wanted = r#"{"type":"att_trace","trace_id":1,"dispatch_event_id":11,"submission_id":5,"command_buffer_id":0,"command_index":4294967295,"executable_id":7,"function_ordinal":0,"physical_device_ordinal":0,"queue_ordinal":0,"stream_id":0,"key":"matmul","raw_bytes":LENGTH,"gfxip":9,"waves":2,"occupancy":2,"instruction_events":7,"unique_pcs":4,"info":1,"workgroup_count":[4,2,1],"workgroup_size":[64,1,1],"duration_ticks":110}
{"type":"att_instruction","trace_id":1,"code_object_id":3,"pc":4096,"category":"VALU","hits":2,"duration":15,"stall":4,"first_time":110,"last_time":125,"instruction":"\top_10"}
{"type":"att_instruction","trace_id":1,"code_object_id":3,"pc":4097,"category":"VMEM","hits":2,"duration":24,"stall":9,"first_time":106,"last_time":150,"instruction":"\top_20"}
{"type":"att_instruction","trace_id":1,"code_object_id":3,"pc":4098,"category":"VMEM","hits":2,"duration":12,"stall":0,"first_time":112,"last_time":124,"instruction":"<unresolved>"}
{"type":"att_instruction","trace_id":1,"code_object_id":8,"pc":9999,"category":"SALU","hits":1,"duration":1,"stall":9,"first_time":141,"last_time":142,"instruction":"<unresolved>"}
{"type":"att_trace","trace_id":2,"dispatch_event_id":12,"submission_id":5,"command_buffer_id":0,"command_index":4294967295,"executable_id":7,"function_ordinal":1,"physical_device_ordinal":0,"queue_ordinal":0,"stream_id":0,"key":"softmax","raw_bytes":8,"gfxip":10,"waves":0,"occupancy":0,"instruction_events":0,"unique_pcs":0,"info":0,"workgroup_count":[4,2,1],"workgroup_size":[64,1,1],"duration_ticks":120}
"#;
    let wanted = wanted.replace("LENGTH", &TRACE.len().to_string());
    assert_eq!(place.fine(&["att", JSONL, "b.ireeprof"]), wanted);
    // Neither the function nor the dispatch of this trace was recorded.
    let place = Place::of(traced().trace(3, 0, b"gfxip 11"));
    let line: Value = serde_json::from_str(&place.fine(&["att", JSONL, "b.ireeprof"])).unwrap();
    assert_eq!(line["key"], "<unknown>");
    assert!(
        line.get("workgroup_count").is_none() && line.get("duration_ticks").is_none(),
        "{line}"
    );
}

/// Returns a field of each line of a type.
fn fields(lines: &str, kind: &str, field: &str) -> Vec<String> {
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).map(|line| line[field].to_string()).collect()
}

fn kept() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()));
    let without = |words: &[&str]| {
        let nowhere = place.path("nowhere");
        said(&place.command(words).env("IREE_HAL_AMDGPU_LIBHSA_PATH", nowhere).output().unwrap())
    };
    let lines = ["att", JSONL, "b.ireeprof"];
    let waves =
        ["sql", "--format=csv", "-c", "SELECT * FROM att_waves ORDER BY wave", "b.ireeprof"];
    let decoded = place.fine(&lines);
    assert_eq!(without(&lines).out, decoded);
    // That had no waves, so that these need the library once.
    assert_eq!(without(&waves).code, Some(4));
    let rows = place.fine(&waves);
    assert_eq!(without(&waves).out, rows);
    // The same trace in another bundle has rows of its own.
    fs::copy(place.path("b.ireeprof"), place.path("c.ireeprof")).unwrap();
    let other = without(&["sql", "--format=csv", "-c", waves[3], "c.ireeprof"]);
    assert_eq!(other.out, rows.replace("\nb,", "\nc,"));
    assert_eq!(without(&["att", JSONL, "--no-cache", "b.ireeprof"]).code, Some(4));
    // Another trace or another load address is decoded.
    let changed = TRACE.replace("gfxip 9", "gfxip 8");
    for bundle in [
        traced().trace(1, 0, changed.as_bytes()),
        traced().load(3, 0, 1, 4096).trace(1, 0, TRACE.as_bytes()),
    ] {
        fs::write(place.path("d.ireeprof"), bundle.finish()).unwrap();
        assert_eq!(without(&["att", JSONL, "d.ireeprof"]).code, Some(4));
    }
    // Damaged files are decoded again.
    for entry in fs::read_dir(place.path("cache/ireescope/traces")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    assert_eq!(without(&lines).code, Some(4));
    assert_eq!(place.fine(&lines), decoded);
}

fn chosen() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()).trace(2, 0, b"crash"));
    // The other trace is not decoded, so it does not crash.
    for flags in [["--filter=mat*"], ["--id=1"], ["--id=11"]] {
        let lines = place.fine(&[&["att", JSONL, "b.ireeprof"][..], &flags].concat());
        assert_eq!(fields(&lines, "att_trace", "trace_id"), ["1"], "{flags:?}");
        assert_eq!(fields(&lines, "att_instruction", "pc").len(), 4);
    }
    for flags in [["--filter=conv*"], ["--id=3"]] {
        let none = place.run(&[&["att", JSONL, "b.ireeprof"][..], &flags].concat());
        assert_eq!((none.code, none.out.as_str()), (Some(1), ""), "{none:?}");
        assert!(none.err.contains("no instruction traces match"), "{none:?}");
    }
    for (sort, pcs) in [
        ("stall", ["4097", "9999", "4096", "4098"]),
        ("duration", ["4097", "4096", "4098", "9999"]),
        ("hits", ["4096", "4097", "4098", "9999"]),
        ("pc", ["4096", "4097", "4098", "9999"]),
    ] {
        let lines = place.fine(&["att", JSONL, "--id=1", "--sort", sort, "b.ireeprof"]);
        assert_eq!(fields(&lines, "att_instruction", "pc"), pcs, "{sort}");
    }
    let wrong = place.run(&["att", "--sort=pcs", "b.ireeprof"]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

fn formats() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()));
    let text = place.fine(&["att", "b.ireeprof"]);
    // What was lost is said before everything else.
    let places: Vec<usize> = ["Data was lost.", "matmul", "VMEM", "op_20"]
        .iter()
        .map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}")))
        .collect();
    assert!(places.is_sorted(), "{text}");
    // Of 52 cycles, 36 are of VMEM, and of 22 that are stall, 9 are at one address.
    assert!(text.contains(" op_20") && !text.contains("\\t"), "{text}");
    assert!(text.contains("69.2 %") && text.contains("40.9 %"), "{text}");
    assert!(place.fine(&["att", "--limit=1", "b.ireeprof"]).contains("… and"));
    let rows = place.fine(&["att", "--format=csv", "--rows=att_instruction", "b.ireeprof"]);
    assert_eq!(rows.lines().count(), 5, "{rows}");
    let array: Value = serde_json::from_str(&place.fine(&["att", "--json", "b.ireeprof"])).unwrap();
    assert_eq!(array.as_array().unwrap().len(), 5);
    fs::copy(place.path("b.ireeprof"), place.path("c.ireeprof")).unwrap();
    let lines = place.fine(&["att", JSONL, "b.ireeprof", "c.ireeprof"]);
    assert_eq!(fields(&lines, "att_trace", "bundle"), ["\"b\"", "\"c\""]);
    // From a pipe, and compressed.
    let stdin = fs::File::open(place.path("b.ireeprof")).unwrap();
    let mut command = place.command(&["att", JSONL, "-"]);
    let output = command.stdin(stdin).env("IREE_HAL_AMDGPU_LIBHSA_PATH", libraries()).output();
    assert_eq!(fields(&said(&output.unwrap()).out, "att_trace", "waves"), ["2"]);
}

/// The ten worst of forty instructions are at 0, 1, 10 to 16 and 39; each has up to two neighbours.
fn runs() {
    let worst = |nth: u64| matches!(nth, 0 | 1 | 10..=16 | 39);
    let stall = |nth: u64| if worst(nth) { 100 + nth } else { 1 };
    let run = |nth: u64| format!("run 6 {} 200 0 {} 3\n", stall(nth), 4096 + 8 * nth);
    let trace = format!("wave 0 0 0 0 1\n{}", (0..40).map(run).collect::<String>());
    let place = Place::of(traced().trace(1, 0, trace.as_bytes()));
    let query = "SELECT run, min(pc), max(pc), count(*), count(rank), min(rank) FROM report.att_run GROUP BY run ORDER BY run";
    let rows = place.fine(&["sql", "--format=csv", "-c", query, "b.ireeprof"]);
    let rows = rows.split_once('\n').unwrap().1;
    let pc = |nth: u64| 4096 + 8 * nth;
    let wanted = [(1, 37, 39, "3,1,1"), (2, 8, 18, "11,7,2"), (3, 0, 3, "4,2,9")];
    let wanted =
        wanted.map(|(run, first, last, rest)| format!("{run},{},{},{rest}\n", pc(first), pc(last)));
    assert_eq!(rows, wanted.concat());
}

/// The stand-in tells what it got: address and id, size as duration, first byte as time, length as stall.
fn loaded() {
    let bundle = Traced::new()
        .image(3, &image(CODE))
        .image(4, &image(&[1]))
        .load(3, 0, 0x7f00_0000_0000, 4096)
        .load(4, 0, -16, 512)
        .load(4, 1, 99, 512)
        .trace(1, 0, b"loads");
    let lines = Place::of(bundle).fine(&["att", JSONL, "b.ireeprof"]);
    let fields = |field| fields(&lines, "att_instruction", field);
    assert_eq!(fields("code_object_id"), ["3", "4"]);
    assert_eq!(fields("pc"), ["139637976727552", "18446744073709551600"]);
    assert_eq!(fields("duration"), ["4096", "512"]);
    assert_eq!(fields("first_time"), ["127", "127"]);
    assert_eq!(fields("stall"), ["123", "121"]);
}

fn looked_for() {
    let place = Place::of(traced().trace(1, 0, b"gfxip 9"));
    let nowhere = place.path("nowhere");
    let ask = |flag: Option<&Path>, variables: &[(&str, &Path)]| {
        let mut command = place.command(&["att", JSONL, "--no-cache", "b.ireeprof"]);
        if let Some(path) = flag {
            command.arg("--rocm_library_path").arg(path);
        }
        said(&command.envs(variables.iter().copied()).output().unwrap())
    };
    let (aql, hsa) = ("IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH", "IREE_HAL_AMDGPU_LIBHSA_PATH");
    let folder = libraries();
    let (comgr, other) = (folder.join("libamd_comgr.so"), folder.join("libhsa-runtime64.so.1"));
    for (flag, variables) in [
        (Some(folder), &[][..]),
        (Some(&comgr), &[]),
        (Some(&other), &[]),
        (Some(folder), &[(aql, nowhere.as_path())]),
        (None, &[(aql, folder), (hsa, &nowhere)]),
        (None, &[(hsa, folder)]),
    ] {
        let found = ask(flag, variables);
        assert_eq!(found.code, Some(0), "{flag:?} {variables:?}: {found:?}");
    }
    for (flag, variables, by) in [
        (Some(nowhere.as_path()), &[(aql, folder)][..], "--rocm_library_path"),
        (None, &[(aql, nowhere.as_path()), (hsa, folder)], aql),
        (None, &[(hsa, &nowhere)], hsa),
    ] {
        let lacking = ask(flag, variables);
        assert_eq!(lacking.code, Some(4), "{flag:?} {variables:?}: {lacking:?}");
        let tried = format!("tried {}/librocprofiler-sdk.so", nowhere.display());
        assert!(
            lacking.err.contains(&tried) && lacking.err.contains(&format!("(from {by})")),
            "{lacking:?}"
        );
    }
}

fn lacking() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()).trace(2, 0, TRACE.as_bytes()));
    let folder = place.path("rocm");
    fs::create_dir(&folder).unwrap();
    let path = folder.to_str().unwrap();
    let ask = |parts: &[&str]| {
        let words = ["att", JSONL, "--rocm_library_path", path, "b.ireeprof"];
        let lacking = said(&place.command(&words).output().unwrap());
        assert_eq!((lacking.code, lacking.out.as_str()), (Some(4), ""), "{lacking:?}");
        // It is told once, not for each trace.
        assert_eq!(lacking.err.matches("error: ").count(), 1, "{lacking:?}");
        for part in parts {
            assert!(lacking.err.contains(part), "{part}: {lacking:?}");
        }
        assert!(lacking.err.contains("`ireescope att --list` and `--extract` need no library"));
    };
    ask(&[
        "cannot load librocprofiler-sdk.so, which decodes traces",
        "Install ROCm's rocprofiler-sdk",
    ]);
    fs::write(folder.join("librocprofiler-sdk.so"), "no library").unwrap();
    ask(&["librocprofiler-sdk.so: ", "tried"]);
    // A library without the functions.
    fs::copy(libraries().join("libamd_comgr.so"), folder.join("librocprofiler-sdk.so")).unwrap();
    let words = ["att", "--rocm_library_path", path, "b.ireeprof"];
    let other = said(&place.command(&words).output().unwrap());
    assert_eq!(other.code, Some(4), "{other:?}");
    assert!(
        other.err.contains("has no function rocprofiler_thread_trace_decoder_create"),
        "{other:?}"
    );
    fs::copy(libraries().join("librocprofiler-sdk.so"), folder.join("librocprofiler-sdk.so"))
        .unwrap();
    ask(&["cannot load libamd_comgr.so, which disassembles instructions", "libamd-comgr2"]);
    // The decoder needs a library of its own.
    let words = ["att", "--rocm_library_path", path, "b.ireeprof"];
    let create = said(&place.command(&words).env("STAND_IN_CREATE", "37").output().unwrap());
    assert_eq!(create.code, Some(4), "{create:?}");
    for part in ["create failed with rocprofiler status 37", "librocprof-trace-decoder.so"] {
        assert!(create.err.contains(part), "{create:?}");
    }
}

fn failing() {
    for (trace, parts) in [
        ("crash", &["signal: 11", "librocprofiler-sdk.so decoded it"][..]),
        ("exit 9", &["exit status: 9", "librocprofiler-sdk.so decoded it"]),
        ("print the reason\ncrash", &["(the reason)"]),
        ("hang", &["it took more than 1 s", "librocprofiler-sdk.so decoded it", "--time-limit"]),
        ("status 12", &["rocprofiler_trace_decode failed with rocprofiler status 12"]),
        ("wave 0 0 0 0 9\nrun 6 1 -5 0 4096 3", &["a negative duration (-5)", "0x1000"]),
    ] {
        let bundle = traced().trace(1, 0, trace.as_bytes()).trace(2, 0, b"gfxip 12\ninfo 2").trace(
            3,
            1,
            b"gfxip 12",
        );
        let place = Place::of(bundle);
        let told = place.run(&["att", JSONL, "--time-limit=1", "b.ireeprof"]);
        assert_eq!(told.code, Some(3), "{told:?}");
        assert_eq!(fields(&told.out, "att_trace", "trace_id"), ["2"], "{told:?}");
        for part in parts.iter().copied().chain([
            "trace 1 of b cannot be decoded: ",
            "trace 3 of b cannot be decoded: no code object was loaded onto device 1",
        ]) {
            assert!(told.err.contains(part), "{part}: {told:?}");
        }
        let query = "SELECT trace_id, problem IS NULL AS fine, gfxip FROM att_traces ORDER BY 1";
        if trace != "hang" {
            let rows = place.run(&["sql", "--format=csv", "-c", query, "b.ireeprof"]).out;
            assert_eq!(rows, "trace_id,fine,gfxip\n1,false,\n2,true,12\n3,false,\n");
        }
    }
    let place = Place::of(Traced::new().load(3, 0, 0, 9).trace(1, 0, b"gfxip 9"));
    let told = place.run(&["att", JSONL, "b.ireeprof"]);
    assert_eq!(told.code, Some(3), "{told:?}");
    assert!(told.err.contains("the image of code object 3 of executable 7 is missing"), "{told:?}");
}

fn statuses() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()));
    for status in 1..40 {
        let text = status.to_string();
        for (variable, value, what) in [
            ("STAND_IN_CREATE", text.clone(), "rocprofiler_thread_trace_decoder_create"),
            ("STAND_IN_LOAD", text.clone(), "rocprofiler_thread_trace_decoder_codeobj_load"),
        ] {
            let told = place.with(&[(variable, &value)], &["att", JSONL, "b.ireeprof"]);
            assert_eq!((told.code, told.out.as_str()), (Some(3), ""), "{told:?}");
            let wanted = format!("{what} failed with rocprofiler status {status}");
            assert!(told.err.contains(&wanted), "{wanted}: {told:?}");
        }
    }
    for function in ["create_data", "set_data", "get_data_isa_name", "create_disassembly_info"] {
        for (status, name) in [(1, "ERROR"), (2, "ERROR_INVALID_ARGUMENT"), (7, "")] {
            let value = format!("{function}:{status}");
            let told = place.with(&[("STAND_IN_COMGR", &value)], &["att", JSONL, "b.ireeprof"]);
            let wanted =
                format!("amd_comgr_{function} failed with AMD COMGR status {status} ({name})");
            assert_eq!(told.code, Some(3), "{told:?}");
            assert!(told.err.contains(&wanted), "{wanted}: {told:?}");
        }
    }
    // An instruction that cannot be disassembled is no reason to lose the trace.
    let variables = [("STAND_IN_COMGR", "disassemble_instruction:1")];
    let told = place.with(&variables, &["att", JSONL, "b.ireeprof"]);
    assert_eq!(fields(&told.out, "att_instruction", "instruction"), ["\"<unresolved>\""; 4]);
}

fn printing() {
    let place = Place::of(traced().trace(1, 0, b"print hello\ngfxip 9\nprint hello"));
    let told = place.run(&["att", JSONL, "b.ireeprof"]);
    assert_eq!((told.code, told.err.as_str()), (Some(0), ""), "{told:?}");
    assert_eq!(fields(&told.out, "att_trace", "gfxip"), ["9"]);
}

fn million() {
    let place = Place::of(traced().trace(1, 0, b"many 1000000"));
    let lines = place.fine(&["att", JSONL, "b.ireeprof"]);
    assert_eq!(fields(&lines, "att_trace", "instruction_events"), ["1000000"]);
    assert_eq!(fields(&lines, "att_instruction", "hits"), vec!["1000"; 1000]);
    assert_eq!(fields(&lines, "att_instruction", "stall"), vec!["2000"; 1000]);
    let mut again = place.command(&["att", JSONL, "--no-cache", "b.ireeprof"]);
    again.env("IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH", libraries());
    let time = processor_time(&again, 3);
    assert!(time < Duration::from_secs(1), "{time:?}");
}

fn tables() {
    let place = Place::of(traced().trace(1, 0, TRACE.as_bytes()));
    for (query, wanted) in [
        (
            "SELECT wave, cu, simd, slot, begin_time, end_time, instruction_events FROM att_waves ORDER BY wave",
            "0,1,2,3,100,200,3\n1,0,1,0,105,150,5\n",
        ),
        (
            "SELECT wave, position, state, state_value, begin_time, duration FROM att_wave_states ORDER BY 2",
            "0,0,exec,2,100,60\n0,1,stall,4,160,40\n",
        ),
        (
            "SELECT time, cu, simd, slot, is_start, code_object_id, pc FROM att_occupancy ORDER BY 1",
            "90,1,2,3,true,3,4096\n210,1,2,3,false,3,4096\n",
        ),
        ("SELECT info, info_value, message FROM att_info", "data_lost,1,Data was lost.\n"),
        (
            "SELECT i.pc, i.instruction FROM att_instructions i JOIN executable_traces t ON t.bundle = i.bundle AND t.byte_offset = i.byte_offset WHERE t.trace_id = 1 AND i.stall > 8 ORDER BY 1",
            "4097,\top_20\n9999,\n",
        ),
        ("SELECT key, waves FROM report.att_trace", "matmul,2\n"),
        ("SELECT count(*), sum(stall) FROM report.att_instruction", "4,22\n"),
        (
            "SELECT category, unique_pcs, hits, duration, stall, round(duration_share, 3) FROM report.att_category ORDER BY duration DESC",
            "VMEM,2,4,36,9,0.692\nVALU,1,2,15,4,0.288\nSALU,1,1,1,9,0.019\n",
        ),
        (
            "SELECT pc, stall, round(stall_share, 3), round(cumulative_stall_share, 3) FROM report.att_hot_spot ORDER BY stall DESC, pc",
            "4097,9,0.409,0.409\n9999,9,0.409,0.818\n4096,4,0.182,1.000\n4098,0,0.000,1.000\n",
        ),
        ("SELECT time, waves FROM report.att_active_waves ORDER BY time", "90,1\n210,0\n"),
        ("SELECT info, count, message FROM report.att_note", "data_lost,1,Data was lost.\n"),
    ] {
        let rows = place.fine(&["sql", "--format=csv", "-c", query, "b.ireeprof"]);
        assert_eq!(rows.split_once('\n').unwrap().1, wanted, "{query}");
    }
    // Without a library, and without a trace.
    let query = ["sql", "-c", "SELECT * FROM att_waves", "b.ireeprof"];
    let empty = place.path("nowhere");
    let mut lacking = place.command(&query);
    lacking.env("IREE_HAL_AMDGPU_LIBHSA_PATH", &empty).env("XDG_CACHE_HOME", &empty);
    let lacking = said(&lacking.output().unwrap());
    assert_eq!(lacking.code, Some(4), "{lacking:?}");
    assert!(lacking.err.contains("cannot load librocprofiler-sdk.so"), "{lacking:?}");
    let place = Place::of(traced());
    let none = place.command(&query).env("IREE_HAL_AMDGPU_LIBHSA_PATH", &empty).output();
    assert_eq!(said(&none.unwrap()).code, Some(0));
}
