//! Checks joins and the aliases of tables, and expands the `*` of joins with USING.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    ExcludeSelectItem, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Select, SelectItem,
    SelectItemQualifiedWildcardKind, TableAlias, TableFactor, TableWithJoins,
    WildcardAdditionalOptions,
};

use super::refusal::{Flow, fault, reject, unsupported};

pub(crate) fn check_alias(alias: Option<&TableAlias>) -> Flow {
    let Some(alias) = alias else { return ControlFlow::Continue(()) };
    reject(&[(
        alias.columns.iter().any(|column| column.data_type.is_some()),
        "a type in the names of columns",
        "write CAST(…) in SELECT",
    )])
}

pub(crate) fn check_joins(tables: &mut TableWithJoins) -> Flow {
    let mut left = &tables.relation;
    for join in &mut tables.joins {
        if let TableFactor::Table { alias: Some(alias), .. } = left
            && !alias.explicit
            && alias.name.quote_style.is_none()
            && alias.name.value.eq_ignore_ascii_case("positional")
        {
            return unsupported("POSITIONAL JOIN", "join on row_number() OVER ()");
        }
        check_join(join)?;
        left = &join.relation;
    }
    ControlFlow::Continue(())
}

pub(crate) fn check_join(join: &mut Join) -> Flow {
    use JoinOperator as Kind;
    reject(&[(join.global, "GLOBAL JOIN", "write JOIN")])?;
    match &mut join.join_operator {
        Kind::Semi(on) => join.join_operator = Kind::LeftSemi(on.clone()),
        Kind::Anti(on) => join.join_operator = Kind::LeftAnti(on.clone()),
        _ => {}
    }
    match &join.join_operator {
        Kind::Join(JoinConstraint::None) | Kind::Inner(JoinConstraint::None) => {
            fault("JOIN requires ON or USING; write CROSS JOIN for all pairs")
        }
        Kind::Right(JoinConstraint::Using(_) | JoinConstraint::Natural)
        | Kind::RightOuter(JoinConstraint::Using(_) | JoinConstraint::Natural)
        | Kind::FullOuter(JoinConstraint::Using(_) | JoinConstraint::Natural) => unsupported(
            "RIGHT or FULL JOIN with USING or NATURAL",
            "write ON a.x = b.x, and coalesce(a.x, b.x) for the column",
        ),
        _ => ControlFlow::Continue(()),
    }
}

/// Replaces `*` over joins with USING by `a.*, b.* EXCLUDE (x)`. DataFusion's `*` shows the x of the table whose name
/// comes first in the alphabet, which may be the NULL of a LEFT JOIN, and at its place.
pub(crate) fn expand_star(select: &mut Select) -> Flow {
    let joins = || select.from.iter().flat_map(|tables| &tables.joins);
    let is_merged = |join: &Join| {
        matches!(constraint(join), Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
    };
    let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_));
    if !select.projection.iter().any(is_star) || !joins().any(is_merged) {
        return ControlFlow::Continue(());
    }
    let Some(stars) = stars(&select.from) else {
        return unsupported(
            "* over this join",
            "name the columns, or name all tables and write JOIN … USING",
        );
    };
    let items = std::mem::take(&mut select.projection).into_iter().flat_map(|item| match item {
        SelectItem::Wildcard(options) if options == WildcardAdditionalOptions::default() => {
            stars.clone()
        }
        other => vec![other],
    });
    select.projection = items.collect();
    reject(&[(
        select.projection.iter().any(is_star),
        "* EXCLUDE over JOIN … USING",
        "write it for each table: a.* EXCLUDE (x)",
    )])
}

/// Returns the columns of each table without those that USING merges into the table before; `None` if they are unknown.
fn stars(from: &[TableWithJoins]) -> Option<Vec<SelectItem>> {
    let mut stars = Vec::new();
    for tables in from {
        stars.push(star(&tables.relation, &[])?);
        for join in &tables.joins {
            use JoinOperator::{LeftAnti, LeftSemi, RightAnti, RightSemi};
            match (&join.join_operator, constraint(join)) {
                (LeftSemi(_) | LeftAnti(_), _) => {}
                (RightSemi(_) | RightAnti(_), _) | (_, Some(JoinConstraint::Natural)) => {
                    return None;
                }
                (_, Some(JoinConstraint::Using(merged))) => {
                    stars.push(star(&join.relation, merged)?);
                }
                _ => stars.push(star(&join.relation, &[])?),
            }
        }
    }
    Some(stars)
}

fn constraint(join: &Join) -> Option<&JoinConstraint> {
    use JoinOperator as Kind;
    match &join.join_operator {
        Kind::Join(on)
        | Kind::Inner(on)
        | Kind::Left(on)
        | Kind::LeftOuter(on)
        | Kind::LeftSemi(on)
        | Kind::LeftAnti(on)
        | Kind::RightSemi(on)
        | Kind::RightAnti(on) => Some(on),
        _ => None,
    }
}

fn star(table: &TableFactor, merged: &[ObjectName]) -> Option<SelectItem> {
    let name = match table {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. }
        | TableFactor::UNNEST { alias: Some(alias), .. }
        | TableFactor::NestedJoin { alias: Some(alias), .. } => {
            ObjectName::from(vec![alias.name.clone()])
        }
        TableFactor::Table { name, alias: None, args: None, .. } => name.clone(),
        _ => return None,
    };
    let mut options = WildcardAdditionalOptions::default();
    if !merged.is_empty() {
        let names = merged.iter().map(|column| {
            let mut name: Ident = column.0.first()?.as_ident()?.clone();
            // DataFusion compares it as it is written.
            if name.quote_style.is_none() {
                name.value = name.value.to_lowercase();
            }
            Some(ObjectName::from(vec![name]))
        });
        options.opt_exclude = Some(ExcludeSelectItem::Multiple(names.collect::<Option<_>>()?));
    }
    Some(SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options))
}
