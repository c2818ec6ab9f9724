//! The list of the subcommands of `spec`. Their files declare their flags.

use clap::{Args, Subcommand};

use super::diff::Diff;
use super::knobs::Knobs;
use super::merge::Merge;
use super::show::Show;
use super::verify::Verify;
use super::write::Write;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Spec {
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
A tuning spec is a file of the transform dialect that tells iree-compile how to compile some operations.
A knob is one value of a configuration, such as `distribution` or `workgroup_size`. docs/tuning.md explains both.

Examples:
  ireescope spec knobs model.mlir --profile=run.ireeprof
  ireescope spec write model.mlir --dispatch='*matmul_512x*' --set='distribution=[64, 64, 0]' -o tuned.mlir
  ireescope spec verify tuned.mlir model.mlir -- --iree-hal-target-device=vulkan
  ireescope spec merge one.mlir other.mlir -o both.mlir";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the dispatches of a model with the knobs that the compiler chose
    Knobs(Knobs),
    /// Show what a spec matches and sets
    Show(Show),
    /// Compile a model with a spec, and tell which of its matchers were applied
    Verify(Verify),
    /// Write a spec that sets knobs of a dispatch, and verify it
    Write(Write),
    /// Join specs into one; matchers are tried in the order of the specs
    Merge(Merge),
    /// Compare two specs
    Diff(Diff),
}
