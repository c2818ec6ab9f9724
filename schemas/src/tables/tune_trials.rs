//! Trials of `tune`.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `tune_trials`.
pub static TABLE: Table = Table {
    name: "tune_trials",
    row: "One measurement of one configuration of a dispatch, or of the whole model, by `ireescope tune`.",
    source: Source::Stored("a folder that `ireescope tune` has written"),
    repeated: &[],
    fields: &[
        derived("bundle", Kind::Text, "Label of the bundle that recorded it; NULL if nothing was recorded. Several trials share a run, and so a bundle.").joins("bundles.bundle"),
        derived("run", Kind::U32, "The run of `tune`.").joins("tune_runs.run"),
        derived("trial", Kind::U32, "Number of the trial within the run."),
        derived("stage", Kind::Text, "What it was for: `search`, `verify` (are the results right), `final` (the best again) or `proof` (the winners against the untuned model, in turns)."),
        derived("round", Kind::U32, "Round of the stage."),
        derived("candidate", Kind::U32, "Candidate that was run; 0 is the untuned model.").joins("tune_candidates.candidate"),
        derived("capture", Kind::Text, "Name of the bundle in the folder `captures`, such as `run-12`."),
        derived("dispatch", Kind::Text, "Name of the function of the dispatch, the `key` of `dispatches` and `functions`; NULL for the whole model."),
        derived("operation_sha256", Kind::Text, "Digest of its root operation.").joins("tune_dispatches.operation_sha256"),
        derived("configuration", Kind::Text, "The configuration that was tried."),
        derived("outcome", Kind::Text, "What became of it: `measured`, `same_code` (as an earlier candidate), `not_compiled`, `not_run`, `right` or `wrong`; with `--compile-only` also `compiled` or `not_applied`."),
        derived("reason", Kind::Text, "Why it was not measured, or what is wrong."),
        derived("time_ns", Kind::F64, "Time of the dispatch, or of the whole model, in an iteration: the median of the run, or the mean if its iterations do not all run the same, without its first ones.").unit(Unit::Ns),
        derived("run_ns", Kind::F64, "How long it took to run the model.").unit(Unit::Ns),
        derived("spent_ns", Kind::F64, "How long the run of `tune` took until then, without what was known.").unit(Unit::Ns),
    ],
};
