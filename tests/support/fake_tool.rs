//! Fake IREE tools: the test binary acts as a tool if it is run under the name of one. `IREESCOPE_FAKE` selects a
//! behaviour, including ones that the available machines do not show.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::builder::{Bundle, Chunk, record};

const ON: Chunk<'static> = Chunk { name: "fake", ..Chunk::PLAIN };

/// True if the binary is run under the name of a tool.
pub fn is_called() -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    Path::new(&name).file_name().is_some_and(|name| name.to_string_lossy().starts_with("iree-"))
}

/// Acts as the tool, and exits.
pub fn main() -> ! {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let behaviour = std::env::var("IREESCOPE_FAKE").unwrap_or_default();
    let name = std::env::args().next().unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    super::fake_bench::play(&name, &words);
    if words == ["--help"] {
        if name.contains("benchmark") {
            println!("          [--benchmark_out=<filename>]");
        }
        help(&behaviour);
    }
    if words == ["--version"] {
        println!("fake tool 9.9");
        std::process::exit(0);
    }
    // Echoes the arguments, so that tests can check them.
    for word in words.iter().filter(|_| behaviour != "silent") {
        println!("{word:?}");
    }
    if behaviour == "silent" {
        std::process::exit(0);
    }
    println!("HIP_VISIBLE_DEVICES={}", std::env::var("HIP_VISIBLE_DEVICES").unwrap_or_default());
    if let Some(said) = behaviour.strip_prefix("fail:") {
        fail(1, said);
    }
    let call = Call {
        modes: value(&words, "--device_profiling_mode")
            .map(|modes| modes.split(',').map(str::to_owned).collect())
            .unwrap_or_default(),
        counters: words
            .iter()
            .filter_map(|word| word.strip_prefix("--device_profiling_counter="))
            .map(str::to_owned)
            .collect(),
        output: value(&words, "--device_profiling_output").map(PathBuf::from),
        pace: pace(&words),
    };
    if let Some(file) = value(&words, "--device_capture_file") {
        std::fs::write(file, "frames").unwrap();
    }
    if let Some(file) = value(&words, "--device_replay_output") {
        std::fs::write(file, "replay").unwrap();
    }
    if let Some(file) = value(&words, "--benchmark_out") {
        let one = |name: &str, time: u32| {
            format!(
                r#"{{"run_type": "iteration", "name": "{name}", "iterations": 3, "real_time": {time}.5, "cpu_time": 7, "time_unit": "us"}}"#
            )
        };
        let second = if behaviour == "two benchmarks" { "BM_b" } else { "BM_a" };
        let benchmarks = [one("BM_a", 2), one(second, 4)].join(",");
        let json =
            format!(r#"{{"context": {{"host_name": "secret"}}, "benchmarks": [{benchmarks}]}}"#);
        std::fs::write(file, json).unwrap();
    }
    if words.iter().any(|word| word == "--print_device_statistics") {
        println!("IREE HAL device statistics:");
        if behaviour == "slow statistics" {
            linger("ready");
        }
    }
    if behaviour == "slow recording" && value(&words, "--device_replay_output").is_some() {
        linger("ready");
    }
    act(&behaviour, &call, &words);
    std::process::exit(0);
}

/// The profiling options of a call.
struct Call {
    modes: Vec<String>,
    counters: Vec<String>,
    output: Option<PathBuf>,
    /// Factor of the times of dispatches.
    pace: f64,
}

/// Returns the factor that `--pace` gives, which varies by up to a percent from run to run.
fn pace(words: &[String]) -> f64 {
    let Some(pace) = value(words, "--pace").and_then(|pace| pace.parse::<f64>().ok()) else {
        return 1.0;
    };
    let output = Path::new(value(words, "--device_profiling_output").unwrap_or_default());
    let name = output.file_name().unwrap_or_default().to_string_lossy();
    let hash = name.bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte));
    pace * (1.0 + f64::from(hash.wrapping_mul(2_654_435_761) >> 16) / 65536.0 / 100.0)
}

fn value<'a>(words: &'a [String], flag: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='))
}

fn help(behaviour: &str) -> ! {
    let filter = if behaviour == "old" { "export" } else { "function" };
    let modes = "'queue-events', 'host-execution', 'device-queue-events', 'dispatch-events', 'memory-events', \
                 'counters', 'counter-ranges', 'executable-metadata', 'executable-traces'";
    let newer = if behaviour == "old" { "" } else { ", 'device-metrics', 'command-region-events'" };
    match behaviour {
        "mute" => {}
        "slow help" => {
            std::fs::write("ready", std::process::id().to_string()).unwrap();
            std::thread::sleep(std::time::Duration::from_mins(10));
        }
        "other" => println!("usage: something else"),
        _ => println!(
            "# drawn from [{modes}{newer}]\n--device_profiling_mode=\"\"\n--device_profiling_filter_{filter}=\"\""
        ),
    }
    std::process::exit(0);
}

