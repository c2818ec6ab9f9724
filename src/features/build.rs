//! Cargo takes features of `[build-dependencies]` only from crates with a build script.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
