//! Tests spaces of configurations with the real compiler, and the solutions of its constraints with z3.

use std::path::Path;
use std::process::{Command, Output};

use ireescope::tuning::configuration::{Dispatch, dispatches};
use ireescope::tuning::constraints::{Constraints, constraints};
use ireescope::tuning::space::{Cpu, Space, Vulkan};
use ireescope::tuning::spec::{Entry, Spec, write};
use libtest_mimic::Trial;
use serde_json::json;
use tempfile::TempDir;

use super::differential::BIN;
use crate::support::ask::root;
use crate::trial;

pub fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = [
        ("matmul", matmul(128, 128, 256)),
        ("convolution", convolution()),
        ("attention", attention()),
    ]
    .into_iter()
    .map(|(name, model)| {
        trial(format!("tuning::solutions_for_{name}_equal_those_of_z3"), move || equal(&model))
    })
    .collect();
    for target in [&ROCM, &CUDA] {
        trials.push(trial(
            format!("tuning::solutions_are_applied_for_{}", target.name),
            move || {
                solutions(target);
            },
        ));
    }
    for target in [&CPU, &VULKAN] {
        for (name, model) in generated() {
            trials.push(trial(
                format!("tuning::configurations_of_{name}_compile_for_{}", target.name),
                move || compiled(target, &model),
            ));
        }
    }
    trials
}

/// A target of the compiler.
struct Target {
    name: &'static str,
    flags: &'static [&'static str],
    /// The flag that reads specs. The one that is meant for them is ignored for some targets.
    spec: &'static str,
}

const SPEC: &str = "--iree-codegen-tuning-spec-path";
const LIBRARY: &str = "--iree-codegen-transform-dialect-library";
const CPU: Target = Target {
    name: "llvm-cpu",
    flags: &["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=x86-64-v4"],
    spec: SPEC,
};
const VULKAN: Target =
    Target { name: "vulkan", flags: &["--iree-hal-target-backends=vulkan-spirv"], spec: LIBRARY };
const ROCM: Target = Target {
    name: "gfx942",
    flags: &["--iree-hal-target-backends=rocm", "--iree-rocm-target=gfx942"],
    spec: SPEC,
};
const CUDA: Target = Target {
    name: "sm_80",
    flags: &["--iree-hal-target-backends=cuda", "--iree-cuda-target=sm_80"],
    spec: LIBRARY,
};

/// Writes a function that computes one operation of two inputs into a result that begins as 0. If a dimension of the
/// result is dynamic, it is the first, and that of the first input.
fn model(inputs: [&str; 2], result: &str, operation: &str) -> String {
    let [one, other] = inputs.map(|it| format!("tensor<{it}>"));
    let dynamic = if result.starts_with('?') { "%dim" } else { "" };
    format!(
        "func.func @main(%one: {one}, %other: {other}) -> tensor<{result}> {{\n  %first = arith.constant 0 : index\n  %dim = tensor.dim %one, %first : {one}\n  %init = tensor.empty({dynamic}) : tensor<{result}>\n  %zero = arith.constant 0.0 : f32\n  %fill = linalg.fill ins(%zero : f32) outs(%init : tensor<{result}>) -> tensor<{result}>\n  %result = {operation} -> tensor<{result}>\n  return %result : tensor<{result}>\n}}\n"
    )
}

/// Writes a `linalg.generic` of two inputs.
fn generic(inputs: [&str; 2], result: &str, maps: [&str; 3], kinds: &str, body: &str) -> String {
    let maps = maps.map(|map| format!("affine_map<{map}>")).join(", ");
    let [one, other] = inputs;
    let operation = format!(
        "linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins(%one, %other : tensor<{one}>, tensor<{other}>) outs(%fill : tensor<{result}>) {{\n  ^bb0(%a: f32, %b: f32, %c: f32):\n{body}  }}"
    );
    model(inputs, result, &operation)
}

const MULTIPLY_ADD: &str = "    %d = arith.mulf %a, %b : f32\n    %e = arith.addf %c, %d : f32\n    linalg.yield %e : f32\n";

fn matmul(m: u32, n: u32, k: u32) -> String {
    let (one, other, result) =
        (format!("{m}x{k}xf16"), format!("{k}x{n}xf16"), format!("{m}x{n}xf32"));
    let operation = format!(
        "linalg.matmul ins(%one, %other : tensor<{one}>, tensor<{other}>) outs(%fill : tensor<{result}>)"
    );
    model([&one, &other], &result, &operation)
}

