//! Runs of `tune`.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `tune_runs`.
pub static TABLE: Table = Table {
    name: "tune_runs",
    row: "One run of `ireescope tune` in a folder.",
    source: Source::Stored("a folder that `ireescope tune` has written"),
    repeated: &[],
    fields: &[
        derived("run", Kind::U32, "Number of the run in the folder."),
        derived("model", Kind::Text, "Path of the model."),
        derived("model_sha256", Kind::Text, "Digest of the model."),
        derived("compiler", Kind::Text, "Version of the compiler."),
        derived("compiler_flags", Kind::Text, "The compiler's flags, quoted for a shell."),
        derived("machine", Kind::Text, "Processor of the machine, and the number of its hardware threads."),
        derived("command", Kind::Text, "The command that ran the compiled model, quoted for a shell."),
        derived("files_sha256", Kind::Text, "Digest of the files that the command reads: inputs, parameters, flags; NULL if it reads none."),
        derived("seed", Kind::U64, "Seed of its random numbers."),
        derived("options", Kind::Text, "The options with which it was done last, as JSON; `--resume` takes them."),
        derived("state", Kind::Text, "`searching` until it ends, or if it was stopped; then `faster` (a spec was written), `not_faster`, or `not_measured` (no candidate compiled and ran). `compiled` if it only compiles."),
        derived("untuned_ns", Kind::F64, "Time of a run of the whole model as the compiler compiles it; NULL until it is proven.").unit(Unit::Ns),
        derived("tuned_ns", Kind::F64, "The same with the spec.").unit(Unit::Ns),
        derived("time_ratio", Kind::F64, "`tuned_ns` divided by `untuned_ns`; below 1 is faster. NULL if it was not measured."),
        derived("time_ratio_low", Kind::F64, "Lower end of the confidence interval of `time_ratio`."),
        derived("time_ratio_high", Kind::F64, "Upper end of this interval."),
    ],
};
