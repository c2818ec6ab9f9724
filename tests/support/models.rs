//! Modules that the real compiler makes of the models in tests/data. They are kept beside the tools, whose folder has their
//! version, under the content of the model and the flags, so that each is compiled once.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use super::ask::root;
use crate::differential::BIN;

/// The flags for a driver, or for a target of the compiler.
pub fn flags(target: &str) -> &'static [&'static str] {
    match target {
        "vulkan" | "vulkan-spirv" => &["--iree-hal-target-backends=vulkan-spirv"],
        "vmvx" => &["--iree-hal-target-backends=vmvx"],
        _ => &["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"],
    }
}

/// Writes the module of `tests/data/models/NAME.mlir` to `module`.
pub fn compile(name: &str, flags: &[&str], module: &Path) {
    let source = root().join(format!("tests/data/models/{name}.mlir"));
    let mut key = DefaultHasher::new();
    (fs::read(&source).unwrap(), flags).hash(&mut key);
    let kept = BIN.join("../models").join(format!("{name}-{:016x}.vmfb", key.finish()));
    if !kept.exists() {
        fs::create_dir_all(kept.parent().unwrap()).unwrap();
        let compiled = Command::new(BIN.join("iree-compile"))
            .arg(source)
            .args(flags)
            .arg("-o")
            .arg(module)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        // Under its name it is complete, whoever else compiles it at the same time.
        let partial = tempfile::NamedTempFile::new_in(kept.parent().unwrap()).unwrap();
        fs::copy(module, partial.path()).unwrap();
        partial.persist(&kept).unwrap();
    }
    fs::copy(kept, module).unwrap();
}
