//! Changed inputs other than bundles: streams, compressed files, Parquet folders, capture sets and replays. No command
//! may panic or hang on them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;

use super::json;
use super::process::Said;
use super::runs::folder;
use crate::capture::Place;
use crate::export::{diagnosed, export, measured};
use crate::profile::ours;
use crate::support::ask::{file, root};
use crate::support::built;
use crate::support::random::Random;

/// Commands for a file or a folder, whose name follows.
const COMMANDS: [&[&str]; 16] = [
    &["top"],
    &["doctor"],
    &["gaps"],
    &["summary", "--format=jsonl"],
    &["explain"],
    &["dispatch", "--format=jsonl", "--dispatch_events"],
    &["queue"],
    &["memory"],
    &["counter", "--format=jsonl", "--counter_samples"],
    &["cat", "--format=jsonl"],
    &["export", "--format=ireeperf-jsonl"],
    &["render", "-o", "-"],
    &["sql", "-c", "SELECT * FROM problems"],
    &["sql", "-c", "SELECT * FROM bundles; SELECT * FROM sessions; SELECT * FROM runs"],
    &["sql", "-c", "SELECT * FROM device_times; SELECT * FROM invocations"],
    &["sql", "-c", "SELECT count(*) FROM records"],
];

/// Bundles that other inputs are made of.
static BUNDLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let capture = |name: &str| std::fs::read(root().join("tests/data").join(name)).unwrap();
    let mut bundles = ["gpu", "smoke", "counters", "lossy"].map(built::named).to_vec();
    bundles.extend([diagnosed(), measured(), capture("matmul-local-task.ireeprof")]);
    bundles.push(capture("loop-vulkan.ireeprof"));
    bundles
});

/// The streams of these bundles.
static STREAMS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let stream = |bundle: &Vec<u8>| export(&ours(), file(bundle).path()).stdout;
    BUNDLES.iter().map(stream).collect()
});

fn pick<T: Clone>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len())].clone()
}

/// Runs commands on an input, and keeps a copy of it if one of them panics or hangs.
fn ask(
    kind: &str,
    seed: u64,
    random: &mut Random,
    input: &Path,
    keep: &Path,
) -> Result<(), String> {
    for _ in 0..2 {
        let words = pick(random, &COMMANDS);
        judge(kind, seed, Command::new(ours()).args(words).arg(input), keep)?;
    }
    Ok(())
}

fn judge(kind: &str, seed: u64, command: &mut Command, keep: &Path) -> Result<(), String> {
    let Some(flaw) = Said::by(command).flaw() else { return Ok(()) };
    copy(keep, &folder(kind, seed).join(keep.file_name().unwrap_or_default()));
    Err(format!("{command:?}\n  {flaw}"))
}

/// Copies a file or a folder.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

fn named(name: &str, bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// A changed stream of `export --format=ireeperf-jsonl`.
pub fn stream(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x57ea_0000);
    let bytes = changed_stream(&mut random);
    let (_folder, path) = named("case.ireeperf.jsonl", &bytes);
    ask("streams", seed, &mut random, &path, &path)
}

fn changed_stream(random: &mut Random) -> Vec<u8> {
    let stream = pick(random, &STREAMS);
    let text = String::from_utf8_lossy(&stream);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(5) {
        // The first line says what the file is, and is changed less often.
        let at = random.below(lines.len() * 2).saturating_sub(lines.len());
        let target = random.below(lines.len());
        match random.below(8) {
            0 => lines.swap(at, target),
            1 => drop(lines.remove(target)),
            2 => lines.insert(at, lines[target].clone()),
            _ => {
                let at = if random.below(10) == 0 { at } else { target };
                let Ok(mut value) = serde_json::from_str::<Value>(&lines[at]) else { continue };
                json::change(&mut value, random);
                lines[at] = value.to_string();
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    let mut bytes = lines.join("\n").into_bytes();
    if random.below(3) == 0 && !bytes.is_empty() {
        json::damage(&mut bytes, random);
    }
    bytes
}

/// A compressed bundle or stream with damage.
pub fn gzip(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x6217_0000);
    let bundle = random.below(2) == 0;
    let bytes = if bundle { pick(&mut random, &BUNDLES) } else { pick(&mut random, &STREAMS) };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(random.below(10) as u32));
    encoder.write_all(&bytes).unwrap();
    let mut packed = encoder.finish().unwrap();
    for _ in 0..random.below(4) {
        let at = random.below(packed.len());
        match random.below(5) {
            0 => packed.truncate(at.max(1)),
            1 => packed.extend(packed.clone()),
            2 => packed.extend_from_slice(b"\x1f\x8b\x08\0rest"),
            3 => packed[at.min(20)] ^= 1 << random.below(8),
            _ => packed[at] = random.next() as u8,
        }
    }
    let names: [&str; 4] = if bundle {
        ["case.ireeprof.gz", "case.ireeprof", "case.gz", "case"]
    } else {
        ["case.ireeperf.jsonl.gz", "case.jsonl.gz", "case.jsonl", "case.gz"]
    };
    let (_folder, path) = named(pick(&mut random, &names), &packed);
    ask("gzip", seed, &mut random, &path, &path)
}

/// Folders of Parquet files: of two bundles with files of their own, and of twenty in a batch.
static DATASET: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (file(&BUNDLES[0]), file(&BUNDLES[1]));
    for (name, more) in [("set", 0), ("many", 18)] {
        let more = (0..more).map(|nth| format!("more{nth}={}", other.path().display()));
        let output = Command::new(ours())
            .args(["export", "--format=parquet", "--output"])
            .arg(folder.path().join(name))
            .arg(format!("one={}", one.path().display()))
            .arg(format!("two={}", other.path().display()))
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
});

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

