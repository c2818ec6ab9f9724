//! COPY … TO STDOUT: the rows of a query as text, CSV or binary.

use bytes::{BufMut, Bytes, BytesMut};
use datafusion::arrow::array::RecordBatch;
use datafusion::sql::sqlparser::ast::{
    CopyLegacyCsvOption, CopyLegacyOption, CopyOption, CopySource, CopyTarget, Ident, Statement,
};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::Parser;
use pgwire::api::portal::Format;
use pgwire::error::PgWireResult;
use pgwire::types::format::FormatOptions;

use super::errors::refused;
use super::values::{Column, copied, encode};
use super::words::{closing, padded, tokens};

/// What begins and ends a binary copy.
const SIGNATURE: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const END: &[u8] = b"\xff\xff";

/// How rows are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    Text,
    Csv,
    Binary,
}

/// What a statement copies, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// The query whose rows are copied.
    pub query: String,
    pub form: Form,
    delimiter: u8,
    null: String,
    has_header: bool,
    quote: u8,
    escape: u8,
    /// The columns whose values are always quoted: `*` for all.
    quoted: Vec<String>,
}

impl Copy {
    /// Reads a statement.
    pub fn read(text: &str) -> PgWireResult<Self> {
        let parsed = Parser::parse_sql(&PostgreSqlDialect {}, text);
        let mut statements = parsed.map_err(|error| refused("42601", error.to_string()))?;
        let only = "COPY (query) TO STDOUT is understood: statements only read, and no other file is opened";
        let Some(Statement::Copy {
            source,
            to: true,
            target: CopyTarget::Stdout,
            options,
            legacy_options,
            ..
        }) = statements.pop().filter(|_| statements.is_empty())
        else {
            return Err(refused("0A000", only));
        };
        let query = match source {
            CopySource::Query(_) => within(text)?,
            CopySource::Table { table_name, columns } => {
                let names: Vec<String> = columns.iter().map(Ident::to_string).collect();
                let names = if names.is_empty() { "*".to_owned() } else { names.join(", ") };
                format!("SELECT {names} FROM {table_name}")
            }
        };
        let form = form(&options, &legacy_options)?;
        let is_csv = form == Form::Csv;
        let mut copy = Self {
            query,
            form,
            delimiter: if is_csv { b',' } else { b'\t' },
            null: if is_csv { String::new() } else { "\\N".to_owned() },
            has_header: false,
            quote: b'"',
            escape: 0,
            quoted: Vec::new(),
        };
        options.into_iter().try_for_each(|option| copy.set(option))?;
        legacy_options.into_iter().try_for_each(|option| copy.set_legacy(option))?;
        if copy.escape == 0 {
            copy.escape = copy.quote;
        }
        Ok(copy)
    }

    fn set(&mut self, option: CopyOption) -> PgWireResult<()> {
        match option {
            CopyOption::Format(_) | CopyOption::Freeze(_) => {}
            CopyOption::Delimiter(letter) => self.delimiter = byte("DELIMITER", letter)?,
            CopyOption::Null(text) => self.null = text,
            CopyOption::Header(has_header) => self.has_header = has_header,
            CopyOption::Quote(letter) => self.quote = byte("QUOTE", letter)?,
            CopyOption::Escape(letter) => self.escape = byte("ESCAPE", letter)?,
            CopyOption::ForceQuote(columns) => {
                self.quoted = columns.into_iter().map(|it| it.value).collect();
            }
            CopyOption::Encoding(name) if is_utf8(&name) => {}
            other => return Err(refused("0A000", format!("COPY TO has no option {other}"))),
        }
        Ok(())
    }

    fn set_legacy(&mut self, option: CopyLegacyOption) -> PgWireResult<()> {
        match option {
            CopyLegacyOption::Binary => {}
            CopyLegacyOption::Delimiter(letter) => self.delimiter = byte("DELIMITER", letter)?,
            CopyLegacyOption::Null(text) => self.null = text,
            CopyLegacyOption::Header => self.has_header = true,
            CopyLegacyOption::Csv(options) => {
                for option in options {
                    match option {
                        CopyLegacyCsvOption::Header => self.has_header = true,
                        CopyLegacyCsvOption::Quote(letter) => self.quote = byte("QUOTE", letter)?,
                        CopyLegacyCsvOption::Escape(letter) => {
                            self.escape = byte("ESCAPE", letter)?;
                        }
                        CopyLegacyCsvOption::ForceQuote(columns) => {
                            self.quoted = columns.into_iter().map(|it| it.value).collect();
                        }
                        CopyLegacyCsvOption::ForceNotNull(_) => {
                            return Err(refused("0A000", "COPY TO has no option FORCE NOT NULL"));
                        }
                    }
                }
            }
            other => return Err(refused("0A000", format!("COPY TO has no option {other}"))),
        }
        Ok(())
    }

    /// Returns the format of values.
    pub fn format(&self) -> Format {
        if self.form == Form::Binary { Format::UnifiedBinary } else { Format::UnifiedText }
    }

