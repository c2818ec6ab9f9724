//! Attributes of MLIR: a tree that is read from text, changed by path, and printed for the compiler.
//!
//! What a configuration consists of is a tree: `#iree_cpu.lowering_config<distribution = [64, 64, 0]>`. What needs no
//! understanding, such as types and affine maps, is kept as it was written.

mod parse;
mod path;
mod value;

pub use parse::Syntax;
pub use path::PathError;
pub(super) use value::is_name_letter;
pub use value::{Attribute, Entry};
