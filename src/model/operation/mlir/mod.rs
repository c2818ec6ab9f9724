//! Reads the MLIR of dumped executables (`--iree-hal-dump-executable-sources-to`): which operations a function has, how
//! much arithmetic they do, and which tensors it loads and stores.
//!
//! The compiler prints one operation per line, and regions between lines. Nothing else is parsed. An operation that is
//! not understood makes the number that it affects unknown, never wrong.

mod body;
mod function;
mod linalg;
mod map;
mod text;
mod types;

use std::collections::HashMap;

use self::function::Function;
use super::facts::Facts;

pub use map::{Map, extents, maps};
pub use text::{function_name, inside, names, operation, parts, replaced};
pub use types::{Tensor, joined};

/// Returns the facts of each function of a file that does any work.
pub fn functions(text: &str) -> Vec<(String, Facts)> {
    let aliases: HashMap<&str, &str> = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .collect();
    let mut found = Vec::new();
    let mut open: Option<Function<'_>> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = function_name(line) {
            found.extend(open.take().and_then(Function::finish));
            open = Some(Function::new(name, &aliases));
        } else if let Some(function) = &mut open {
            function.take(line);
        }
    }
    found.extend(open.and_then(Function::finish));
    found
}

#[cfg(test)]
mod tests;
