//! Checks joins, and the aliases of tables.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Join, JoinConstraint, JoinOperator, TableAlias, TableFactor, TableWithJoins,
};

use super::refusal::{Flow, fault, reject, unsupported};

pub fn check_alias(alias: Option<&TableAlias>) -> Flow {
    let Some(alias) = alias else { return ControlFlow::Continue(()) };
    reject(&[(
        alias.columns.iter().any(|column| column.data_type.is_some()),
        "a type in the names of columns",
        "write CAST(…) in SELECT",
    )])
}

pub fn check_joins(tables: &mut TableWithJoins) -> Flow {
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

pub fn check_join(join: &mut Join) -> Flow {
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
