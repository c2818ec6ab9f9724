//! Fake versions of the tools that `bench` runs. By default the compiler accepts every source, every result is correct,
//! and the benchmark records host spans. `IREESCOPE_FAKE_BENCH` is a comma-separated list of failures for functions
//! whose names contain NAME: `reject=NAME`, `crowd=NAME` (only sources with several functions are rejected), `hang=NAME`,
//! `wrong=NAME`, `refuse=NAME`, `crash=NAME` and `stall=NAME` (the third process hangs). `slow=NAME` doubles times.

use std::io::Write;

use super::builder::{Bundle, Chunk, record};

const ON: Chunk<'static> = Chunk { name: "fake", device: 0, queue: 0, ..Chunk::PLAIN };

/// Acts as one of the tools and exits. Returns if the arguments are not for any of them.
pub fn play(name: &str, words: &[String]) {
    let has = |flag: &str| words.iter().any(|word| word.starts_with(flag));
    if name == "iree-compile" {
        compile(words);
    } else if has("--expected_output=") {
        verify(words);
    } else if has("--benchmark_format=json") {
        benchmark(words);
    } else {
        return;
    }
    std::process::exit(0);
}

/// True if a behaviour is requested for a name in `subject`, which is a function name or a source.
fn behaves(behaviour: &str, subject: &str) -> bool {
    let all = std::env::var("IREESCOPE_FAKE_BENCH").unwrap_or_default();
    all.split(',')
        .filter_map(|part| part.split_once('='))
        .any(|(known, name)| known == behaviour && subject.contains(name))
}

fn value<'a>(words: &'a [String], flag: &str) -> Option<&'a str> {
    words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='))
}

fn number(words: &[String], flag: &str) -> i128 {
    value(words, flag).unwrap().trim_end_matches('x').parse().unwrap()
}

/// Acts as the compiler: copies the source to the output as the module.
fn compile(words: &[String]) {
    if words == ["--version"] {
        println!("fake compiler 9.9");
        return;
    }
    let source = std::fs::read_to_string(&words[0]).unwrap();
    let output = words.iter().skip_while(|word| *word != "-o").nth(1).unwrap();
    if behaves("hang", &source) {
        std::thread::sleep(std::time::Duration::from_mins(10));
    }
    if behaves("reject", &source) {
        eprintln!("{}:7:3: error: the tile does not divide the vector", words[0]);
        std::process::exit(1);
    }
    if behaves("crowd", &source) && source.matches("func.func @").count() > 1 {
        eprintln!("{}:1:1: error: two functions have one symbol", words[0]);
        std::process::exit(1);
    }
    std::fs::write(output, source).unwrap();
}

/// Returns the function to call. Exits with an error if it is not in the module.
fn function(words: &[String]) -> &str {
    let function = value(words, "--function").unwrap();
    let module = std::fs::read_to_string(value(words, "--module").unwrap()).unwrap();
    if !module.contains(&format!("@{function}(")) {
        eprintln!("module.c:3: NOT_FOUND; function '{function}' is not in the module");
        std::process::exit(1);
    }
    if behaves("refuse", function) {
        eprintln!("driver.c:66: UNAVAILABLE; no such device is there");
        std::process::exit(1);
    }
    function
}

fn verify(words: &[String]) {
    let function = function(words);
    println!("EXEC @{function}");
    if behaves("wrong", function) {
        println!(
            "[FAILED] result[0]: element at index 5 (3) does not match the expected (4)\n  expected:\n2xf32=3 4"
        );
        std::process::exit(1);
    }
    println!("[SUCCESS] all function outputs matched their expected values.");
}

/// Acts as the benchmark: records one span per dispatch of the batch for each call. Spans of the first call take 50 µs,
/// and the n-th later span takes 1000 + n + s ns, with n from 0. The shift s differs between processes: it is 0, 10, -10,
/// 20, -20, ….
fn benchmark(words: &[String]) {
    let function = function(words);
    let modes = value(words, "--device_profiling_mode").unwrap_or_default();
    let output = value(words, "--device_profiling_output").unwrap();
    if modes.contains("dispatch-events") {
        eprintln!("profile.c:240: UNIMPLEMENTED; unsupported local profiling data families 0x8");
        std::process::exit(1);
    }
    let (batch, calls) = (number(words, "--batch_size"), number(words, "--benchmark_repetitions"));
    assert_eq!(number(words, "--benchmark_min_time"), batch, "one call a repetition");
    if behaves("stall", function) && output.ends_with("run-3.ireeprof") {
        std::thread::sleep(std::time::Duration::from_mins(10));
    }
    let factor = if behaves("slow", function) { 2 } else { 1 };
    let shift = shift(output);
    let length = |at: i128| if at < batch { 50_000 } else { factor * (1000 + at - batch + shift) };
    let spans: Vec<Vec<u8>> = (0..batch * calls).map(|at| span(at, length(at))).collect();
    let name = format!("{function}_dispatch_0");
    let fields = [("executable_id", 7), ("name_length", name.len() as i128)];
    let bundle = Bundle::new()
        .begin(1, "fake")
        .chunk(
            "executable-functions",
            ON,
            &[record("executable_function_record", &fields, name.as_bytes())],
        )
        .chunk("host-execution-events", ON, &spans);
    std::fs::write(output, bundle.end(1, 0).finish()).unwrap();
    if behaves("crash", function) {
        std::process::abort();
    }
    let iterations: Vec<String> = (0..calls)
        .map(|call| {
            let time = if call == 0 { 90 } else { 2 + call };
            format!(r#"{{"run_type": "iteration", "real_time": {time}.0, "time_unit": "us"}}"#)
        })
        .collect();
    println!(r#"{{"context": {{}}, "benchmarks": [{}]}}"#, iterations.join(",\n"));
    std::io::stdout().flush().unwrap();
}

/// Returns the shift of a process from the number in the name of its output, `run-<number>.ireeprof`; 0 for a probe.
fn shift(output: &str) -> i128 {
    let number = output.rsplit_once("run-").map_or("1", |(_, name)| name);
    let number: i128 = number.trim_end_matches(".ireeprof").parse().unwrap();
    let size = 10 * (number / 2);
    if number % 2 == 0 { size } else { -size }
}

fn span(at: i128, length: i128) -> Vec<u8> {
    let start = 1_000_000 + at * 100_000;
    let fields = [
        ("type", 2),
        ("event_id", at + 1),
        ("executable_id", 7),
        ("start_host_time_ns", start),
        ("end_host_time_ns", start + length),
    ];
    record("host_execution_event", &fields, &[])
}
