//! Random SQL statements over relations, from a seed, whose answers do not depend on how they are planned: where rows are
//! ordered and cut, the order is that of all columns.

use super::random::Random;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Integer,
    Text,
    Bool,
}

/// A relation with its columns, and some values of each as literals.
#[derive(Debug, Clone)]
pub struct Relation {
    pub name: String,
    pub columns: Vec<(String, Kind, Vec<String>)>,
}

/// A statement, and whether its rows have an order.
#[derive(Debug, Clone)]
pub struct Statement {
    pub text: String,
    pub is_ordered: bool,
}

/// A column that expressions may name.
#[derive(Debug, Clone)]
struct Column {
    sql: String,
    kind: Kind,
    values: Vec<String>,
}

/// Columns under the names `c1`, `c2`, … of a subquery.
type Kinds = Vec<Kind>;

pub fn statement(relations: &[Relation], seed: u64) -> Statement {
    let mut writer = Writer { random: Random(seed), relations, aliases: 0 };
    // The first numbers of near seeds are near.
    writer.random.next();
    writer.statement()
}

struct Writer<'a> {
    random: Random,
    relations: &'a [Relation],
    aliases: usize,
}

impl Writer<'_> {
    fn one_in(&mut self, of: usize) -> bool {
        self.random.below(of) == 0
    }

    fn among<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.random.below(all.len())].clone()
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    fn kinds(&mut self) -> Kinds {
        (0..=self.random.below(3)).map(|_| self.kind()).collect()
    }

    fn kind(&mut self) -> Kind {
        self.among(&[Kind::Integer, Kind::Integer, Kind::Text, Kind::Text, Kind::Bool])
    }

    fn statement(&mut self) -> Statement {
        let kinds = self.kinds();
        let mut text = match self.random.below(10) {
            0 | 1 => self.set_operation(&kinds),
            2 => self.of_common_table(&kinds),
            _ => self.select(&kinds, 2),
        };
        let is_ordered = self.one_in(2);
        if is_ordered {
            let mut keys: Vec<usize> = (1..=kinds.len()).collect();
            keys.rotate_left(self.random.below(kinds.len()));
            let keys: Vec<String> = keys
                .into_iter()
                .map(|key| {
                    let direction = self.among(&["", " DESC"]);
                    let nulls = self.among(&["FIRST", "LAST"]);
                    format!("c{key}{direction} NULLS {nulls}")
                })
                .collect();
            let cut = match self.random.below(3) {
                0 => format!(" LIMIT {}", self.random.below(20)),
                1 => format!(" LIMIT {} OFFSET {}", self.random.below(20), self.random.below(9)),
                _ => String::new(),
            };
            let alias = self.alias();
            text = if self.one_in(2) && text.starts_with("SELECT") && !text.contains("UNION") {
                format!("{text} ORDER BY {}{cut}", keys.join(", "))
            } else {
                format!("SELECT * FROM ({text}) {alias} ORDER BY {}{cut}", keys.join(", "))
            };
        }
        Statement { text, is_ordered }
    }

    fn set_operation(&mut self, kinds: &[Kind]) -> String {
        let operation = self.among(&["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"]);
        let one = self.select(kinds, 1);
        let other = if self.one_in(3) { self.literals(kinds) } else { self.select(kinds, 1) };
        format!("SELECT * FROM ({one} {operation} {other}) {}", self.alias())
    }

    /// A common table that is joined with itself.
    fn of_common_table(&mut self, kinds: &[Kind]) -> String {
        let inner: Kinds = vec![Kind::Integer, Kind::Text, Kind::Integer];
        let table = self.select(&inner, 1);
        let join = self.join();
        let named = |alias: &str| -> Vec<Column> {
            let of = |(nth, kind): (usize, &Kind)| Column {
                sql: format!("{alias}.c{}", nth + 1),
                kind: *kind,
                values: Vec::new(),
            };
            inner.iter().enumerate().map(of).collect()
        };
        let columns = [named("one"), named("other")].concat();
        let more = if self.one_in(2) {
            format!(" AND one.c3 {} other.c3", self.among(&["<", ">=", "<>"]))
        } else {
            String::new()
        };
        let items = self.items(kinds, &columns);
        format!(
            "WITH cte AS (SELECT * FROM ({table}) x ORDER BY c1 NULLS LAST, c2 NULLS LAST, c3 NULLS LAST LIMIT 60) \
             SELECT {items} FROM cte one {join} cte other ON one.c1 = other.c1{more}"
        )
    }

    fn literals(&mut self, kinds: &[Kind]) -> String {
        let items: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(nth, kind)| format!("{} AS c{}", self.literal(*kind, &[]), nth + 1))
            .collect();
        format!("SELECT {}", items.join(", "))
    }

    fn join(&mut self) -> &'static str {
        self.among(&["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
    }

    /// A SELECT with columns `c1`, `c2`, … of these kinds.
    fn select(&mut self, kinds: &[Kind], depth: usize) -> String {
        let (from, columns) = self.from(depth);
        let filter = if self.one_in(2) {
            format!(" WHERE {}", self.predicate(&columns, depth))
        } else {
            String::new()
        };
        match self.random.below(8) {
            0 | 1 => {
                format!("SELECT DISTINCT {} FROM {from}{filter}", self.items(kinds, &columns))
            }
            2..=4 => self.grouped(kinds, &from, &filter, &columns),
            5 => self.windows(kinds, &from, &filter, &columns),
            _ => format!("SELECT {} FROM {from}{filter}", self.items(kinds, &columns)),
        }
    }

    fn items(&mut self, kinds: &[Kind], columns: &[Column]) -> String {
        let items: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(nth, kind)| format!("{} AS c{}", self.expression(*kind, columns, 2), nth + 1))
            .collect();
        items.join(", ")
    }

    fn grouped(&mut self, kinds: &[Kind], from: &str, filter: &str, columns: &[Column]) -> String {
        let keys: Vec<String> = (0..=self.random.below(3))
            .map(|_| self.among(columns).sql)
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let of_keys: Vec<Column> =
            columns.iter().filter(|column| keys.contains(&column.sql)).cloned().collect();
        let items: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(nth, kind)| {
                let as_key = of_keys.iter().any(|key| key.kind == *kind) && self.one_in(2);
                let item = if as_key {
                    let fitting: Vec<&Column> =
                        of_keys.iter().filter(|key| key.kind == *kind).collect();
                    self.among(&fitting).sql.clone()
                } else {
                    self.aggregate(*kind, columns)
                };
                format!("{item} AS c{}", nth + 1)
            })
            .collect();
        let list = keys.join(", ");
        let by = match self.random.below(6) {
            0 if keys.len() > 1 => format!("ROLLUP ({list})"),
            1 if keys.len() > 1 => format!("GROUPING SETS (({list}), ({}), ())", keys[0]),
            _ => list,
        };
        let having = match self.random.below(4) {
            0 => format!(" HAVING count(*) > {}", self.random.below(4)),
            _ => String::new(),
        };
        format!("SELECT {} FROM {from}{filter} GROUP BY {by}{having}", items.join(", "))
    }

    fn aggregate(&mut self, kind: Kind, columns: &[Column]) -> String {
        let argument = self.expression(kind, columns, 1);
        let filter = if self.one_in(5) {
            format!(" FILTER (WHERE {})", self.predicate(columns, 0))
        } else {
            String::new()
        };
        let call = match kind {
            Kind::Integer => {
                let other = self.kind();
                let any = self.expression(other, columns, 1);
                self.among(&[
                    "count(*)".to_owned(),
                    format!("count({any})"),
                    format!("count(DISTINCT {any})"),
                    format!("sum({argument})"),
                    format!("min({argument})"),
                    format!("max({argument})"),
                ])
            }
            Kind::Text => self.among(&[format!("min({argument})"), format!("max({argument})")]),
            Kind::Bool => {
                self.among(&[format!("bool_and({argument})"), format!("bool_or({argument})")])
            }
        };
        format!("{call}{filter}")
    }

    /// Windows whose values are the same for rows that are equal in their order.
    fn windows(&mut self, kinds: &[Kind], from: &str, filter: &str, columns: &[Column]) -> String {
        let items: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(|(nth, kind)| {
                let argument = self.expression(*kind, columns, 1);
                let call = match kind {
                    Kind::Integer => self.among(&[
                        "rank()".to_owned(),
                        "dense_rank()".to_owned(),
                        "count(*)".to_owned(),
                        format!("sum({argument})"),
                        format!("max({argument})"),
                    ]),
                    Kind::Text => format!("max({argument})"),
                    Kind::Bool => format!("bool_or({argument})"),
                };
                let partition = if self.one_in(2) {
                    format!("PARTITION BY {} ", self.among(columns).sql)
                } else {
                    String::new()
                };
                let order = self.among(columns).sql;
                let direction = self.among(&["", " DESC"]);
                format!(
                    "{call} OVER ({partition}ORDER BY {order}{direction} NULLS LAST) AS c{}",
                    nth + 1
                )
            })
            .collect();
        format!("SELECT {} FROM {from}{filter}", items.join(", "))
    }

    /// A FROM clause, and the columns that it offers.
    fn from(&mut self, depth: usize) -> (String, Vec<Column>) {
        let (mut from, mut columns) = self.source(depth);
        for _ in 0..self.among(&[0, 0, 1, 1, 1, 2]) {
            let (source, of_source) = self.source(depth);
            let Some(equal) = self.equality(&columns, &of_source) else { continue };
            let join = self.join();
            let both = [columns.as_slice(), &of_source].concat();
            let condition = match self.random.below(4) {
                0 => format!(" AND {}", self.comparison(&columns, &of_source)),
                1 => format!(" AND {}", self.predicate(&both, 0)),
                _ => String::new(),
            };
            from = format!("{from} {join} {source} ON {equal}{condition}");
            columns = both;
        }
        (from, columns)
    }

    /// An equality of a column of each side: preferably of one name.
    fn equality(&mut self, left: &[Column], right: &[Column]) -> Option<String> {
        let name = |column: &Column| column.sql.split_once('.').map(|it| it.1.to_owned());
        let mut pairs = Vec::new();
        for one in left {
            for other in right.iter().filter(|other| other.kind == one.kind) {
                pairs.push((one, other, name(one) == name(other)));
            }
        }
        let same: Vec<_> = pairs.iter().filter(|pair| pair.2).copied().collect();
        let pairs = if same.is_empty() || self.one_in(4) { pairs } else { same };
        let selective: Vec<_> =
            pairs.iter().filter(|pair| pair.0.kind != Kind::Bool).copied().collect();
        if selective.is_empty() {
            return None;
        }
        let (one, other, _) = self.among(&selective);
        Some(format!("{} = {}", one.sql, other.sql))
    }

    /// A comparison of a column of each side.
    fn comparison(&mut self, left: &[Column], right: &[Column]) -> String {
        let (left, right) = (self.of_kind(Kind::Integer, left), self.of_kind(Kind::Integer, right));
        let (Some(left), Some(right)) = (left, right) else { return "true".into() };
        format!("{} {} {}", left.sql, self.among(&["<", "<=", ">", ">=", "<>"]), right.sql)
    }

    fn source(&mut self, depth: usize) -> (String, Vec<Column>) {
        let alias = self.alias();
        let named = |kinds: &[Kind]| -> Vec<Column> {
            let of = |(nth, kind): (usize, &Kind)| Column {
                sql: format!("{alias}.c{}", nth + 1),
                kind: *kind,
                values: Vec::new(),
            };
            kinds.iter().enumerate().map(of).collect()
        };
        match self.random.below(if depth == 0 { 6 } else { 10 }) {
            0 => {
                let rows: Vec<String> = (0..=self.random.below(4))
                    .map(|_| {
                        let row = [Kind::Text, Kind::Integer].map(|kind| self.literal(kind, &[]));
                        format!("({})", row.join(", "))
                    })
                    .collect();
                let columns = named(&[Kind::Text, Kind::Integer]);
                (format!("(VALUES {}) {alias}(c1, c2)", rows.join(", ")), columns)
            }
            6.. => {
                let kinds = [Kind::Text, Kind::Integer, self.kind()];
                let text = self.select(&kinds, depth - 1);
                (format!("({text}) {alias}"), named(&kinds))
            }
            _ => {
                let relations = self.relations;
                let relation = &relations[self.random.below(relations.len())];
                let columns = relation.columns.iter().map(|(name, kind, values)| Column {
                    sql: format!("{alias}.{name}"),
                    kind: *kind,
                    values: values.clone(),
                });
                (format!("{} {alias}", relation.name), columns.collect())
            }
        }
    }

    fn of_kind(&mut self, kind: Kind, columns: &[Column]) -> Option<Column> {
        let fitting: Vec<&Column> = columns.iter().filter(|column| column.kind == kind).collect();
        (!fitting.is_empty()).then(|| self.among(&fitting).clone())
    }

    fn literal(&mut self, kind: Kind, values: &[String]) -> String {
        if !values.is_empty() && self.one_in(2) {
            return self.among(values);
        }
        let literals: &[&str] = match kind {
            Kind::Integer => &["0", "1", "2", "3", "-1", "7", "100", "NULL"],
            Kind::Text => &["'a'", "'b'", "''", "'total'", "NULL"],
            Kind::Bool => &["true", "false", "NULL"],
        };
        let literal = self.among(literals);
        match (literal, kind) {
            ("NULL", Kind::Integer) => "CAST(NULL AS BIGINT)".into(),
            ("NULL", Kind::Text) => "CAST(NULL AS VARCHAR)".into(),
            ("NULL", Kind::Bool) => "CAST(NULL AS BOOLEAN)".into(),
            _ => literal.into(),
        }
    }

    fn expression(&mut self, kind: Kind, columns: &[Column], depth: usize) -> String {
        let column = self.of_kind(kind, columns);
        let Some(column) = column else { return self.literal(kind, &[]) };
        if depth == 0 || self.one_in(2) {
            return column.sql;
        }
        let other = self.of_kind(kind, columns).unwrap_or_else(|| column.clone());
        let literal = self.literal(kind, &column.values);
        match (kind, self.random.below(6)) {
            (_, 0) => format!("coalesce({}, {literal})", column.sql),
            (_, 1) => {
                let when = self.predicate(columns, 0);
                format!("CASE WHEN {when} THEN {} ELSE {} END", column.sql, other.sql)
            }
            (Kind::Integer, 2) => format!("{} + {}", column.sql, other.sql),
            (Kind::Integer, 3) => format!("{} - {}", column.sql, other.sql),
            (Kind::Integer, 4) => format!("{} % {}", column.sql, self.among(&["2", "3", "7"])),
            (Kind::Integer, _) => format!("{} * {}", column.sql, self.among(&["2", "3", "-1"])),
            (Kind::Text, 2) => format!("{} || {literal}", column.sql),
            (Kind::Text, 3) => format!("upper({})", column.sql),
            (Kind::Bool, 2) => format!("NOT {}", column.sql),
            (Kind::Bool, 3) => format!("({} AND {})", column.sql, other.sql),
            (Kind::Bool, _) => format!("({})", self.predicate(columns, 0)),
            _ => column.sql,
        }
    }

    fn predicate(&mut self, columns: &[Column], depth: usize) -> String {
        let kind = self.kind();
        let Some(column) = self.of_kind(kind, columns) else { return "true".into() };
        let literal = self.literal(kind, &column.values);
        let name = &column.sql;
        match self.random.below(if depth == 0 { 7 } else { 11 }) {
            0 => format!("{name} IS NULL"),
            1 => format!("{name} IS NOT NULL"),
            2 => {
                let more = self.literal(kind, &column.values);
                let not = self.among(&["", "NOT "]);
                format!("{name} {not}IN ({literal}, {more})")
            }
            3 => format!("{name} IS DISTINCT FROM {literal}"),
            4 if kind != Kind::Bool => {
                let operator = self.among(&["<", "<=", ">", ">="]);
                format!("{name} {operator} {literal}")
            }
            5 => {
                let other = self.of_kind(kind, columns).unwrap_or_else(|| column.clone());
                format!("{name} {} {}", self.among(&["=", "<>"]), other.sql)
            }
            7 => {
                let (one, other) = (self.predicate(columns, 0), self.predicate(columns, 0));
                format!("({one} {} {other})", self.among(&["AND", "OR"]))
            }
            8 => format!("NOT ({})", self.predicate(columns, 0)),
            9 => self.exists(columns),
            10 => self.scalar(columns),
            _ => format!("{name} {} {literal}", self.among(&["=", "<>"])),
        }
    }

    /// A correlated EXISTS.
    fn exists(&mut self, columns: &[Column]) -> String {
        let (source, inner) = self.source(0);
        let Some(equal) = self.equality(columns, &inner) else { return "true".into() };
        let more = if self.one_in(2) {
            format!(" AND {}", self.predicate(&inner, 0))
        } else {
            String::new()
        };
        let not = self.among(&["", "NOT "]);
        format!("{not}EXISTS (SELECT 1 FROM {source} WHERE {equal}{more})")
    }

    /// A comparison with a correlated scalar subquery.
    fn scalar(&mut self, columns: &[Column]) -> String {
        let (source, inner) = self.source(0);
        let Some(equal) = self.equality(columns, &inner) else { return "true".into() };
        let Some(column) = self.of_kind(Kind::Integer, columns) else { return "true".into() };
        let of = self.aggregate_of(&inner);
        let operator = self.among(&["<", ">=", "=", "<>"]);
        format!("{} {operator} (SELECT {of} FROM {source} WHERE {equal})", column.sql)
    }

    fn aggregate_of(&mut self, columns: &[Column]) -> String {
        let column = self.of_kind(Kind::Integer, columns);
        match (column, self.random.below(3)) {
            (Some(column), 0) => format!("max({})", column.sql),
            (Some(column), 1) => format!("sum({})", column.sql),
            _ => "count(*)".into(),
        }
    }
}
