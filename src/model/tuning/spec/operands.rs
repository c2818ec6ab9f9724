//! Matchers that ask for the name of an operation, and for the number and the types of its operands.
//!
//! They are written where a body uses values from outside, as such operations never compare as equal. The number matters:
//! what follows a product or a norm in its dispatch often begins with the same operands, and has more of them.

use super::difference::{Difference, compare, of_types};
use crate::tuning::configuration::Operation;

/// Operations of a name with operands of these numbers and types.
#[derive(Debug, Clone, Default)]
pub struct Operands {
    /// The name of the operations.
    pub(super) name: String,
    /// The types of operands, by their number.
    pub(super) types: Vec<(usize, String)>,
    pub(super) counts: Counts,
}

/// How many operands an operation has; `None` where it may have any number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    inputs: Option<usize>,
    outputs: Option<usize>,
    /// Inputs and outputs.
    all: Option<usize>,
}

/// What counts the inputs, the outputs and the loops of an operation of linalg, and the values of a handle.
const INPUTS: &str = "match.structured.num_inputs";
const OUTPUTS: &str = "match.structured.num_inits";
const LOOPS: &str = "match.structured.rank";
const VALUES: &str = "num_associations";

impl Operands {
    /// Returns the operands of an operation.
    pub(super) fn of(operation: &Operation) -> Self {
        let types = operation.operands().map(|operand| operand.type_text.clone());
        let Counts { inputs, outputs, all } = Counts::of(operation);
        let counts = if is_structured(operation) {
            Counts { inputs, outputs, all: None }
        } else {
            Counts { all, ..Counts::default() }
        };
        Self { name: operation.name.clone(), types: types.enumerate().collect(), counts }
    }

    /// Returns in what an operation differs.
    pub(super) fn differences(&self, from: &Operation) -> Vec<Difference> {
        let mut all = Vec::new();
        compare("operation", &self.name, &from.name, &mut all);
        let found = Counts::of(from).where_asked(self.counts);
        compare("operands", &self.counts.told(), &found.told(), &mut all);
        if self.counts != found {
            return all;
        }
        for (nth, wanted) in &self.types {
            match from.operands().nth(*nth) {
                Some(found) => of_types(wanted, &found.type_text, &mut all),
                None => compare("operands", &format!("one with number {nth}"), "less", &mut all),
            }
        }
        all
    }

    /// True if whatever has the other operands has these.
    pub(super) fn cover(&self, other: &Self) -> bool {
        let fits = |(nth, wanted): &(usize, String)| {
            let mut all = Vec::new();
            let found = other.types.iter().find(|(other, _)| other == nth);
            found.is_some_and(|(_, found)| {
                of_types(wanted, found, &mut all);
                all.is_empty()
            })
        };
        self.name == other.name
            && other.counts.whole().where_asked(self.counts) == self.counts
            && self.types.iter().all(fits)
    }
}

impl Counts {
    fn of(operation: &Operation) -> Self {
        let (inputs, outputs) = (operation.inputs.len(), operation.outputs.len());
        Self { inputs: Some(inputs), outputs: Some(outputs), all: Some(inputs + outputs) }
    }

    /// Returns the same with the sum, if that follows.
    fn whole(self) -> Self {
        let sum = self.inputs.zip(self.outputs).map(|(inputs, outputs)| inputs + outputs);
        Self { all: self.all.or(sum), ..self }
    }

    /// Returns those that others ask for.
    fn where_asked(self, by: Self) -> Self {
        Self {
            inputs: self.inputs.filter(|_| by.inputs.is_some()),
            outputs: self.outputs.filter(|_| by.outputs.is_some()),
            all: self.all.filter(|_| by.all.is_some()),
        }
    }

