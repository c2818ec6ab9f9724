//! The constraints of a pipeline: values that are computed from knobs, and which of them must be true.

use crate::tuning::attribute::Attribute;

/// What an operation of the compiler states for a root operation and a pipeline.
#[derive(Debug, Clone)]
pub struct Constraints {
    /// The name of the function.
    pub function: String,
    /// The set of the root operation that they are for.
    pub set: i64,
    /// The pipeline, as `translation_info` names it.
    pub pipeline: Attribute,
    /// The configuration, with attributes `#iree_codegen.smt.int_knob` and `one_of_knob` in it.
    pub template: Attribute,
    /// The knobs, in the order in which they are named.
    pub knobs: Vec<Choice>,
    pub(super) system: System,
}

/// A knob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub name: String,
    /// What its value counts, if it is no number itself: attributes, such as intrinsics.
    pub options: Vec<Attribute>,
}

/// Which node.
pub type Id = usize;

/// A value. True is 1, and false is 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Constant(i64),
    /// A knob, or a value that only has to exist.
    Variable,
    Add(Id, Id),
    Subtract(Id, Id),
    Multiply(Id, Id),
    /// The quotient whose remainder is not negative. There is none by 0.
    Divide(Id, Id),
    Remainder(Id, Id),
    Equal(Id, Id),
    Less(Id, Id),
    LessOrEqual(Id, Id),
    And(Id, Id),
    Or(Id, Id),
    If(Id, Id, Id),
    /// The value of the key that a node equals. There is none for other keys.
    Lookup(Id, Vec<(i64, i64)>),
}

impl Node {
    /// Returns the nodes that it is computed from.
    pub fn parts(&self) -> impl Iterator<Item = Id> {
        let parts = match *self {
            Self::Constant(_) | Self::Variable => [None, None, None],
            Self::Lookup(of, _) => [Some(of), None, None],
            Self::Add(one, other)
            | Self::Subtract(one, other)
            | Self::Multiply(one, other)
            | Self::Divide(one, other)
            | Self::Remainder(one, other)
            | Self::Equal(one, other)
            | Self::Less(one, other)
            | Self::LessOrEqual(one, other)
            | Self::And(one, other)
            | Self::Or(one, other) => [Some(one), Some(other), None],
            Self::If(condition, one, other) => [Some(condition), Some(one), Some(other)],
        };
        parts.into_iter().flatten()
    }
}

/// Nodes, each after those that it is computed from.
#[derive(Debug, Clone, Default)]
pub struct System {
    pub nodes: Vec<Node>,
    /// The nodes of the knobs, in their order.
    pub knobs: Vec<Id>,
    /// The nodes of the other variables, with their names.
    pub others: Vec<(Id, String)>,
    /// The nodes that must be true.
    pub(crate) asserted: Vec<Id>,
}

impl System {
    /// Adds a node, unless there is one that is the same.
    pub fn add(&mut self, node: Node) -> Id {
        let known = match node {
            Node::Variable => None,
            _ => self.nodes.iter().position(|known| *known == node),
        };
        known.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
}
