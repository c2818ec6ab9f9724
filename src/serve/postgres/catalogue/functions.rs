//! Functions of PostgreSQL that psql and drivers call, and `datafusion-pg-catalog` does not have.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Int32Array, StringArray, new_null_array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Int32Type};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::ScalarUDF;
use dialect::built::quoted;
use pgwire::api::Type;

use super::docs::Docs;
use super::function::{always, function, no_number, nothing, text, volatile};
use crate::postgres::settings::Settings;
use crate::postgres::values::Kind;
use crate::postgres::version::VERSION;

/// Functions that say whether an object is found without its schema.
const VISIBLE: &[&str] = &[
    "pg_collation_is_visible",
    "pg_conversion_is_visible",
    "pg_function_is_visible",
    "pg_opclass_is_visible",
    "pg_operator_is_visible",
    "pg_opfamily_is_visible",
    "pg_statistics_obj_is_visible",
    "pg_ts_config_is_visible",
    "pg_ts_dict_is_visible",
    "pg_ts_parser_is_visible",
    "pg_ts_template_is_visible",
    "pg_type_is_visible",
];

/// The number of the only encoding.
const UTF8: i32 = 6;

/// The numbers of what has a name.
pub type Numbers = HashMap<String, i32>;

/// Returns the functions. Types and relations are found by their names.
pub fn functions(docs: &Arc<Docs>, types: Numbers, relations: Numbers) -> Vec<ScalarUDF> {
    let mut all = vec![
        named("to_regtype", types),
        named("to_regclass", relations),
        text("version", |_, rows| {
            let text = format!("PostgreSQL {VERSION} (ireescope {})", env!("CARGO_PKG_VERSION"));
            Ok(Arc::new(StringArray::from(vec![text; rows])))
        }),
        text("array_to_string", |of, _| joined(of)),
        text("format", |of, _| formatted(of)),
        text("getdatabaseencoding", |_, rows| Ok(Arc::new(StringArray::from(vec!["UTF8"; rows])))),
        text("pg_size_pretty", |of, _| Ok(cast(first(of)?, &DataType::Utf8)?)),
        function("pg_char_to_encoding", DataType::Int32, |_, rows| {
            Ok(Arc::new(Int32Array::from(vec![UTF8; rows])))
        }),
        text("format_type", |of, _| type_names(of)),
        text("pg_typeof", |of, rows| {
            let kind = Kind::of(first(of)?.data_type());
            let name = kind.map(|kind| type_name(&kind.pg()));
            Ok(Arc::new(StringArray::from(vec![name; rows])))
        }),
        text("quote_literal", |of, _| {
            let texts = cast(first(of)?, &DataType::Utf8)?;
            let quoted = texts.as_string::<i32>().iter().map(|text| Some(literal(text?)));
            Ok(Arc::new(quoted.collect::<StringArray>()))
        }),
        function("no_oids", no_oids(), |_, rows| Ok(new_null_array(&no_oids(), rows))),
        function("pg_is_other_temp_schema", DataType::Boolean, |_, rows| {
            Ok(Arc::new(BooleanArray::from(vec![false; rows])))
        }),
        function("pg_my_temp_schema", DataType::Int32, |_, rows| {
            Ok(Arc::new(Int32Array::from(vec![0; rows])))
        }),
        no_number("pg_database_size"),
        no_number("pg_table_size"),
        // Clients describe columns by it that are counted or have a collation, which no column is or has.
        nothing("json_build_object"),
        nothing("pg_advisory_unlock_all"),
        nothing("pg_get_function_arguments"),
        nothing("pg_get_function_result"),
        nothing("pg_get_ruledef"),
        nothing("pg_tablespace_location"),
        nothing("shobj_description"),
    ];
    all.extend(VISIBLE.iter().map(|name| always(name)));
    all.extend(of_relations(docs));
    all
}

