//! Parses the header comment of a query file: its documentation and that of its columns.

/// The parsed header of a query file.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// The description of a row, and notes.
    pub doc: String,
    pub columns: Vec<ColumnDoc>,
}

/// The documentation of a column.
#[derive(Debug, PartialEq, Eq)]
pub struct ColumnDoc {
    pub name: String,
    /// The unit; empty if there is none.
    pub unit: String,
    pub doc: String,
    pub print: Print,
}

/// How a report's column is printed as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Print {
    /// Digits after the decimal point of a floating-point number.
    pub digits: usize,
    /// Whether key and value are left out if the value is NULL.
    pub optional: bool,
    /// Whether the column is not printed and only serves as a sort key among the rows of several reports.
    pub hidden: bool,
}

impl Default for Print {
    fn default() -> Self {
        Self { digits: 3, optional: false, hidden: false }
    }
}

/// Parses the `--` lines at the top of a file. A line without a tag continues the text before it.
pub fn parse(query: &str) -> Header {
    let mut header = Header { doc: String::new(), columns: Vec::new() };
    let comments = query.lines().map_while(|line| line.strip_prefix("--")).map(str::trim);
    for line in comments {
        if let Some(column) = line.strip_prefix("@column ") {
            header.columns.extend(column_doc(column));
        } else if let Some(rule) = line.strip_prefix("@print ") {
            apply(&mut header.columns, rule);
        } else if let Some(last) = header.columns.last_mut() {
            append(&mut last.doc, line);
        } else {
            append(&mut header.doc, line);
        }
    }
    header
}

fn append(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push(' ');
    }
    text.push_str(line);
}

/// Applies a `@print` rule: `name …: hidden`, `name …: optional` or `name …: N digits`. Returns `None` if a column or
/// the rule is unknown.
fn apply(columns: &mut [ColumnDoc], rule: &str) -> Option<()> {
    let (names, rule) = rule.split_once(':')?;
    let rule: Vec<&str> = rule.split_whitespace().collect();
    for name in names.split_whitespace() {
        let print = &mut columns.iter_mut().find(|column| column.name == name)?.print;
        match rule.as_slice() {
            ["hidden"] => print.hidden = true,
            ["optional"] => print.optional = true,
            [digits, "digits"] => print.digits = digits.parse().ok()?,
            _ => return None,
        }
    }
    Some(())
}

/// Parses a `@column` line: `name [unit]: meaning`. Returns `None` if there is no colon.
fn column_doc(line: &str) -> Option<ColumnDoc> {
    let (left, doc) = line.split_once(':')?;
    let (name, unit) = left.split_once('[').unwrap_or((left, ""));
    Some(ColumnDoc {
        name: name.trim().to_owned(),
        unit: unit.trim_end_matches(']').trim().to_owned(),
        doc: doc.trim().to_owned(),
        print: Print::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_is_said_of_columns_by_name() {
        let header = parse(
            "-- T.\n-- @column a: A.\n-- @column b: B.\n-- @print a b: 9 digits\n-- @print b: hidden\nSELECT 1",
        );
        assert_eq!(header.columns[0].print, Print { digits: 9, ..Print::default() });
        assert_eq!(header.columns[1].print, Print { digits: 9, hidden: true, optional: false });
    }

    #[test]
    fn printing_is_said_of_columns_that_exist() {
        for view in crate::all() {
            let mut columns = parse(view.query).columns;
            let rules = view.query.lines().filter_map(|line| line.strip_prefix("-- @print "));
            for rule in rules {
                let applied = apply(&mut columns, rule);
                assert!(applied.is_some(), "{}: @print {rule}", view.qualified());
            }
        }
        assert_eq!(apply(&mut [], "a: hidden"), None);
        let mut columns = parse("-- T.\n-- @column a: A.\nSELECT 1").columns;
        assert_eq!(apply(&mut columns, "a: hidden"), Some(()));
        assert_eq!(apply(&mut columns, "a: hiden"), None);
        assert_eq!(apply(&mut columns, "a: many digits"), None);
    }

    #[test]
    fn a_header_ends_where_the_query_begins() {
        let header = parse(
            "-- One thing.\n--\n-- @column a [ns]: First,\n--   continued.\n-- @column b: Second: yes.\nSELECT 1 -- no\n",
        );
        assert_eq!(header.doc, "One thing.");
        assert_eq!(header.columns[0].doc, "First, continued.");
        assert_eq!(header.columns[0].unit, "ns");
        assert_eq!(header.columns[1].doc, "Second: yes.");
    }
}
