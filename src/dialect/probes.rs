//! What a statement asks of its tables before it can be planned: the values of a PIVOT that lists none, and the columns of
//! SUMMARIZE and of UNPIVOT … ON COLUMNS(*).

use std::ops::ControlFlow;

use datafusion::arrow::datatypes::DataType as Arrow;
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    CastKind, Cte, DataType, Distinct, Expr, ExprWithAlias, FunctionArg, FunctionArgExpr,
    FunctionArguments, Ident, OrderBy, OrderByExpr, OrderByKind, OrderByOptions, PivotValueSource,
    Query, SelectItem, TableFactor, Visitor, VisitorMut, WildcardAdditionalOptions, With,
};

use super::built::{derived, named, query, select, text};
use super::forms::SUMMARIZE;
use super::refusal::Fault;
use super::summary;
use super::walk::{walk, walk_mut};

/// Limit on the columns that PIVOT makes, as a mistake would make millions.
const COLUMNS: usize = 1000;

/// A question to the tables.
#[derive(Debug)]
pub enum Probe {
    /// The first column of each query, as text.
    Values(Vec<Query>),
    /// The columns of the query.
    Columns(Box<Query>),
}

/// The answer to a probe.
#[derive(Debug)]
pub enum Answer {
    Values(Vec<Vec<String>>),
    /// Name and type.
    Columns(Vec<(String, Arrow)>),
}

/// Returns the first question of a statement, if any. Those of subqueries come first.
pub fn next(parsed: &Parsed) -> Option<Probe> {
    let mut finder = Finder { scope: Vec::new() };
    let flow = match parsed {
        Parsed::Statement(statement) => walk(statement.as_ref(), &mut finder),
        Parsed::Explain(explain) => return next(&explain.statement),
        _ => ControlFlow::Continue(()),
    };
    flow.break_value()
}

/// Puts the answer in the place of the first question.
pub fn fill(parsed: &mut Parsed, answer: Answer) -> Result<(), Fault> {
    match parsed {
        Parsed::Statement(statement) => {
            let flow = walk_mut(statement.as_mut(), &mut Filler { answer: Some(answer) });
            flow.break_value().unwrap_or(Ok(()))
        }
        Parsed::Explain(explain) => fill(&mut explain.statement, answer),
        _ => Ok(()),
    }
}

struct Finder {
    /// The definitions of WITH around the place.
    scope: Vec<Vec<Cte>>,
}

impl Visitor for Finder {
    type Break = Probe;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Probe> {
        let known = query.with.iter().flat_map(|with| &with.cte_tables).cloned();
        self.scope.push(known.collect());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Probe> {
        self.scope.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Probe> {
        let Some(mut probe) = probe(table) else { return ControlFlow::Continue(()) };
        match &mut probe {
            Probe::Values(queries) => queries.iter_mut().for_each(|query| self.define(query)),
            Probe::Columns(query) => self.define(query),
        }
        ControlFlow::Break(probe)
    }
}

impl Finder {
    /// Adds the definitions that have no question of their own, which are those before the place, and others that do no
    /// harm.
    fn define(&self, query: &mut Query) {
        let is_known =
            |cte: &&Cte| walk(cte.query.as_ref(), &mut Self { scope: Vec::new() }).is_continue();
        let mut cte_tables: Vec<Cte> = Vec::new();
        // An inner definition hides an outer one.
        for cte in self.scope.iter().rev().flatten().filter(is_known) {
            if !cte_tables.iter().any(|known| known.alias.name.value == cte.alias.name.value) {
                cte_tables.push(cte.clone());
            }
        }
        let own = query.with.take().map_or_else(Vec::new, |with| with.cte_tables);
        cte_tables
            .retain(|cte| !own.iter().any(|known| known.alias.name.value == cte.alias.name.value));
        cte_tables.extend(own);
        if !cte_tables.is_empty() {
            query.with =
                Some(With { with_token: AttachedToken::empty(), recursive: false, cte_tables });
        }
    }
}

fn probe(table: &TableFactor) -> Option<Probe> {
    match table {
        TableFactor::Pivot { table, value_column, value_source, .. } => match value_source {
            PivotValueSource::List(_) => None,
            PivotValueSource::Any(_) => Some(Probe::Values(
                value_column.iter().map(|column| values(table, column)).collect(),
            )),
            PivotValueSource::Subquery(query) => Some(Probe::Values(vec![query.as_ref().clone()])),
        },
        TableFactor::Unpivot { table, columns, .. } => {
            let star = columns.iter().find_map(|column| star(&column.expr))?;
            let item = SelectItem::Wildcard(star.clone());
            Some(Probe::Columns(Box::new(query(select(vec![item], table.as_ref().clone())))))
        }
        _ => summarized(table).cloned().map(Box::new).map(Probe::Columns),
    }
}

/// `SELECT CAST(c AS VARCHAR) FROM (SELECT DISTINCT c FROM t WHERE c IS NOT NULL) ORDER BY c`.
fn values(table: &TableFactor, column: &Expr) -> Query {
    let name = Ident::new("c");
    let is_value = Expr::IsNotNull(Box::new(Expr::Nested(Box::new(column.clone()))));
    let mut inner = select(vec![named(column.clone(), "c")], table.clone());
    inner.distinct = Some(Distinct::Distinct);
    inner.selection = Some(is_value);
    let item = named(as_text(Expr::Identifier(name.clone())), "text");
    let mut whole = query(select(vec![item], derived(query(inner), None)));
    let options = OrderByOptions { asc: None, nulls_first: None };
    let term = OrderByExpr { expr: Expr::Identifier(name), options, with_fill: None };
    whole.order_by =
        Some(OrderBy { kind: OrderByKind::Expressions(vec![term]), interpolate: None });
    whole
}

fn as_text(expr: Expr) -> Expr {
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(expr),
        data_type: DataType::Varchar(None),
        array: false,
        format: None,
    }
}

/// Returns the `*` of COLUMNS(*).
fn star(expression: &Expr) -> Option<WildcardAdditionalOptions> {
    let Expr::Function(function) = expression else { return None };
    if !function.name.to_string().eq_ignore_ascii_case("columns") {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => {
            Some(WildcardAdditionalOptions::default())
        }
        [FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options))] => {
            Some(options.clone())
        }
        _ => None,
    }
}

