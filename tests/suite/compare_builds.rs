//! Compares builds of one program that differ in what the test changed: layers added, left out, repeated or exchanged, with
//! the real tools. What did not change is neither faster nor slower, and what did is named.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;

use super::differential::BIN;
use super::profile::ours;
use crate::trial;

/// Runs of each build.
const RUNS: usize = 5;
/// Calls of a run.
const CALLS: usize = 40;

/// The tests, which need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("compare_builds::layers_are_paired_by_their_places".into(), layers),
        trial("compare_builds::what_was_split_or_merged_is_a_group".into(), groups),
    ]
}

/// The flags of a build.
const PLAIN: &[&str] =
    &["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"];

/// A layer: a matrix multiplication with a bias, a chain of so many functions, and a softmax. Its constant makes its code
/// its own.
fn layer(text: &mut String, nth: usize, constant: u32, input: &str) -> String {
    let functions = ["erf", "sin", "tanh", "cos", "exp2", "sqrt"];
    let scale = 0.5 + 0.015_625 * f64::from(constant);
    let mut value = format!("%t{nth}");
    let mut chain = String::new();
    for (place, function) in
        functions.iter().enumerate().take(if constant.is_multiple_of(2) { 0 } else { 5 })
    {
        chain += &format!("    %u{nth}_{place} = math.{function} {value} : f32\n");
        value = format!("%u{nth}_{place}");
    }
    *text += &format!(
        "  %k{nth} = arith.constant {scale:?} : f32
  %m{nth} = linalg.matmul ins({input}, %w : tensor<32x128xf32>, tensor<128x128xf32>) outs(%f : tensor<32x128xf32>) -> tensor<32x128xf32>
  %a{nth} = linalg.generic {{indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types=[\"parallel\",\"parallel\"]}} ins(%m{nth}, %b : tensor<32x128xf32>, tensor<128xf32>) outs(%e : tensor<32x128xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s{nth} = arith.mulf %p, %k{nth} : f32
    %t{nth} = arith.addf %s{nth}, %q : f32
{chain}    linalg.yield {value} : f32
  }} -> tensor<32x128xf32>
  %n{nth} = linalg.softmax dimension(1) ins(%a{nth} : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
"
    );
    format!("%n{nth}")
}

/// A program with these layers, by their constants, and perhaps a softmax in front.
fn program(constants: &[u32], has_front: bool) -> String {
    let mut text = "func.func @main(%x: tensor<32x128xf32>, %w: tensor<128x128xf32>, %b: tensor<128xf32>) -> tensor<32x128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
"
    .to_owned();
    let mut last = "%x".to_owned();
    if has_front {
        text += "  %sf = linalg.softmax dimension(1) ins(%x : tensor<32x128xf32>) outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>\n";
        "%sf".clone_into(&mut last);
    }
    for (nth, constant) in constants.iter().enumerate() {
        last = layer(&mut text, nth, *constant, &last);
    }
    text + &format!("  return {last} : tensor<32x128xf32>\n}}\n")
}

/// Compiles a program.
fn compiled(folder: &Path, name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let source = folder.join(format!("{name}.mlir"));
    std::fs::write(&source, text).unwrap();
    let module = folder.join(format!("{name}.vmfb"));
    let ran = Command::new(BIN.join("iree-compile"))
        .args(PLAIN)
        .args(flags)
        .arg(&source)
        .arg("-o")
        .arg(&module)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    module
}

/// Captures the runs of builds, in turns, so that none has the machine for itself.
fn captured(folder: &Path, modules: &[(&str, PathBuf)], inputs: &[&str]) {
    for run in 0..RUNS {
        for (name, module) in modules {
            let ran = Command::new(BIN.join("iree-benchmark-module"))
                .args(["--device=local-task", "--function=main", "--task_topology_group_count=1"])
                .arg(format!("--module={}", module.display()))
                .arg(format!("--benchmark_min_time={CALLS}x"))
                .args(inputs.iter().map(|input| format!("--input={input}")))
                .arg("--device_profiling_mode=queue-events,host-execution,executable-metadata")
                .arg(format!(
                    "--device_profiling_output={}",
                    folder.join(format!("{name}-{run}.ireeprof")).display()
                ))
                .output()
                .unwrap();
            assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        }
    }
}

/// Compares two builds, perhaps with more options: the row of the total, and those of functions.
fn compared(folder: &Path, base: &str, new: &str, options: &[&str]) -> (Value, Vec<Value>) {
    let side =
        |name: &str| format!("{name}={}", folder.join(format!("{name}-?.ireeprof")).display());
    let ran = Command::new(ours())
        .args(["compare", &side(base), &side(new), "--format=jsonl"])
        .args(options)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let mut rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!rows.is_empty(), "{base} and {new}: {}", String::from_utf8_lossy(&ran.stderr));
    let total = rows.remove(0);
    assert_eq!(total["matched_by"], "total", "{total}");
    (total, rows)
}

/// What is called faster or slower of builds that did not change it, by at least a tenth: layers that stand against others
/// differ by more. The keys are the build, the function and the verdict.
fn called_of(folder: &Path, builds: &[&str]) -> BTreeMap<[String; 3], Value> {
    let mut called = BTreeMap::new();
    for build in builds {
        for row in compared(folder, "plain", build, &["--noise-floor=10%"]).1 {
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let verdict = text("verdict");
            if ["faster", "slower", "likely faster", "likely slower"].contains(&verdict.as_str()) {
                called.insert([(*build).to_owned(), text("base_function"), verdict], row);
            }
        }
    }
    called
}

/// The ordinals of the dispatches of the matrix multiplications, in order, as the names have them.
fn ordinals(rows: &[Value], side: &str) -> BTreeMap<u64, String> {
    let other = if side == "base_function" { "new_function" } else { "base_function" };
    let of = |row: &Value| {
        let name = row[side].as_str()?;
        let ordinal = name.split("dispatch_").nth(1)?.split('_').next()?.parse().ok()?;
        name.contains("matmul")
            .then(|| (ordinal, row[other].as_str().unwrap_or_default().to_owned()))
    };
    rows.iter().filter_map(of).collect()
}

const INPUTS: [&str; 3] = ["32x128xf32=0.1", "128x128xf32=0.01", "128xf32=0.1"];

fn layers() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let programs: [(&str, &[u32], bool); 7] = [
        ("plain", &[0, 1, 2, 3, 4, 5], false),
        ("front", &[0, 1, 2, 3, 4, 5], true),
        ("without-third", &[0, 1, 3, 4, 5], false),
        ("without-last", &[0, 1, 2, 3, 4], false),
        ("repeated", &[0, 1, 2, 2, 3, 4, 5], false),
        ("more", &[0, 1, 2, 6, 3, 4, 5], false),
        ("exchanged", &[0, 1, 3, 2, 4, 5], false),
    ];
    let modules: Vec<(&str, PathBuf)> = programs
        .iter()
        .map(|(name, constants, has_front)| {
            (*name, compiled(folder, name, &program(constants, *has_front), &[]))
        })
        .collect();
    captured(folder, &modules, &INPUTS);
    // By chance, 5 of 100 comparisons call a function that did not change; captures made again then do not call it. A wrong
    // pair is called each time.
    let others: Vec<&str> = programs[1..].iter().map(|(name, ..)| *name).collect();
    let mut called = called_of(folder, &others);
    if !called.is_empty() {
        let again = tempfile::tempdir().unwrap();
        captured(again.path(), &modules, &INPUTS);
        let once_more = called_of(again.path(), &others);
        called.retain(|key, _| once_more.contains_key(key));
    }
    assert!(called.is_empty(), "{called:#?}");
    for name in others {
        let (_, rows) = compared(folder, "plain", name, &[]);
        // Layers stand against those of the same constant: of odd ones, the dispatch takes longer.
        let partners: Vec<String> = ordinals(&rows, "base_function").into_values().collect();
        let of = |ordinal: usize| format!("main_dispatch_{ordinal}_matmul");
        let wanted: Vec<Option<usize>> = match name {
            "front" => [1, 3, 5, 7, 9, 11].map(Some).to_vec(),
            "without-third" => vec![Some(0), Some(2), None, Some(4), Some(6), Some(8)],
            "without-last" => vec![Some(0), Some(2), Some(4), Some(6), Some(8), None],
            _ => continue,
        };
        // Without hashes, only the order tells which of equal neighbors is missing.
        let found = partners.iter().filter(|it| it.is_empty()).count();
        assert_eq!(found, wanted.iter().filter(|it| it.is_none()).count(), "{name}: {partners:?}");
        if name == "front" {
            for (partner, wanted) in partners.iter().zip(wanted.into_iter().flatten()) {
                assert!(partner.starts_with(&of(wanted)), "{name}: {partners:?}");
            }
            let softmax = rows
                .iter()
                .find(|row| row["base_function"].as_str().unwrap_or_default().contains("softmax"));
            let calls = softmax.map(|row| (row["base_calls"].as_f64(), row["new_calls"].as_f64()));
            assert_eq!(calls, Some((Some(6.0), Some(7.0))), "{rows:?}");
        }
    }
}

