//! Candidates of `tune`.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `tune_candidates`.
pub static TABLE: Table = Table {
    name: "tune_candidates",
    row: "One tuning spec that `ireescope tune` compiled the model with.",
    source: Source::Stored("a folder that `ireescope tune` has written"),
    repeated: &[],
    fields: &[
        derived("run", Kind::U32, "The run.").joins("tune_runs.run"),
        derived("candidate", Kind::U32, "Number of the candidate within the run."),
        derived("spec_sha256", Kind::Text, "Digest of the tuning spec."),
        derived("is_compiled", Kind::Bool, "True if the compiler accepted it."),
        derived("is_timed_out", Kind::Bool, "True if the compiler was stopped because it took longer than `--compile-timeout`."),
        derived("reason", Kind::Text, "Why it was not compiled, in the words of the compiler; NULL if it was."),
        derived("module_sha256", Kind::Text, "Digest of the compiled module; equal modules are measured once. NULL if there is none."),
        derived("compile_ns", Kind::F64, "Duration of the compilation.").unit(Unit::Ns),
    ],
};