/// Returns the query of SUMMARIZE.
fn summarized(table: &TableFactor) -> Option<&Query> {
    let TableFactor::Table { name, args: Some(args), .. } = table else { return None };
    let [only] = name.0.as_slice() else { return None };
    let ident = only.as_ident()?;
    match args.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Subquery(query)))]
            if ident.value == SUMMARIZE && ident.quote_style.is_some() =>
        {
            Some(query)
        }
        _ => None,
    }
}

struct Filler {
    answer: Option<Answer>,
}

impl VisitorMut for Filler {
    type Break = Result<(), Fault>;

    fn post_visit_table_factor(
        &mut self,
        table: &mut TableFactor,
    ) -> ControlFlow<Result<(), Fault>> {
        if probe(table).is_none() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(self.answer.take().map_or(Ok(()), |answer| put(table, answer)))
    }
}

fn put(table: &mut TableFactor, answer: Answer) -> Result<(), Fault> {
    if let Some(query) = summarized(table) {
        let Answer::Columns(columns) = answer else { return Ok(()) };
        *table = summary::of(query, &columns)?;
        return Ok(());
    }
    match (table, answer) {
        (TableFactor::Pivot { value_column, value_source, .. }, Answer::Values(values)) => {
            let count = values.iter().map(Vec::len).fold(1_usize, usize::saturating_mul);
            if count > COLUMNS {
                return Err(
                    format!("PIVOT would make {count} columns; filter the table first").into()
                );
            }
            for column in value_column {
                *column = as_text(column.clone());
            }
            *value_source = PivotValueSource::List(pairs(&values));
        }
        (TableFactor::Unpivot { columns, .. }, Answer::Columns(found)) => {
            let named = found.iter().map(|(name, _)| ExprWithAlias {
                expr: Expr::Identifier(Ident::with_quote('"', name)),
                alias: None,
            });
            let place = columns.iter().position(|column| star(&column.expr).is_some()).unwrap_or(0);
            columns.splice(place..=place, named);
        }
        _ => {}
    }
    Ok(())
}

/// All combinations of one value of each list.
fn pairs(lists: &[Vec<String>]) -> Vec<ExprWithAlias> {
    let mut all: Vec<Vec<Expr>> = vec![Vec::new()];
    for list in lists {
        let longer = all.iter().flat_map(|before| {
            list.iter().map(|value| before.iter().cloned().chain([text(value)]).collect())
        });
        all = longer.collect();
    }
    let of = |mut values: Vec<Expr>| match (values.pop(), values.is_empty()) {
        (Some(only), true) => only,
        (last, _) => Expr::Tuple(values.into_iter().chain(last).collect()),
    };
    all.into_iter().map(|values| ExprWithAlias { expr: of(values), alias: None }).collect()
}
