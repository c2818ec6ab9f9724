//! Tests `att` and `code-objects`: what is listed, and that extraction gives back the recorded bytes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::Test;
use crate::capture::{Said, said};
use crate::growth::{MEASURE, processor_time};
use crate::support::built_traces::Traced;

pub const TESTS: &[Test] = &[
    ("traces_are_listed_with_what_they_need", listed),
    ("the_text_of_the_list_has_a_limit_and_a_next_step", text),
    ("extraction_gives_back_the_recorded_bytes", extracted),
    ("what_is_missing_is_told", missing),
    ("damage_leaves_the_other_traces", damaged),
    ("ids_that_repeat_get_files_of_their_own", repeated),
    ("code_objects_are_listed_and_extracted_alone", code_objects),
    ("large_traces_are_listed_without_reading_them", large),
];

/// A folder with a bundle `b.ireeprof`.
struct Place {
    folder: TempDir,
}

impl Place {
    fn of(bundle: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.ireeprof"), bundle).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, words: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        said(&command.args(words).current_dir(self.folder.path()).output().unwrap())
    }

    /// Runs a command that succeeds.
    fn fine(&self, words: &[&str]) -> Said {
        let said = self.run(words);
        assert_eq!(said.code, Some(0), "{words:?}: {said:?}");
        said
    }

    fn manifest(&self, folder: &str) -> Value {
        let path = self.path(folder).join("manifest.json");
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    }
}

fn traced() -> Traced {
    Traced::new()
        .image(3, b"image of three")
        .image(4, b"image of four")
        .load(3, 0, 0x7f00_0000_0000, 4096)
        .load(4, 0, -64, 512)
        .load(3, 1, 0x1000, 4096)
        .trace(1, 0, b"first trace")
        .trace(2, 1, &[0, 255, 10, 13, 0])
}

/// Reads a field of every object of a section of a manifest.
fn fields(manifest: &Value, section: &str, field: &str) -> Vec<String> {
    let objects = manifest[section].as_array().unwrap();
    objects.iter().map(|object| object[field].to_string()).collect()
}

