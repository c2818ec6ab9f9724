//! Compares the results of a tuned and the untuned model on inputs that show errors, for `tune` and `spec`.
//!
//! Inputs of floating-point numbers are random, zero, extreme and with NaNs; those of integers are random and zero, as they are
//! often indices. Two results are equal if they differ by at most the tolerance of their type times the square root of the
//! longest reduction (the growth of rounding errors of sums; Higham, *Accuracy and Stability of Numerical Algorithms*, 2002,
//! section 4.2), relative to the largest result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use half::{bf16, f16};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::error::CliError;
use super::signals::interrupted;
use crate::capture::process::{self, Cut};
use crate::capture::{self, Stop, find};
use crate::tuning::configuration::Operation;

/// What the inputs are made of.
const KINDS: [&str; 4] = ["random", "zero", "extreme", "nan"];

/// Roundings for each addition of a reduction, and for what follows it.
const ROUNDINGS: f64 = 64.0;

/// How often a tuned module runs on random inputs: what depends on which thread is first differs from run to run.
const REPEATS: usize = 3;

/// Runs modules on inputs.
pub struct Outputs<'a> {
    tool: PathBuf,
    /// The results of the untuned module on each kind of inputs.
    untuned: BTreeMap<&'static str, Result<Vec<Tensor>, String>>,
    arguments: Vec<String>,
    /// The inputs as the user gives them.
    inputs: Vec<String>,
    folder: &'a Path,
    limit: Duration,
    stop: &'a Stop,
    seed: u64,
}

/// A result of a module.
#[derive(Debug, Clone, PartialEq)]
struct Tensor {
    kind: String,
    bytes: Vec<u8>,
}

impl<'a> Outputs<'a> {
    /// Runs modules with these flags of iree-run-module.
    pub fn new(
        arguments: &[String],
        bin: Option<&Path>,
        folder: &'a Path,
        (limit, stop, seed): (Duration, &'a Stop, u64),
    ) -> Result<Self, CliError> {
        let tool = find::find("iree-run-module", bin, stop)?.path;
        let (inputs, arguments): (Vec<String>, Vec<String>) =
            arguments.iter().cloned().partition(|word| word.starts_with("--input="));
        let inputs = inputs
            .iter()
            .filter_map(|word| word.strip_prefix("--input="))
            .map(str::to_owned)
            .collect();
        Ok(Self { tool, untuned: BTreeMap::new(), arguments, inputs, folder, limit, stop, seed })
    }

    /// Returns how the results of a tuned module differ from those of the untuned one; `None` if they do not.
    pub fn difference(
        &mut self,
        [untuned, tuned]: [&Path; 2],
        longest_reduction: f64,
    ) -> Result<Option<String>, CliError> {
        let (mut compared, mut why) = (0, String::new());
        for kind in self.kinds() {
            if !self.untuned.contains_key(kind) {
                let results = self.results(untuned, kind)?;
                self.untuned.insert(kind, results);
            }
            // What the untuned module cannot run says nothing.
            let base = match self.untuned.get(kind) {
                Some(Ok(base)) => base,
                Some(Err(words)) => {
                    why.clone_from(words);
                    continue;
                }
                None => continue,
            };
            compared += base.len();
            for _ in 0..if *kind == "random" { REPEATS } else { 1 } {
                let new = match self.results(tuned, kind)? {
                    Ok(new) => new,
                    Err(words) => return Ok(Some(format!("it fails on {kind} inputs: {words}"))),
                };
                if base.len() != new.len() {
                    return Ok(Some("it has another number of results".to_owned()));
                }
                for (nth, (base, new)) in base.iter().zip(&new).enumerate() {
                    if let Some(how) = differs(base, new, longest_reduction) {
                        return Ok(Some(format!("result {nth} on {kind} inputs: {how}")));
                    }
                }
            }
        }
        if compared == 0 {
            let why = if why.is_empty() { "it has no results of known types" } else { &why };
            return Err(CliError::Unjudged(format!(
                "results cannot be compared, as iree-run-module does not run the untuned model: {why}"
            )));
        }
        Ok(None)
    }

    /// Returns on which inputs results were compared.
    pub fn told(&self) -> String {
        if !self.inputs.iter().any(|it| shape_of(it).is_some()) {
            return "the inputs as they are given".to_owned();
        }
        let ran = |kind: &&&str| matches!(self.untuned.get(**kind), Some(Ok(_)));
        let kinds: Vec<&str> = self.kinds().iter().filter(ran).copied().collect();
        format!("inputs of these kinds: {}", kinds.join(", "))
    }

    /// Returns the kinds of inputs that make a difference.
    fn kinds(&self) -> &'static [&'static str] {
        let is_float = |input: &String| shape_of(input).is_some_and(|(_, it)| rounding(it) > 0.0);
        let kinds = if self.inputs.iter().any(is_float) {
            KINDS.len()
        } else if self.inputs.iter().any(|it| shape_of(it).is_some()) {
            2
        } else {
            1
        };
        KINDS.get(..kinds).unwrap_or_default()
    }

