//! The query that SUMMARIZE stands for: a row of statistics for each column, computed in one scan.

use datafusion::arrow::datatypes::DataType;
use datafusion::sql::sqlparser::ast::{Query, SelectItem, TableFactor};

use super::built::{derived, expression, named, query, quoted, select};
use super::refusal::Fault;

const NONE: &str = "CAST(NULL AS VARCHAR)";
const NO_NUMBER: &str = "CAST(NULL AS DOUBLE)";

/// The columns of the result: the expression for a column `{}`, and the one where it has no such statistic: a column of
/// structs for those of texts, and all but numbers for those of numbers.
const STATISTICS: &[(&str, &str, &str)] = &[
    ("min", "CAST(min({}) AS VARCHAR)", NONE),
    ("max", "CAST(max({}) AS VARCHAR)", NONE),
    (
        "approx_unique",
        "CAST(approx_distinct(CAST({} AS VARCHAR)) AS BIGINT)",
        "CAST(NULL AS BIGINT)",
    ),
    ("avg", "avg(CAST({} AS DOUBLE))", NO_NUMBER),
    ("std", "stddev(CAST({} AS DOUBLE))", NO_NUMBER),
    ("q25", "quantile_cont(CAST({} AS DOUBLE), 0.25)", NO_NUMBER),
    ("q50", "quantile_cont(CAST({} AS DOUBLE), 0.5)", NO_NUMBER),
    ("q75", "quantile_cont(CAST({} AS DOUBLE), 0.75)", NO_NUMBER),
    ("count", "count(*)", ""),
    ("null_percentage", "round(100e0 * (count(*) - count({})) / nullif(count(*), 0), 2)", ""),
];

/// Returns the summary of a query with these columns.
pub fn of(whole: &Query, columns: &[(String, DataType)]) -> Result<TableFactor, Fault> {
    let list = |texts: Vec<String>, name: &str| -> Result<SelectItem, Fault> {
        Ok(named(expression(&format!("[{}]", texts.join(", ")))?, name))
    };
    let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let names = columns.iter().map(|(name, _)| literal(name)).collect();
    let types = columns.iter().map(|(_, kind)| literal(&kind.to_string())).collect();
    let mut lists = vec![list(names, "column_name")?, list(types, "column_type")?];
    for (name, number, other) in STATISTICS {
        let of_column = |(column, kind): &(String, DataType)| {
            let is_struct = matches!(kind, DataType::Struct(_) | DataType::Map(..));
            let lacks = match *other {
                "" => false,
                NO_NUMBER => !kind.is_numeric(),
                _ => is_struct,
            };
            if lacks { (*other).to_owned() } else { number.replace("{}", &quoted(column)) }
        };
        lists.push(list(columns.iter().map(of_column).collect(), name)?);
    }
    let unnested = lists.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => {
            Some(expression(&format!("unnest({alias})")).map(|call| named(call, &alias.value)))
        }
        _ => None,
    });
    let items = unnested.collect::<Result<Vec<_>, Fault>>()?;
    let inner = query(select(lists, derived(whole.clone(), None)));
    Ok(derived(query(select(items, derived(inner, None))), None))
}
