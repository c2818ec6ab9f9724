//! The tools that `bench` runs, played: the compiler takes every source, every result is right, and the benchmark records
//! host spans. `IREESCOPE_FAKE_BENCH` says for which dispatches it is otherwise: `reject=NAME`, `hang=NAME`, `wrong=NAME`,
//! `refuse=NAME` and `crash=NAME`, with commas between, where NAME is a part of the names of their functions.

use std::io::Write;

use super::builder::{Bundle, Chunk, record};

const ON: Chunk<'static> = Chunk { name: "fake", device: 0, queue: 0, ..Chunk::PLAIN };

/// Plays one of them; comes back where the words are none of theirs.
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

/// Whether a behaviour is meant for something that is called so, or holds such a name.
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

/// The module is its source.
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
    std::fs::write(output, source).unwrap();
}

/// The function that is called, which must be in the module.
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

/// Each call takes as many spans as were compiled in; those of the first call take long, and the n-th later one n
/// nanoseconds over a microsecond.
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
    let spans: Vec<Vec<u8>> = (0..batch * calls).map(|at| span(at, batch)).collect();
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

fn span(at: i128, batch: i128) -> Vec<u8> {
    let length = if at < batch { 50_000 } else { 1000 + at - batch };
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
