//! What a user asks for: kinds of operations, and the extents to sweep over.

use crate::bench::element::Types;
use crate::bench::operation::{Convolution, Epilogue, Kind};

/// A request for dispatches; an empty list means all predefined values.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub kinds: Vec<Kind>,
    pub types: Vec<Types>,
    pub epilogues: Vec<Epilogue>,
    /// Rows of matrix products of all kinds. If only some of `m`, `n` and `k` are given, the others are 256.
    pub m: Vec<u64>,
    /// Columns of matrix products.
    pub n: Vec<u64>,
    /// Depth of matrix products.
    pub k: Vec<u64>,
    pub batch_count: Vec<u64>,
    pub split_k_slices: Vec<u64>,
    pub convolution: ConvolutionSweeps,
    /// Adds the default configuration of the compiler.
    pub default_config: bool,
    /// Patterns for the names of dispatches, of which one must match ([`matching`]).
    pub dispatches: Vec<String>,
}

/// The extents of convolutions to sweep over.
pub type ConvolutionSweeps = Convolution<Vec<u64>>;
