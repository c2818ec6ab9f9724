//! What is known of a function.

/// The operation of a function: what it computes, and how much work that is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The kind, such as `matmul`.
    pub kind: Option<String>,
    /// The loops or the shape, such as `32x256x128`.
    pub shape: Option<String>,
    /// The element types of the operands, such as `f16xf16xf32`; one if all are the same.
    pub dtype: Option<String>,
    /// The number of arithmetic operations.
    pub flops: Option<u64>,
    /// The size of what is read and written.
    pub bytes: Option<u64>,
}