    /// Runs a module and returns its results, or why it failed.
    fn results(&self, module: &Path, kind: &str) -> Result<Result<Vec<Tensor>, String>, CliError> {
        let mut words = self.arguments.clone();
        words.push(format!("--module={}", module.display()));
        for (nth, input) in self.inputs.iter().enumerate() {
            words.push(match shape_of(input) {
                Some((count, element)) => {
                    let path = self.folder.join(format!("input-{nth}.bin"));
                    let values = bytes(element, count, kind, self.seed.wrapping_add(nth as u64));
                    std::fs::write(&path, values).map_err(CliError::writing(&path))?;
                    format!("--input={input}=@{}", path.display())
                }
                None => format!("--input={input}"),
            });
        }
        let said = match self.ran(&words)? {
            Ok(said) => said,
            Err(words) => return Ok(Err(words)),
        };
        // The tool prints the type of each result; their bytes it writes into as many files.
        let kinds: Vec<String> = said
            .lines()
            .filter_map(|line| Some(line.split_once("=[").or_else(|| line.split_once('='))?.0))
            .filter_map(|head| head.rsplit('x').next().map(str::to_owned))
            .filter(|kind| width(kind).is_some())
            .collect();
        let paths: Vec<PathBuf> =
            (0..kinds.len()).map(|nth| self.folder.join(format!("output-{nth}.bin"))).collect();
        words.extend(paths.iter().map(|path| format!("--output=@{}", path.display())));
        if let Err(words) = self.ran(&words)? {
            return Ok(Err(words));
        }
        let read = |(kind, path): (String, &PathBuf)| {
            let bytes = std::fs::read(path).map_err(CliError::reading(path))?;
            Ok(Tensor { kind, bytes })
        };
        kinds.into_iter().zip(&paths).map(read).collect::<Result<_, CliError>>().map(Ok)
    }

    fn ran(&self, arguments: &[String]) -> Result<Result<String, String>, CliError> {
        let output = (self.folder, "verify");
        let said = process::said(&self.tool, arguments, output, self.limit, self.stop)?;
        match said.cut {
            Some(Cut::Interrupted) => return Err(interrupted("interrupted")),
            Some(Cut::TimeLimit) => {
                let seconds = self.limit.as_secs_f64();
                return Ok(Err(format!("it took longer than {seconds} s (--run-timeout)")));
            }
            None => {}
        }
        Ok(if said.is_well { Ok(said.stdout) } else { Err(capture::why(&said.stderr)) })
    }
}

/// Returns what matters for results of the arguments of iree-benchmark-module.
pub fn of_benchmark(arguments: &[String]) -> Vec<String> {
    let kept = ["--function", "--device", "--task_", "--input", "--parameters"];
    let is_kept = |word: &&String| kept.iter().any(|it| word.starts_with(it));
    arguments.iter().filter(is_kept).cloned().collect()
}

/// Returns the number of elements of the longest reduction; dynamic loops do not count.
pub fn longest<'o>(roots: impl Iterator<Item = &'o Operation>) -> f64 {
    let of = |root: &Operation| -> f64 {
        let loops = root.loops.iter().filter(|it| it.is_reduction);
        #[expect(clippy::cast_precision_loss, reason = "extents are far below 2^53")]
        loops.filter_map(|it| it.extent).map(|it| it as f64).product()
    };
    roots.map(of).fold(1.0, f64::max)
}

/// Returns the number of elements and the element type of an input that is a shape without values.
fn shape_of(input: &str) -> Option<(usize, &str)> {
    let mut parts: Vec<&str> = input.split('x').collect();
    let element = parts.pop().filter(|element| width(element).is_some())?;
    let count = parts.iter().map(|it| it.parse::<usize>().ok()).product::<Option<usize>>()?;
    Some((count, element))
}

/// Returns the size of an element in bytes.
fn width(element: &str) -> Option<usize> {
    Some(match element {
        "i1" | "i8" | "si8" | "ui8" => 1,
        "i16" | "si16" | "ui16" | "f16" | "bf16" => 2,
        "i32" | "si32" | "ui32" | "f32" => 4,
        "i64" | "si64" | "ui64" | "f64" => 8,
        _ => return None,
    })
}

/// Returns the relative rounding error of a type; 0 for integers.
fn rounding(element: &str) -> f64 {
    match element {
        "f64" => f64::EPSILON,
        "f32" => f64::from(f32::EPSILON),
        "f16" => f16::EPSILON.to_f64(),
        "bf16" => bf16::EPSILON.to_f64(),
        _ => 0.0,
    }
}

