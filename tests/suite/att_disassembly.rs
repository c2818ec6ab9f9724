//! Tests that `att` disassembles with the real `libamd_comgr`: code objects of `iree-compile`, whose instructions must be
//! those of the assembly that it dumps.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::Value;

use super::att_decode::libraries;
use super::differential::BIN;
use crate::capture::said;
use crate::support::built_traces::Traced;
use crate::{skipped_if, trial};

const MODEL: &str = "\
func.func @main(%a: tensor<1024xf32>, %b: tensor<1024xf32>) -> tensor<1024xf32> {
  %r = arith.mulf %a, %b : tensor<1024xf32>
  return %r : tensor<1024xf32>
}
";

/// Where an ELF file has the version of its code object, less 2.
const ABI_VERSION: usize = 8;

/// Returns the tests, which need the library. Debian's knows these targets of those that `iree-compile` knows.
pub fn trials() -> Vec<Trial> {
    let reason = library().is_none().then_some("libamd-comgr2 is not installed");
    let test = |target: &'static str| {
        let name = format!("att::instructions_of_{target}_are_those_of_the_compiler");
        skipped_if(reason, trial(name, move || disassembled(target)))
    };
    ["gfx90a", "gfx908"].into_iter().map(test).collect()
}

/// Returns the path of the real library, as the system finds it.
fn library() -> Option<PathBuf> {
    let listed = Command::new("ldconfig").arg("-p").output().ok()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let line = listed.lines().find(|line| line.contains("libamd_comgr.so."))?;
    line.rsplit_once("=> ").map(|(_, path)| path.into())
}

fn disassembled(target: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("m.mlir"), MODEL).unwrap();
    let compiled = Command::new(BIN.join("iree-compile"))
        .current_dir(folder.path())
        .args(["m.mlir", "-o", "m.vmfb", "--iree-hal-target-backends=rocm"])
        .arg(format!("--iree-rocm-target={target}"))
        .args(["--iree-hal-dump-executable-binaries-to=bin"])
        .args(["--iree-hal-dump-executable-intermediates-to=text"])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    let mut image = fs::read(only(&path("bin"), "hsaco")).unwrap();
    // Debian's library knows code objects up to version 4, and the compiler makes version 5, whose code is the same.
    assert_eq!(image[ABI_VERSION], 3);
    image[ABI_VERSION] = 2;
    let assembly = fs::read_to_string(only(&path("text"), "rocmasm")).unwrap();
    let wanted: Vec<&str> = instructions(&assembly).collect();
    assert!(wanted.len() > 10 && wanted.contains(&"s_endpgm"), "{assembly}");
    // Instructions have four or eight bytes, so that some addresses are within instructions.
    let (start, size) = code(&image);
    let addresses = (start..start + size).step_by(4);
    let runs = addresses.map(|address| format!("run 6 0 1 0 {address} 3\n"));
    let trace = format!("wave 0 0 0 0 1\n{}", runs.collect::<String>());
    let bundle =
        Traced::new().image(3, &image).load(3, 0, 0, size.into()).trace(1, 0, trace.as_bytes());
    fs::write(path("b.ireeprof"), bundle.finish()).unwrap();
    fs::create_dir(path("rocm")).unwrap();
    for name in ["librocprofiler-sdk.so", "librocprof-trace-decoder.so"] {
        fs::copy(libraries().join(name), path("rocm").join(name)).unwrap();
    }
    std::os::unix::fs::symlink(library().unwrap(), path("rocm/libamd_comgr.so")).unwrap();
    let lines = said(
        &Command::new(env!("CARGO_BIN_EXE_ireescope"))
            .current_dir(folder.path())
            .env("XDG_CACHE_HOME", folder.path())
            .args(["att", "--format=jsonl", "--rocm_library_path=rocm", "b.ireeprof"])
            .output()
            .unwrap(),
    );
    assert_eq!((lines.code, lines.err.as_str()), (Some(0), ""), "{lines:?}");
    let found: Vec<String> = lines
        .out
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["instruction"].to_string())
        .collect();
    let mut rest = found.iter();
    for mnemonic in &wanted {
        // The encoding is a part of the name only where there are several.
        let stem = mnemonic.trim_end_matches("_e32").trim_end_matches("_e64");
        assert!(
            rest.any(|text| text.contains(stem)),
            "{mnemonic} is not in its place: {wanted:?} {found:#?}"
        );
    }
    assert!(found[0].contains(wanted[0]), "{wanted:?} {found:#?}");
}

/// Returns the only file in a folder with this extension.
fn only(folder: &Path, extension: &str) -> PathBuf {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == extension));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Returns the mnemonics of the first function of an assembly.
fn instructions(assembly: &str) -> impl Iterator<Item = &str> {
    let lines = assembly.lines().map(str::trim).take_while(|line| !line.starts_with(".section"));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|word| {
        ["s_", "v_", "global_", "buffer_", "ds_", "flat_"]
            .iter()
            .any(|start| word.starts_with(start))
    })
}

/// Returns the address and the size of the code of an image: its executable segment.
fn code(image: &[u8]) -> (u64, u64) {
    let number = |at: usize, width: usize| {
        image[at..at + width].iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let (table, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let mut segments = (0..count).map(|nth| (table + nth * size) as usize);
    let found = segments.find(|at| number(*at, 4) == 1 && number(at + 4, 4) & 1 == 1);
    let at = found.expect("an executable segment");
    (number(at + 16, 8), number(at + 32, 8))
}