fn convolution() -> String {
    let (one, other, result) = ("2x10x10x32xf16", "3x3x32x32xf16", "2x8x8x32xf32");
    let operation = format!(
        "linalg.conv_2d_nhwc_hwcf ins(%one, %other : tensor<{one}>, tensor<{other}>) outs(%fill : tensor<{result}>)"
    );
    model([one, other], result, &operation)
}

fn attention() -> String {
    "#q = affine_map<(b, m, n, k1, k2) -> (b, m, k1)>
#k = affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>
#v = affine_map<(b, m, n, k1, k2) -> (b, k2, n)>
#s = affine_map<(b, m, n, k1, k2) -> ()>
#o = affine_map<(b, m, n, k1, k2) -> (b, m, n)>
func.func @main(%q: tensor<20x4096x64xf16>, %k: tensor<20x1024x64xf16>, %v: tensor<20x1024x64xf16>, %s: f16) -> tensor<20x4096x64xf16> {
  %e = tensor.empty() : tensor<20x4096x64xf16>
  %r = iree_linalg_ext.attention <{indexing_maps = [#q, #k, #v, #s, #o]}> ins(%q, %k, %v, %s : tensor<20x4096x64xf16>, tensor<20x1024x64xf16>, tensor<20x1024x64xf16>, f16) outs(%e : tensor<20x4096x64xf16>) {
  ^bb0(%score: f32):
    iree_linalg_ext.yield %score : f32
  } -> tensor<20x4096x64xf16>
  return %r : tensor<20x4096x64xf16>
}
"
    .to_owned()
}

/// Models of all kinds of loops that spaces are generated for.
fn generated() -> Vec<(&'static str, String)> {
    let (matrix, parallel) = ("(d0, d1) -> (d0, d1)", "\"parallel\"");
    let exponential =
        "    %d = arith.addf %a, %b : f32\n    %e = math.exp %d : f32\n    linalg.yield %e : f32\n";
    vec![
        ("matmul", matmul(512, 768, 1024).replace("f16", "f32")),
        // As in magika: rows of 508 elements, in batches of any size.
        (
            "convolution",
            generic(
                ["?x256x512xf32", "512x256x5xf32"],
                "?x512x508xf32",
                [
                    "(n, f, x, c, k) -> (n, c, x + k)",
                    "(n, f, x, c, k) -> (f, c, k)",
                    "(n, f, x, c, k) -> (n, f, x)",
                ],
                "\"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\"",
                MULTIPLY_ADD,
            ),
        ),
        (
            "elementwise",
            generic(
                ["1024x768xf32"; 2],
                "1024x768xf32",
                [matrix; 3],
                &[parallel; 2].join(", "),
                exponential,
            ),
        ),
        (
            "reduction",
            generic(
                ["1024x768xf32"; 2],
                "1024xf32",
                [matrix, matrix, "(d0, d1) -> (d0)"],
                "\"parallel\", \"reduction\"",
                MULTIPLY_ADD,
            ),
        ),
    ]
}

/// A folder with a model.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new(model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("model.mlir"), model).unwrap();
        Self { folder }
    }

    fn compile(&self, target: &Target, flags: &[&str]) -> Output {
        Command::new(BIN.join("iree-compile"))
            .current_dir(self.folder.path())
            .args(["model.mlir", "-o", "out"])
            .args(target.flags)
            .args(flags)
            .output()
            .unwrap()
    }

    /// Returns the dispatches and the constraints for a target.
    fn stated(&self, target: &Target) -> (String, Vec<Constraints>, Dispatch) {
        let said = self.compile(
            target,
            &["--iree-codegen-emit-pipeline-constraints", "--compile-to=executable-configurations"],
        );
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let text = std::fs::read_to_string(self.folder.path().join("out")).unwrap();
        let stated = constraints(&text).unwrap();
        let name = |it: &Dispatch| stated.first().is_some_and(|one| one.function == it.name);
        let dispatch = dispatches(&text).unwrap().into_iter().find(name).unwrap();
        (text, stated, dispatch)
    }

    /// Returns the dispatch that has a configuration.
    fn configured(&self, target: &Target, flags: &[&str]) -> (Output, Option<Dispatch>) {
        let dumps = self.folder.path().join("dumps");
        let _ = std::fs::remove_dir_all(&dumps);
        let mut all = vec![
            "--iree-codegen-add-tuner-attributes",
            "--iree-hal-dump-executable-configurations-to=dumps",
        ];
        all.extend(flags);
        let said = self.compile(target, &all);
        let read = |path: &Path| dispatches(&std::fs::read_to_string(path).unwrap()).unwrap();
        let files = std::fs::read_dir(&dumps).into_iter().flatten();
        let found = files.flat_map(|file| read(&file.unwrap().path()));
        (said, found.into_iter().find(|dispatch| dispatch.root().is_some()))
    }

    /// Compiles with some points of a space, and checks that each is applied. Returns what the compiler says of those
    /// that it refuses.
    fn check(
        &self,
        target: &Target,
        dispatch: &Dispatch,
        space: &Space,
        count: usize,
    ) -> Vec<String> {
        let root = dispatch.root().unwrap();
        let mut refused = Vec::new();
        for nth in 0..count {
            let configuration = space.configuration((space.points.len() - 1) * nth / (count - 1));
            let (entry, sequences) = Entry::of("sample", root, &configuration).unwrap();
            let spec = write(&Spec { entries: vec![entry], sequences }, "");
            std::fs::write(self.folder.path().join("spec.mlir"), &spec).unwrap();
            let flag = format!("{}=spec.mlir", target.spec);
            let (said, applied) = self.configured(target, &[&flag]);
            // The first lines say why; the whole code of the dispatch follows.
            let words: String = String::from_utf8_lossy(&said.stderr).chars().take(400).collect();
            let applied = applied.unwrap_or_else(|| panic!("{words}"));
            let (mut wanted, mut got) =
                (configuration.knobs(), applied.configuration(applied.root().unwrap()).knobs());
            wanted.sort();
            got.sort();
            assert_eq!(got, wanted, "{spec}");
            if !said.status.success() {
                refused.push(words);
            }
        }
        refused
    }
}

