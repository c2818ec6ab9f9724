//! A function under reading.

use std::collections::{HashMap, HashSet};

use super::body;
use super::linalg::{self, Operation, Work};
use super::text::operation;
use super::types::Tensor;
use crate::operation::facts::Facts;

/// The dialects whose operations move or describe data, besides those of `linalg`.
const FREE: &[&str] = &[
    "affine.",
    "arith.",
    "flow.",
    "hal.",
    "iree_encoding.",
    "iree_tensor_ext.",
    "tensor.",
    "util.",
];

/// What has been read of a function.
pub struct Function<'a> {
    name: &'a str,
    aliases: &'a HashMap<&'a str, &'a str>,
    flops: Option<u64>,
    bytes: Option<u64>,
    /// The loads so far: an operand that is loaded twice is read once.
    loaded: HashSet<&'a str>,
    has_tensors: bool,
    /// The operation with the most arithmetic, and how much that is.
    main: Option<(u64, Operation)>,
    region: Option<Region>,
}

/// The region of an operation under reading.
struct Region {
    /// `None` if its work does not depend on the region.
    operation: Option<Operation>,
    iterations: u64,
    /// Operations per iteration.
    each: Option<u64>,
    /// Regions that are open inside it.
    depth: usize,
}

impl<'a> Function<'a> {
    /// Begins a function. Indexing maps may be written as one of the `aliases`.
    pub fn new(name: &'a str, aliases: &'a HashMap<&'a str, &'a str>) -> Self {
        Self {
            name,
            aliases,
            flops: Some(0),
            bytes: Some(0),
            loaded: HashSet::new(),
            has_tensors: false,
            main: None,
            region: None,
        }
    }

    /// Reads a line.
    pub fn take(&mut self, line: &'a str) {
        if self.region.is_some() {
            return self.take_inside(line);
        }
        let Some(name) = operation(line) else { return };
        if name.ends_with("dispatch.tensor.load") {
            self.load(name, line);
        } else if name.ends_with("dispatch.tensor.store") {
            self.store(line);
        } else if name.starts_with("linalg.") || name.starts_with("iree_linalg_ext.") {
            self.compute(name, line);
        } else if !FREE.iter().any(|dialect| name.starts_with(dialect)) {
            // Loops, calls and whatever else may repeat or hide work.
            (self.flops, self.bytes) = (None, None);
        }
    }

    fn load(&mut self, name: &str, line: &'a str) {
        let whole = line.find(name).and_then(|at| line.get(at..)).unwrap_or(line);
        if self.loaded.insert(whole) {
            self.moved(line.rsplit_once("-> ").map(|(_, loaded)| loaded));
        }
    }

    fn store(&mut self, line: &str) {
        let stored = line.split_once(" : ").and_then(|(_, types)| types.split_once(" -> "));
        self.moved(stored.map(|(stored, _)| stored));
    }

    fn moved(&mut self, tensor: Option<&str>) {
        self.has_tensors = true;
        let bytes = tensor.and_then(Tensor::read).and_then(|tensor| tensor.bytes());
        self.bytes = self.bytes.zip(bytes).and_then(|(all, more)| all.checked_add(more));
    }

    fn compute(&mut self, name: &str, line: &str) {
        let operation = linalg::read(name, line, self.aliases);
        if matches!(operation.kind.as_str(), "gather" | "scatter") {
            // The indexes decide how much is read or written.
            self.bytes = None;
        }
        let work = match operation.work {
            Work::Whole(flops) => Some(flops),
            Work::Unknown => None,
            // `linalg.reduce { arith.addf } ins(…`
            Work::Region(iterations) if !line.ends_with('{') => {
                let each = line.split_once("{ ").map_or("", |(_, body)| body);
                super::text::operation(each)
                    .and_then(|name| body::operations(name, each))
                    .and_then(|each| each.checked_mul(iterations))
            }
            Work::Region(iterations) => {
                let operation = Some(operation);
                self.region = Some(Region { operation, iterations, each: Some(0), depth: 0 });
                return;
            }
        };
        self.add(operation, work);
        if line.ends_with('{') {
            // The body of an attention, or of an operation that is not understood.
            self.region = Some(Region { operation: None, iterations: 0, each: Some(0), depth: 0 });
        }
    }

    fn take_inside(&mut self, line: &str) {
        let Some(region) = &mut self.region else { return };
        if line.starts_with('}') {
            if region.depth > 0 {
                // `} else {` closes a region and opens another.
                region.depth -= usize::from(!line.ends_with('{'));
                return;
            }
            let work = region.each.and_then(|each| each.checked_mul(region.iterations));
            let operation = region.operation.take();
            self.region = None;
            if let Some(operation) = operation {
                self.add(operation, work);
            }
            return;
        }
        let Some(name) = operation(line) else { return };
        if name == "tensor.extract" {
            self.bytes = None;
        }
        let counted = body::operations(name, line).filter(|_| !line.ends_with('{'));
        region.each = region.each.zip(counted).map(|(all, more)| all + more);
        region.depth += usize::from(line.ends_with('{'));
    }

    fn add(&mut self, operation: Operation, work: Option<u64>) {
        self.flops = self.flops.zip(work).and_then(|(all, more)| all.checked_add(more));
        let work = work.unwrap_or(0);
        if self.main.as_ref().is_none_or(|(most, _)| work >= *most) {
            self.main = Some((work, operation));
        }
    }

    /// Returns the facts; `None` if the function does nothing.
    pub fn finish(self) -> Option<(String, Facts)> {
        if self.main.is_none() && !self.has_tensors {
            return None;
        }
        let main = self.main.map(|(_, operation)| operation);
        let shape = main.as_ref().and_then(|main| main.loops.as_ref());
        let shape =
            shape.map(|loops| loops.iter().map(u64::to_string).collect::<Vec<_>>().join("x"));
        let facts = Facts {
            kind: main.as_ref().map(|main| main.kind.clone()),
            shape,
            dtype: main.map(|main| main.dtype).filter(|dtype| !dtype.is_empty()),
            flops: self.flops,
            // Functions on tensors that are arguments load and store nothing.
            bytes: self.bytes.filter(|_| self.has_tensors),
        };
        Some((self.name.to_owned(), facts))
    }
}