    fn told(self) -> String {
        let parts = [(self.inputs, " in"), (self.outputs, " out"), (self.all, "")];
        let parts = parts.into_iter().filter_map(|(count, of)| Some(format!("{}{of}", count?)));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Reads what the lines of a matcher ask for.
    pub(super) fn read(lines: &[&str]) -> Self {
        let all = lines.iter().find_map(|line| {
            let (value, statement) = line.split_once(" = ")?;
            let is_all = statement.starts_with("transform.get_operand ") && line.contains("[all]");
            wanted(lines, &format!("{VALUES} {}", is_all.then_some(value)?))
        });
        Self { inputs: wanted(lines, INPUTS), outputs: wanted(lines, OUTPUTS), all }
    }
}

/// Returns the number that the result of a statement must equal.
fn wanted(lines: &[&str], statement: &str) -> Option<usize> {
    let of_statement = |line: &&&str| line.contains(&format!("transform.{statement} "));
    let (value, _) = lines.iter().find(of_statement)?.split_once(" = ")?;
    let other = lines.iter().find_map(|line| {
        let (_, compared) = line.split_once("match.param.cmpi eq ")?;
        let (one, other) = compared.split_once(" : ")?.0.split_once(", ")?;
        if one == value { Some(other) } else { (other == value).then_some(one) }
    })?;
    let constant = format!("{other} = transform.param.constant ");
    let number = lines.iter().find_map(|line| line.strip_prefix(&constant))?;
    number.split_once(" : ")?.0.parse().ok()
}

/// Whether the number of an operation's inputs and loops can be asked for.
fn is_structured(operation: &Operation) -> bool {
    operation.name.starts_with("linalg.")
}

/// Writes the conditions that an operation has this name and rank, and operands of these numbers and types.
pub(super) fn conditions(operation: &Operation) -> String {
    let counts = Counts::of(operation);
    let mut lines = vec![format!(
        "transform.match.operation_name %op [\"{}\"] : !transform.any_op",
        operation.name
    )];
    if is_structured(operation) {
        lines.push("transform.match.structured %op : !transform.any_op {".to_owned());
        lines.push("^bb0(%structured: !transform.any_op):".to_owned());
        let loops = Some(operation.loops.len()).filter(|count| *count > 0);
        let counted = [
            ("rank", LOOPS, loops),
            ("inputs", INPUTS, counts.inputs),
            ("outputs", OUTPUTS, counts.outputs),
        ];
        for (name, statement, number) in counted {
            let statement = format!("{statement} %structured : (!transform.any_op)");
            let equal = number.into_iter().flat_map(|number| equal(name, &statement, number));
            lines.extend(equal.map(|line| format!("  {line}")));
        }
        lines.push("  transform.match.structured.yield".to_owned());
        lines.push("}".to_owned());
    } else {
        lines.push(operand("operands", "all"));
        let statement = format!("{VALUES} %operands : (!transform.any_value)");
        lines.extend(equal("count", &statement, counts.all.unwrap_or_default()));
    }
    for (nth, own) in operation.operands().enumerate() {
        let name = format!("operand{nth}");
        lines.push(operand(&name, &nth.to_string()));
        lines.push(format!(
            "transform.iree.match.cast_compatible_type %{name} = {} : !transform.any_value",
            own.type_text
        ));
    }
    lines.iter().map(|line| format!("    {line}\n")).collect()
}

/// Writes a statement that gets operands.
fn operand(name: &str, which: &str) -> String {
    format!(
        "%{name} = transform.get_operand %op[{which}] : (!transform.any_op) -> !transform.any_value"
    )
}

/// Writes the condition that a statement gives a number.
fn equal(name: &str, statement: &str, number: usize) -> [String; 3] {
    [
        format!("%{name} = transform.{statement} -> !transform.param<i64>"),
        format!(
            "%wanted_{name} = transform.param.constant {number} : i64 -> !transform.param<i64>"
        ),
        format!("transform.match.param.cmpi eq %{name}, %wanted_{name} : !transform.param<i64>"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of squares of differences, whose body uses a value from outside.
    const SQUARES: &str = "%1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %mean : tensor<4x8xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>) {\n^bb0(%in: f32, %m: f32, %out: f32):\n  %2 = arith.divf %in, %cst : f32\n  linalg.yield %2 : f32\n} -> tensor<4xf32>";
    /// What follows it, which begins with the same operands.
    const SCALED: &str = "%1 = linalg.generic {indexing_maps = [], iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %mean, %s, %g : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) outs(%e : tensor<4x8xf32>) {\n^bb0(%in: f32, %m: f32, %v: f32, %w: f32, %out: f32):\n  linalg.yield %cst : f32\n} -> tensor<4x8xf32>";

    fn operation(text: &str) -> Operation {
        Operation::read(&text.lines().collect::<Vec<_>>()).expect(text)
    }

    #[test]
    fn the_number_of_operands_tells_operations_apart() {
        let operands = Operands::of(&operation(SQUARES));
        assert!(operands.differences(&operation(SQUARES)).is_empty());
        let differences = operands.differences(&operation(SCALED));
        let told: Vec<_> =
            differences.iter().map(|it| (it.what, &*it.wanted, &*it.found)).collect();
        assert_eq!(told, [("operands", "2 in, 1 out", "4 in, 1 out")]);
        // The same operands divided in another way.
        let other = SQUARES
            .replace(", %mean : tensor<4x8xf32>, tensor<4xf32>", " : tensor<4x8xf32>")
            .replace("outs(%z : ", "outs(%mean, %z : tensor<4xf32>, ");
        let differences = operands.differences(&operation(&other));
        assert_eq!(differences.len(), 1, "{differences:?}");
        // A matcher that does not count takes both, and so covers one that does.
        let any = Operands { counts: Counts::default(), ..operands.clone() };
        assert!(any.differences(&operation(SCALED)).is_empty());
        assert!(any.cover(&operands) && !operands.cover(&any) && operands.cover(&operands));
    }

    #[test]
    fn what_is_counted_is_read() {
        let attention = SQUARES.replace("linalg.generic", "iree_linalg_ext.attention");
        for (text, counts) in [
            (SQUARES, Counts { inputs: Some(2), outputs: Some(1), all: None }),
            (&attention, Counts { inputs: None, outputs: None, all: Some(3) }),
        ] {
            let operation = operation(text);
            assert_eq!(Operands::of(&operation).counts, counts);
            let written = conditions(&operation);
            let lines: Vec<&str> = written.lines().map(str::trim).collect();
            assert_eq!(Counts::read(&lines), counts, "{written}");
        }
        assert_eq!(Counts::read(&["transform.match.param.cmpi eq %a, %b : x"]), Counts::default());
    }
}
