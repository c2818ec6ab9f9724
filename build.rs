//! How the program is linked: what a short command runs is a tenth of a hundred megabytes of code, and most of its time
//! would else go into getting at it.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The functions that short commands run; `benches/link-order` writes it.
const ORDER: &str = "benches/link_order.gz";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={ORDER}");
    println!("cargo::rustc-check-cfg=cfg(linked_in_order)");
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return Ok(());
    }
    // At a fixed address nothing has to be relocated.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let order = out.join("link_order");
    io::copy(&mut flate2::read::GzDecoder::new(File::open(ORDER)?), &mut File::create(&order)?)?;
    let arguments = [
        format!("-Wl,--symbol-ordering-file={}", order.display()),
        // An old list only does less.
        "-Wl,--no-warn-symbol-ordering".to_owned(),
    ];
    if links_with(&arguments, &out)? {
        for argument in arguments {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
        println!("cargo::rustc-cfg=linked_in_order");
    }
    Ok(())
}

/// Whether the linker of this build knows the arguments: LLD does, others do not.
fn links_with(arguments: &[String], folder: &Path) -> io::Result<bool> {
    let source = folder.join("probe.rs");
    fs::write(&source, "fn main() {}")?;
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let mut compiler = Command::new(variable("RUSTC").unwrap_or_else(|| "rustc".into()));
    compiler.arg(&source).arg("-o").arg(folder.join("probe"));
    compiler.args(variable("TARGET").iter().flat_map(|target| ["--target", target]));
    compiler.args(variable("RUSTC_LINKER").map(|linker| format!("-Clinker={linker}")));
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    compiler.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    compiler.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    Ok(compiler.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}