/// Returns the bytes of an input.
fn bytes(element: &str, count: usize, kind: &str, seed: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let is_float = rounding(element) > 0.0;
    // So large that small values are lost beside them, and so small that their products do not overflow.
    let largest = if element == "f16" { 1e2 } else { 1e6 };
    let mut value = |nth: usize| -> f64 {
        let uniform = f64::from(random.next_u32()) / 4_294_967_296.0;
        match kind {
            "zero" => 0.0,
            "extreme" if is_float && nth.is_multiple_of(16) => largest * (uniform - 0.5),
            "nan" if is_float && nth % 64 == 63 => f64::NAN,
            _ if is_float => uniform * 2.0 - 1.0,
            // Small enough for any table that integers index.
            _ => (uniform * 100.0).floor(),
        }
    };
    let mut bytes = Vec::with_capacity(count * width(element).unwrap_or_default());
    for nth in 0..count {
        let value = value(nth);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounded to the type, or a small integer"
        )]
        match element {
            "f64" => bytes.extend(value.to_le_bytes()),
            "f32" => bytes.extend((value as f32).to_le_bytes()),
            "f16" => bytes.extend(f16::from_f64(value).to_le_bytes()),
            "bf16" => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            "i1" => bytes.push(u8::from(value > 50.0)),
            _ => {
                let all = (value as i64).to_le_bytes();
                bytes.extend(all.get(..width(element).unwrap_or_default()).unwrap_or_default());
            }
        }
    }
    bytes
}

/// Returns the elements of floating-point numbers.
fn floats(of: &Tensor) -> Vec<f64> {
    let each = of.bytes.chunks_exact(width(&of.kind).unwrap_or(1));
    each.map(|bytes| match (of.kind.as_str(), bytes) {
        ("f64", bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
        ("f32", bytes) => f64::from(bytes.try_into().map_or(f32::NAN, f32::from_le_bytes)),
        ("f16", bytes) => bytes.try_into().map_or(f64::NAN, |it| f16::from_le_bytes(it).to_f64()),
        (_, bytes) => bytes.try_into().map_or(f64::NAN, |it| bf16::from_le_bytes(it).to_f64()),
    })
    .collect()
}

/// Returns how two results differ, if they do.
fn differs(base: &Tensor, new: &Tensor, longest_reduction: f64) -> Option<String> {
    if base.kind != new.kind || base.bytes.len() != new.bytes.len() {
        return Some("another type or shape".to_owned());
    }
    let error = rounding(&base.kind);
    if error == 0.0 {
        let place = base.bytes.iter().zip(&new.bytes).position(|(one, other)| one != other)?;
        return Some(format!("byte {place} differs"));
    }
    let (base, new) = (floats(base), floats(new));
    let finite = base.iter().filter(|it| it.is_finite());
    let largest = finite.fold(0.0_f64, |most, it| most.max(it.abs()));
    let tolerance = ROUNDINGS * error * longest_reduction.max(1.0).sqrt() * largest;
    let is_same = |(one, other): &(&f64, &f64)| {
        one.total_cmp(other).is_eq()
            || (one.is_nan() && other.is_nan())
            || (**one - **other).abs() <= tolerance
    };
    let (nth, (one, other)) = base.iter().zip(&new).enumerate().find(|(_, pair)| !is_same(pair))?;
    Some(format!("element {nth} is {other} instead of {one} (tolerance {tolerance:e})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32]) -> Tensor {
        let bytes = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        Tensor { kind: "f32".to_owned(), bytes }
    }

    #[test]
    fn rounding_is_no_difference_but_errors_are() {
        let base = tensor(&[1.0, -100.0, f32::NAN, f32::INFINITY]);
        assert_eq!(differs(&base, &base, 1.0), None);
        assert_eq!(differs(&base, &tensor(&[1.000_1, -100.0, f32::NAN, f32::INFINITY]), 1.0), None);
        for wrong in [
            [1.01, -100.0, f32::NAN, f32::INFINITY],
            [1.0, -100.0, 0.0, f32::INFINITY],
            [1.0, -100.0, f32::NAN, f32::NEG_INFINITY],
            [f32::NAN, -100.0, f32::NAN, f32::INFINITY],
        ] {
            assert!(differs(&base, &tensor(&wrong), 1.0).is_some(), "{wrong:?}");
        }
        // A long reduction rounds more often.
        assert_eq!(differs(&base, &tensor(&[1.01, -100.0, f32::NAN, f32::INFINITY]), 1e6), None);
        let one = Tensor { kind: "i32".to_owned(), bytes: vec![1, 0, 0, 0] };
        let two = Tensor { kind: "i32".to_owned(), bytes: vec![2, 0, 0, 0] };
        assert_eq!(differs(&one, &one, 1e6), None);
        assert!(differs(&one, &two, 1e6).is_some());
    }

    #[test]
    fn inputs_are_what_they_are_called() {
        assert_eq!(shape_of("1x2048xi32"), Some((2048, "i32")));
        assert_eq!(shape_of("f32"), Some((1, "f32")));
        assert_eq!(shape_of("2x2xf32=1"), None);
        assert_eq!(shape_of("@in.npy"), None);
        let floats =
            |kind: &str| floats(&Tensor { kind: "f32".into(), bytes: bytes("f32", 256, kind, 7) });
        assert!(floats("random").iter().all(|it| it.abs() <= 1.0));
        assert!(floats("zero").iter().all(|it| *it == 0.0));
        assert!(floats("extreme").iter().any(|it| it.abs() > 1e5));
        assert_eq!(floats("nan").iter().filter(|it| it.is_nan()).count(), 4);
        assert_eq!(bytes("i8", 3, "random", 1).len(), 3);
    }
}
