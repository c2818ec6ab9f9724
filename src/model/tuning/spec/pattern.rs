//! What a matcher matches, and in what an operation differs from it.

use std::collections::HashMap;

use super::difference::{Difference, compare, of_types, spaced};
use super::operands::Operands;
use crate::operation::mlir::{inside, replaced};
use crate::tuning::configuration::{Operand, Operation};

/// What a matcher matches.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Operations that are equal to this one, whose dynamic dimensions stand for any.
    Operation(Box<Operation>),
    /// Operations of a name with these operands.
    Operands(Operands),
    /// What these statements of the transform dialect say.
    Conditions(Vec<String>),
}

impl Pattern {
    /// Returns what it asks for besides an operation and its operands.
    pub fn conditions(&self) -> &[String] {
        match self {
            Self::Conditions(all) => all,
            _ => &[],
        }
    }

    /// Returns the name of the operations, shapes and element types in words.
    pub fn told(&self) -> (String, String, String) {
        match self {
            Self::Operation(operation) => {
                (operation.name.clone(), operation.shapes(), operation.types())
            }
            Self::Operands(operands) => {
                let texts = operands.types.iter().map(|(_, text)| text.as_str());
                let texts: Vec<&str> = texts.collect();
                (operands.name.clone(), texts.join(", "), String::new())
            }
            Self::Conditions(all) => of_conditions(all),
        }
    }

    /// Returns in what an operation differs from the pattern. Conditions are not understood, so nothing differs.
    pub fn differences(&self, from: &Operation) -> Vec<Difference> {
        match self {
            Self::Operation(pattern) => between(pattern, from),
            Self::Operands(operands) => operands.differences(from),
            Self::Conditions(_) => Vec::new(),
        }
    }

    /// True if the matcher of this pattern also takes whatever `other` matches.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Operation(_) | Self::Operands(_), Self::Operation(operation)) => {
                self.differences(operation).is_empty()
            }
            (Self::Operands(one), Self::Operands(other)) => one.cover(other),
            (Self::Conditions(one), Self::Conditions(other)) => one == other,
            _ => false,
        }
    }

    /// True if both match the same.
    pub fn is_same(&self, other: &Self) -> bool {
        self.covers(other) && other.covers(self)
    }
}

/// Returns the kind of operation that conditions name, the types of its operands, and its element types.
fn of_conditions(all: &[String]) -> (String, String, String) {
    const KINDS: [&str; 4] = ["contraction", "convolution", "attention", "online_attention"];
    let kind = |it: &String| {
        let name = it.split_once("match.")?.1.split([' ', ',']).next()?;
        KINDS.contains(&name).then(|| (name.to_owned(), it.clone()))
    };
    let (name, text) = all.iter().find_map(kind).unwrap_or_default();
    let shape = |it: &String| {
        let (_, wanted) = it.split_once("match.cast_compatible_type ")?.1.split_once(" = ")?;
        Some(wanted.rsplit_once(" : ")?.0.trim().to_owned())
    };
    let shapes: Vec<String> = all.iter().filter_map(shape).collect();
    let types = text.split("_type = ").skip(1);
    let types: Vec<&str> = types.filter_map(|it| it.split([',', ' ']).next()).collect();
    (name, shapes.join(", "), types.join("x"))
}

fn between(pattern: &Operation, from: &Operation) -> Vec<Difference> {
    let mut all = Vec::new();
    compare("operation", &pattern.name, &from.name, &mut all);
    let (wanted, found) = (counts(pattern), counts(from));
    compare("operands", &wanted, &found, &mut all);
    if wanted == found {
        for (wanted, found) in pattern.operands().zip(from.operands()) {
            of_types(&wanted.type_text, &found.type_text, &mut all);
        }
    }
    if pattern.name == from.name {
        for (what, list) in [("maps", "indexing_maps = ["), ("iterators", "iterator_types = [")] {
            if let (Some(wanted), Some(found)) =
                (inside(&pattern.text, list), inside(&from.text, list))
            {
                compare(what, &spaced(wanted), &spaced(found), &mut all);
            }
        }
        compare("body", &body(pattern), &body(from), &mut all);
    }
    all
}

fn counts(of: &Operation) -> String {
    format!("{} in, {} out", of.inputs.len(), of.outputs.len())
}

