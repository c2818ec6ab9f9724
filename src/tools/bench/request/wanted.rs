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

impl Request {
    /// Returns the kinds of operations that the given extents describe: a convolution has an extent of its own, a batched
    /// product a batch count, a split product a number of slices, and a plain product none but `m`, `n` and `k`.
    pub fn described(&self) -> Vec<Kind> {
        let is_given = |extents: &[&Vec<u64>]| extents.iter().any(|values| !values.is_empty());
        let is_batched = is_given(&[&self.batch_count]);
        let is_split = is_given(&[&self.split_k_slices]);
        let is_described = |kind: &Kind| match kind {
            Kind::Matmul => is_given(&[&self.m, &self.n, &self.k]) && !is_batched && !is_split,
            Kind::BatchMatmul => is_batched,
            Kind::MatmulSplitk => is_split,
            Kind::Conv2d => is_given(&self.convolution.extents()),
        };
        Kind::ALL.into_iter().filter(is_described).collect()
    }
}

/// The extents of convolutions to sweep over.
pub type ConvolutionSweeps = Convolution<Vec<u64>>;
