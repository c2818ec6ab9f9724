//! A grammar of SQL statements over the tables and views, which draws from a seed. Most operands have a type that fits.

use crate::support::random::Random;

/// A relation and its columns.
type Relation = (String, Vec<String>);

/// The type of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Text,
    Truth,
    Time,
    List,
}

use Type::{List, Number, Text, Time, Truth};

/// Calls by result: `n` stands for a number, `t` for a text, `b` for a truth value, `d` for a time, `l` for a list.
const CALLS: [(Type, &[&str]); 5] = [
    (
        Number,
        &[
            "abs(n)",
            "acos(n)",
            "ascii(t)",
            "bit_length(t)",
            "array_length(l)",
            "array_position(l, n)",
            "cardinality(l)",
            "cbrt(n)",
            "ceil(n)",
            "coalesce(n, n)",
            "cos(n)",
            "date_part('dow', d)",
            "exp(n)",
            "factorial(n)",
            "find_in_set(t, t)",
            "floor(n)",
            "gcd(n, n)",
            "greatest(n, n)",
            "lcm(n, n)",
            "length(t)",
            "levenshtein(t, t)",
            "ln(n)",
            "log(n, n)",
            "nullif(n, n)",
            "power(n, n)",
            "round(n, n)",
            "round(n)",
            "trunc(n, n)",
            "sqrt(n)",
            "strpos(t, t)",
            "array_element(l, n)",
            "array_max(l)",
            "date_part('epoch', d)",
            "CAST(n AS TINYINT)",
            "CAST(t AS BIGINT)",
            "TRY_CAST(t AS DOUBLE)",
            "CAST(n AS DECIMAL(38, 10))",
            "CAST(n AS DECIMAL(5, 5))",
            "CAST(n AS BIGINT UNSIGNED)",
            "CAST(n AS REAL)",
            "CAST(b AS INT)",
            "nvl2(n, n, n)",
            "random()",
            "-n",
            "extract(year FROM d)",
            "CASE WHEN b THEN n ELSE n END",
            "CASE n WHEN n THEN n END",
            "l[n]",
            "op_flops(t)",
            "unnest(l)",
            "width_bucket(n, n, n, n)",
        ],
    ),
    (
        Text,
        &[
            "array_to_string(l, t)",
            "chr(n)",
            "concat(t, n, t)",
            "concat_ws(t, t, t)",
            "encode(t, 'hex')",
            "initcap(t)",
            "left(t, n)",
            "lpad(t, n % 100, t)",
            "ltrim(t, t)",
            "md5(t)",
            "overlay(t PLACING t FROM n FOR n)",
            "regexp_replace(t, t, t)",
            "repeat(t, n % 50)",
            "replace(t, t, t)",
            "reverse(t)",
            "right(t, n)",
            "rpad(t, n % 100)",
            "split_part(t, t, n)",
            "strftime(d, '%Y-%j')",
            "substr(t, n, n)",
            "substr(t, n)",
            "to_char(d, t)",
            "to_hex(n)",
            "translate(t, t, t)",
            "trim(t)",
            "upper(t)",
            "CAST(n AS VARCHAR)",
            "CAST(d AS VARCHAR)",
            "arrow_typeof(n)",
            "coalesce(t, t)",
            "nullif(t, t)",
            "t || t",
            "t || n",
            "CASE WHEN b THEN t END",
            "CAST(l AS VARCHAR)",
            "op_kind(t)",
            "regexp_match(t, t)[1]",
        ],
    ),
    (
        Truth,
        &[
            "n < n",
            "n = n",
            "n <> n",
            "n IS NULL",
            "n IS DISTINCT FROM n",
            "t LIKE t",
            "t ILIKE t",
            "t ~ t",
            "t = t",
            "t < t",
            "NOT b",
            "b AND b",
            "b OR b",
            "n BETWEEN n AND n",
            "n IN (n, n)",
            "t IN (t, NULL)",
            "n NOT IN (n, NULL)",
            "array_has(l, n)",
            "contains(t, t)",
            "ends_with(t, t)",
            "regexp_like(t, t)",
            "isnan(n)",
            "b IS TRUE",
            "d < d",
            "matches_pattern(t, t)",
            "n = ANY (l)",
            "l = l",
            "(n, t) = (n, t)",
        ],
    ),
    (
        Time,
        &[
            "date_trunc('week', d)",
            "date_bin(INTERVAL '7 minutes', d)",
            "to_timestamp(n)",
            "make_date(n, n, n)",
            "now()",
            "CAST(t AS DATE)",
            "TRY_CAST(t AS TIMESTAMP)",
            "d + INTERVAL '1 month'",
            "d - INTERVAL '99999 years'",
            "from_unixtime(n)",
            "CAST(n AS TIMESTAMP)",
            "CASE WHEN b THEN d ELSE d END",
        ],
    ),
    (
        List,
        &[
            "array_append(l, n)",
            "array_concat(l, l)",
            "array_distinct(l)",
            "array_remove(l, n)",
            "array_repeat(n, n % 9)",
            "array_resize(l, n % 99, n)",
            "array_reverse(l)",
            "array_slice(l, n, n)",
            "array_sort(l)",
            "[n, n]",
            "l[n:n]",
            "generate_series(n, n, n)",
            "range(n % 100)",
            "flatten([l, l])",
            "array_except(l, l)",
            "list_sort(l)",
            "array_union(l, l)",
            "string_to_array(t, t)",
            "map_keys(map([n], [n]))",
        ],
    ),
];