fn listed() {
    let place = Place::of(&traced().trace(3, 2, b"").finish());
    let query = ["att", "--list", "--format=csv", "b.ireeprof"];
    let text = place.fine(&query).out;
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let heads = rows.headers().unwrap().clone();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let shown = [
        "trace_id",
        "key",
        "physical_device_ordinal",
        "dispatch_event_id",
        "data_length",
        "code_objects",
        "has_code_objects",
    ];
    let rows: Vec<String> = rows
        .records()
        .map(|row| shown.map(|name| row.as_ref().unwrap()[at(name)].to_owned()).join(" "))
        .collect();
    assert_eq!(
        rows,
        [
            "1 matmul 0 11 11 2 true",
            "2 softmax 1 12 5 1 true",
            // No code object was loaded onto its device.
            "3 executable7#2 2 13 0 0 false",
        ]
    );
    let one = |flags: &[&str]| {
        let text =
            place.fine(&[&["att", "--list", "--format=jsonl", "b.ireeprof"], flags].concat()).out;
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.iter().map(|line| line["trace_id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(one(&["--filter=soft*"]), [2]);
    assert_eq!(one(&["--id=1"]), [1]);
    assert_eq!(one(&["--id=13"]), [3]);
    for (flags, said) in
        [(&["--id=14"][..], "no instruction traces match"), (&["--filter=x"], "match")]
    {
        let found = place.run(&[&["att", "--list", "b.ireeprof"], flags].concat());
        assert_eq!(found.code, Some(1), "{found:?}");
        assert!(found.err.contains(said), "{found:?}");
    }
    for format in
        ["text", "box", "markdown", "csv", "tsv", "json", "jsonl", "line", "arrow", "parquet"]
    {
        let output = format!("out.{format}");
        place.fine(&["att", "--list", "--format", format, "-o", &output, "b.ireeprof"]);
        assert!(fs::metadata(place.path(&output)).unwrap().len() > 0, "{format}");
    }
}

fn text() {
    // Nothing was loaded onto the device of the first trace.
    let place = Place::of(&Traced::new().trace(9, 3, b"").finish());
    let told = place.fine(&["att", "--list", "b.ireeprof"]);
    assert!(told.out.contains("executable7#8") && !told.out.contains("att --id="), "{told:?}");
    let bundle = Traced::new().image(3, b"image").load(3, 0, 0, 4096).trace(9, 3, b"");
    let place = Place::of(&bundle.trace(1, 0, b"").trace(2, 0, b"").finish());
    let told = place.fine(&["att", "--list", "b.ireeprof"]);
    assert!(told.out.ends_with(":\n  ireescope att --id=1 b.ireeprof\n"), "{told:?}");
    assert!(told.out.contains("softmax") && !told.out.contains("more"), "{told:?}");
    let told = place.fine(&["att", "--list", "--limit=1", "b.ireeprof"]);
    assert!(told.out.contains("executable7#8"), "{told:?}");
    assert!(told.out.contains("\n … and 2 more (--limit)\n"), "{told:?}");
    assert!(!told.out.contains("softmax"), "{told:?}");
    // Other formats have all rows.
    let told = place.fine(&["att", "--list", "--limit=1", "--format=jsonl", "b.ireeprof"]);
    assert_eq!(told.out.lines().count(), 3, "{told:?}");
}

/// Returns the names of the files in a folder, sorted.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn extracted() {
    let place = Place::of(&traced().finish());
    let told = place.fine(&["att", "--extract", "out", "b.ireeprof"]);
    assert_eq!(told.out, "2 traces and 2 code objects, described in out/manifest.json\n");
    let read = |name: &str| fs::read(place.path("out").join(name)).unwrap();
    assert_eq!(read("trace-1.att"), b"first trace");
    assert_eq!(read("trace-2.att"), [0, 255, 10, 13, 0]);
    assert_eq!(read("code-object-7-3.hsaco"), b"image of three");
    assert_eq!(read("code-object-7-4.hsaco"), b"image of four");
    assert_eq!(fs::read_dir(place.path("out")).unwrap().count(), 5);
    let manifest = place.manifest("out");
    assert_eq!(
        fields(&manifest, "executable_traces", "file"),
        ["\"trace-1.att\"", "\"trace-2.att\""]
    );
    assert_eq!(fields(&manifest, "executable_traces", "key"), ["\"matmul\"", "\"softmax\""]);
    assert_eq!(
        fields(&manifest, "code_objects", "file"),
        ["\"code-object-7-3.hsaco\"", "\"code-object-7-3.hsaco\"", "\"code-object-7-4.hsaco\"",]
    );
    assert_eq!(fields(&manifest, "code_objects", "load_delta"), ["139637976727552", "4096", "-64"]);
    assert_eq!(fields(&manifest, "code_objects", "physical_device_ordinal"), ["0", "1", "0"]);
    // Again, with fewer traces: the files are replaced, and others that the manifest named are removed.
    fs::write(place.path("out/own.att"), "").unwrap();
    let told = place.fine(&["att", "--extract", "out", "--id=2", "b.ireeprof"]);
    assert_eq!(told.out, "1 trace and 2 code objects, described in out/manifest.json\n");
    assert_eq!(fields(&place.manifest("out"), "executable_traces", "file"), ["\"trace-2.att\""]);
    assert_eq!(
        names(&place, "out"),
        [
            "code-object-7-3.hsaco",
            "code-object-7-4.hsaco",
            "manifest.json",
            "own.att",
            "trace-2.att"
        ]
    );
    // A manifest cannot name files elsewhere, and those that are gone are no error.
    fs::write(place.path("x.att"), "").unwrap();
    fs::write(place.path("out/x.txt"), "").unwrap();
    let foreign = ["../x.att", "x.txt", "manifest.json", "..", "gone.att", "trace-2.att"];
    let rows: Vec<Value> = foreign.iter().map(|name| serde_json::json!({"file": name})).collect();
    let manifest = serde_json::json!({"executable_traces": rows, "code_objects": 1});
    fs::write(place.path("out/manifest.json"), manifest.to_string()).unwrap();
    place.fine(&["code-objects", "--extract", "out", "b.ireeprof"]);
    assert_eq!(
        names(&place, "out"),
        ["code-object-7-3.hsaco", "code-object-7-4.hsaco", "manifest.json", "own.att", "x.txt"]
    );
    assert!(place.path("x.att").exists());
    // The manifest of something else stays.
    fs::create_dir(place.path("set")).unwrap();
    fs::write(place.path("set/manifest.json"), "{}").unwrap();
    let other = place.run(&["att", "--extract", "set", "b.ireeprof"]);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.err.contains("set/manifest.json describes other files"), "{other:?}");
    assert_eq!(names(&place, "set"), ["manifest.json"]);
    let none = place.run(&["att", "--extract", "none", "--id=9", "b.ireeprof"]);
    assert_eq!(none.code, Some(1), "{none:?}");
    assert!(!place.path("none").exists());
    let on_file = place.run(&["att", "--extract", "b.ireeprof/out", "b.ireeprof"]);
    assert_eq!(on_file.code, Some(4), "{on_file:?}");
    assert!(on_file.err.contains("cannot write b.ireeprof/out"), "{on_file:?}");
    let both = place.run(&["att", "--extract", "out", "--list", "b.ireeprof"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

fn missing() {
    let bundle = Traced::new().load(3, 0, 16, 32).trace(1, 0, b"alone").finish();
    let place = Place::of(&bundle);
    let told = place.fine(&["att", "--list", "b.ireeprof"]);
    assert!(told.out.contains("missing"), "{told:?}");
    let told = place.fine(&["att", "--extract", "out", "b.ireeprof"]);
    assert!(told.err.contains("1 code object cannot be extracted"), "{told:?}");
    assert_eq!(fs::read(place.path("out/trace-1.att")).unwrap(), b"alone");
    assert_eq!(fields(&place.manifest("out"), "code_objects", "file"), ["null"]);
    // A stream has the sizes of traces, but not their bytes.
    place.fine(&["export", "--format=ireeperf-jsonl", "-o", "s.jsonl", "b.ireeprof"]);
    let told = place.fine(&["att", "--extract", "stream", "s.jsonl"]);
    assert!(told.err.contains("1 trace cannot be extracted"), "{told:?}");
    assert_eq!(fields(&place.manifest("stream"), "executable_traces", "file"), ["null"]);
    assert!(!place.path("stream/trace-1.att").exists());
    let place = Place::of(&Traced::new().finish());
    for command in [&["att", "--list", "b.ireeprof"][..], &["code-objects", "b.ireeprof"]] {
        let told = place.run(command);
        assert_eq!(told.code, Some(1), "{told:?}");
        assert!(told.err.contains("--device_profiling_mode=executable-traces"), "{told:?}");
    }
}

fn damaged() {
    let mut bundle = traced().finish();
    let at = bundle.windows(11).position(|bytes| bytes == b"first trace").unwrap();
    // The length of the data of the first trace.
    bundle[at - 8..at].copy_from_slice(&500_u64.to_le_bytes());
    let place = Place::of(&bundle);
    let told = place.fine(&["att", "--extract", "out", "b.ireeprof"]);
    assert_eq!(told.out, "1 trace and 2 code objects, described in out/manifest.json\n");
    assert_eq!(fs::read(place.path("out/trace-2.att")).unwrap(), [0, 255, 10, 13, 0]);
    let found = place.run(&["doctor", "b.ireeprof"]);
    assert!(found.out.contains("data_length"), "{found:?}");
}

fn repeated() {
    let bundle = traced().trace(1, 0, b"another").finish();
    let place = Place::of(&bundle);
    fs::copy(place.path("b.ireeprof"), place.path("c.ireeprof")).unwrap();
    let told = place.fine(&["att", "--extract", "out", "b.ireeprof", "c.ireeprof"]);
    assert!(told.out.starts_with("6 traces and 4 code objects"), "{told:?}");
    let manifest = place.manifest("out");
    for object in manifest["executable_traces"].as_array().unwrap() {
        let bytes = fs::read(place.path("out").join(object["file"].as_str().unwrap())).unwrap();
        assert_eq!(bytes.len() as u64, object["data_length"].as_u64().unwrap(), "{object}");
    }
    let bundles = fields(&manifest, "executable_traces", "bundle");
    assert_eq!(bundles.iter().filter(|label| *label == "\"c\"").count(), 3);
    assert_eq!(fs::read(place.path("out/trace-1-2.att")).unwrap(), b"another");
}

fn code_objects() {
    let place = Place::of(&traced().finish());
    let text = place.fine(&["code-objects", "b.ireeprof"]).out;
    assert!(text.contains("matmul") && text.contains("139637976727552"), "{text}");
    let told = place.fine(&["code-objects", "--extract", "out", "b.ireeprof"]);
    assert_eq!(told.out, "2 code objects, described in out/manifest.json\n");
    assert_eq!(fs::read(place.path("out/code-object-7-4.hsaco")).unwrap(), b"image of four");
    assert_eq!(place.run(&["code-objects", "--id=8", "b.ireeprof"]).code, Some(1));
    assert_eq!(place.run(&["code-objects", "--filter=x*", "b.ireeprof"]).code, Some(1));
    assert_eq!(place.run(&["code-objects", "--filter=soft*", "b.ireeprof"]).code, Some(0));
}

/// Lists a trace of 100 MB in less than 50 ms, as almost no page of it is read.
fn large() {
    let data = vec![1; 100 << 20];
    let memory = |place: &Place| {
        let output = Command::new("python3")
            .args(["-c", MEASURE, env!("CARGO_BIN_EXE_ireescope")])
            .args(["att", "--list", "b.ireeprof"])
            .current_dir(place.folder.path())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().parse::<u64>().unwrap()
    };
    let small = Place::of(&traced().finish());
    let large = Place::of(&traced().trace(1, 0, &data).finish());
    let (small, more) = (memory(&small), memory(&large));
    assert!(more < small + (16 << 10), "{more} KiB of memory, {small} KiB for a small bundle");
    let mut list = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    list.args(["att", "--list", "b.ireeprof"]).current_dir(large.folder.path());
    let time = processor_time(&list, 5);
    assert!(time < Duration::from_millis(50), "{time:?}");
    large.fine(&["att", "--extract", "out", "b.ireeprof"]);
    assert!(fs::read(large.path("out/trace-1-2.att")).unwrap() == data);
}
