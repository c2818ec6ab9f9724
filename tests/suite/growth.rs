//! Tests how time and memory grow with the size of a bundle. Time is measured as instructions counted by valgrind, and
//! memory as the peak of a counting allocator or the peak resident set.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use libtest_mimic::Trial;
use peak_alloc::PeakAlloc;
use tempfile::NamedTempFile;

use super::differential::TOOLS;
use super::profile::optimized;
use super::real_captures::no_vulkan;
use crate::support::ask::{engine, generated, root, rows};
use crate::support::generator::Capture;
use crate::support::models;
use crate::{skipped_if, trial};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The environment variable that makes this binary run `ireescope` and print the peak of its heap.
const AS_COMMAND: &str = "IREESCOPE_COUNT_HEAP";

/// Commands with small or streamed results, and limits in MiB for their peak heap, independent of the bundle's size.
const COMMANDS: &[(&str, usize)] = &[
    ("summary", 64),
    ("dispatch", 64),
    ("statistics", 64),
    ("explain", 64),
    ("executable", 64),
    ("command", 64),
    ("queue", 64),
    ("memory", 64),
    ("counter", 64),
    ("dispatch --dispatch_events", 64),
    // Holds batches of every row type.
    ("export --format=ireeperf-jsonl", 160),
    // Views group by execution and submission, which gives 80 000 groups.
    ("export --format=parquet --output={new}", 256),
];

/// Commands whose resident memory is measured on a small bundle.
const SMALL: &[&str] = &["top", "doctor", "gaps", "explain", "memory", "queue", "render -o -"];

/// Maximum resident memory of a command on a small bundle in bytes, which includes pages of the binary.
const RESIDENT_LIMIT: u64 = 60_000_000;

/// A Python program that runs a command and prints its peak resident set in KiB.
pub const MEASURE: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// A Python program that runs a command several times and prints the smallest processor time of a run, with that of the
/// command's own children, in seconds.
const MEASURE_TIME: &str = "import resource, subprocess, sys
def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
times = []
for _ in range(int(sys.argv[1])):
    start = spent()
    subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, check=True)
    times.append(spent() - start)
print(min(times))";

/// Returns the smallest processor time of some runs of a command, which hardly depends on other load.
pub fn processor_time(command: &Command, runs: usize) -> Duration {
    let mut measure = Command::new("python3");
    measure.args(["-c", MEASURE_TIME, &runs.to_string()]);
    measure.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        measure.current_dir(folder);
    }
    for (variable, value) in command.get_envs() {
        match value {
            Some(value) => measure.env(variable, value),
            None => measure.env_remove(variable),
        };
    }
    let output = measure.output().unwrap();
    let seconds = String::from_utf8_lossy(&output.stdout).trim().parse();
    Duration::from_secs_f64(seconds.unwrap_or_else(|_| panic!("{command:?}: {output:?}")))
}

/// Runs `ireescope` and prints the peak of its heap if [`AS_COMMAND`] is set. Returns false otherwise.
pub fn is_command() -> bool {
    if std::env::var_os(AS_COMMAND).is_none() {
        return false;
    }
    ireescope::cli::main();
    eprintln!("heap {}", HEAP.peak_usage());
    true
}

/// Returns why instructions cannot be counted on this machine, if so.
pub fn no_valgrind() -> Option<&'static str> {
    let is_there = |tool| Command::new(tool).arg("--version").output().is_ok();
    let can_count = is_there("valgrind") && is_there("taskset");
    (!can_count).then_some("valgrind or taskset is not installed")
}

