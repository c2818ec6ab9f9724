//! Aliases in expressions beside them, as in `SELECT a + 1 AS b, b * 2 AS c … WHERE b > 0`. DataFusion knows the columns
//! of the input only. A name is replaced when planning has not found a column with it, so that columns come first.

use std::ops::ControlFlow;

use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{
    Expr, Select, SelectItem, VisitMut, VisitorMut, visit_expressions_mut,
};

/// Replaces a name by the expression of which it is the alias. Returns whether anything was replaced.
pub fn expand(parsed: &mut Parsed, name: &str) -> bool {
    let Parsed::Statement(statement) = parsed else { return false };
    let mut expander = Expander { name, count: 0 };
    let _ = statement.visit(&mut expander);
    expander.count > 0
}

struct Expander<'a> {
    name: &'a str,
    count: usize,
}

impl VisitorMut for Expander<'_> {
    type Break = ();

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
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
            self.replace(item, &meant);
        }
        self.replace(&mut select.selection, &meant);
        self.replace(&mut select.having, &meant);
        self.replace(&mut select.qualify, &meant);
        ControlFlow::Continue(())
    }
}

impl Expander<'_> {
    fn replace(&mut self, within: &mut impl VisitMut, meant: &Expr) {
        let _ = visit_expressions_mut(within, |part| {
            if let Expr::Identifier(known) = part
                && known.value == self.name
            {
                *part = meant.clone();
                self.count += 1;
            }
            ControlFlow::<()>::Continue(())
        });
    }
}
