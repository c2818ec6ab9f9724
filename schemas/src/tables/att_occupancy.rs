//! Starts and ends of waves in decoded traces.

use crate::fields::derived;
use crate::fields::of_trace::{BUNDLE, OFFSET, SESSION, TRACE};
use crate::spec::{Kind, Source, Table};

/// The declaration of the table `att_occupancy`.
pub static TABLE: Table = Table {
    name: "att_occupancy",
    row: "One start or end of a wave on the shader engine of a trace.",
    source: Source::Decoded,
    repeated: &[],
    fields: &[
        BUNDLE,
        SESSION,
        TRACE,
        OFFSET,
        derived("time", Kind::U64, "When it happened, in cycles of the shader clock."),
        derived("cu", Kind::U32, "Compute unit (gfx9) or workgroup processor (later)."),
        derived("simd", Kind::U32, "SIMD within it."),
        derived("slot", Kind::U32, "Slot within the SIMD."),
        derived("is_start", Kind::Bool, "True for a start."),
        derived("code_object_id", Kind::U64, "Code object of the function; 0 if it is unknown.").joins("executable_code_objects.code_object_id"),
        derived("pc", Kind::U64, "Address of the function in the code object."),
    ],
};