fn act(behaviour: &str, call: &Call, words: &[String]) {
    let Some(output) = &call.output else { return };
    let whole = || std::fs::write(output, recorded(call).end(1, 0).finish()).unwrap();
    let half = || std::fs::write(output, recorded(call).unfinished()).unwrap();
    // What a tool does in one run only: `fails in:run-4`.
    let name = output.file_stem().unwrap_or_default().to_string_lossy();
    let behaviour = match behaviour.split_once(" in:") {
        Some((behaviour, run)) if run == name => behaviour,
        Some(_) => "",
        None => behaviour,
    };
    match behaviour {
        "gpu" => {
            refuse(call, output, 0x202);
            refuse_counters(call, output);
            whole();
        }
        // The filters exclude all dispatches.
        "filtered" => {
            let is_filtered = words.iter().any(|word| word.contains("_filter_"));
            let is_left = |mode: &&String| !(is_filtered && *mode == "dispatch-events");
            let modes = call.modes.iter().filter(is_left).cloned().collect();
            let left = Call { modes, counters: Vec::new(), output: None, pace: 1.0 };
            std::fs::write(output, recorded(&left).end(1, 0).finish()).unwrap();
        }
        // The filters exclude one of two functions.
        "sieve" => {
            let is_filtered = words.iter().any(|word| word.contains("_filter_"));
            let count = if is_filtered { 1 } else { 2 };
            std::fs::write(output, recorded_of(call, count).end(1, 0).finish()).unwrap();
        }
        // Rejects dispatch events and filters, as CPU devices do.
        "unfiltered" => {
            refuse(call, output, 0x8);
            if words.iter().any(|word| word.contains("_filter_")) {
                header(output);
                fail(
                    1,
                    "profile.c:270: UNIMPLEMENTED; fake profiling capture filters require producer-owned dispatch events and no unfilterable local data families; beginning device profiling",
                );
            }
            whole();
        }
        // Device `a` does not support dispatch events.
        "two" => {
            if words.iter().any(|word| word == "--device=a") {
                refuse(call, output, 0x8);
            }
            whole();
        }
        "bad end" => {
            whole();
            fail(3, "it worked, and then it did not");
        }
        "stubborn" => {
            half();
            std::fs::write(output.with_extension("pid"), std::process::id().to_string()).unwrap();
            let deaf = ["-c", "trap '' INT; sleep 600; sleep 600"];
            let error = std::os::unix::process::CommandExt::exec(
                std::process::Command::new("sh").args(deaf),
            );
            panic!("{error}");
        }
        "late" => linger("ready"),
        // Its rings of events are full after 50 ms.
        "ring" => {
            let every = value(words, "--device_profiling_flush_interval_ms");
            if every.is_none_or(|every| every.parse::<u32>().unwrap() > 50) {
                half();
                fail(
                    1,
                    "host_queue_profile_events.c:86: RESOURCE_EXHAUSTED; dispatch profiling event ring exhausted: requested 4 events, available 1, ready 65535, capacity 65536; `sync func @main()`",
                );
            }
            whole();
        }
        // It drops memory events unless it flushes.
        "drops" => {
            if value(words, "--device_profiling_flush_interval_ms").is_some() {
                return whole();
            }
            let modes = call.modes.iter().filter(|mode| *mode != "memory-events").cloned();
            let rest =
                Call { modes: modes.collect(), counters: Vec::new(), output: None, pace: 1.0 };
            let event = |id: i128, time_ns: i128| {
                let fields = [("type", 7), ("event_id", id), ("host_time_ns", time_ns)];
                record("memory_event", &fields, &[])
            };
            let full = Chunk { flags: 1, dropped: 3, device: 0, queue: 0, ..ON };
            let events = [event(1, 10_000_000), event(2, 90_000_000)];
            let bundle = recorded(&rest).chunk("memory-events", full, &events);
            std::fs::write(output, bundle.end(1, 0).finish()).unwrap();
        }
        // It runs three tests, and writes the bundle of the last.
        "tests" => {
            println!("[==========] Running 3 tests from 1 test suite.");
            whole();
        }
        "fails" => fail(1, "it broke"),
        "old" => {
            if words.iter().any(|word| word.starts_with("--device_profiling_filter_function")) {
                fail(
                    1,
                    "flags.c:428: INVALID_ARGUMENT; flag 'device_profiling_filter_function' not recognized",
                );
            }
            whole();
        }
        "picky" => {
            if call.modes.iter().any(|mode| mode == "memory-events") {
                header(output);
                fail(1, "driver.c:7: FAILED_PRECONDITION; profiling needs a feature that is off");
            }
            whole();
        }
        "quarrel" => {
            let has = |name: &str| call.modes.iter().any(|mode| mode == name);
            if has("queue-events") && has("dispatch-events") {
                header(output);
                fail(
                    1,
                    "driver.c:7: FAILED_PRECONDITION; profiling data families cannot be combined",
                );
            }
            whole();
        }
        "unprofiled" => {
            header(output);
            fail(
                1,
                "hip_device.c:2828: UNIMPLEMENTED; HIP HAL-native profiling is not implemented",
            );
        }
        "nothing" => {
            std::fs::write(output, Bundle::new().begin(1, "fake").end(1, 0).finish()).unwrap();
        }
        "header" => header(output),
        "torn" => {
            let bytes = recorded(call).unfinished();
            std::fs::write(output, &bytes[..bytes.len() - 5]).unwrap();
            fail(1, "the disk is full");
        }
        "half" => {
            half();
            fail(1, "module.c:3: NOT_FOUND; function 'main' is not in the module");
        }
        "crash" => {
            half();
            eprintln!("first words\n\nlast words");
            std::process::abort();
        }
        // A child of a child, which holds a temporary file.
        "family" => {
            half();
            let script = "sh -c 'echo $$ > \"$0\"; sleep 600' \"$0\" & wait";
            let pid = output.with_extension("pid");
            let mut child =
                std::process::Command::new("sh").args(["-c", script]).arg(&pid).spawn().unwrap();
            child.wait().unwrap();
        }
        "hang" => {
            half();
            // A child process, which must not outlive the tool.
            let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
            std::fs::write(output.with_extension("pid"), child.id().to_string()).unwrap();
            child.wait().unwrap();
        }
        _ => whole(),
    }
}