/// Returns the body of an operation with its values numbered, so that names do not matter. Behind it stand the types of
/// the results, which are those of the outputs.
fn body(of: &Operation) -> String {
    let Some((_, body)) = of.text.split_once('\n') else { return String::new() };
    let body = body.rsplit_once('}').map_or(body, |(body, _)| body);
    let outside = of.operands().map(|operand: &Operand| operand.name.as_str());
    numbered(&spaced(body), outside)
}

/// Replaces the names of values by numbers, in order of appearance.
fn numbered<'a>(text: &'a str, known: impl Iterator<Item = &'a str>) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for name in known {
        let next = numbers.len();
        numbers.entry(name).or_insert(next);
    }
    replaced(text, '%', "_", |name| {
        let next = numbers.len();
        Some(format!("%{}", numbers.entry(name).or_insert(next)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::Operation(Box::new(operation(text)))
    }

    fn operation(text: &str) -> Operation {
        Operation::read(&text.lines().collect::<Vec<_>>()).expect(text)
    }

    const MATMUL: &str = "%7 = linalg.matmul ins(%3, %4 : tensor<8x4xf32>, tensor<4x2xf32>) outs(%6 : tensor<8x2xf32>) -> tensor<8x2xf32>";
    const GENERIC: &str = "%1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%a : tensor<4xf32>) outs(%b : tensor<4xf32>) {\n^bb0(%in: f32, %out: f32):\n  %2 = math.exp %in : f32\n  linalg.yield %2 : f32\n} -> tensor<4xf32>";

    #[test]
    fn what_differs_is_told() {
        let of = |wanted: &str, found: &str| {
            let all = pattern(wanted).differences(&operation(found));
            all.iter().map(|it| it.what).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(of(MATMUL, MATMUL), none);
        assert_eq!(of(&MATMUL.replace("<8x", "<?x"), MATMUL), none);
        assert_eq!(of(MATMUL, &MATMUL.replace("<8x", "<?x")), ["shape", "shape"]);
        assert_eq!(of(MATMUL, &MATMUL.replace("<8x4x", "<16x4x")), ["shape"]);
        assert_eq!(of(MATMUL, &MATMUL.replace("8x4xf32", "8x4xf16")), ["type"]);
        assert_eq!(of(MATMUL, &MATMUL.replace("linalg.matmul", "linalg.other")), ["operation"]);
        assert_eq!(of(MATMUL, GENERIC), ["operation", "operands"]);
        let renamed = GENERIC.replace("%2", "%9").replace("%in", "%in_5").replace("%a", "%3");
        assert_eq!(of(GENERIC, &renamed), none);
        assert_eq!(of(GENERIC, &GENERIC.replace("math.exp", "math.log")), ["body"]);
        assert_eq!(of(GENERIC, &GENERIC.replace("-> (d0)>, aff", "-> (0)>, aff")), ["maps"]);
        assert_eq!(of(GENERIC, &GENERIC.replace("parallel", "reduction")), ["iterators"]);
        let memref = GENERIC.replace("tensor<4xf32>", "memref<4xf32, #x>");
        assert_eq!(of(GENERIC, &memref), ["type", "type"]);
    }

    #[test]
    fn conditions_are_told_by_what_they_name() {
        let all = [
            "transform.iree.match.has_no_lowering_config %op : !transform.any_op",
            "%b, %m, %n, %k = transform.iree.match.contraction %op, lhs_type = f16, rhs_type = f16, output_type = f32, indexing_maps = [] : !transform.any_op -> x",
            "transform.iree.match.cast_compatible_type %0 = tensor<?x5120xf16> : !transform.any_value",
        ];
        let pattern = Pattern::Conditions(all.map(str::to_owned).to_vec());
        let (name, shapes, types) = pattern.told();
        let told = (name.as_str(), shapes.as_str(), types.as_str());
        assert_eq!(told, ("contraction", "tensor<?x5120xf16>", "f16xf16xf32"));
        assert_eq!(pattern.conditions().len(), 3);
    }

    #[test]
    fn patterns_cover_others() {
        let (one, any) = (pattern(MATMUL), pattern(&MATMUL.replace("<8x", "<?x")));
        assert!(any.covers(&one) && !one.covers(&any) && one.is_same(&one));
        let operands = Pattern::Operands(Operands {
            name: "linalg.matmul".to_owned(),
            types: vec![(0, "tensor<?x4xf32>".to_owned())],
            ..Operands::default()
        });
        assert!(operands.covers(&one) && !one.covers(&operands) && operands.is_same(&operands));
    }
}