/// A folder of Parquet files, with damaged, exchanged and missing files.
pub fn parquet(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x9a20_0000);
    let place = tempfile::tempdir().unwrap();
    let set = place.path().join("set");
    let is_batched = random.below(2) == 0;
    copy(&DATASET.path().join(if is_batched { "many" } else { "set" }), &set);
    let mut files = Vec::new();
    files_below(&set, &mut files);
    // Tables whose files are changed are read afterwards.
    let mut tables = vec!["dispatches".to_owned()];
    for _ in 0..=random.below(3) {
        let path = pick(&mut random, &files);
        let table = path.strip_prefix(&set).unwrap().components().next().unwrap();
        tables.push(table.as_os_str().to_string_lossy().into_owned());
        let Ok(mut bytes) = std::fs::read(&path) else { continue };
        if path.ends_with("manifest.json") {
            change_json(&mut bytes, &mut random);
        } else {
            match random.below(6) {
                0 => bytes = std::fs::read(pick(&mut random, &files)).unwrap_or_default(),
                1 => bytes.truncate(random.below(bytes.len())),
                2 => std::fs::remove_file(&path).unwrap(),
                _ => {
                    // The metadata at the end of the file is damaged most often.
                    for _ in 0..=random.below(4) {
                        let reach = if random.below(3) > 0 { 2000 } else { 1 << 20 };
                        let back = 1 + random.below(reach);
                        let at = bytes.len().saturating_sub(back);
                        if let Some(byte) = bytes.get_mut(at) {
                            *byte = random.next() as u8;
                        }
                    }
                }
            }
        }
        std::fs::write(&path, bytes).unwrap();
    }
    if random.below(4) == 0 {
        return ask("parquet", seed, &mut random, &set, &set);
    }
    tables.retain(|table| !table.contains('.'));
    for table in tables {
        let form = pick(&mut random, &["*", "count(*)", "DISTINCT *"]);
        let end = pick(&mut random, &["", " WHERE bundle = 'one'", " ORDER BY 1, 2 LIMIT 3"]);
        let query = format!("SELECT {form} FROM {table}{end}");
        judge("parquet", seed, Command::new(ours()).args(["sql", "-c", &query]).arg(&set), &set)?;
    }
    Ok(())
}

fn change_json(bytes: &mut Vec<u8>, random: &mut Random) {
    if let Ok(mut value) = serde_json::from_slice::<Value>(bytes) {
        for _ in 0..=random.below(3) {
            json::change(&mut value, random);
        }
        *bytes = value.to_string().into_bytes();
    }
    if random.below(4) == 0 && !bytes.is_empty() {
        json::damage(bytes, random);
    }
}

/// A capture set of the fake tools.
static SET: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::new();
    let said = place.capture("gpu", &["--for=kernel-time,counters,memory"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    place
});

/// A capture set with another manifest, or files that are missing or changed.
pub fn manifest(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x3a41_0000);
    let place = Place::new();
    let set = place.path("set");
    copy(&SET.path("set"), &set);
    let path = set.join("manifest.json");
    let mut bytes = std::fs::read(&path).unwrap();
    change_json(&mut bytes, &mut random);
    std::fs::write(&path, bytes).unwrap();
    if random.below(3) == 0 {
        let mut files = Vec::new();
        files_below(&set, &mut files);
        let file = pick(&mut random, &files);
        match random.below(3) {
            0 => std::fs::remove_file(file).unwrap(),
            1 => std::fs::write(file, "").unwrap(),
            _ => std::fs::write(file, "IRPF").unwrap(),
        }
    }
    let fill: &[&str] = &["fill", "--dry-run", "--for=kernel-time,memory,counters"];
    for words in [fill, pick(&mut random, &COMMANDS), pick(&mut random, &COMMANDS)] {
        let mut command = place.command("gpu", words);
        judge("manifests", seed, command.arg("set"), &set)?;
    }
    Ok(())
}

/// A capture of a replay with an odd name, and what the set says of it.
pub fn replay(seed: u64) -> Result<(), String> {
    const PIECES: [&str; 14] = [
        "a",
        " ",
        "'",
        "\"",
        "\n",
        "$(x)",
        "`",
        "é",
        "\u{202e}",
        "..",
        "/",
        "-",
        "%",
        "x.ireereplay",
    ];
    let mut random = Random(seed ^ 0x4e91_0000);
    let place = Place::new();
    let mut name = String::new();
    for _ in 0..random.below(6) {
        name += pick(&mut random, &PIECES);
    }
    if random.below(10) == 0 {
        name += &"y".repeat(300);
    }
    // Absolute names would be files outside the folder.
    let name = format!("{}.ireereplay", name.trim_start_matches('/'));
    let there = place.path(&name);
    if random.below(3) > 0 && !name.contains("..") && there.parent().is_some_and(Path::is_dir) {
        // The system refuses names that are too long.
        let _ = std::fs::write(&there, "replay");
    }
    let bin = place.path("bin it's");
    let bin = bin.to_str().unwrap();
    let fake = pick(&mut random, &["", "gpu", "crash", "silent"]);
    let flags = pick(&mut random, &["--dry-run", "--for=kernel-time", "--for=memory,counters"]);
    let mut words = vec!["capture", "-o", "set", "--iree-bin-dir", bin, flags, "--"];
    words.extend(["iree-benchmark-replay", "--device=local-task", &name]);
    if random.below(4) == 0 {
        words.push("second.ireereplay");
    }
    let mut command = place.command(fake, &words);
    judge("replays", seed, &mut command, &place.path("m.vmfb"))?;
    let set = place.path("set");
    if !set.exists() {
        return Ok(());
    }
    judge("replays", seed, place.command(fake, &["doctor"]).arg("set"), &set)
}