fn fail(code: i32, said: &str) -> ! {
    eprintln!("{said}");
    std::process::exit(code);
}

/// Creates the file `sign` to signal readiness, and sleeps.
fn linger(sign: &str) -> ! {
    std::fs::write(sign, "").unwrap();
    std::thread::sleep(std::time::Duration::from_mins(10));
    std::process::exit(0);
}

fn header(output: &Path) {
    std::fs::write(output, Bundle::new().unfinished()).unwrap();
}

/// Fails if a requested mode is in `mask`, whose bits are those of IREE's profiling data families.
fn refuse(call: &Call, output: &Path, mask: u32) {
    let bits = [
        "queue-events",
        "host-execution",
        "device-queue-events",
        "dispatch-events",
        "counters",
        "executable-metadata",
        "executable-traces",
        "memory-events",
        "device-metrics",
        "command-region-events",
        "counter-ranges",
    ];
    let asked = bits
        .iter()
        .enumerate()
        .filter(|(_, name)| call.modes.iter().any(|mode| mode == *name))
        .fold(0_u32, |bits, (bit, _)| bits | 1 << bit);
    if asked & mask != 0 {
        header(output);
        let refused = asked & mask;
        fail(
            1,
            &format!(
                "gpu.c:1: UNIMPLEMENTED; unsupported fake profiling data families {refused:#x}"
            ),
        );
    }
}

/// Fails like a device with three counters, of which two fit into a run.
fn refuse_counters(call: &Call, output: &Path) {
    if !call.modes.iter().any(|mode| mode == "counters") {
        return;
    }
    let known = ["WAVES", "BUSY", "HITS"];
    let refusal = match call.counters.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => format!(
            "UNIMPLEMENTED; unsupported fake counter '{name}'; supported counters: {}; beginning device profiling",
            known.join(", ")
        ),
        None if call.counters.is_empty() => {
            "INVALID_ARGUMENT; counter profiling requires at least one counter set selection".into()
        }
        None if call.counters.len() > 2 => {
            "RESOURCE_EXHAUSTED; the counter set needs 3 registers and there are 2".into()
        }
        None => return,
    };
    header(output);
    fail(1, &format!("gpu.c:2: {refusal}"));
}

/// Returns a bundle with records of the requested modes. Executable ids depend on the counters, because ids differ
/// between the runs of real captures.
fn recorded(call: &Call) -> Bundle {
    recorded_of(call, 2)
}

