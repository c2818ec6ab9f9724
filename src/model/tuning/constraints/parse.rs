//! Reads the operations `iree_codegen.smt.constraints` that the compiler prints.

use std::collections::HashMap;

use super::range::LARGEST;
use super::system::{Choice, Constraints, Id, Node, System};
use crate::operation::mlir::function_name;
use crate::tuning::attribute::{Attribute, Syntax};

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Malformed {
    /// Counted from 1.
    pub line: usize,
    pub what: String,
}

/// The names of operations and knobs.
const OPERATION: &str = "iree_codegen.smt.constraints ";
const INTEGER: &str = "iree_codegen.smt.int_knob";
const ONE_OF: &str = "iree_codegen.smt.one_of_knob";

/// Reads all constraints of a text, in order.
pub fn constraints(text: &str) -> Result<Vec<Constraints>, Malformed> {
    let mut found = Vec::new();
    let mut function = "";
    let mut lines = text.lines().enumerate();
    while let Some((nth, line)) = lines.next() {
        let line = line.trim();
        if let Some(name) = function_name(line) {
            function = name;
        } else if line.starts_with(OPERATION) {
            let mut reader = Reader::new(function);
            reader.head(&mut lines, line).map_err(|what| Malformed { line: nth + 1, what })?;
            loop {
                let Some((nth, line)) = lines.next() else {
                    let what = "the constraints have no end; a line `}` is missing".to_owned();
                    return Err(Malformed { line: nth + 1, what });
                };
                if line.trim() == "}" {
                    break;
                }
                let read = reader.statement(line.trim());
                read.map_err(|what| Malformed { line: nth + 1, what })?;
            }
            found.push(reader.read);
        }
    }
    Ok(found)
}

struct Reader<'a> {
    read: Constraints,
    /// The nodes of the values, by name.
    values: HashMap<&'a str, Id>,
}

impl<'a> Reader<'a> {
    fn new(function: &str) -> Self {
        let read = Constraints {
            function: function.to_owned(),
            set: 0,
            pipeline: Attribute::Unit,
            template: Attribute::Unit,
            knobs: Vec::new(),
            system: System::default(),
        };
        Self { read, values: HashMap::new() }
    }

