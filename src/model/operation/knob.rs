//! A knob of a dispatch, as the compiler has dumped it.

/// A value of the configuration of a dispatch. What is not known or not there is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Knob {
    /// The name of its function, as profiles have it.
    pub dispatch: String,
    /// The compiler's back end.
    pub target: String,
    /// The root operation with its shapes and element types.
    pub operation: String,
    pub shapes: String,
    pub types: String,
    pub pipeline: String,
    /// Empty for a dispatch without knobs.
    pub knob: String,
    pub value: String,
}
