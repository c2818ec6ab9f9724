//! Linker options of the program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // At a fixed address the program needs no relocations, which would take a fifth of a small command's time.
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
