//! Walks over parsed SQL. Each type of visitor that `sqlparser` is given compiles a walk of its own over all of the syntax,
//! 600 kB of code, so all visitors of the project share one type here and are called by pointers.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, ObjectName, Query, Select, Statement, TableFactor, ValueWithSpan, Visit, VisitMut,
    Visitor, VisitorMut,
};

/// Walks over a part of a statement.
pub fn walk<V: Visitor>(part: &impl Visit, visitor: &mut V) -> ControlFlow<V::Break> {
    let mut kept = Stopping { visitor, end: None };
    let _ = part.visit(&mut Shared(&mut kept));
    kept.end.map_or(ControlFlow::Continue(()), ControlFlow::Break)
}

/// Walks over a part of a statement and changes it.
pub(crate) fn walk_mut<V: VisitorMut>(
    part: &mut impl VisitMut,
    visitor: &mut V,
) -> ControlFlow<V::Break> {
    let mut kept = Stopping { visitor, end: None };
    let _ = part.visit(&mut SharedMut(&mut kept));
    kept.end.map_or(ControlFlow::Continue(()), ControlFlow::Break)
}

/// Visits all expressions, outer ones first.
pub fn expressions<B>(
    part: &impl Visit,
    visit: impl FnMut(&Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk(part, &mut Expressions(visit))
}

/// Visits all expressions and changes them, inner ones first.
pub fn expressions_mut<B>(
    part: &mut impl VisitMut,
    visit: impl FnMut(&mut Expr) -> ControlFlow<B>,
) -> ControlFlow<B> {
    walk_mut(part, &mut Expressions(visit))
}

struct Expressions<F>(F);

impl<B, F: FnMut(&Expr) -> ControlFlow<B>> Visitor for Expressions<F> {
    type Break = B;

    fn pre_visit_expr(&mut self, expression: &Expr) -> ControlFlow<B> {
        self.0(expression)
    }
}

impl<B, F: FnMut(&mut Expr) -> ControlFlow<B>> VisitorMut for Expressions<F> {
    type Break = B;

    fn post_visit_expr(&mut self, expression: &mut Expr) -> ControlFlow<B> {
        self.0(expression)
    }
}

/// A visitor with what it ended the walk with, so that all end with the same type.
struct Stopping<'a, V, B> {
    visitor: &'a mut V,
    end: Option<B>,
}

/// Forwards all calls of a kind of visitor, through a pointer and to a visitor whose end is kept.
macro_rules! forward {
    ($visitor:ident through $shared:ident: $($call:ident($part:ty))*) => {
        struct $shared<'a>(&'a mut dyn $visitor<Break = ()>);

        impl $visitor for $shared<'_> {
            type Break = ();

            $(fn $call(&mut self, part: $part) -> ControlFlow<()> {
                self.0.$call(part)
            })*
        }

        impl<V: $visitor> $visitor for Stopping<'_, V, V::Break> {
            type Break = ();

            $(fn $call(&mut self, part: $part) -> ControlFlow<()> {
                self.visitor.$call(part).map_break(|end| self.end = Some(end))
            })*
        }
    };
}

forward! { Visitor through Shared:
    pre_visit_query(&Query) post_visit_query(&Query)
    pre_visit_select(&Select) post_visit_select(&Select)
    pre_visit_relation(&ObjectName) post_visit_relation(&ObjectName)
    pre_visit_table_factor(&TableFactor) post_visit_table_factor(&TableFactor)
    pre_visit_expr(&Expr) post_visit_expr(&Expr)
    pre_visit_statement(&Statement) post_visit_statement(&Statement)
    pre_visit_value(&ValueWithSpan) post_visit_value(&ValueWithSpan)
}

forward! { VisitorMut through SharedMut:
    pre_visit_query(&mut Query) post_visit_query(&mut Query)
    pre_visit_select(&mut Select) post_visit_select(&mut Select)
    pre_visit_relation(&mut ObjectName) post_visit_relation(&mut ObjectName)
    pre_visit_table_factor(&mut TableFactor) post_visit_table_factor(&mut TableFactor)
    pre_visit_expr(&mut Expr) post_visit_expr(&mut Expr)
    pre_visit_statement(&mut Statement) post_visit_statement(&mut Statement)
    pre_visit_value(&mut ValueWithSpan) post_visit_value(&mut ValueWithSpan)
}