    /// Returns what comes before the rows; `None` if nothing does.
    pub fn head(&self, columns: &[Column]) -> Option<Bytes> {
        if self.form == Form::Binary {
            return Some(Bytes::from_static(SIGNATURE));
        }
        let names = || columns.iter().map(|column| Some(BytesMut::from(column.name().as_bytes())));
        self.has_header
            .then(|| self.line(&names().collect::<Vec<_>>(), &vec![false; columns.len()]))
    }

    /// Returns what comes after the rows; `None` if nothing does.
    pub fn tail(&self) -> Option<Bytes> {
        (self.form == Form::Binary).then(|| Bytes::from_static(END))
    }

    /// Writes the rows of a batch.
    pub fn rows(
        &self,
        columns: &[Column],
        options: &FormatOptions,
        batch: &RecordBatch,
    ) -> PgWireResult<Vec<Bytes>> {
        if self.form == Form::Binary {
            let rows = encode(columns, options, batch).into_iter();
            return rows
                .map(|row| {
                    let row = row?;
                    let mut out = BytesMut::with_capacity(row.data.len() + 2);
                    out.put_i16(row.field_count);
                    out.put_slice(&row.data);
                    Ok(out.freeze())
                })
                .collect();
        }
        let is_all = self.quoted.iter().any(|name| name == "*");
        let quoted: Vec<bool> = columns
            .iter()
            .map(|column| is_all || self.quoted.iter().any(|name| name == column.name()))
            .collect();
        copied(columns, options, batch, |values| self.line(values, &quoted))
    }

    /// Writes the values of a row.
    fn line(&self, values: &[Option<BytesMut>], quoted: &[bool]) -> Bytes {
        let mut out = BytesMut::new();
        for (nth, (value, is_quoted)) in values.iter().zip(quoted).enumerate() {
            if nth > 0 {
                out.put_u8(self.delimiter);
            }
            match value {
                None => out.put_slice(self.null.as_bytes()),
                Some(value) if self.form == Form::Csv => {
                    self.put_csv(value, *is_quoted, values.len() == 1, &mut out);
                }
                Some(value) => self.put_text(value, &mut out),
            }
        }
        out.put_u8(b'\n');
        out.freeze()
    }

    fn put_text(&self, value: &[u8], out: &mut BytesMut) {
        for byte in value {
            let escaped = match byte {
                b'\\' => b'\\',
                0x08 => b'b',
                0x0c => b'f',
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0x0b => b'v',
                byte if *byte == self.delimiter => *byte,
                byte => {
                    out.put_u8(*byte);
                    continue;
                }
            };
            out.put_u8(b'\\');
            out.put_u8(escaped);
        }
    }

    /// Writes a value, in quotes where it could be read as something else.
    fn put_csv(&self, value: &[u8], is_quoted: bool, is_alone: bool, out: &mut BytesMut) {
        let is_special =
            |it: &u8| matches!(it, b'\n' | b'\r') || *it == self.delimiter || *it == self.quote;
        let ends = is_alone && value == b"\\.";
        if !is_quoted && !ends && value != self.null.as_bytes() && !value.iter().any(is_special) {
            out.put_slice(value);
            return;
        }
        out.put_u8(self.quote);
        for byte in value {
            if *byte == self.quote || *byte == self.escape {
                out.put_u8(self.escape);
            }
            out.put_u8(*byte);
        }
        out.put_u8(self.quote);
    }
}

/// Returns what stands in the first parentheses, with blanks instead of what is before.
fn within(text: &str) -> PgWireResult<String> {
    let tokens = tokens(text)?;
    let inner = tokens.get(2..).unwrap_or_default();
    let query = closing(inner).and_then(|end| padded(text, inner.get(..end)?));
    query.ok_or_else(|| refused("42601", "COPY (query) TO STDOUT is understood"))
}

fn form(options: &[CopyOption], legacy: &[CopyLegacyOption]) -> PgWireResult<Form> {
    for option in options {
        if let CopyOption::Format(name) = option {
            return match name.value.to_lowercase().as_str() {
                "text" => Ok(Form::Text),
                "csv" => Ok(Form::Csv),
                "binary" => Ok(Form::Binary),
                other => Err(refused(
                    "22023",
                    format!("COPY has the formats text, csv and binary, not {other}"),
                )),
            };
        }
    }
    let is_csv = legacy.iter().any(|it| matches!(it, CopyLegacyOption::Csv(_)));
    let is_binary = legacy.contains(&CopyLegacyOption::Binary);
    Ok(if is_csv {
        Form::Csv
    } else if is_binary {
        Form::Binary
    } else {
        Form::Text
    })
}

fn byte(option: &str, letter: char) -> PgWireResult<u8> {
    let byte = u8::try_from(letter).ok().filter(u8::is_ascii);
    byte.ok_or_else(|| refused("22023", format!("{option} of COPY is a letter of one byte")))
}

fn is_utf8(name: &str) -> bool {
    ["utf8", "utf-8", "unicode"].iter().any(|known| name.eq_ignore_ascii_case(known))
}
