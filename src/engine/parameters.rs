//! The parameters of reports, as they are filled into queries.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Statement as Ast, Value, visit_expressions_mut};

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

    /// Puts the parameters in the place of their placeholders. They are literals before planning, as table functions
    /// take nothing else.
    pub(super) fn fill(&self, query: &mut Ast) {
        let _ = visit_expressions_mut(query, |expression| {
            if let Expr::Value(value) = expression
                && let Value::Placeholder(name) = &value.value
                && let Some(given) = self.value(name)
            {
                value.value = given;
            }
            ControlFlow::<()>::Continue(())
        });
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
