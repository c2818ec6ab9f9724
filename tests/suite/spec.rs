//! Tests `spec` with the real compiler, and with scripts that play a compiler in trouble.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::capture::{Said, said};
use super::differential::BIN;
use crate::support::ask::root;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("a_compiler_that_hangs_is_stopped", hanging),
    ("a_model_that_is_refused_is_told_in_the_compilers_words", refused),
    ("a_missing_compiler_is_an_error_of_the_environment", missing),
    ("malformed_dumps_are_told_by_their_place", malformed_dump),
    ("a_compiler_with_a_spec_has_one_thread", one_thread),
];

/// The tests that need the real compiler.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("spec::knobs_are_those_of_the_compiler".into(), knobs),
        trial("spec::what_is_written_is_applied".into(), written),
        trial("spec::every_target_applies_what_is_written".into(), targets),
        trial("spec::operations_of_all_kinds_are_matched".into(), kinds),
        trial("spec::a_matcher_counts_operands".into(), counted),
        trial("spec::a_spec_that_never_matches_names_the_nearest_dispatch".into(), never),
        trial("spec::an_earlier_matcher_is_named".into(), earlier),
        trial("spec::matchers_by_conditions_are_judged_by_their_values".into(), conditions),
        trial("spec::a_configuration_that_is_dropped_is_lost".into(), lost),
        trial("spec::a_malformed_spec_is_told_in_the_compilers_words".into(), malformed),
        trial("spec::merged_specs_apply_both".into(), merged),
        trial("spec::merged_conflicts_need_a_choice".into(), conflicts),
        trial("spec::what_the_compiler_refuses_is_not_written".into(), does_not_compile),
        trial("spec::what_is_refused_also_without_a_spec_is_told".into(), refused_without),
        trial("spec::results_are_compared".into(), results),
        trial("spec::of_several_specs_the_compiler_reads_the_last".into(), last),
        trial("spec::bytecode_is_read".into(), bytecode),
    ]
}

/// A temporary working folder.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `spec` with the compiler of a folder, and these flags of it.
    fn with(&self, bin: &Path, words: &[&str], flags: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(self.folder.path()).arg("spec").args(words);
        command.arg("--iree-bin-dir").arg(bin);
        if !matches!(words[0], "diff" | "show") {
            command.arg("--").args(flags);
        }
        said(&command.output().unwrap())
    }

    /// Runs `spec` with the real compiler.
    fn spec(&self, words: &[&str], flags: &[&str]) -> Said {
        self.with(&BIN, words, flags)
    }

    /// Writes a script that plays the compiler, and runs `spec` with it.
    fn fake(&self, script: &str, words: &[&str]) -> Said {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path("bin/iree-compile");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.with(&self.path("bin"), words, &[])
    }
}

fn model(name: &str) -> String {
    root().join("tests/data/models").join(name).to_str().unwrap().to_owned()
}

const CPU: &[&str] = &[
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
];
const VULKAN: &[&str] = &["--iree-hal-target-device=vulkan"];
const ROCM: &[&str] = &["--iree-hal-target-backends=rocm", "--iree-rocm-target=gfx942"];
const CUDA: &[&str] = &["--iree-hal-target-backends=cuda", "--iree-cuda-target=sm_80"];

fn knobs() {
    let place = Place::new();
    let matmul = model("matmul.mlir");
    let said = place.spec(&["knobs", &matmul, "--format=csv"], CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    let row = "main_dispatch_0_matmul_256x128x512_f32,llvm-cpu,linalg.matmul,\"256x512, 512x128 -> 256x128\",f32,DoubleTilingExpert,,,,,distribution,\"[";
    assert!(said.out.contains(row), "{said:?}");
    assert!(said.out.contains(",vector_common_parallel,\"["), "{said:?}");
    // Without flags, the processor of this machine is meant.
    let host = place.spec(&["knobs", &matmul, "--format=csv"], &[]);
    assert!(host.out.contains(",llvm-cpu,linalg.matmul,"), "{host:?}");
    let vulkan = place.spec(&["knobs", &matmul, "--format=csv"], VULKAN);
    for part in ["vulkan-spirv,linalg.generic,", ",tile_sizes,\"[[", ",workgroup_size,\"["] {
        assert!(vulkan.out.contains(part), "{vulkan:?}");
    }
}

/// Writes a spec, which must be applied. Returns what was said.
fn write(
    place: &Place,
    name: &str,
    dispatch: &str,
    set: &[&str],
    output: &str,
    flags: &[&str],
) -> Said {
    let (name, dispatch) = (model(name), format!("--dispatch={dispatch}"));
    let set: Vec<String> = set.iter().map(|it| format!("--set={it}")).collect();
    let set = set.iter().map(String::as_str);
    let words: Vec<&str> =
        ["write", &name, &dispatch, "-o", output].into_iter().chain(set).collect();
    let said = place.spec(&words, flags);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("applied"), "{said:?}");
    said
}