fn groups() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let matmul = "func.func @main(%a: tensor<256x512xf32>, %b: tensor<512x384xf32>) -> tensor<256x384xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x384xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x384xf32>) -> tensor<256x384xf32>
  %m = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x384xf32>) outs(%f : tensor<256x384xf32>) -> tensor<256x384xf32>
  return %m : tensor<256x384xf32>
}
";
    let tilings = ["false", "true"].map(|tiling| {
        let name = if tiling == "true" { "tiled" } else { "untiled" };
        (name, compiled(folder, name, matmul, &[&format!("--iree-opt-data-tiling={tiling}")]))
    });
    captured(folder, &tilings, &["256x512xf32=1", "512x384xf32=1"]);
    let (total, rows) = compared(folder, "untiled", "tiled", &[]);
    assert_ne!(total["verdict"], "not comparable", "{total}");
    let has_matmul =
        |row: &&Value| row["base_function"].as_str().unwrap_or_default().contains("matmul");
    let group = rows.iter().find(has_matmul).unwrap();
    assert!(group["new_function"].as_str().unwrap().contains("matmul"), "{group}");

    let layers = program(&[1, 3, 5, 7, 9, 11], false);
    let levels = ["O1", "O2"].map(|level| {
        (level, compiled(folder, level, &layers, &[&format!("--iree-opt-level={level}")]))
    });
    captured(folder, &levels, &INPUTS);
    let (total, _) = compared(folder, "O1", "O2", &[]);
    assert_ne!(total["verdict"], "not comparable", "{total}");
}