const AGGREGATES: [&str; 40] = [
    "count(*)",
    "count(n)",
    "count(DISTINCT t)",
    "sum(n)",
    "avg(n)",
    "min(n)",
    "max(t)",
    "median(n)",
    "mad(n)",
    "mode(n)",
    "stddev(n)",
    "var_pop(n)",
    "corr(n, n)",
    "covar_pop(n, n)",
    "regr_slope(n, n)",
    "bool_and(b)",
    "bit_xor(n)",
    "string_agg(t, t)",
    "array_agg(n)",
    "array_agg(DISTINCT n)",
    "array_agg(t ORDER BY n DESC)",
    "first(n)",
    "last(t)",
    "max_by(t, n)",
    "min_by(n, n)",
    "quantile_cont(n, 0.5)",
    "quantiles(n)",
    "histogram(n)",
    "approx_distinct(n)",
    "percentile_cont(0.9) WITHIN GROUP (ORDER BY n)",
    "sum(DISTINCT n)",
    "any_value(d)",
    "max(d)",
    "min(l)",
    "sum(n) / count(*)",
    "count(*) FILTER (WHERE b)",
    "sum(n) FILTER (WHERE b)",
    "max(b)",
    "list(n)",
    "nth_value(n, 2)",
];

const WINDOWS: [&str; 22] = [
    "row_number()",
    "rank()",
    "dense_rank()",
    "percent_rank()",
    "cume_dist()",
    "ntile(n)",
    "ntile(3)",
    "lag(n)",
    "lag(n, 2, n)",
    "lead(t)",
    "lead(n, -1)",
    "lag(n, 9223372036854775807)",
    "first_value(n)",
    "last_value(t)",
    "nth_value(n, 2)",
    "nth_value(n, -1)",
    "sum(n)",
    "count(*)",
    "max(n)",
    "avg(n)",
    "array_agg(n)",
    "median(n)",
];

const FRAMES: [&str; 8] = [
    "",
    "",
    "ROWS 2 PRECEDING",
    "ROWS BETWEEN 3 FOLLOWING AND 1 FOLLOWING",
    "ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "GROUPS CURRENT ROW",
    "ROWS BETWEEN 9223372036854775807 PRECEDING AND CURRENT ROW",
];

const LITERALS: [(Type, &[&str]); 5] = [
    (
        Number,
        &[
            "NULL",
            "0",
            "1",
            "-1",
            "2",
            "7",
            "64",
            "-64",
            "2147483647",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "1e308",
            "-0.0",
            "0.1",
            "CAST('NaN' AS DOUBLE)",
            "1 / 0",
            "x",
        ],
    ),
    (
        Text,
        &[
            "NULL",
            "''",
            "'a'",
            "'%'",
            "'é✓'",
            "'matmul'",
            "'('",
            "'\\'",
            "'1'",
            "' 2024-01-01 '",
            "'%Q'",
            "'[a-z]+'",
        ],
    ),
    (Truth, &["NULL", "true", "false", "1 = 1"]),
    (
        Time,
        &[
            "NULL",
            "TIMESTAMP '2262-04-11 23:47:16'",
            "DATE '9999-12-31'",
            "TIMESTAMP '1677-09-22 00:00:00'",
            "DATE '2024-02-29'",
            "TIMESTAMP '2024-02-29 12:00:00.5'",
        ],
    ),
    (List, &["NULL", "[]", "[1, NULL, 3]", "[1]", "[NULL]", "[1, 2, 2]"]),
];

