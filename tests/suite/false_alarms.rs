//! Tests how often comparisons of bundles are wrong: bundles of equal and of different programs are simulated with the noise
//! of real machines. The rates are those of the table in docs/compare.md.

use std::fs;
use std::process::Command;

use ireescope::engine::Engine;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::profile::ours;
use crate::Test;
use crate::support::ask::{engine_over, file, open, root, rows};
use crate::support::builder::{Bundle, Chunk, record};

pub const TESTS: &[Test] = &[
    ("runs_that_differ", || equal_sides(&NOISES[0])),
    ("heavy_tails_and_outliers", || equal_sides(&NOISES[1])),
    ("warm_up", || equal_sides(&NOISES[2])),
    ("clock_steps", || equal_sides(&NOISES[3])),
    ("a_slower_function_in_twenty_is_found", power),
    ("sessions_of_a_run_have_their_own_iterations", sessions),
];

/// What makes times vary. Shares are standard deviations of logarithms.
struct Noise {
    name: &'static str,
    /// Between runs.
    runs: f64,
    /// The share of the variance between runs that is common to all functions.
    common: f64,
    /// Between the iterations of a run, of which each keeps half of the deviation before.
    iterations: f64,
    has_heavy_tails: bool,
    has_warm_up: bool,
    has_steps: bool,
}

const PLAIN: Noise = Noise {
    name: "runs differ by 2 %, iterations by 2 %, autocorrelated",
    runs: 0.02,
    common: 0.5,
    iterations: 0.02,
    has_heavy_tails: false,
    has_warm_up: false,
    has_steps: false,
};

const NOISES: [Noise; 4] = [
    PLAIN,
    Noise {
        name: "heavy tails, and one iteration in twenty takes three times as long",
        has_heavy_tails: true,
        ..PLAIN
    },
    Noise { name: "the first two iterations take five times as long", has_warm_up: true, ..PLAIN },
    Noise {
        name: "the clock of half of the runs changes by up to 5 % in the middle",
        has_steps: true,
        ..PLAIN
    },
];

/// Number of iterations in a run.
const ITERATIONS: usize = 12;

/// Comparisons for each number of runs.
const COMPARISONS: usize = 80;

/// How many of all comparisons of equal sides may be called different: 12 are expected at a level of 5 %, and more than this come
/// once in a thousand times.
const MOST_ALARMS: usize = 24;

struct Simulation(ChaCha8Rng);

impl Simulation {
    /// Draws from the uniform distribution over 0 to 1.
    fn uniform(&mut self) -> f64 {
        (f64::from(self.0.next_u32()) + 0.5) / 4_294_967_296.0
    }

    /// Draws from the standard normal distribution (Box and Muller, 1958).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Draws from Student's t distribution with three degrees of freedom.
    fn heavy(&mut self) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / 3.0).sqrt()
    }

    /// Builds a run. Its functions take these times in nanoseconds in an iteration.
    fn run(&mut self, times: &[f64], noise: &Noise) -> Vec<u8> {
        let own = noise.runs * (1.0 - noise.common).sqrt();
        let levels: Vec<f64> =
            times.iter().map(|time| time * (own * self.normal()).exp()).collect();
        let machine = (noise.runs * noise.common.sqrt() * self.normal()).exp();
        let step = if noise.has_steps && self.uniform() < 0.5 {
            1.0 + 0.05 * (2.0 * self.uniform() - 1.0)
        } else {
            1.0
        };
        let (mut events, mut clock, mut deviation) = (Vec::new(), 1_000_000.0, 0.0);
        for iteration in 0..ITERATIONS {
            let innovation = if noise.has_heavy_tails { self.heavy() } else { self.normal() };
            deviation = 0.5 * deviation + 0.75_f64.sqrt() * noise.iterations * innovation;
            let mut factor = machine * f64::exp(deviation);
            if noise.has_heavy_tails && self.uniform() < 0.05 {
                factor *= 3.0;
            }
            if noise.has_warm_up && iteration < 2 {
                factor *= 5.0;
            }
            if iteration >= ITERATIONS / 2 {
                factor *= step;
            }
            for (function, level) in levels.iter().enumerate() {
                let start = clock;
                clock += level * factor * (noise.iterations / 4.0 * self.normal()).exp();
                events.push(dispatch(events.len(), iteration, function, start, clock));
                clock += 500.0;
            }
            clock += 20_000.0;
        }
        bundle(times.len(), &events)
    }

    /// Opens the runs of both sides.
    fn engine(&mut self, runs: usize, times: [&[f64]; 2], noise: &Noise) -> Engine {
        let mut files = Vec::new();
        let mut bundles = Vec::new();
        for (side, times) in ["base", "new"].into_iter().zip(times) {
            for run in 0..runs {
                let file = file(&self.run(times, noise));
                let label = format!("{side}-{run:02}");
                bundles.push(open(file.path(), &label).expect("it opens"));
                files.push(file);
            }
        }
        engine_over(bundles, Some(1))
    }
}

fn dispatch(nth: usize, iteration: usize, function: usize, start: f64, end: f64) -> Vec<u8> {
    let fields = [
        ("type", 2),
        ("event_id", nth as i128 + 1),
        ("submission_id", iteration as i128 + 1),
        ("executable_id", 1),
        ("stream_id", 1),
        ("function_ordinal", function as i128),
        ("start_host_time_ns", start.round() as i128),
        ("end_host_time_ns", end.round() as i128),
    ];
    record("host_execution_event", &fields, &[])
}