fn written() {
    let place = Place::new();
    write(
        &place,
        "matmul.mlir",
        "*",
        &["distribution=[64, 64, 0]", "vector_common_parallel[1]=8"],
        "a.mlir",
        CPU,
    );
    let matmul = model("matmul.mlir");
    let said = place.spec(&["verify", "a.mlir", &matmul, "--format=csv"], CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    let wanted = "applied,main_dispatch_0_matmul_256x128x512_f32,\"";
    assert!(said.out.contains(wanted), "{said:?}");
    // What the compiler itself says of the dispatch.
    let dumps = place.path("dumps");
    let done = Command::new(BIN.join("iree-compile"))
        .args(CPU)
        .arg(&matmul)
        .arg(format!("--iree-codegen-tuning-spec-path={}", place.path("a.mlir").display()))
        .arg(format!("--iree-hal-dump-executable-configurations-to={}", dumps.display()))
        .args(["-o", "/dev/null"])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let dump = std::fs::read_dir(&dumps).unwrap().next().unwrap().unwrap().path();
    let dump = std::fs::read_to_string(dump).unwrap();
    assert!(dump.contains("distribution = [64, 64, 0], "), "{dump}");
    // A dump with the spec is read as well as one without.
    let said = place.spec(&["knobs", dumps.to_str().unwrap(), "--format=csv"], &[]);
    assert!(said.out.contains("distribution,\"[64, 64, 0]\""), "{said:?}");
    let wrong = place
        .spec(&["write", &matmul, "--dispatch=*", "--set=distribution[9]=1", "-o", "b.mlir"], CPU);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    assert!(wrong.err.contains("[9] is no index of ["), "{wrong:?}");
    let typo = "--set=distributon=[16, 32, 0]";
    let wrong = place.spec(&["write", &matmul, "--dispatch=*", typo, "-o", "b.mlir"], CPU);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
    let known = "there is no knob distributon; there are cache_parallel, distribution, ";
    assert!(wrong.err.contains(known), "{wrong:?}");
    let other = place.spec(&["write", &matmul, "--dispatch=x", "--set=a=1", "-o", "b.mlir"], CPU);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.err.contains("there are:\n  main_dispatch_0_matmul"), "{other:?}");
    assert!(!place.path("b.mlir").exists());
}

