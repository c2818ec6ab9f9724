//! Aliases in expressions beside them, as in `SELECT a + 1 AS b, b * 2 AS c … WHERE b > 0`. DataFusion knows the columns
//! of the input only. A name is replaced when planning has not found a column with it, so that columns come first.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{Expr, Select, SelectItem, VisitMut, VisitorMut};

use super::growth::Growth;
use super::refusal::Fault;
use super::walk::{expressions_mut, walk_mut};

/// Replaces a name by the expression of which it is the alias. Returns whether anything was replaced.
pub fn expand(parsed: &mut Parsed, name: &str) -> Result<bool, Fault> {
    let Parsed::Statement(statement) = parsed else { return Ok(false) };
    let mut expander = Expander { name, is_changed: false, growth: Growth::default() };
    match walk_mut(statement.as_mut(), &mut expander) {
        ControlFlow::Break(fault) => Err(fault),
        ControlFlow::Continue(()) => Ok(expander.is_changed),
    }
}

struct Expander<'a> {
    name: &'a str,
    is_changed: bool,
    growth: Growth,
}

impl VisitorMut for Expander<'_> {
    type Break = Fault;

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Fault> {
        let is_alias = |item: &SelectItem| match item {
            SelectItem::ExprWithAlias { alias, .. } => alias.value == self.name,
            _ => false,
        };
        let Some(place) = select.projection.iter().position(is_alias) else {
            return ControlFlow::Continue(());
        };
        let Some(SelectItem::ExprWithAlias { expr, .. }) = select.projection.get(place) else {
            return ControlFlow::Continue(());
        };
        let meant = Expr::Nested(Box::new(expr.clone()));
        for item in select.projection.iter_mut().skip(place + 1) {
            self.replace(item, &meant)?;
        }
        self.replace(&mut select.selection, &meant)?;
        self.replace(&mut select.having, &meant)?;
        self.replace(&mut select.qualify, &meant)
    }
}

impl Expander<'_> {
    fn replace(&mut self, within: &mut impl VisitMut, meant: &Expr) -> ControlFlow<Fault> {
        expressions_mut(within, |part| {
            if let Expr::Identifier(known) = part
                && known.value == self.name
            {
                if let Err(fault) = self.growth.add(meant) {
                    return ControlFlow::Break(fault);
                }
                *part = meant.clone();
                self.is_changed = true;
            }
            ControlFlow::Continue(())
        })
    }
}