    /// Reads what stands before the region: target, pipeline and knobs.
    fn head(
        &mut self,
        lines: &mut impl Iterator<Item = (usize, &'a str)>,
        first: &'a str,
    ) -> Result<(), String> {
        let mut head = first.to_owned();
        while !head.ends_with('{') || !head.contains("dims(") {
            let (_, line) = lines.next().ok_or("the constraints end before `dims(…) {`")?;
            head.push(' ');
            head.push_str(line.trim());
        }
        let part = |name: &str| {
            let missing = || format!("there is no `{name}`");
            let (_, rest) = head.split_once(name).ok_or_else(missing)?;
            Attribute::parse_prefix(rest)
                .map(|(it, _)| it)
                .map_err(|error: Syntax| format!("{name}: {error}"))
        };
        let target = part("target = ")?;
        self.read.set = target.get("set").and_then(Attribute::integer).unwrap_or(0);
        self.read.pipeline = part("pipeline = ")?;
        self.read.template = part("knobs = ")?;
        let mut choices = Vec::new();
        collect(&self.read.template, &mut choices);
        for choice in choices {
            if !self.read.knobs.iter().any(|known| known.name == choice.name) {
                let id = self.read.system.add(Node::Variable);
                self.read.system.knobs.push(id);
                self.read.knobs.push(choice);
            }
        }
        Ok(())
    }

    /// Reads a line of the region.
    fn statement(&mut self, line: &'a str) -> Result<(), String> {
        if let Some(arguments) = line.strip_prefix("^bb0(") {
            let names = arguments.split(',').filter_map(|it| it.split(':').next());
            for name in names.map(str::trim).filter(|name| name.starts_with('%')) {
                let id = self.unknown(name);
                self.values.insert(name, id);
            }
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("iree_codegen.smt.assert ") {
            let condition = self.value(rest.split(',').next().unwrap_or_default())?;
            self.read.system.asserted.push(condition);
            return Ok(());
        }
        let unknown = || format!("`{line}` is no operation that constraints have");
        let (name, operation) = line.split_once(" = ").ok_or_else(unknown)?;
        let (kind, rest) = operation.split_once(' ').ok_or_else(unknown)?;
        // Behind the operands stands their type, and behind a name a type, too.
        let operands = rest.split(" : ").next().unwrap_or_default();
        let id = match kind {
            "smt.int.constant" => self.read.system.add(Node::Constant(number(operands)?)),
            "iree_codegen.smt.knob" => self.knob(operands)?,
            "smt.declare_fun" => self.unknown(operands.trim_matches('"')),
            "iree_codegen.smt.lookup" => self.lookup(operands)?,
            "smt.int.cmp" => self.comparison(operands)?,
            "smt.ite" => match self.operands(operands)?.as_slice() {
                [condition, one, other] => self.read.system.add(Node::If(*condition, *one, *other)),
                _ => return Err(format!("`{line}` should have three operands")),
            },
            "smt.eq" => self.equalities(operands)?,
            "smt.int.add" => self.chain(operands, Node::Add)?,
            "smt.int.sub" => self.chain(operands, Node::Subtract)?,
            "smt.int.mul" => self.chain(operands, Node::Multiply)?,
            "smt.int.div" => self.chain(operands, Node::Divide)?,
            "smt.int.mod" => self.chain(operands, Node::Remainder)?,
            "smt.and" => self.chain(operands, Node::And)?,
            "smt.or" => self.chain(operands, Node::Or)?,
            _ => return Err(unknown()),
        };
        self.values.insert(name, id);
        Ok(())
    }

    fn value(&self, name: &str) -> Result<Id, String> {
        let name = name.trim();
        self.values.get(name).copied().ok_or_else(|| format!("nothing defines `{name}`"))
    }

    fn operands(&self, text: &str) -> Result<Vec<Id>, String> {
        text.split(',').map(|name| self.value(name)).collect()
    }

    /// Adds an operation of two operands, or the same of it and each further one.
    fn chain(&mut self, text: &str, node: fn(Id, Id) -> Node) -> Result<Id, String> {
        let operands = self.operands(text)?;
        let add = |one, other| self.read.system.add(node(one, other));
        operands.into_iter().reduce(add).ok_or_else(|| format!("`{text}` has no operands"))
    }

    /// Adds that each operand equals the first.
    fn equalities(&mut self, text: &str) -> Result<Id, String> {
        let operands = self.operands(text)?;
        let (first, rest) = operands.split_first().ok_or("`smt.eq` has no operands")?;
        let system = &mut self.read.system;
        let mut all = None;
        for other in rest {
            let one = system.add(Node::Equal(*first, *other));
            all = Some(all.map_or(one, |all| system.add(Node::And(all, one))));
        }
        all.ok_or_else(|| format!("`smt.eq {text}` should have two operands"))
    }

    fn comparison(&mut self, text: &str) -> Result<Id, String> {
        let (kind, operands) = text.split_once(' ').unwrap_or((text, ""));
        let operands = self.operands(operands)?;
        let [one, other] = operands.as_slice() else {
            return Err(format!("`smt.int.cmp {text}` should have two operands"));
        };
        let node = match kind {
            "lt" => Node::Less(*one, *other),
            "le" => Node::LessOrEqual(*one, *other),
            "gt" => Node::Less(*other, *one),
            "ge" => Node::LessOrEqual(*other, *one),
            _ => return Err(format!("`{kind}` is no comparison; there are lt, le, gt and ge")),
        };
        Ok(self.read.system.add(node))
    }

    /// Reads `%24 [0, 1] -> [16, 32]`.
    fn lookup(&mut self, text: &str) -> Result<Id, String> {
        let malformed = || format!("`{text}` should be a key, a list, `->` and a list");
        let (key, lists) = text.split_once(' ').ok_or_else(malformed)?;
        let (keys, values) = lists.split_once(" -> ").ok_or_else(malformed)?;
        let list = |text: &str| Attribute::parse(text).ok().and_then(|it| it.integers());
        let (keys, values) = list(keys)
            .zip(list(values))
            .filter(|(keys, values)| keys.len() == values.len())
            .ok_or_else(malformed)?;
        let key = self.value(key)?;
        Ok(self.read.system.add(Node::Lookup(key, keys.into_iter().zip(values).collect())))
    }

    fn knob(&self, text: &str) -> Result<Id, String> {
        let name = text.trim_matches('"');
        let place = self.read.knobs.iter().position(|knob| knob.name == name);
        let id = place.and_then(|place| self.read.system.knobs.get(place));
        id.copied().ok_or_else(|| format!("`{name}` is no knob of the configuration"))
    }

    /// Adds a value that only has to exist.
    fn unknown(&mut self, name: &str) -> Id {
        let id = self.read.system.add(Node::Variable);
        self.read.system.others.push((id, name.to_owned()));
        id
    }
}

fn number(text: &str) -> Result<i64, String> {
    let value = text.trim().parse().ok().filter(|value: &i64| value.abs() < LARGEST);
    value.ok_or_else(|| format!("`{text}` is no whole number below 2^60"))
}

/// Collects the knobs of a configuration.
fn collect(attribute: &Attribute, found: &mut Vec<Choice>) {
    match attribute {
        Attribute::Array(values) => {
            for value in values {
                collect(value, found);
            }
        }
        Attribute::Dictionary(entries) => {
            for entry in entries {
                collect(&entry.value, found);
            }
        }
        Attribute::Dialect { body: Some(body), .. } => match knob(attribute) {
            Some((name, options)) => {
                found.push(Choice { name: name.to_owned(), options: options.to_vec() });
            }
            None => {
                for entry in body {
                    collect(&entry.value, found);
                }
            }
        },
        _ => {}
    }
}

/// Returns the name and the options of an attribute that is a knob.
pub(super) fn knob(attribute: &Attribute) -> Option<(&str, &[Attribute])> {
    let Attribute::Dialect { name, body: Some(body) } = attribute else { return None };
    let mut values = body.iter().map(|entry| &entry.value);
    match (name.as_str(), values.next(), values.next()) {
        (INTEGER, Some(Attribute::String(name)), None) => Some((name, &[])),
        (ONE_OF, Some(Attribute::String(name)), Some(Attribute::Array(options))) => {
            Some((name, options))
        }
        _ => None,
    }
}
