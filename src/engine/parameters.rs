//! The parameters of reports, as they are filled into queries.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Select, Statement as Ast, UnaryOperator, Value, VisitMut, VisitorMut,
};

/// What a report is asked: the defaults ask for everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// `$filter`: a pattern of names.
    pub filter: String,
    /// `$id`: an id, whatever it means for the command; NULL for all.
    pub id: Option<u64>,
    /// `$id_filter`: the same as it was given: a negative number for all.
    pub id_filter: i64,
    /// `$by`: what the id is of: `dispatch`, `executable`, `command` or `queue`.
    pub by: &'static str,
    /// `$events`: the command prints every event or sample.
    pub events: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { filter: "*".into(), id: None, id_filter: -1, by: "dispatch", events: false }
    }
}

impl Parameters {
    /// What the relation `report.<name>` asks: everything, with ids as its command means them.
    pub fn of_relation(name: &str) -> Self {
        let area = sql::report(name).map_or("", |report| report.area);
        let by = match area {
            "executable" => "executable",
            "command" => "command",
            "queue" => "queue",
            _ => "dispatch",
        };
        Self { by, ..Self::default() }
    }

    /// Puts the parameters into a query and leaves out what they decide, so that it is neither planned nor begun.
    pub(super) fn fill(&self, query: &mut Ast) {
        let _ = query.visit(&mut Filling(self));
    }

    fn value(&self, placeholder: &str) -> Option<Value> {
        Some(match placeholder {
            "$filter" => Value::SingleQuotedString(self.filter.clone()),
            "$id" => self.id.map_or(Value::Null, |id| Value::Number(id.to_string(), false)),
            "$id_filter" => Value::Number(self.id_filter.to_string(), false),
            "$by" => Value::SingleQuotedString(self.by.into()),
            "$events" => Value::Boolean(self.events),
            _ => return None,
        })
    }
}

struct Filling<'a>(&'a Parameters);

impl VisitorMut for Filling<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<()> {
        if let Expr::Value(value) = expression
            && let Value::Placeholder(name) = &value.value
            && let Some(given) = self.0.value(name)
        {
            value.value = given;
        } else if let Some(decided) = decided(expression) {
            *expression = decided;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if select.selection.as_ref().and_then(truth) == Some(true) {
            select.selection = None;
        }
        ControlFlow::Continue(())
    }
}

/// What a condition comes to, where its parts have been decided.
fn decided(expression: &mut Expr) -> Option<Expr> {
    use BinaryOperator::{And, Eq, NotEq, Or};
    match expression {
        Expr::Nested(inner) => truth(inner).map(boolean),
        Expr::IsNull(inner) => Some(boolean(*literal(inner)? == Value::Null)),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Some(boolean(!truth(expr)?)),
        Expr::BinaryOp { left, op: op @ (Eq | NotEq), right } => {
            let (Value::SingleQuotedString(left), Value::SingleQuotedString(right)) =
                (literal(left)?, literal(right)?)
            else {
                return None;
            };
            Some(boolean((left == right) == (*op == Eq)))
        }
        Expr::BinaryOp { left, op: op @ (And | Or), right } => {
            // What decides the one is nothing to the other.
            let deciding = *op == Or;
            let (first, second) = (truth(left), truth(right));
            if [first, second].contains(&Some(deciding)) {
                return Some(boolean(deciding));
            }
            let rest = if first.is_some() { right } else { second.and(Some(left))? };
            Some(std::mem::replace(rest, boolean(deciding)))
        }
        _ => None,
    }
}

fn literal(expression: &Expr) -> Option<&Value> {
    if let Expr::Value(value) = expression { Some(&value.value) } else { None }
}

fn truth(expression: &Expr) -> Option<bool> {
    if let Value::Boolean(truth) = literal(expression)? { Some(*truth) } else { None }
}

fn boolean(truth: bool) -> Expr {
    Expr::Value(Value::Boolean(truth).into())
}

#[cfg(test)]
mod tests {
    use super::super::statement::parse;
    use super::*;

    fn filled(query: &str, parameters: &Parameters) -> String {
        let mut statement = parse(query).unwrap().pop().unwrap();
        statement.fill(parameters);
        statement.text()
    }

    #[test]
    fn what_parameters_decide_is_left_out() {
        let all = Parameters::default();
        assert_eq!(
            filled("SELECT a FROM t WHERE $by <> 'queue' OR EXISTS (SELECT 1 FROM u)", &all),
            "SELECT a FROM t"
        );
        assert_eq!(
            filled("SELECT a FROM t WHERE ($id IS NULL OR a = $id) AND b = $filter", &all),
            "SELECT a FROM t WHERE b = '*'"
        );
        assert_eq!(
            filled("SELECT NOT $events AS e, $by = 'dispatch' AND $events AS f FROM t", &all),
            "SELECT true AS e, false AS f FROM t"
        );
    }

    #[test]
    fn what_they_leave_open_stays() {
        let one = Parameters { id: Some(7), by: "queue", ..Parameters::default() };
        assert_eq!(
            filled("SELECT a FROM t WHERE $id IS NULL OR a = $id", &one),
            "SELECT a FROM t WHERE a = 7"
        );
        assert_eq!(
            filled("SELECT a FROM t WHERE $by <> 'queue' OR (b AND (c OR $events))", &one),
            "SELECT a FROM t WHERE (b AND (c))"
        );
        let query = "SELECT NOT a AS b FROM t WHERE a IS NULL";
        assert_eq!(filled(query, &one), query);
    }
}
