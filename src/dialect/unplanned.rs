//! What the SQL planner does not plan, in plain words: the one table of its refusals.
//!
//! The planner of DataFusion answers syntax that it does not know with a name of its own code and often with a dump of the
//! parsed tree. [`in_plain_words`] replaces such a message before a user sees it. Its row is the first that fits.
//!
//! `tests/golden/unplanned.txt` lists all refusals of the planner. A test in `unplanned_tests.rs` makes the list from the
//! sources of the planner and the parser. It fails if a new version changes the list, if a message with a tree has no row, and if an
//! expression, table or join has none of its own.
//!
//! Statements that are refused by their first words are in `refused.rs`, and what the planner would take and answer
//! wrongly in `syntax.rs`.

#[cfg(test)]
#[path = "unplanned_tests.rs"]
mod tests;

/// A refusal: how the planner's message begins, what is not supported, and what to write instead, if there is something. `{}`
/// stands for any text; in what is not supported, for the text of the last `{}` of the message.
type Row = (&'static str, &'static str, &'static str);

/// The longest part of a statement that a message repeats.
const LETTERS: usize = 60;

const NO_JSON: &str = "there are no functions for JSON";
const SHOW_TABLES: &str = "write SHOW TABLES, or SELECT … FROM information_schema.tables";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // The parser.
    ("Expected: ], found: for", "a list comprehension", "write FROM (SELECT unnest(l) AS x …)"),
    ("Expected: MATCH_CONDITION", "ASOF JOIN", "write (SELECT max_by(b.x, b.t) FROM b WHERE b.t <= a.t) as a column"),
    ("No infix parser for token Word(Word { value: \"DIV\"", "DIV", "write a // b"),
    ("No infix parser for token {} at Line: {}", "the operator at Line: {}", ""),

    // Expressions.
    ("Unsupported ast node in sqltorel: Collate", "COLLATE", "write lower(a) = lower(b), or ORDER BY lower(a)"),
    ("Unsupported ast node in sqltorel: IsNormalized", "IS NORMALIZED", ""),
    ("Unsupported ast node in sqltorel: InUnnest", "IN UNNEST", "write array_has(l, x)"),
    ("Unsupported ast node in sqltorel: RLike", "RLIKE or REGEXP", "write x ~ 'pattern'"),
    ("Unsupported ast node in sqltorel: Convert", "CONVERT()", "write CAST(x AS TYPE)"),
    ("Unsupported ast node in sqltorel: Prefixed", "the name of a character set before a text", "leave it out"),
    ("Unsupported ast node in sqltorel: MatchAgainst", "MATCH … AGAINST", "write x LIKE '%…%'"),
    ("Unsupported ast node in sqltorel: MemberOf", "MEMBER OF", "write array_has(l, x)"),
    ("Unsupported ast node in sqltorel: OuterJoin", "(+)", "write LEFT JOIN"),
    ("Unsupported ast node in sqltorel: Prior", "PRIOR", "write WITH RECURSIVE"),
    ("Unsupported ast node in sqltorel: Lambda", "a lambda", "write FROM (SELECT unnest(l) AS x …)"),
    ("Unsupported ast node in sqltorel: Named", "x AS name in an expression", "write {'name': x}"),
    ("Unsupported ast node in sqltorel: ", "AT TIME ZONE with a computed zone", "write a constant: AT TIME ZONE 'Europe/Berlin'"),
    ("Struct fields are not supported yet", "STRUCT<…>(…)", "write {'name': x}"),
    ("Struct not supported by ExprPlanner", "this STRUCT", ""),
    ("Empty tuple not supported yet", "()", ""),
    ("Only identifiers and literals are supported in tuples", "a tuple that begins with an expression", "write struct(a + 1, b)"),
    ("FLOOR with datetime is not supported", "FLOOR(t TO UNIT)", "write date_trunc('day', t)"),
    ("FLOOR with scale is not supported", "FLOOR(x, n)", "write floor(x * 10) / 10"),
    ("CEIL with datetime is not supported", "CEIL(t TO UNIT)", "write date_trunc('day', t - INTERVAL '1 nanosecond') + INTERVAL '1 day'"),
    ("CEIL with scale is not supported", "CEIL(x, n)", "write ceil(x * 10) / 10"),
    ("CAST with format is not supported", "FORMAT in CAST", "write to_timestamp(x, format) or to_char(x, format)"),
    ("`CAST(... AS type ARRAY`) not supported", "CAST(x AS TYPE ARRAY)", "write CAST(x AS TYPE[])"),
    ("ANY in LIKE expression", "LIKE ANY", "write x LIKE a OR x LIKE b"),
    ("Slice subscript requires a lower bound", "[:b]", "write [1:b]"),
    ("Slice subscript requires an upper bound", "[a:]", "write [a:-1]"),
    ("JsonAccess", "a path of JSON in [ ]", NO_JSON),
    ("Dot access not supported for non-string expr", "(x).name", "write (x)['name']"),
    ("GetFieldAccess not supported by ExprPlanner", "this access with [ ]", ""),
    ("Substring without for/from is not valid", "substring(x) without a start", "write substring(x, start, length)"),
    ("Extract not supported by ExprPlanner", "this EXTRACT", ""),
    ("Position not supported by ExprPlanner", "this POSITION", ""),
    ("Overlay not supported by ExprPlanner", "this OVERLAY", ""),
    ("Dictionary not supported by ExprPlanner", "this { }", ""),
    ("MAP not supported by ExprPlanner", "this MAP", ""),
    ("compound identifier: ", "a name of so many parts", "write column['field']"),
    ("could not parse compound identifier from", "this name", ""),
    ("Not a compound identifier", "this name", ""),
    ("Expected identifier, but found", "a name that is computed", "write the name"),
    ("Expected an identifier in function name, but found", "a name that is computed", "write the name"),
    ("variable {} has no type information", "@name", "write $name, with -v name=VALUE"),
    ("Tuple expressions are not supported for Rollup expressions", "a tuple in ROLLUP", "write GROUPING SETS ((a, b), ())"),
    ("Tuple expressions not are supported for Cube expressions", "a tuple in CUBE", "write GROUPING SETS ((a, b), ())"),
    ("Physical plan does not support logical expression", "this expression", ""),

    // Values, operators and types.
    ("Unsupported Value 'SingleQuotedByteStringLiteral", "B'…'", "write x'…', with hexadecimal digits"),
    ("Unsupported Value 'SingleQuotedRawStringLiteral", "R'…'", "write '…'; a backslash stands for itself"),
    ("Unsupported Value 'NationalStringLiteral", "N'…'", "leave N out"),
    ("Unsupported Value 'UnicodeStringLiteral", "U&'…'", "write the letters themselves"),
    ("Unsupported Value 'QuoteDelimitedStringLiteral", "Q'…'", "write $$…$$"),
    ("Unsupported Value 'NationalQuoteDelimitedStringLiteral", "NQ'…'", "write $$…$$"),
    ("Unsupported Value '", "a text in these quotes", "write '…'"),
    ("Unsupported binary operator: Assignment", ":=", "write x AS name"),
    ("Unsupported binary operator: PGStartsWith", "^@", "write starts_with(a, b)"),
    ("Unsupported binary operator: PGOverlap", "&&", "write array_has_any(a, b)"),
    ("Unsupported binary operator: PGCustomBinaryOperator", "OPERATOR(…)", "write the operator itself"),
    ("Unsupported binary operator: Overlaps", "OVERLAPS", "write a < d AND c < b"),
    ("Unsupported binary operator: ", "this operator", ""),
    ("Operator {} is not yet supported", "{}", NO_JSON),
    ("Binary operator 'AtAt' is not supported", "@@", "write x LIKE '%…%'"),
    ("Binary operator 'Colon' is not supported", "x:name", "write x['name']"),
    ("Unsupported SQL unary operator BitwiseNot", "~", "write -1 - x"),
    ("Unsupported SQL unary operator in interval", "this operator in INTERVAL", "write + or -"),
    ("Unsupported SQL unary operator ", "this operator", ""),
    ("Unsupported Interval Expression with leading_precision", "a precision of INTERVAL", "leave it out"),
    ("Unsupported Interval Expression with last_field", "INTERVAL … TO …", "write INTERVAL '1 day 2 hours'"),
    ("Unsupported Interval Expression with fractional_seconds_precision", "a precision of INTERVAL", "leave it out"),
    ("Unsupported interval operator", "this operator in INTERVAL", "write + or -"),
    ("Unsupported interval argument. Long number not supported", "L after a number", "leave it out"),
    ("Unsupported interval argument. Expected string literal or number", "a computed INTERVAL", "write concat(n, ' days')::INTERVAL"),
    ("Unsupported SQL type (precision/scale not supported) {}", "the type {}", "write DOUBLE"),
    ("Unsupported SQL type {}", "the type {}", "arrow_cast(x, 'UInt16') takes all types of Arrow"),
    ("Arrays with unspecified type is not supported", "ARRAY without a type", "write INT[]"),

    // Calls.
    ("Calling {}: LIMIT not supported", "LIMIT in {}()", "write (array_agg(x))[1:n]"),
    ("Calling {}: ON OVERFLOW not supported", "ON OVERFLOW in {}()", "leave it out"),
    ("Calling {}: HAVING not supported", "HAVING in {}()", "write max_by(x, y) or min_by(x, y)"),
    ("Calling {}: SEPARATOR not supported", "SEPARATOR in {}()", "write string_agg(x, ',')"),
    ("Calling {}: JSON NULL clause not supported", "ON NULL in {}()", NO_JSON),
    ("Calling {}: JSON RETURNING clause not supported", "RETURNING in {}()", NO_JSON),
    ("Unsupported qualified wildcard argument", "f(x.*)", "name the columns"),
    ("Unsupported function argument type: {}", "the argument {} of a table function", "give values in order"),
    ("Unsupported function argument: ", "this argument of a table function", "give values in order"),

    // FROM.
    ("Unsupported ast node TableFunction", "TABLE(f(…))", "write FROM f(…)"),
    ("Unsupported ast node JsonTable", "JSON_TABLE", NO_JSON),
    ("Unsupported ast node OpenJsonTable", "OPENJSON", NO_JSON),
    ("Unsupported ast node XmlTable", "XMLTABLE", "there are no functions for XML"),
    ("Unsupported ast node MatchRecognize", "MATCH_RECOGNIZE", "write window functions, such as lag(x) OVER (…)"),
    ("Unsupported ast node SemanticView", "SEMANTIC_VIEW", ""),
    ("Unsupported ast node Pivot", "this PIVOT", "write sum(x) FILTER (WHERE …)"),
    ("Unsupported ast node Unpivot", "this UNPIVOT", "write UNION ALL"),
    ("Unsupported ast node ", "this in FROM", ""),
    ("UNNEST with ordinality is not supported", "WITH ORDINALITY", "write row_number() OVER ()"),
    ("UNNEST table factor with offset is not supported", "WITH OFFSET", "write row_number() OVER ()"),
    ("Unsupported JOIN operator CrossApply", "CROSS APPLY", "write CROSS JOIN LATERAL (…) AS x"),
    ("Unsupported JOIN operator OuterApply", "OUTER APPLY", "write LEFT JOIN LATERAL (…) AS x ON true"),
    ("Unsupported JOIN operator AsOf", "ASOF JOIN", "write (SELECT max_by(b.x, b.t) FROM b WHERE b.t <= a.t) as a column"),
    ("Unsupported JOIN operator StraightJoin", "STRAIGHT_JOIN", "write JOIN"),
    ("Unsupported JOIN operator ArrayJoin", "ARRAY JOIN", "write unnest(l) as a column"),
    ("Unsupported JOIN operator LeftArrayJoin", "ARRAY JOIN", "write unnest(l) as a column"),
    ("Unsupported JOIN operator InnerArrayJoin", "ARRAY JOIN", "write unnest(l) as a column"),
    ("Unsupported JOIN operator Semi", "SEMI JOIN", "write LEFT SEMI JOIN"),
    ("Unsupported JOIN operator Anti", "ANTI JOIN", "write LEFT ANTI JOIN"),
    ("Unsupported JOIN operator ", "this JOIN", ""),

    // Clauses of queries.
    ("CLUSTER BY", "CLUSTER BY", "write ORDER BY"),
    ("SORT BY", "SORT BY", "write ORDER BY"),
    ("Physical plan does not support DistributeBy partitioning", "DISTRIBUTE BY", "leave it out"),
    ("LATERAL VIEWS", "LATERAL VIEW", "write unnest(l) as a column"),
    ("TOP", "TOP n", "write LIMIT n"),
    ("SELECT item with multiple aliases is not supported", "AS (a, b)", "name each column"),
    ("wildcard * with RENAME not supported", "* RENAME", "write * EXCLUDE (a), a AS b"),
    ("wildcard * with AS alias not supported", "* AS name", "name the columns"),
    ("Qualified wildcard with expression not supported", "(x).*", "name the columns"),
    ("ORDER BY WITH FILL is not supported", "WITH FILL", "join generate_series(a, b)"),
    ("ORDER BY INTERPOLATE is not supported", "INTERPOLATE", ""),
    ("FETCH clause is not supported yet", "FETCH with TIES or PERCENT", "write QUALIFY rank() OVER (ORDER BY x) <= n"),
    ("LIMIT BY clause is not supported yet", "LIMIT n BY", "write QUALIFY row_number() OVER (PARTITION BY x) <= n"),
    ("Unsupported LIMIT expression", "this LIMIT", "write a number, or -v n=NUMBER and LIMIT $n"),
    ("Unsupported OFFSET expression", "this OFFSET", "write a number, or -v n=NUMBER and OFFSET $n"),
    ("`{}` pipe operator is not supported yet", "|> {}", "write |> SELECT, or a subquery"),
    ("`VALUE` keyword not supported", "VALUE", "write VALUES"),
    ("Query {} not implemented yet", "{} in a query", "write it as a statement"),
    ("{} BY NAME not implemented", "BY NAME here", "name the columns in the same order"),
    ("MINUS {} not implemented", "MINUS", "write EXCEPT"),

    // Statements.
    ("Unsupported SQL statement: {}", "{}", ""),
    ("SET variant not implemented yet: ParenthesizedAssignments", "SET (a, b) = …", "write one SET for each"),
    ("SET variant not implemented yet: MultipleAssignments", "SET a = …, b = …", "write one SET for each"),
    ("SET variant not implemented yet: SetTimeZone", "SET TIME ZONE", "write t AT TIME ZONE 'Europe/Berlin'"),
    ("SET variant not implemented yet", "this SET", ""),
    ("Unsupported value ", "SET to this value", "write a number or a text"),
    ("Unsupported unary op ", "SET to a computed value", "write a number or a text"),
    ("Unsupported expr ", "SET to a computed value", "write a number or a text"),
    ("SET with scope modifiers is not supported", "LOCAL or GLOBAL in SET", "leave it out"),
    ("SHOW TABLES IN not supported", "SHOW TABLES IN", SHOW_TABLES),
    ("SHOW TABLES LIKE not supported", "SHOW TABLES LIKE", SHOW_TABLES),
    ("SHOW TABLES FILTER not supported", "SHOW TABLES with LIKE or WHERE", SHOW_TABLES),
    ("SHOW TABLES LIMIT", "SHOW TABLES LIMIT", SHOW_TABLES),
    ("SHOW FULL TABLES", "FULL", SHOW_TABLES),
    ("SHOW TERSE TABLES", "TERSE", SHOW_TABLES),
    ("SHOW TABLES HISTORY", "HISTORY", SHOW_TABLES),
    ("SHOW EXTERNAL TABLES", "EXTERNAL", SHOW_TABLES),
    ("SHOW COLUMNS with WHERE or LIKE is not supported", "SHOW COLUMNS with WHERE or LIKE", "write SELECT … FROM information_schema.columns"),
    ("Unsupported SHOW FUNCTIONS filter", "SHOW FUNCTIONS WHERE", "write SHOW FUNCTIONS LIKE '…'"),
    ("Only `SHOW CREATE TABLE", "SHOW CREATE of this", "write SHOW CREATE TABLE NAME, also for views"),
    ("Only `DROP TABLE/VIEW/SCHEMA", "DROP of this", "write DROP TABLE or DROP VIEW"),
    ("Describing statements other than SELECT not supported", "DESCRIBE of this statement", "write DESCRIBE SELECT …"),
    ("Execute statement with USING is not supported", "EXECUTE … USING", "write EXECUTE p(…)"),
    ("Temporary tables not supported", "TEMPORARY", "leave it out; tables last as long as the command"),
    ("Temporary views not supported", "TEMPORARY", "leave it out; views last as long as the command"),
    ("Transient tables not supported", "TRANSIENT", "leave it out; tables last as long as the command"),
    ("Materialized views not supported", "MATERIALIZED", "write CREATE TABLE t AS SELECT …"),
    ("Hive distribution not supported", "PARTITIONED BY", "leave it out"),
    ("Hive formats not supported", "ROW FORMAT, STORED AS or LOCATION", "files are tables: FROM 'file.parquet'"),
    ("Like not supported", "LIKE after CREATE TABLE", "write CREATE TABLE t AS FROM x LIMIT 0"),
    ("Clone not supported", "CLONE", "write CREATE TABLE t AS FROM x"),
    ("To not supported", "TO after CREATE VIEW", "write CREATE TABLE t AS SELECT …"),
    ("If not exists not supported", "IF NOT EXISTS", "write CREATE OR REPLACE VIEW"),
    ("Options not supported for view columns", "OPTIONS of a column", "leave it out"),
    ("Inserts with a table alias not supported", "an alias in INSERT", "leave it out"),
    ("Inserts with a `PRIORITY` clause not supported", "a priority of INSERT", "leave it out"),
    ("Insert-returning clause not supported", "RETURNING", "write SELECT before or after it"),
    ("Update-returning clause not yet supported", "RETURNING", "write SELECT before or after it"),
    ("Delete-returning clause not yet supported", "RETURNING", "write SELECT before or after it"),
    ("UPDATE ... FROM is not supported", "UPDATE … FROM", "write CREATE OR REPLACE TABLE t AS SELECT …"),
    ("Using clause not supported", "DELETE … USING", "write DELETE FROM t WHERE x IN (SELECT …)"),
    ("DELETE FROM only supports single table", "DELETE of several tables or of a query", "write DELETE FROM t WHERE x IN (SELECT …)"),
    ("Transaction kind not supported", "this transaction", "statements take effect one by one"),
];

/// Returns what to say instead of a message of the planner or the parser; `None` if it is no refusal of this table.
pub fn in_plain_words(message: &str) -> Option<String> {
    let (found, (_, what, instead)) =
        ROWS.iter().find_map(|row| Some((captured(row.0, message)?, row)))?;
    let what = match found.char_indices().nth(LETTERS) {
        Some((end, _)) => {
            what.replace("{}", &format!("{} …", found.get(..end).unwrap_or_default()))
        }
        None => what.replace("{}", found),
    };
    Some(match *instead {
        "" => format!("{what} is not supported"),
        instead => format!("{what} is not supported; {instead}"),
    })
}

/// Returns the text of the last `{}` of a pattern that a message begins with. What the pattern ends with is a whole word.
fn captured<'m>(pattern: &str, message: &'m str) -> Option<&'m str> {
    let mut parts = pattern.split("{}");
    let mut rest = message.strip_prefix(parts.next()?)?;
    let mut found = "";
    for part in parts {
        let end = if part.is_empty() { rest.len() } else { rest.find(part)? };
        found = rest.get(..end)?;
        rest = rest.get(end + part.len()..)?;
    }
    let is_cut =
        pattern.ends_with(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric);
    (!is_cut).then_some(found)
}