/// Returns the tests. Those that count instructions need valgrind and taskset, and are skipped without them.
pub fn trials() -> Vec<Trial> {
    let reason = no_valgrind();
    let linear =
        ["dispatch", "explain", "command", "queue", "memory", "export --format=ireeperf-jsonl"];
    let instructions = linear.map(|command| {
        let name = format!("growth::instructions_of_{}_are_linear", name(command));
        skipped_if(reason, trial(name, move || instructions(command)))
    });
    let little = [
        ("memory", 125e6),
        ("gaps", 38e6),
        ("doctor", 20e6),
        ("top", 140e6),
        ("explain", 79e6),
        ("dispatch --dispatch_events --format=jsonl", 64e6),
        ("render --quiet --output=-", 98e6),
        ("export --format=ireeperf-jsonl", 132e6),
        ("export --format=parquet --output={new}", 420e6),
    ]
    .map(|(command, limit)| {
        let name = format!("growth::instructions_of_planning_{}_are_few", name(command));
        skipped_if(reason, trial(name, move || planning(command, limit)))
    });
    let small = ["summary", "dispatch", "statistics", "queue", "memory"].map(|command| {
        let name = format!("growth::threads_share_small_chunks_of_{command}");
        skipped_if(reason, trial(name, move || threads_share(command)))
    });
    let heap = trial("growth::the_heap_is_bounded".into(), heap);
    let resident = trial("growth::small_commands_touch_few_pages".into(), resident);
    instructions.into_iter().chain(little).chain(small).chain([heap, resident]).collect()
}

/// The tests that need the real tools.
pub fn against_tools() -> Vec<Trial> {
    let task =
        trial("growth::generated_chunks_are_those_of_local_task".into(), || chunks("local-task"));
    let vulkan = trial("growth::generated_chunks_are_those_of_vulkan".into(), || chunks("vulkan"));
    vec![task, skipped_if(no_vulkan(), vulkan)]
}

/// Captures calls of a model of two dispatches, and compares the number and the size of the chunks with those that are
/// generated.
fn chunks(device: &str) {
    const CALLS: u64 = 20;
    let on_device = device == "vulkan";
    let timed = if on_device {
        "dispatch-events,device-queue-events"
    } else {
        "host-execution,command-region-events"
    };
    let folder = tempfile::tempdir().unwrap();
    let [module, captured] = ["dense.vmfb", "dense.ireeprof"].map(|name| folder.path().join(name));
    let ran = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    models::compile("dense", models::flags(device), &module);
    ran(Command::new(TOOLS.join("iree-benchmark-module"))
        .arg(format!("--device={device}"))
        .arg(format!("--module={}", module.display()))
        .args(["--function=main", "--input=32x128xf32=1", "--input=128x256xf32=1"])
        .arg(format!("--benchmark_min_time={CALLS}x"))
        .arg(format!(
            "--device_profiling_mode=queue-events,memory-events,executable-metadata,{timed}"
        ))
        .arg(format!("--device_profiling_output={}", captured.display())));
    let (dispatches, per_submission) = (2 * CALLS, true);
    let (device, host) = (on_device, !on_device);
    let capture = Capture { dispatches, device, host, seed: 7, per_submission };
    let file = generated(&capture);
    let [real, generated] = [captured.as_path(), file.path()].map(|path| {
        let chunks = format!(
            "SELECT content_type, count(*), sum(payload_length) FROM records GROUP BY content_type
             HAVING count(*) >= {CALLS} ORDER BY content_type"
        );
        rows(&engine(path), &chunks)
    });
    assert!(real.len() >= 4, "{real:?}");
    assert_eq!(real, generated);
}

/// Returns a command for a test name: its words and flag values, without flag names.
fn name(command: &str) -> String {
    let words = command.split([' ', '=']).filter(|word| !word.starts_with(['-', '{']));
    words.collect::<Vec<_>>().join("_")
}

fn bundle(dispatches: u64, per_submission: bool) -> NamedTempFile {
    generated(&Capture { dispatches, device: true, host: true, seed: 7, per_submission })
}

/// Adds `--format=jsonl` to a command without a format.
fn in_lines(command: &str) -> String {
    let lines = if command.contains("--format") { "" } else { " --format=jsonl" };
    format!("{command}{lines}")
}

/// Splits a command into words. `{new}` stands for a folder that does not exist yet.
fn arguments(command: &str, folder: &Path, bundle: &Path) -> Vec<OsString> {
    let new = folder.join("new").display().to_string();
    let words = command.split(' ').map(|word| word.replace("{new}", &new).into());
    words.chain([bundle.as_os_str().to_owned()]).collect()
}

fn heap() {
    let large = bundle(400_000, false);
    for (command, limit) in COMMANDS {
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(arguments(&in_lines(command), folder.path(), large.path()))
            .env(AS_COMMAND, "1")
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let peak = said.trim().rsplit_once(' ').and_then(|(_, bytes)| bytes.parse::<usize>().ok());
        let peak = peak.unwrap_or_else(|| panic!("{command} says {said}"));
        assert!(peak < limit << 20, "{command} has {peak} bytes");
    }
}