/// Returns the functions of a session: of its settings, and of who is connected.
pub fn of_session(settings: &Arc<Settings>, user: &str) -> Vec<ScalarUDF> {
    let (asked, set) = (Arc::clone(settings), Arc::clone(settings));
    let users = ["current_role", "current_user", "session_user"].map(|name| {
        let user = user.to_owned();
        text(name, move |_, rows| Ok(Arc::new(StringArray::from(vec![user.as_str(); rows]))))
    });
    let mut all = vec![
        volatile("current_setting", move |of, _| {
            let names = cast(first(of)?, &DataType::Utf8)?;
            let found = names.as_string::<i32>().iter().map(|name| asked.get(name?));
            Ok(Arc::new(found.collect::<StringArray>()))
        }),
        volatile("set_config", move |of, _| {
            let [names, values, local] = of else { return plan_err!("three arguments are needed") };
            let [names, values] = [cast(names, &DataType::Utf8)?, cast(values, &DataType::Utf8)?];
            let local = cast(local, &DataType::Boolean)?;
            let pairs = names.as_string::<i32>().iter().zip(values.as_string::<i32>());
            let mut now = Vec::with_capacity(names.len());
            for ((name, value), is_local) in pairs.zip(local.as_boolean()) {
                let Some(name) = name else { return plan_err!("a name is needed") };
                let is_local = is_local.unwrap_or_default();
                set.set(name, value, is_local).or_else(|(_, text)| plan_err!("{text}"))?;
                now.push(set.get(name));
            }
            Ok(Arc::new(StringArray::from(now)))
        }),
    ];
    all.extend(users);
    all
}

/// Returns the functions of relations and columns, which have numbers.
fn of_relations(docs: &Arc<Docs>) -> [ScalarUDF; 4] {
    let (columns, objects) = (Arc::clone(docs), Arc::clone(docs));
    let (views, visible) = (Arc::clone(docs), Arc::clone(docs));
    [
        text("col_description", move |of, _| {
            let [relations, numbers, ..] = of else { return plan_err!("two arguments are needed") };
            let (relations, numbers) = (ints(relations)?, ints(numbers)?);
            let pairs = relations.iter().zip(&numbers);
            let found = pairs.map(|(relation, number)| columns.text((*relation)?, (*number)?));
            Ok(Arc::new(found.collect::<StringArray>()))
        }),
        text("obj_description", move |of, _| {
            let found = ints(first(of)?)?;
            let found = found.into_iter().map(|relation| objects.text(relation?, 0));
            Ok(Arc::new(found.collect::<StringArray>()))
        }),
        text("pg_get_viewdef", move |of, _| {
            let found = ints(first(of)?)?;
            let found = found.into_iter().map(|relation| views.query(relation?));
            Ok(Arc::new(found.collect::<StringArray>()))
        }),
        function("pg_table_is_visible", DataType::Boolean, move |of, _| {
            let found = ints(first(of)?)?;
            let found = found.into_iter().map(|relation| Some(visible.is_visible(relation?)));
            Ok(Arc::new(found.collect::<BooleanArray>()))
        }),
    ]
}

/// Returns the type of arrays of numbers of objects.
fn no_oids() -> DataType {
    let oids = HashMap::from([("pg.oid_alias".to_owned(), "oid".to_owned())]);
    DataType::List(Arc::new(Field::new_list_field(DataType::Int32, true).with_metadata(oids)))
}

/// Returns the names of types with their modifiers.
fn type_names(of: &[ArrayRef]) -> Result<ArrayRef> {
    let [types, modifiers] = of else { return plan_err!("two arguments are needed") };
    let pairs = ints(types)?.into_iter().zip(ints(modifiers)?);
    let name = |(number, modifier): (Option<i32>, Option<i32>)| {
        let number = u32::try_from(number?).unwrap_or_default();
        let Some(kind) = Type::from_oid(number) else { return Some("???".to_owned()) };
        let name = type_name(&kind);
        let digits = modifier.and_then(|it| it.checked_sub(4)).filter(|it| *it >= 0);
        Some(match (digits, kind) {
            (Some(digits), Type::NUMERIC) => {
                format!("{name}({},{})", digits >> 16, digits & 0xffff)
            }
            (Some(digits), Type::NUMERIC_ARRAY) => {
                format!("numeric({},{})[]", digits >> 16, digits & 0xffff)
            }
            _ => name,
        })
    };
    Ok(Arc::new(pairs.map(name).collect::<StringArray>()))
}

/// Returns the name of a type as PostgreSQL shows it.
fn type_name(kind: &Type) -> String {
    let name = kind.name();
    if let Some(element) = name.strip_prefix('_') {
        return format!("{}[]", shown(element));
    }
    shown(name).to_owned()
}