/// Returns the bundle of [`recorded`] with this number of dispatches.
fn recorded_of(call: &Call, dispatches: i128) -> Bundle {
    let executable = if call.counters.is_empty() { 7 } else { 9 };
    let mut bundle = Bundle::new()
        .begin(1, "fake")
        .chunk("devices", ON, &[record("device_record", &[("queue_count", 1)], &[])])
        .chunk("queues", ON, &[record("queue_record", &[], &[])]);
    let function = |ordinal: i128, name: &str, hash: i128| {
        let fields = [
            ("flags", i128::from(hash != 0)),
            ("executable_id", executable),
            ("function_ordinal", ordinal),
            ("name_length", name.len() as i128),
            ("function_hash[0]", hash),
        ];
        record("executable_function_record", &fields, name.as_bytes())
    };
    for mode in &call.modes {
        let (family, records) = match mode.as_str() {
            "executable-metadata" => {
                let known = record("executable_record", &[("executable_id", executable)], &[]);
                bundle = bundle.chunk("executables", ON, &[known]);
                ("executable-functions", vec![function(0, "matmul", 5), function(1, "softmax", 0)])
            }
            "queue-events" => {
                ("queue-events", vec![record("queue_event", &[("type", 3), ("event_id", 1)], &[])])
            }
            "device-queue-events" => (
                "queue-device-events",
                vec![record("queue_device_event", &[("type", 3), ("event_id", 1)], &[])],
            ),
            "memory-events" => (
                "memory-events",
                // A buffer, as queue allocations without a release are told.
                vec![record("memory_event", &[("type", 9), ("event_id", 1)], &[])],
            ),
            "dispatch-events" => {
                let each =
                    (0..dispatches).map(|function| dispatch(executable, function, call.pace));
                ("dispatch-events", each.collect())
            }
            "host-execution" => ("host-execution-events", vec![span(executable)]),
            "executable-traces" => ("executable-traces", vec![trace(executable)]),
            "counters" => {
                bundle = counters(bundle, &call.counters, executable);
                continue;
            }
            _ => continue,
        };
        bundle = bundle.chunk(family, Chunk { device: 0, queue: 0, ..ON }, &records);
    }
    if call.modes.iter().any(|mode| mode == "dispatch-events") {
        let sample = |id: i128, tick: i128| {
            let fields = [
                ("flags", 0b1011),
                ("sample_id", id),
                ("device_tick", tick),
                ("host_cpu_timestamp_ns", tick),
                ("host_time_begin_ns", tick),
                ("host_time_end_ns", tick),
            ];
            record("clock_correlation_record", &fields, &[])
        };
        bundle = bundle.chunk("clock-correlations", ON, &[sample(1, 100), sample(2, 10_000_100)]);
    }
    std::io::stdout().flush().unwrap();
    bundle
}

fn dispatch(executable: i128, function: i128, pace: f64) -> Vec<u8> {
    let duration = f64::from(i32::try_from(500 + 100 * function).unwrap()) * pace;
    let fields = [
        ("event_id", function + 1),
        ("executable_id", executable),
        ("function_ordinal", function),
        ("start_tick", 1000),
        ("end_tick", 1000 + duration.round() as i128),
    ];
    record("dispatch_event", &fields, &[])
}

fn trace(executable: i128) -> Vec<u8> {
    let fields = [
        ("format", 1),
        ("flags", 1),
        ("trace_id", 1),
        ("dispatch_event_id", 1),
        ("executable_id", executable),
        ("data_length", 5),
    ];
    [record("executable_trace_record", &fields, &[]), b"trace".to_vec()].concat()
}

fn span(executable: i128) -> Vec<u8> {
    let fields = [
        ("type", 2),
        ("event_id", 1),
        ("executable_id", executable),
        ("start_host_time_ns", 10),
        ("end_host_time_ns", 810),
    ];
    record("host_execution_event", &fields, &[])
}

fn counters(bundle: Bundle, names: &[String], executable: i128) -> Bundle {
    let count = names.len() as i128;
    let set = record(
        "counter_set_record",
        &[("counter_set_id", 1), ("counter_count", count), ("sample_value_count", count)],
        &[],
    );
    let described = names.iter().enumerate().map(|(at, name)| {
        let fields = [
            ("unit", 1),
            ("counter_set_id", 1),
            ("counter_ordinal", at as i128),
            ("sample_value_offset", at as i128),
            ("sample_value_count", 1),
            ("name_length", name.len() as i128),
        ];
        record("counter_record", &fields, name.as_bytes())
    });
    let sample = |function: i128| {
        let values: Vec<u8> =
            names.iter().flat_map(|name| (name.len() as u64 + 10).to_le_bytes()).collect();
        let fields = [
            ("flags", 1),
            ("scope", 1),
            ("sample_id", function + 1),
            ("counter_set_id", 1),
            ("executable_id", executable),
            ("function_ordinal", function),
            ("sample_value_count", count),
        ];
        record("counter_sample_record", &fields, &values)
    };
    bundle
        .chunk("counter-sets", ON, &[set])
        .chunk("counters", ON, &described.collect::<Vec<_>>())
        .chunk("counter-samples", ON, &[sample(0), sample(1)])
}