fn resident() {
    let capture = root().join("tests/data/mlp-vulkan.ireeprof");
    for command in SMALL {
        let output = Command::new("python3")
            .args(["-c", MEASURE])
            .arg(optimized())
            .args(command.split(' '))
            .arg(&capture)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let kibibytes: u64 =
            said.trim().parse().unwrap_or_else(|_| panic!("{command}: {output:?}"));
        let bytes = kibibytes * 1024;
        assert!(bytes < RESIDENT_LIMIT, "{command} has {bytes} bytes of memory");
    }
}

/// Counts instructions for three equidistant sizes, whose differences must be about equal, with large and with small
/// chunks.
fn instructions(command: &str) {
    for (sizes, per_submission) in
        [([20_000, 50_000, 80_000], false), ([4_000, 10_000, 16_000], true)]
    {
        let [one, two, three] = sizes.map(|size| counted(command, size, per_submission));
        let (first, second) = (two - one, three - two);
        assert!(first > 0.0, "{command}: {one} {two} {three}");
        assert!(
            second < 1.25 * first,
            "{command}: with {sizes:?} dispatches, more of them take {first} instructions, then {second}"
        );
    }
}

fn counted(command: &str, dispatches: u64, per_submission: bool) -> f64 {
    let (bundle, folder) = (bundle(dispatches, per_submission), tempfile::tempdir().unwrap());
    instructions_of(&arguments(&in_lines(command), folder.path(), bundle.path()))
}

/// Runs a command with 1, 2 and 4 threads over a bundle of small chunks. More threads must neither do more work nor wait
/// for each other: there are fewer changes of context than chunks by far. Times would depend on what else runs.
fn threads_share(command: &str) {
    let bundle = bundle(60_000, true);
    let mut of_one = 0.0;
    for threads in [1, 2, 4] {
        let command = format!("{command} --format=jsonl --threads={threads}");
        let arguments = arguments(&command, Path::new(""), bundle.path());
        let instructions = instructions_of(&arguments);
        of_one = if threads == 1 { instructions } else { of_one };
        assert!(
            instructions < 1.1 * of_one,
            "{command}: {instructions} instructions, {of_one} with one thread"
        );
        let switches = context_switches(&arguments);
        assert!(switches < 600, "{command}: {switches} changes of context for 30 000 submissions");
    }
}

/// A Python program that runs a command and prints how often its threads waited.
const MEASURE_WAITS: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw)";

fn context_switches(arguments: &[OsString]) -> u64 {
    let output = Command::new("python3")
        .args(["-c", MEASURE_WAITS])
        .arg(optimized())
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    said.trim().parse().unwrap_or_else(|_| panic!("{arguments:?}: {output:?}"))
}

/// Counts instructions for a small bundle, for which planning is most of the work. The limits are up to a quarter above measured
/// counts; with all rules of DataFusion's optimizer, `memory` takes 368 million instructions. The crates that plan are compiled for size:
/// an eighth more instructions in about the same time, for a program that keeps within [`RESIDENT_LIMIT`].
fn planning(command: &str, limit: f64) {
    let capture = root().join("tests/data/mlp-vulkan.ireeprof");
    let folder = tempfile::tempdir().unwrap();
    let count = instructions_of(&arguments(command, folder.path(), &capture));
    assert!(count < limit, "{command} takes {count} instructions");
}

/// Counts the instructions of a command on one CPU, because the distribution of work between threads varies.
fn instructions_of(arguments: &[OsString]) -> f64 {
    let output = Command::new("taskset")
        .args(["--cpu-list", &processor(), "valgrind"])
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(optimized())
        .args(arguments)
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // `==1== I   refs:      107,823,950`
    let count = said.lines().find_map(|line| line.split_once("refs:"));
    let count = count.and_then(|(_, count)| count.trim().replace(',', "").parse().ok());
    count.unwrap_or_else(|| panic!("valgrind says {said}"))
}

/// Returns the number of the first CPU that this process may use.
fn processor() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    allowed.trim().split([',', '-']).next().unwrap().to_owned()
}