/// Returns the name that a type has in SQL.
fn shown(name: &str) -> &str {
    match name {
        "bool" => "boolean",
        "bpchar" => "character",
        "char" => "\"char\"",
        "float4" => "real",
        "float8" => "double precision",
        "int2" => "smallint",
        "int4" => "integer",
        "int8" => "bigint",
        "time" => "time without time zone",
        "timestamp" => "timestamp without time zone",
        "timestamptz" => "timestamp with time zone",
        "timetz" => "time with time zone",
        "varchar" => "character varying",
        other => other,
    }
}

/// Returns a text as SQL writes it.
fn literal(text: &str) -> String {
    let quoted = text.replace('\'', "''");
    if text.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    }
}

/// Returns a function of the number of what has a name.
fn named(name: &'static str, numbers: Numbers) -> ScalarUDF {
    function(name, DataType::Int32, move |of, _| {
        let names = cast(first(of)?, &DataType::Utf8)?;
        let found = names.as_string::<i32>().iter().map(|name| {
            let name = name?.replace('"', "");
            numbers.get(name.trim_start_matches("pg_catalog.")).copied()
        });
        Ok(Arc::new(found.collect::<Int32Array>()))
    })
}

/// Returns the elements of lists as texts; a text is its own. The catalogue has texts where PostgreSQL has lists.
fn joined(of: &[ArrayRef]) -> Result<ArrayRef> {
    let [lists, between, ..] = of else { return plan_err!("two arguments are needed") };
    let Some(lists) = lists.as_list_opt::<i32>() else {
        return Ok(cast(lists, &DataType::Utf8)?);
    };
    let between = cast(between, &DataType::Utf8)?;
    let between = between.as_string::<i32>();
    let mut texts = Vec::with_capacity(lists.len());
    for (list, between) in lists.iter().zip(between) {
        let (Some(list), Some(between)) = (list, between) else {
            texts.push(None);
            continue;
        };
        let list = cast(&list, &DataType::Utf8)?;
        let parts: Vec<_> = list.as_string::<i32>().iter().flatten().collect();
        texts.push(Some(parts.join(between)));
    }
    Ok(Arc::new(StringArray::from(texts)))
}

/// Returns texts with arguments in place of `%s` (as text), `%I` (as a name) and `%L` (as a literal).
fn formatted(of: &[ArrayRef]) -> Result<ArrayRef> {
    let texts = of.iter().map(|it| cast(it, &DataType::Utf8)).collect::<Result<Vec<_>, _>>()?;
    let Some((formats, values)) = texts.split_first() else {
        return plan_err!("an argument is needed");
    };
    let row = |(nth, format): (usize, Option<&str>)| -> Result<Option<String>> {
        let Some(format) = format else { return Ok(None) };
        let mut values = values.iter().map(AsArray::as_string::<i32>);
        let (mut text, mut letters) = (String::new(), format.chars());
        while let Some(letter) = letters.next() {
            let kind = if letter == '%' { letters.next() } else { None };
            let Some(kind @ ('s' | 'I' | 'L')) = kind else {
                match kind {
                    None if letter != '%' => text.push(letter),
                    Some('%') => text.push('%'),
                    _ => return plan_err!("format() has %s, %I, %L and %% only"),
                }
                continue;
            };
            let Some(values) = values.next() else { return plan_err!("too few arguments") };
            let value = values.is_valid(nth).then(|| values.value(nth));
            match (kind, value) {
                ('s', value) => text.push_str(value.unwrap_or_default()),
                ('I', Some(value)) => text.push_str(&identifier(value)),
                ('L', Some(value)) => text.push_str(&format!("'{}'", value.replace('\'', "''"))),
                ('L', None) => text.push_str("NULL"),
                _ => return plan_err!("a name cannot be NULL"),
            }
        }
        Ok(Some(text))
    };
    let formats = formats.as_string::<i32>();
    let texts = formats.iter().enumerate().map(row).collect::<Result<StringArray>>()?;
    Ok(Arc::new(texts))
}

/// Returns a name as SQL writes it: in quotes, unless it is of small letters.
fn identifier(name: &str) -> String {
    let is_plain = name.starts_with(|it: char| it.is_ascii_lowercase() || it == '_')
        && name.chars().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_');
    if is_plain { name.to_owned() } else { quoted(name) }
}

fn first(arguments: &[ArrayRef]) -> Result<&ArrayRef> {
    arguments.first().map_or_else(|| plan_err!("an argument is needed"), Ok)
}

fn ints(array: &ArrayRef) -> Result<Vec<Option<i32>>> {
    let array = cast(array, &DataType::Int32)?;
    Ok(array.as_primitive::<Int32Type>().iter().collect())
}
