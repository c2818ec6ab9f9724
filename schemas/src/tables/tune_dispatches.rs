//! Dispatches of the models that `tune` looked at.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `tune_dispatches`.
pub static TABLE: Table = Table {
    name: "tune_dispatches",
    row: "One dispatch of a model that `ireescope tune` considered, chosen or not.",
    source: Source::Stored("a folder that `ireescope tune` has written"),
    repeated: &[],
    fields: &[
        derived("run", Kind::U32, "The run.").joins("tune_runs.run"),
        derived("dispatch", Kind::Text, "Name of its function, the `key` of `dispatches` and `functions`."),
        derived("operation_sha256", Kind::Text, "Digest of its root operation, which is the same in all models that have it."),
        derived("operation", Kind::Text, "Its root operation."),
        derived("shapes", Kind::Text, "Shapes of the operands of this operation."),
        derived("types", Kind::Text, "Element types of these operands."),
        derived("target", Kind::Text, "Back end and target that it is compiled for."),
        derived("time_ns", Kind::F64, "Duration of its dispatches in an iteration of the untuned model, of all their shapes: the median over the iterations, or the mean if they do not all run the same.").unit(Unit::Ns),
        derived("share", Kind::F64, "Its own share of the duration of all dispatches, even if another one is tuned with it."),
        derived("roof_fraction", Kind::F64, "Fraction of its roof that it achieves, as in `report.roofline`; NULL if that is not known."),
        derived("is_chosen", Kind::Bool, "True if configurations of it were searched."),
        derived("reason", Kind::Text, "Why it was not chosen."),
        derived("configuration_count", Kind::U64, "Number of configurations in its space."),
        derived("own_configuration", Kind::Text, "Configuration that the compiler chose."),
        derived("tried_count", Kind::U64, "Number of configurations that were tried, besides that of the compiler. NULL until the run ends."),
        derived("measured_count", Kind::U64, "Number of those that were measured; the others did not compile or run."),
        derived("refusal", Kind::Text, "Most common reason why others were not measured, in the words of the tool; NULL if all were."),
        derived("best_configuration", Kind::Text, "Configuration that was found best; NULL if none is better."),
        derived("time_ratio", Kind::F64, "Time with `best_configuration` divided by that with `own_configuration`; below 1 is faster. NULL if it was not measured."),
        derived("time_ratio_low", Kind::F64, "Lower end of the confidence interval of `time_ratio`."),
        derived("time_ratio_high", Kind::F64, "Upper end of this interval."),
    ],
};