fn equal(model: &str) {
    let place = Place::new(model);
    let (text, stated, _) = place.stated(&ROCM);
    let found: Vec<serde_json::Value> = stated
        .iter()
        .map(|one| {
            let solutions = one.solutions(1_000_000).unwrap();
            assert!(solutions.is_complete);
            let knobs: Vec<&str> = one.knobs.iter().map(|knob| knob.name.as_str()).collect();
            json!({ "knobs": knobs, "solutions": solutions.all })
        })
        .collect();
    let case = place.folder.path().join("case.json");
    std::fs::write(&case, json!({ "text": text, "found": found }).to_string()).unwrap();
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_constraints.py"))
        .arg(&case)
        .output()
        .unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

fn solutions(target: &Target) {
    let place = Place::new(&matmul(512, 768, 1024));
    let (_, stated, dispatch) = place.stated(target);
    assert_eq!(stated.len(), 2, "two pipelines");
    let own = dispatch.configuration(dispatch.root().unwrap());
    let space = Space::of_constraints(&stated, &own).unwrap();
    assert!(
        space.points.len() > 1000 && space.neighbors(space.own).len() > 1,
        "{:?}",
        space.points[space.own]
    );
    assert!(stated.iter().any(|one| one.read(&own).is_some_and(|values| one.has(&values))));
    let refused = place.check(target, &dispatch, &space, 10);
    // The constraints do not say that the layout of some tiles cannot be derived.
    let known = "failed to derive layout for promoted read-like op";
    assert!(refused.iter().all(|words| words.contains(known)), "{refused:?}");
    assert!(refused.len() < 5, "{refused:?}");
}

fn compiled(target: &Target, model: &str) {
    let place = Place::new(model);
    let (said, dispatch) = place.configured(target, &[]);
    let dispatch = dispatch.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&said.stderr)));
    let root = dispatch.root().unwrap();
    let own = dispatch.configuration(root);
    let limits = dispatch.target.as_ref().unwrap();
    let space = match target.name {
        "vulkan" => Space::of_vulkan(root, &own, Vulkan::of(limits)),
        _ => Space::of_cpu(root, &own, Cpu::of(limits)),
    };
    let space = space.unwrap();
    assert_eq!(space.configuration(space.own), own);
    let refused = place.check(target, &dispatch, &space, 8);
    assert!(refused.is_empty(), "{refused:?}");
}
