//! Reads the results of IREE's benchmark tools, which Google Benchmark writes as JSON.

use std::path::Path;
use std::time::Duration;

use read::bundle::set::Benchmark;
use serde_json::Value;

use super::facts::values;

/// The end of the name of that file, which is removed after the run.
pub const FILE: &str = "benchmark.json";

/// The flag that names the file of the results.
pub(crate) const OUTPUT: &str = "--benchmark_out";

/// One repetition of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Repetition {
    pub name: String,
    pub iterations: Option<u64>,
    /// Wall time of an iteration; CPU time likewise.
    pub wall_ns: f64,
    pub cpu_ns: Option<f64>,
}

/// Returns the flags that make a benchmark write its results into a file; none if the user's arguments name a file for
/// them.
pub fn flags(arguments: &[String], file: &Path) -> Vec<String> {
    if !values(arguments, OUTPUT).is_empty() {
        return Vec::new();
    }
    vec![format!("{OUTPUT}={}", file.display()), "--benchmark_out_format=json".to_owned()]
}

/// Parses the JSON and returns all repetitions, without the aggregates over them. Fails if a benchmark failed, with its
/// message.
pub fn repetitions(json: &str) -> Result<Vec<Repetition>, String> {
    let wrong = |what: String| format!("cannot parse the output of the benchmark: {what}");
    let json: Value = serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    let benchmarks = json.get("benchmarks").and_then(Value::as_array);
    let mut found = Vec::new();
    for benchmark in benchmarks.into_iter().flatten() {
        let text = |key: &str| benchmark.get(key).and_then(Value::as_str);
        if let Some(message) = text("error_message") {
            return Err(message.to_owned());
        }
        if text("run_type") != Some("iteration") {
            continue;
        }
        let unit = match text("time_unit") {
            Some("ns") => 1.0,
            Some("us") => 1e3,
            Some("ms") => 1e6,
            Some("s") => 1e9,
            other => return Err(wrong(format!("unknown time unit {other:?}"))),
        };
        let time = |key: &str| Some(benchmark.get(key).and_then(Value::as_f64)? * unit);
        found.push(Repetition {
            name: text("name").unwrap_or_default().to_owned(),
            iterations: benchmark.get("iterations").and_then(Value::as_u64),
            wall_ns: time("real_time")
                .ok_or_else(|| wrong("a repetition has no real_time".into()))?,
            cpu_ns: time("cpu_time"),
        });
    }
    Ok(found)
}

/// Returns the means over the repetitions of a benchmark, which have equally many iterations. `None` if there are
/// several benchmarks, whose times cannot be averaged, or none.
pub fn measured(repetitions: &[Repetition]) -> Option<Benchmark> {
    let (first, others) = repetitions.split_first()?;
    if others.iter().any(|other| other.name != first.name) {
        return None;
    }
    let count = f64::from(u32::try_from(repetitions.len()).ok()?);
    let mean = |time: fn(&Repetition) -> Option<f64>| {
        let times: Option<Vec<f64>> = repetitions.iter().map(time).collect();
        whole(times?.iter().sum::<f64>() / count)
    };
    let iterations: Option<Vec<u64>> = repetitions.iter().map(|it| it.iterations).collect();
    Some(Benchmark {
        iterations: iterations?.iter().sum(),
        wall_ns: mean(|it| Some(it.wall_ns))?,
        cpu_ns: mean(|it| it.cpu_ns)?,
    })
}

/// Rounds nanoseconds; `None` if they are no duration.
fn whole(nanoseconds: f64) -> Option<u64> {
    let time = Duration::try_from_secs_f64(nanoseconds / 1e9).ok()?;
    u64::try_from(time.as_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, time: f64, unit: &str) -> String {
        format!(
            r#"{{"run_type": "iteration", "name": "{name}", "iterations": 3, "real_time": {time}, "cpu_time": 4, "time_unit": "{unit}"}}"#
        )
    }

    fn all(benchmarks: &[String]) -> Vec<Repetition> {
        let json = format!(r#"{{"context": {{}}, "benchmarks": [{}]}}"#, benchmarks.join(","));
        repetitions(&json).expect("it is JSON")
    }

    #[test]
    fn repetitions_are_read_and_aggregates_are_not() {
        let aggregate = r#"{"run_type": "aggregate", "real_time": 99, "time_unit": "us"}"#;
        let found = all(&[one("a", 2.5, "us"), one("a", 3.0, "ms"), aggregate.to_owned()]);
        let times: Vec<f64> = found.iter().map(|it| it.wall_ns).collect();
        assert_eq!(times, [2500.0, 3e6]);
        let failed = r#"{"benchmarks": [{"run_type": "iteration", "error_message": "no device"}]}"#;
        assert_eq!(repetitions(failed), Err("no device".to_owned()));
        assert!(repetitions("").is_err());
    }

    #[test]
    fn means_are_of_one_benchmark() {
        let found = all(&[one("a", 2.5, "us"), one("a", 3.5, "us")]);
        let wanted = Benchmark { iterations: 6, wall_ns: 3000, cpu_ns: 4000 };
        assert_eq!(measured(&found), Some(wanted));
        assert_eq!(measured(&all(&[one("a", 2.5, "us"), one("b", 3.5, "us")])), None);
        assert_eq!(measured(&[]), None);
    }
}