/// Draws statements.
#[derive(Debug)]
pub struct Grammar {
    random: Random,
    relations: Vec<Relation>,
    /// The columns in scope.
    columns: Vec<String>,
}

/// Guesses the type of a column from its name.
fn type_of(column: &str) -> Type {
    const TEXTS: [&str; 12] = [
        "bundle", "name", "key", "type", "op", "label", "source", "status", "kind", "domain",
        "what", "path",
    ];
    let last = column.rsplit('_').next().unwrap_or(column);
    if column.starts_with("is_")
        || column.starts_with("has_")
        || column.starts_with("flag_")
        || last == "available"
    {
        Truth
    } else if TEXTS.contains(&last) {
        Text
    } else {
        Number
    }
}

impl Grammar {
    pub fn new(random: Random) -> Self {
        let tables = schemas::all().iter().map(|table| {
            let columns = table.columns();
            (table.name.to_owned(), columns.iter().map(|column| column.name.clone()).collect())
        });
        let views = sql::all().iter().filter(|view| view.kind != sql::Kind::Export).map(|view| {
            let of_report = view.kind == sql::Kind::Report;
            let name = if of_report { format!("report.{}", view.name) } else { view.name.into() };
            (name, view.header().columns.iter().map(|column| column.name.clone()).collect())
        });
        Self { random, relations: tables.chain(views).collect(), columns: Vec::new() }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn pick(&mut self, values: &[&str]) -> String {
        values[self.below(values.len())].to_owned()
    }

    /// Draws a statement.
    pub fn statement(&mut self) -> String {
        match self.below(16) {
            0 => format!("EXPLAIN {}", self.query(2)),
            1 => format!("EXPLAIN ANALYZE {}", self.query(1)),
            2 => format!("SUMMARIZE {}", self.query(1)),
            3 => {
                let (relation, value) = (self.relation(), self.of(Number, 1));
                let (on, group) = (self.column(), self.column());
                format!("PIVOT {relation} ON {on} USING max({value}) GROUP BY {group}")
            }
            4 => {
                let relation = self.relation();
                let (one, two) = (self.column(), self.column());
                format!("UNPIVOT {relation} ON {one}, {two} INTO NAME n VALUE v")
            }
            5 => {
                let body = self.of(Number, 2).replace('x', "a");
                format!("CREATE MACRO f(a) AS {body}; SELECT f({})", self.literal(Number))
            }
            6 => format!("CREATE VIEW v AS {}; SELECT * FROM v LIMIT 9", self.query(2)),
            7 => format!("SELECT {} FROM (SELECT 1 AS x)", self.item(4)),
            8 => {
                let item = self.of(Number, 2);
                format!(
                    "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 5) SELECT {item} FROM r"
                )
            }
            _ => self.query(3),
        }
    }

    fn relation(&mut self) -> String {
        let at = self.below(self.relations.len());
        let (name, columns) = self.relations[at].clone();
        self.columns = columns;
        name
    }

    fn column(&mut self) -> String {
        if self.columns.is_empty() {
            return "x".into();
        }
        let at = self.below(self.columns.len());
        format!("\"{}\"", self.columns[at])
    }

    fn literal(&mut self, kind: Type) -> String {
        let (_, texts) = LITERALS[LITERALS.iter().position(|(of, _)| *of == kind).unwrap()];
        let text = self.pick(texts);
        // `x` is the column of the relations that statements define.
        if text == "x" && !self.columns.is_empty() { "3".into() } else { text }
    }

    /// Draws an expression of a type, or rarely of another one.
    fn of(&mut self, kind: Type, depth: usize) -> String {
        if self.below(40) == 0 {
            return self.column();
        }
        let fitting: Vec<String> =
            self.columns.iter().filter(|column| type_of(column) == kind).cloned().collect();
        let draw = self.below(10);
        if draw < 4 && !fitting.is_empty() {
            return format!("\"{}\"", fitting[self.below(fitting.len())]);
        }
        if depth == 0 || draw < 5 {
            return self.literal(kind);
        }
        if depth > 1 && draw == 9 && self.below(3) == 0 {
            let form = if kind == Truth { "EXISTS " } else { "" };
            let (relation, outer) = (self.below(self.relations.len()), self.columns.clone());
            self.columns = self.relations[relation].1.clone();
            let item = self.of(kind, depth - 2);
            let condition = self.of(Truth, depth - 2);
            self.columns = outer;
            let name = &self.relations[relation].0;
            return format!("{form}(SELECT {item} FROM {name} WHERE {condition} LIMIT 1)");
        }
        let (_, calls) = CALLS[CALLS.iter().position(|(of, _)| *of == kind).unwrap()];
        let call = self.pick(calls);
        format!("({})", self.filled(&call, depth - 1))
    }

    /// Replaces the letters of operands in a template by expressions.
    fn filled(&mut self, template: &str, depth: usize) -> String {
        let mut filled = String::new();
        let mut quoted = false;
        let letters: Vec<char> = template.chars().collect();
        for (at, letter) in letters.iter().enumerate() {
            quoted ^= *letter == '\'';
            let is_word =
                |it: Option<&char>| it.is_some_and(|it| it.is_alphanumeric() || *it == '_');
            let alone = !is_word(letters.get(at + 1)) && (at == 0 || !is_word(letters.get(at - 1)));
            let kind = match letter {
                'n' => Some(Number),
                't' => Some(Text),
                'b' => Some(Truth),
                'd' => Some(Time),
                'l' => Some(List),
                _ => None,
            };
            match kind {
                Some(kind) if alone && !quoted => filled += &self.of(kind, depth),
                _ => filled.push(*letter),
            }
        }
        filled
    }

    /// Draws an item of SELECT.
    fn item(&mut self, depth: usize) -> String {
        match self.below(8) {
            0 | 1 => {
                let call = self.pick(&WINDOWS);
                let (call, frame) = (self.filled(&call, depth - 1), self.pick(&FRAMES));
                format!(
                    "{call} OVER (PARTITION BY {} ORDER BY {} {frame})",
                    self.of(Text, 1),
                    self.of(Number, 1)
                )
            }
            2 => self.column(),
            3 | 4 => self.of(Number, depth),
            5 => self.of(Text, depth),
            6 => self.of(Truth, depth),
            _ => {
                let kind = if self.below(2) == 0 { List } else { Time };
                self.of(kind, depth)
            }
        }
    }

    fn from(&mut self, depth: usize) -> String {
        let relation = self.relation();
        match self.below(8) {
            0 if depth > 0 => {
                let columns = self.columns.clone();
                let condition = self.of(Truth, depth);
                self.columns = columns;
                format!("(SELECT * FROM {relation} WHERE {condition} LIMIT 30) AS q")
            }
            1 | 2 => {
                let kinds =
                    ["JOIN", "LEFT JOIN", "FULL JOIN", "RIGHT JOIN", "SEMI JOIN", "ANTI JOIN"];
                let kind = self.pick(&kinds);
                let other = self.relation();
                let at = self.column();
                let value = self.literal(Number);
                format!(
                    "(SELECT * FROM {relation} LIMIT 20) AS l {kind} (SELECT * FROM {other} LIMIT 20) AS r ON l.bundle = r.bundle AND r.{at} <> {value}"
                )
            }
            _ => relation,
        }
    }

    fn query(&mut self, depth: usize) -> String {
        let from = self.from(depth);
        let grouped = self.below(3) == 0;
        let key = self.column();
        let mut items: Vec<String> = (0..=self.below(3))
            .map(|_| {
                let call = self.pick(&AGGREGATES);
                if grouped { self.filled(&call, depth) } else { self.item(depth + 1) }
            })
            .collect();
        items.extend(grouped.then(|| key.clone()));
        let distinct = self.pick(&["", "", "", "DISTINCT "]);
        let mut query = format!("SELECT {distinct}{} FROM {from}", items.join(", "));
        if self.below(2) == 0 {
            query += &format!(" WHERE {}", self.of(Truth, depth));
        }
        if grouped {
            let by = [
                key.clone(),
                "ALL".into(),
                format!("ROLLUP ({key})"),
                format!("GROUPING SETS (({key}), ())"),
            ];
            query += &format!(" GROUP BY {}", by[self.below(by.len())]);
            if self.below(4) == 0 {
                query += &format!(" HAVING count(*) > {}", self.literal(Number));
            }
        }
        if depth > 1 && self.below(8) == 0 {
            let set = self.pick(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
            return format!("{query} {set} {query} LIMIT 5");
        }
        if self.below(3) == 0 {
            let direction = self.pick(&["", "DESC", "NULLS FIRST"]);
            query += &format!(" ORDER BY 1 {direction}, {} NULLS LAST", items[0]);
        }
        query + " LIMIT " + &self.pick(&["5", "0", "10 OFFSET 3", "NULL", "9223372036854775807"])
    }
}
