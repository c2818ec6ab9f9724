//! The names that a query mentions.

use std::collections::HashSet;
use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    Expr, Ident, JoinConstraint, JoinOperator, ObjectName, Query, Select, SelectItem, SetExpr,
    Statement as Ast, TableAlias, TableFactor, Visit, Visitor,
};

/// Names in lower case. More than a query means do no harm.
#[derive(Debug, Clone, Default)]
pub struct Mentioned {
    everything: bool,
    names: HashSet<String>,
}

impl Mentioned {
    /// Every name there is.
    pub fn everything() -> Self {
        Self { everything: true, names: HashSet::new() }
    }

    /// These names and no other.
    pub fn only(names: &[&str]) -> Self {
        Self { everything: false, names: names.iter().map(|name| name.to_lowercase()).collect() }
    }

    /// What a statement mentions; it is known of queries alone.
    pub fn by(statement: &Parsed) -> Self {
        match statement {
            Parsed::Explain(explain) => Self::by(&explain.statement),
            Parsed::Statement(statement) if matches!(statement.as_ref(), Ast::Query(_)) => {
                Self::within(statement.as_ref())
            }
            _ => Self::everything(),
        }
    }

    /// What a part of a query mentions.
    pub fn within(part: &impl Visit) -> Self {
        let mut found = Self::default();
        let _: ControlFlow<()> = part.visit(&mut found);
        found
    }

    /// Whether every name is mentioned.
    pub const fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether the name is mentioned.
    pub fn has(&self, name: &str) -> bool {
        self.everything || self.names.contains(&name.to_lowercase())
    }

    /// Mentions what the other does, too.
    pub fn add(&mut self, other: Self) {
        self.everything |= other.everything;
        self.names.extend(other.names);
    }

    fn mention(&mut self, name: &Ident) {
        self.names.insert(name.value.to_lowercase());
    }

    fn join(&mut self, operator: &JoinOperator) {
        match constraint(operator) {
            Some(JoinConstraint::On(_) | JoinConstraint::None) => {}
            Some(JoinConstraint::Using(columns)) => {
                let parts = columns.iter().flat_map(|column| &column.0);
                parts.filter_map(|part| part.as_ident()).for_each(|name| self.mention(name));
            }
            // A natural join is over whatever both sides have.
            Some(JoinConstraint::Natural) | None => self.everything = true,
        }
    }

    fn alias(&mut self, alias: Option<&TableAlias>) {
        // Columns that are renamed are so by their positions.
        self.everything |= alias.is_some_and(|alias| !alias.columns.is_empty());
    }
}

fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint)
        | JoinOperator::Semi(constraint)
        | JoinOperator::LeftSemi(constraint)
        | JoinOperator::RightSemi(constraint)
        | JoinOperator::Anti(constraint)
        | JoinOperator::LeftAnti(constraint)
        | JoinOperator::RightAnti(constraint) => Some(constraint),
        _ => None,
    }
}

impl Visitor for Mentioned {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let mut bodies = vec![query.body.as_ref()];
        while let Some(body) = bodies.pop() {
            match body {
                SetExpr::Select(_) | SetExpr::Values(_) | SetExpr::Query(_) => {}
                SetExpr::SetOperation { left, right, .. } => bodies.extend([&**left, &**right]),
                // `TABLE dispatches`
                _ => self.everything = true,
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.everything |= select.projection.iter().any(|item| {
            matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
        });
        let joins = select.from.iter().flat_map(|from| &from.joins);
        joins.for_each(|join| self.join(&join.join_operator));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        // Its rows are the columns of every relation.
        let is_it = |name: &Ident| name.value.eq_ignore_ascii_case("information_schema");
        let mut parts = relation.0.iter().filter_map(|part| part.as_ident());
        self.everything |= parts.any(is_it);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { alias, .. }
            | TableFactor::Derived { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. } => self.alias(alias.as_ref()),
            TableFactor::NestedJoin { table_with_joins, alias } => {
                table_with_joins.joins.iter().for_each(|join| self.join(&join.join_operator));
                self.alias(alias.as_ref());
            }
            _ => self.everything = true,
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<()> {
        match expression {
            Expr::Identifier(name) => self.mention(name),
            Expr::CompoundIdentifier(path) => path.iter().for_each(|name| self.mention(name)),
            Expr::Wildcard(_) | Expr::QualifiedWildcard(..) => self.everything = true,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