fn bundle(functions: usize, events: &[Vec<u8>]) -> Vec<u8> {
    let executable = record(
        "executable_record",
        &[("executable_id", 1), ("function_count", functions as i128)],
        &[],
    );
    let function = |ordinal: usize| {
        let name = format!("main_dispatch_{ordinal}_matmul_64x64x64_f32");
        let fields = [
            ("executable_id", 1),
            ("function_ordinal", ordinal as i128),
            ("name_length", name.len() as i128),
        ];
        record("executable_function_record", &fields, name.as_bytes())
    };
    let functions: Vec<Vec<u8>> = (0..functions).map(function).collect();
    let chunk = Chunk { device: 0, queue: 0, stream: 1, ..Chunk::PLAIN };
    Bundle::new()
        .begin(1, "simulated")
        .chunk("executables", Chunk::PLAIN, &[executable])
        .chunk("executable-functions", Chunk::PLAIN, &functions)
        .chunk("host-execution-events", chunk, events)
        .end(1, 0)
        .finish()
}

const COMPARED: &str = "SELECT matched_by, verdict, base_function, ratio_low, ratio_high FROM comparison('base-*', 'new-*')";

fn equal_sides(noise: &Noise) {
    let mut simulation = Simulation(ChaCha8Rng::seed_from_u64(noise.name.len() as u64));
    let times = [100_000.0, 50_000.0, 200_000.0, 20_000.0, 80_000.0];
    let (mut totals, mut families, mut same, mut all) = (0, 0, 0, 0);
    for runs in [5, 10, 20] {
        for _ in 0..COMPARISONS {
            let engine = simulation.engine(runs, [&times, &times], noise);
            let found = rows(&engine, COMPARED);
            assert_eq!(found.len(), times.len() + 1, "{found:?}");
            let is_alarm = |row: &&Vec<String>| ["faster", "slower"].contains(&row[1].as_str());
            totals += usize::from(found[..1].iter().any(|row| is_alarm(&row)));
            families += usize::from(found[1..].iter().any(|row| is_alarm(&row)));
            same += usize::from(found[0][1] == "same");
            assert!(found.iter().all(|row| row[1] != "not comparable"), "{found:?}");
            all += 1;
        }
    }
    let row = format!("| {} | {all} | {totals} | {families} | {same} |", noise.name);
    println!("{row}");
    assert!(totals <= MOST_ALARMS && families <= MOST_ALARMS && same * 5 >= all, "{row}");
    let page = fs::read_to_string(root().join("docs/compare.md")).unwrap();
    assert!(page.contains(&row), "docs/compare.md has no row\n{row}");
}

/// Comparisons of the test of power.
const TRIALS: usize = 100;

fn power() {
    let noise = Noise { runs: 0.01, common: 0.0, iterations: 0.003, ..PLAIN };
    let mut simulation = Simulation(ChaCha8Rng::seed_from_u64(5));
    let base = [50_000.0; 20];
    let mut new = base;
    new[7] *= 1.03;
    let (mut found, mut covered, mut all) = (0, 0, 0);
    for _ in 0..TRIALS {
        let engine = simulation.engine(10, [&base, &new], &noise);
        for row in &rows(&engine, COMPARED)[1..] {
            let is_slower = row[2].contains("dispatch_7_");
            let truth = if is_slower { 1.03 } else { 1.0 };
            let [low, high] = [&row[3], &row[4]].map(|it| it.parse::<f64>().unwrap());
            covered += usize::from(low <= truth && truth <= high);
            all += 1;
            found += usize::from(is_slower && row[1] == "slower");
        }
    }
    let row =
        format!("found in {found} of {TRIALS}, and {covered} of {all} intervals hold the truth");
    println!("{row}");
    assert!(found * 10 >= TRIALS * 9, "{row}");
    assert!(covered * 100 >= all * 93 && covered * 100 <= all * 97, "{row}");
    let page = fs::read_to_string(root().join("docs/compare.md")).unwrap().replace('\n', " ");
    assert!(page.contains(&row), "docs/compare.md does not say: {row}");
}

/// A run of two sessions has the iterations of both.
fn sessions() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sessions) in [("one", 1), ("two", 2)] {
        let mut bundle = Bundle::new();
        for session in 1..=sessions {
            let events = (0..8).map(|nth| {
                let fields = [
                    ("type", 2),
                    ("event_id", nth + 1),
                    ("submission_id", nth + 1),
                    ("executable_id", 1),
                    ("stream_id", 1),
                    ("start_host_time_ns", 10_000 * nth + 1),
                    ("end_host_time_ns", 10_000 * nth + 5001),
                ];
                record("host_execution_event", &fields, &[])
            });
            let events: Vec<Vec<u8>> = events.collect();
            let executable =
                record("executable_record", &[("executable_id", 1), ("function_count", 1)], &[]);
            let plain = Chunk { session, ..Chunk::PLAIN };
            bundle = bundle
                .begin(session, "test")
                .chunk("executables", plain, &[executable])
                .chunk(
                    "host-execution-events",
                    Chunk { device: 0, queue: 0, stream: 1, ..plain },
                    &events,
                )
                .end(session, 0);
        }
        fs::write(folder.path().join(format!("{name}.ireeprof")), bundle.finish()).unwrap();
    }
    let ran = Command::new(ours())
        .current_dir(folder.path())
        .args(["compare", "one.ireeprof", "two.ireeprof"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let sides = "one.ireeprof: 1 run, 8 iterations; two.ireeprof: 1 run, 16 iterations";
    assert!(text.contains(sides), "{text}");
    assert!(text.contains("5 µs an iteration instead of 5 µs"), "{text}");
}
