//! The parameters of reports, and their substitution in queries.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{Expr, Statement as Ast, Value};
use dialect::walk::expressions_mut;

/// The invocations at the start of a run that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Warmup {
    /// Those that are slower than the rest.
    #[default]
    Auto,
    /// None is left out.
    Keep,
    /// This many.
    First(u32),
}

impl Warmup {
    /// Reads `auto`, `keep` or a number of invocations.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto" => Some(Self::Auto),
            "keep" => Some(Self::Keep),
            number => number
                .parse()
                .ok()
                .map(|many| if many == 0 { Self::Keep } else { Self::First(many) }),
        }
    }

    /// Returns the value of `$warmup`.
    pub fn invocations(self) -> i64 {
        match self {
            Self::Auto => -1,
            Self::Keep => 0,
            Self::First(count) => count.into(),
        }
    }
}

/// The parameters of a report. The defaults select everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// `$filter`: a name pattern.
    pub filter: String,
    /// `$id`: an id, whose meaning depends on the command; NULL selects all.
    pub id: Option<u64>,
    /// `$id_filter`: the id as it was given; a negative number selects all.
    pub id_filter: i64,
    /// `$by`: the kind of the id: `dispatch`, `executable`, `command` or `queue`.
    pub by: &'static str,
    /// `$events`: whether the command prints every event or sample.
    pub events: bool,
    /// `$warmup`: the number of invocations at the start of a run to leave out; a negative number leaves out those that
    /// are warm-up.
    pub warmup: i64,
    /// `$group`: what `top` groups by.
    pub group: &'static str,
    /// `$sort`: what `top` and `att` sort by.
    pub sort: &'static str,
    /// `$function`: `function=` and the pattern of functions, quoted for a shell, in the commands of `gaps`.
    pub function: String,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            filter: "*".into(),
            id: None,
            id_filter: -1,
            by: "dispatch",
            events: false,
            warmup: -1,
            group: "function",
            sort: "total",
            function: "function=PATTERN".into(),
        }
    }
}

impl Parameters {
    /// Returns the parameters of the relation `report.<name>`: everything, with the kind of id of its command.
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

    /// Replaces the placeholders in a query by literals. This is done before planning, because table functions accept
    /// only literals.
    pub(super) fn fill(&self, query: &mut Ast) {
        let _ = expressions_mut(query, |expression| {
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
            "$warmup" => Value::Number(self.warmup.to_string(), false),
            "$group" => Value::SingleQuotedString(self.group.into()),
            "$sort" => Value::SingleQuotedString(self.sort.into()),
            "$function" => Value::SingleQuotedString(self.function.clone()),
            "$events" => Value::Boolean(self.events),
            _ => return None,
        })
    }
}