fn targets() {
    let place = Place::new();
    for (flags, set, flag) in [
        (VULKAN, "tile_sizes[0]=[32, 64]", "--iree-codegen-transform-dialect-library"),
        (ROCM, "workgroup[1]=64", "--iree-codegen-tuning-spec-path"),
        (CUDA, "workgroup[1]=64", "--iree-codegen-transform-dialect-library"),
    ] {
        let said = write(&place, "matmul.mlir", "*", &[set], "a.mlir", flags);
        assert!(
            said.err.contains(&format!("compile with {flag}=a.mlir --mlir-disable-threading\n")),
            "{said:?}"
        );
        let said = place.spec(&["verify", "a.mlir", &model("matmul.mlir")], flags);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

fn kinds() {
    let place = Place::new();
    // A dynamic product, an attention, values from outside of the body, and attributes beside the configuration.
    for (dispatch, set, flags) in [
        ("dyn_*", "distribution[1]=16", CPU),
        ("attention_*", "vector_reduction[4]=8", CPU),
        ("gelu_*", "distribution=[32, 64]", CPU),
        ("attention_*", "workgroup_size=[128, 1, 1]", ROCM),
        ("matvec_*", "workgroup_size=[32, 1, 1]", ROCM),
        ("conv_*", "workgroup_size=[32, 1, 1]", CUDA),
    ] {
        write(&place, "operations.mlir", dispatch, &[set], "a.mlir", flags);
    }
}

/// The reduction of a norm, whose body uses a constant from outside, so that it is matched by its operands.
const SQUARES: &str = "iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %mean : tensor<64x256xf32>, tensor<64xf32>)";
const BODY: &str = "^bb0(%a: f32, %m: f32, %acc: f32):";

/// An attention whose scores have a limit, which is a constant from outside.
const CAPPED: &str = "#o = affine_map<(b, m, n, k1, k2) -> (b, m, n)>
func.func @main(%q: tensor<2x64x64xf32>, %k: tensor<2x64x64xf32>, %v: tensor<2x64x64xf32>, %s: f32) -> tensor<2x64x64xf32> {
  %e = tensor.empty() : tensor<2x64x64xf32>
  %c = arith.constant 3.0 : f32
  %r = iree_linalg_ext.attention <{indexing_maps = [affine_map<(b, m, n, k1, k2) -> (b, m, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, k1)>, affine_map<(b, m, n, k1, k2) -> (b, k2, n)>, affine_map<(b, m, n, k1, k2) -> ()>, #o]}> ins(%q, %k, %v, %s : tensor<2x64x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>, f32) outs(%e : tensor<2x64x64xf32>) {
  ^bb0(%score: f32):
    %t = arith.minimumf %score, %c : f32
    iree_linalg_ext.yield %t : f32
  } -> tensor<2x64x64xf32>
  return %r : tensor<2x64x64xf32>
}
";

fn counted() {
    let place = Place::new();
    // What follows the operation in its dispatch begins with the same operands, and the first dispatch has fewer.
    write(&place, "norm.mlir", "*_dispatch_1_*", &["distribution=[16, 0]"], "a.mlir", CPU);
    let verified = |model: &str| place.spec(&["verify", "a.mlir", model, "--format=csv"], CPU);
    let said = verified(&model("norm.mlir"));
    assert_eq!(said.code, Some(0), "{said:?}");
    let applied = said.out.matches(",applied,").count();
    assert!(applied == 1 && said.out.contains(",applied,norm_dispatch_1_reduction_"), "{said:?}");
    assert!(compile(&place, &model("norm.mlir"), "a.mlir", CPU).status.success());
    // An operation with another number of inputs is another one, even if the first operands are the same.
    let norm = std::fs::read_to_string(model("norm.mlir")).unwrap();
    assert!(norm.contains(SQUARES) && norm.contains(BODY), "{norm}");
    let more = norm
        .replace(
            &format!("[#all, #row, #row], {SQUARES}"),
            &format!(
                "[#all, #row, #row, #row], {}",
                SQUARES
                    .replace("%mean :", "%mean, %sum :")
                    .replace(", tensor<64xf32>)", ", tensor<64xf32>, tensor<64xf32>)")
            ),
        )
        .replace(BODY, "^bb0(%a: f32, %m: f32, %n: f32, %acc: f32):")
        .replace("arith.mulf %0, %0 : f32", "arith.mulf %0, %n : f32");
    assert!(more.contains("%mean, %sum : "), "{more}");
    std::fs::write(place.path("more.mlir"), more).unwrap();
    let said = verified("more.mlir");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains(",never,") && said.out.contains("operands: wanted 2 in, 1 out, found "),
        "{said:?}"
    );
    assert!(
        compile(&place, place.path("more.mlir").to_str().unwrap(), "a.mlir", CPU).status.success()
    );
    // Operations that have no such numbers are counted by all of their operands.
    std::fs::write(place.path("capped.mlir"), CAPPED).unwrap();
    let words =
        ["write", "capped.mlir", "--dispatch=*", "--set=vector_reduction[4]=4", "-o", "b.mlir"];
    let said = place.spec(&words, CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    let text = std::fs::read_to_string(place.path("b.mlir")).unwrap();
    let all = "%wanted_count = transform.param.constant 7 : i64";
    assert!(text.contains(all), "{text}");
    std::fs::write(place.path("c.mlir"), text.replace(all, &all.replace('7', "6"))).unwrap();
    let said = place.spec(&["verify", "c.mlir", "capped.mlir", "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("operands: wanted 6, found 7"), "{said:?}");
    // What the compiler's own tool prints is the same.
    for name in ["a.mlir", "b.mlir"] {
        let read = Command::new(BIN.join("iree-opt")).arg(place.path(name)).output().unwrap();
        assert!(read.status.success(), "{read:?}");
        std::fs::write(place.path("printed.mlir"), read.stdout).unwrap();
        let said = place.spec(&["diff", name, "printed.mlir", "--check"], &[]);
        assert_eq!((said.code, said.out.as_str()), (Some(0), "No differences.\n"), "{said:?}");
    }
}

fn never() {
    let place = Place::new();
    write(&place, "matmul.mlir", "*", &["distribution=[64, 64, 0]"], "a.mlir", CPU);
    let said = place.spec(&["verify", "a.mlir", &model("mlp.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    let wanted = "never,main_dispatch_0_matmul_32x256x128_f32,\"shape: wanted tensor<256x512xf32>, found tensor<32x128xf32>; ";
    assert!(said.out.contains(wanted), "{said:?}");
}

fn earlier() {
    let place = Place::new();
    write(&place, "matmul.mlir", "*", &["distribution=[64, 64, 0]"], "a.mlir", CPU);
    let text = std::fs::read_to_string(place.path("a.mlir")).unwrap();
    let matcher = "match_main_dispatch_0_matmul_256x128x512_f32";
    // The same matcher with dynamic rows and another value, which is tried first.
    let start = text.find(&format!("  transform.named_sequence @{matcher}")).unwrap();
    let end = text.find("  transform.named_sequence @__kernel_config").unwrap();
    let wider = text[start..end]
        .replace(matcher, "wider")
        .replace("<256x", "<?x")
        .replace("[64, 64, 0]", "[32, 64, 0]");
    let pair = format!("      @{matcher} -> ");
    let both = format!("{}{wider}{}", &text[..start], &text[start..])
        .replace(&pair, &format!("      @wider -> @apply_op_config,\n{pair}"));
    std::fs::write(place.path("b.mlir"), both).unwrap();
    let said = place.spec(&["verify", "b.mlir", &model("matmul.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("wider,applied,main_dispatch_0"), "{said:?}");
    let taken =
        "never,main_dispatch_0_matmul_256x128x512_f32,the earlier matcher @wider was applied to it";
    assert!(said.out.contains(taken), "{said:?}");
}

fn conditions() {
    let place = Place::new();
    write(&place, "matmul.mlir", "*", &["distribution=[64, 64, 0]"], "a.mlir", CPU);
    let text = std::fs::read_to_string(place.path("a.mlir")).unwrap();
    let (start, end) = (text.find("    %inputs, ").unwrap(), text.find("    %config = ").unwrap());
    let maps = ["(d0, d2)", "(d2, d1)", "(d0, d1)"];
    let maps = maps.map(|it| format!("affine_map<(d0, d1, d2) -> {it}>")).join(", ");
    let conditions = format!(
        "    %batch, %m, %n, %k = transform.iree.match.contraction %op, lhs_type = f32, rhs_type = f32, output_type = f32, indexing_maps = [{maps}] : !transform.any_op -> !transform.param<i64>\n    \
         transform.iree.match.dims_equal %m, [256] : !transform.param<i64>\n"
    );
    let text = format!("{}{conditions}{}", &text[..start], &text[end..]);
    std::fs::write(place.path("b.mlir"), text).unwrap();
    let shown = place.spec(&["show", "b.mlir", "--format=csv"], &[]);
    assert!(
        shown.out.contains("512_f32,contraction,,f32xf32xf32,DoubleTilingExpert,"),
        "{shown:?}"
    );
    let said = place.spec(&["verify", "b.mlir", &model("matmul.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = place.spec(&["verify", "b.mlir", &model("mlp.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains(",never,,\"no dispatch has its values; it asks for: %batch, "),
        "{said:?}"
    );
}

fn lost() {
    let place = Place::new();
    // The convolution as it is when the compiler reads specs; a later pass gives it a batch dimension on processors.
    write(&place, "operations.mlir", "conv_*", &["workgroup_size=[64, 1, 1]"], "a.mlir", ROCM);
    let text = std::fs::read_to_string(place.path("a.mlir")).unwrap();
    let start = text.find("#iree_codegen.compilation_info").unwrap();
    let end = start + text[start..].find(" -> !transform.any_param").unwrap();
    let cpu = "#iree_codegen.compilation_info<lowering_config = #iree_cpu.lowering_config<distribution = [2, 1, 29, 0, 0, 0]>, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>>>";
    std::fs::write(place.path("b.mlir"), format!("{}{cpu}{}", &text[..start], &text[end..]))
        .unwrap();
    let said = place.spec(&["verify", "b.mlir", &model("operations.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    let lost = ",lost,conv_dispatch_0_conv_16x29x29x3x7x7_f32,";
    assert!(said.out.contains(lost), "{said:?}");
}

fn malformed() {
    let place = Place::new();
    write(&place, "matmul.mlir", "*", &["distribution=[64, 64, 0]"], "a.mlir", CPU);
    let text = std::fs::read_to_string(place.path("a.mlir")).unwrap();
    std::fs::write(place.path("b.mlir"), text.replace("transform.annotate", "transform.annotat"))
        .unwrap();
    // Also where the compiler ignores the flag that is meant for specs.
    for flags in [CPU, VULKAN] {
        let said = place.spec(&["verify", "b.mlir", &model("matmul.mlir")], flags);
        assert_eq!(said.code, Some(1), "{said:?}");
        let words = "b.mlir:4:5: error: custom op 'transform.annotat' is unknown";
        assert!(said.err.contains(words), "{said:?}");
        assert!(said.err.lines().count() < 10, "{said:?}");
    }
}

fn merged() {
    let place = Place::new();
    write(&place, "mlp.mlir", "*_0_matmul*", &["distribution=[16, 32, 0]"], "a.mlir", CPU);
    write(&place, "mlp.mlir", "*_1_matmul*", &["distribution=[16, 16, 0]"], "b.mlir", CPU);
    let said = place.spec(&["merge", "a.mlir", "b.mlir", "a.mlir", "-o", "both.mlir"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("both.mlir has 2 matchers, 1 matcher left out"), "{said:?}");
    let said = place.spec(&["verify", "both.mlir", &model("mlp.mlir")], CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("All of 2 matchers applied."), "{said:?}");
    // The compiler's own tool reads it.
    let read = Command::new(BIN.join("iree-opt")).arg(place.path("both.mlir")).output().unwrap();
    assert!(read.status.success(), "{read:?}");
    // What it prints has aliases, and is the same spec.
    std::fs::write(place.path("printed.mlir"), read.stdout).unwrap();
    let said = place.spec(&["diff", "both.mlir", "printed.mlir", "--check"], &[]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "No differences.\n"), "{said:?}");
}

fn conflicts() {
    let place = Place::new();
    for (set, output) in [("[16, 32, 0]", "a.mlir"), ("[32, 32, 0]", "b.mlir")] {
        write(&place, "mlp.mlir", "*_0_matmul*", &[&format!("distribution={set}")], output, CPU);
    }
    let said = place.spec(&["merge", "a.mlir", "b.mlir", "-o", "c.mlir"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("distribution: [16, 32, 0] instead of [32, 32, 0]"), "{said:?}");
    assert!(!place.path("c.mlir").exists());
    for (prefer, value) in [("first", "[16, 32, 0]"), ("last", "[32, 32, 0]")] {
        let prefer = format!("--prefer={prefer}");
        let said = place.spec(&["merge", "a.mlir", "b.mlir", "-o", "c.mlir", &prefer], &[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        let shown = place.spec(&["show", "c.mlir", "--format=csv"], &[]);
        assert!(shown.out.contains(&format!("distribution,\"{value}\"")), "{shown:?}");
    }
}

/// Runs the compiler with a spec.
fn compile(place: &Place, model: &str, spec: &str, flags: &[&str]) -> std::process::Output {
    Command::new(BIN.join("iree-compile"))
        .args(flags)
        .arg(model)
        .arg(format!("--iree-codegen-tuning-spec-path={}", place.path(spec).display()))
        .args(["--mlir-disable-threading", "-o", "/dev/null"])
        .output()
        .unwrap()
}

const MATMUL: &str = "func.func @main(%a: tensor<32x128xf32>, %b: tensor<128x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %m = linalg.matmul ins(%a, %b : tensor<32x128xf32>, tensor<128x256xf32>) outs(%i : tensor<32x256xf32>) -> tensor<32x256xf32>
  return %m : tensor<32x256xf32>
}
";

fn does_not_compile() {
    let place = Place::new();
    std::fs::write(place.path("mm.mlir"), MATMUL).unwrap();
    let mlp = model("mlp.mlir");
    // The compiler takes these configurations, and fails later. Without flags, for this processor.
    for (model, flags) in [("mm.mlir", &[][..]), ("mm.mlir", CPU), (&mlp, CPU)] {
        for value in ["[64, 256, 0]", "[0, 0, 0]"] {
            let set = format!("--set=vector_common_parallel={value}");
            let words = ["write", model, "--dispatch=*_0_matmul*", &set, "-o", "bad.mlir"];
            let said = place.spec(&words, flags);
            assert_eq!(said.code, Some(1), "{said:?}");
            let row = " refused  main_dispatch_0_matmul_32x256x128_f32  ";
            assert!(said.out.contains(row), "{said:?}");
            let end = "1 matcher applied. 1 of 1 changed dispatch refused by the compiler.\n";
            assert!(said.out.ends_with(end), "{said:?}");
            let words = "nothing is written, as the compiler refuses main_dispatch_0_matmul_32x256x128_f32:\nconfigured_";
            assert!(said.err.contains(words), "{said:?}");
            assert!(
                said.err
                    .contains(".mlir:8:7: error: One or more operations with large vector sizes ("),
                "{said:?}"
            );
            assert!(!place.path("bad.mlir").exists());
        }
    }
    // `verify` and `merge` say the same of a file, and the compiler of the whole model.
    write(&place, "mlp.mlir", "*_0_matmul*", &["vector_common_parallel=[8, 8, 0]"], "a.mlir", CPU);
    let good = std::fs::read_to_string(place.path("a.mlir")).unwrap();
    let values = "vector_common_parallel = [8, 8, 0]";
    assert!(good.contains(values), "{good}");
    let bad = good.replace(values, "vector_common_parallel = [64, 256, 0]");
    std::fs::write(place.path("bad.mlir"), bad).unwrap();
    assert!(compile(&place, &mlp, "a.mlir", CPU).status.success());
    assert!(!compile(&place, &mlp, "bad.mlir", CPU).status.success());
    let said = place.spec(&["verify", "bad.mlir", &mlp, "--format=csv"], CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains(",refused,main_dispatch_0_matmul_32x256x128_f32,"), "{said:?}");
    assert!(said.err.contains("error: the compiler refuses main_dispatch_0_matmul"), "{said:?}");
    write(&place, "mlp.mlir", "*_1_matmul*", &["distribution=[16, 16, 0]"], "b.mlir", CPU);
    let merge =
        |one: &str| place.spec(&["merge", one, "b.mlir", "-o", "both.mlir", "--model", &mlp], CPU);
    let said = merge("bad.mlir");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("1 of 2 changed dispatches refused by the compiler."), "{said:?}");
    assert!(!place.path("both.mlir").exists());
    let said = merge("a.mlir");
    assert_eq!(said.code, Some(0), "{said:?}");
    let all = "All of 2 matchers applied. All of 2 changed dispatches compiled to the end.\n";
    assert!(said.out.ends_with(all), "{said:?}");
    assert!(
        said.err.contains(
            "compile with --iree-codegen-tuning-spec-path=both.mlir --mlir-disable-threading\n"
        ),
        "{said:?}"
    );
    let said = place.spec(&["merge", "a.mlir", "b.mlir", "-o", "c.mlir", "--check-results"], &[]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

/// The compiler of IREE 3.13 has no attention for Vulkan.
fn refused_without() {
    let place = Place::new();
    let model = model("operations.mlir");
    let words = ["write", &model, "--dispatch=attention_*", "--set=workgroup_size=[32, 1, 1]"];
    let said = place.spec(&[&words[..], &["-o", "a.mlir"]].concat(), VULKAN);
    assert_eq!(said.code, Some(1), "{said:?}");
    let own = said.err.lines().find(|it| it.contains("the compiler refuses attention_dispatch_0"));
    assert!(own.is_some_and(|it| it.ends_with(", also without the spec:")), "{said:?}");
}

fn results() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    std::fs::write(place.path("mm.mlir"), MATMUL).unwrap();
    let set = ["--dispatch=*", "--set=distribution=[16, 64, 0]", "-o", "a.mlir"];
    let run = ["--check-results", "-R--device=local-sync", "-R--function=main"];
    let inputs = ["-R", "--input=32x128xf32", "--run-flag=--input=128x256xf32"];
    let words = [&["write", "mm.mlir"][..], &set, &run, &inputs].concat();
    let said = place.spec(&words, CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    let equal = "Results equal those of the untuned model, on inputs of these kinds: random, zero, extreme, nan.";
    assert!(said.err.contains(equal), "{said:?}");
    let said = place.spec(&[&["verify", "a.mlir", "mm.mlir"][..], &run, &inputs].concat(), CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.ends_with(&format!("{equal}\n")), "{said:?}");
    let said = place.spec(&["verify", "a.mlir", "mm.mlir"], CPU);
    assert!(said.out.ends_with("Results were not compared (--check-results).\n"), "{said:?}");
    // A model that does not run without its inputs.
    let said = place.spec(&[&["verify", "a.mlir", "mm.mlir"][..], &run].concat(), CPU);
    assert_eq!(said.code, Some(5), "{said:?}");
    assert!(said.err.contains("iree-run-module does not run the untuned model"), "{said:?}");
    // A device that computes something else with the spec.
    std::fs::create_dir(place.path("bin")).unwrap();
    symlink(BIN.join("iree-compile"), place.path("bin/iree-compile")).unwrap();
    let script = "#!/bin/sh\nvalue=AAAA\ncase \"$*\" in *untuned*) value=BBBB ;; esac\necho 'result[0]: hal.buffer_view'\necho '1xi32=1'\nfor word; do case \"$word\" in --output=@*) printf $value > \"${word#--output=@}\" ;; esac; done\n";
    let tool = place.path("bin/iree-run-module");
    std::fs::write(&tool, script).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(place.path("a.mlir")).unwrap();
    let said = place.with(&place.path("bin"), &words, CPU);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("the results differ from those of the untuned model: result 0 on random inputs: byte 0 differs"), "{said:?}");
    assert!(!place.path("a.mlir").exists());
}

fn last() {
    let place = Place::new();
    write(&place, "mlp.mlir", "*_0_matmul*", &["distribution=[16, 32, 0]"], "a.mlir", CPU);
    let said =
        write(&place, "mlp.mlir", "*_1_matmul*", &["distribution=[16, 16, 0]"], "b.mlir", CPU);
    assert!(
        said.err.contains("reads the last only; `ireescope spec merge` joins them"),
        "{said:?}"
    );
    let second = format!("--iree-codegen-tuning-spec-path={}", place.path("b.mlir").display());
    let mlp = model("mlp.mlir");
    let dumps = place.path("dumps");
    let done = Command::new(BIN.join("iree-compile"))
        .args(CPU)
        .arg(&mlp)
        .arg(format!("--iree-codegen-tuning-spec-path={}", place.path("a.mlir").display()))
        .arg(second)
        .arg(format!("--iree-hal-dump-executable-configurations-to={}", dumps.display()))
        .args([
            "--mlir-disable-threading",
            "--compile-to=executable-configurations",
            "-o",
            "/dev/null",
        ])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let said = place.spec(&["knobs", dumps.to_str().unwrap(), "--format=csv"], &[]);
    assert!(!said.out.contains("distribution,\"[16, 32, 0]\""), "{said:?}");
    assert!(said.out.contains("distribution,\"[16, 16, 0]\""), "{said:?}");
}

fn bytecode() {
    let place = Place::new();
    let softmax = root().join("tests/data/specs/softmax.mlir");
    let done = Command::new(BIN.join("iree-opt"))
        .arg("--emit-bytecode")
        .arg(&softmax)
        .arg("-o")
        .arg(place.path("s.mlirbc"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let text = place.spec(&["show", softmax.to_str().unwrap(), "--format=csv"], &[]);
    let said = place.spec(&["show", "s.mlirbc", "--format=csv"], &[]);
    assert_eq!((said.code, &said.out), (Some(0), &text.out), "{said:?}");
    assert!(said.out.contains(",distribution,\"[8, 0]\""), "{said:?}");
    let said = place.spec(&["diff", "s.mlirbc", softmax.to_str().unwrap(), "--check"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = place.spec(&["verify", "s.mlirbc", &model("mlp.mlir"), "--format=csv"], CPU);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains(",applied,main_dispatch_2_softmax"), "{said:?}");
    let said = place.with(&place.path("nowhere"), &["show", "s.mlirbc"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("there is no iree-opt in"), "{said:?}");
    std::fs::write(place.path("cut.mlirbc"), b"ML\xefR\x0dMLIR").unwrap();
    let said = place.spec(&["show", "cut.mlirbc"], &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("cannot read cut.mlirbc"), "{said:?}");
    assert!(said.err.contains("iree-opt refuses it: "), "{said:?}");
}

fn hanging() {
    let place = Place::new();
    let words = ["knobs", &model("matmul.mlir"), "--compile-timeout=300ms"];
    let said = place.fake("sleep 60", &words);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("timed out after 0.3 s; increase --compile-timeout"), "{said:?}");
}

fn refused() {
    let place = Place::new();
    let words = ["knobs", &model("matmul.mlir")];
    let said = place.fake("echo 'm.mlir:1:1: error: no such op' >&2; exit 1", &words);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("matmul.mlir:\nm.mlir:1:1: error: no such op"), "{said:?}");
}

fn missing() {
    let place = Place::new();
    let said = place.with(&place.path("nowhere"), &["knobs", &model("matmul.mlir")], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("there is no iree-compile in"), "{said:?}");
    let said = place.with(Path::new("/"), &["verify", "absent.mlir", "m.mlir"], &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("cannot read absent.mlir"), "{said:?}");
}

fn malformed_dump() {
    let place = Place::new();
    let source =
        root().join("tests/data/configurations/mlp/configured_module_main_dispatch_0.mlir");
    let text = std::fs::read_to_string(source).unwrap();
    let at = text.find("#iree_cpu.pipeline<").unwrap();
    std::fs::write(
        place.path("d.mlir"),
        text.replacen("#iree_cpu.pipeline<", "#iree_cpu.pipeline<(", 1),
    )
    .unwrap();
    let said = place.with(Path::new("/"), &["knobs", "d.mlir"], &[]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("cannot read the configuration in d.mlir"), "{said:?}");
    let offset: usize =
        said.err.split("at byte ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((at..at + 100).contains(&offset), "{said:?}");
    // A folder without dumps has no dispatches.
    std::fs::create_dir(place.path("empty")).unwrap();
    let said = place.with(Path::new("/"), &["knobs", "empty"], &[]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "No dispatches.\n"), "{said:?}");
}

/// With several, iree-compile 3.13 can deadlock.
fn one_thread() {
    let place = Place::new();
    std::fs::write(place.path("s.mlir"), "module {}\n").unwrap();
    let script = "case \"$*\" in\n  *-spec-path=*' --mlir-disable-threading '*) echo 'error: one thread' >&2; exit 1 ;;\n  *-spec-path=*) echo 'error: several threads' >&2; exit 1 ;;\nesac";
    let said = place.fake(script, &["verify", "s.mlir", &model("matmul.mlir")]);
    assert!(said.err.contains("error: one thread"), "{said:?}");
}
