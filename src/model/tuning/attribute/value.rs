//! The tree of an attribute, and how it is printed.

use std::fmt;

/// An attribute of MLIR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A key of a dictionary that has no value.
    Unit,
    Integer(i64),
    Boolean(bool),
    /// The text between the quotation marks, with its escapes.
    String(String),
    Array(Vec<Attribute>),
    Dictionary(Vec<Entry>),
    /// An attribute of a dialect, such as `#iree_cpu.pipeline<DoubleTilingExpert>`, or an alias.
    Dialect {
        /// The name without the `#`. Empty if it is left out, as in `translation_info = <…>`.
        name: String,
        /// What stands between `<` and `>`; `None` without these.
        body: Option<Vec<Entry>>,
    },
    /// A value with its type: `32 : i64`.
    Typed(Box<Attribute>, String),
    /// Anything else, as it was written: a keyword, a type, an affine map.
    Verbatim(String),
}

/// A part of a dictionary, or of the body of a dialect's attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the part. Empty if it has none, which happens only in bodies.
    pub key: String,
    pub value: Attribute,
    /// Whether a comma separates it from the part before. In some bodies a space does.
    pub comma: bool,
}

impl Entry {
    /// Returns a part that a comma separates from the one before.
    pub fn new(key: impl Into<String>, value: Attribute) -> Self {
        Self { key: key.into(), value, comma: true }
    }
}

impl Attribute {
    /// Returns a list of integers.
    pub fn list(integers: impl IntoIterator<Item = i64>) -> Self {
        Self::Array(integers.into_iter().map(Self::Integer).collect())
    }

    /// Returns an attribute of a dialect with these parts.
    pub fn dialect(name: impl Into<String>, body: Vec<Entry>) -> Self {
        Self::Dialect { name: name.into(), body: Some(body) }
    }

    /// Returns the value of an integer, with or without a type.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(*value),
            Self::Typed(value, _) => value.integer(),
            _ => None,
        }
    }

    /// Returns the values of a list of integers.
    pub fn integers(&self) -> Option<Vec<i64>> {
        match self {
            Self::Array(values) => values.iter().map(Self::integer).collect(),
            _ => None,
        }
    }

    /// Returns the keyword of an attribute: `DoubleTilingExpert` of `#iree_cpu.pipeline<DoubleTilingExpert>`.
    pub fn keyword(&self) -> Option<&str> {
        match self {
            Self::Verbatim(word) => Some(word),
            Self::Dialect { body: Some(body), .. } => match body.as_slice() {
                [only] if only.key.is_empty() => only.value.keyword(),
                _ => None,
            },
            _ => None,
        }
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unit => f.write_str("unit"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::String(text) => write!(f, "\"{text}\""),
            Self::Array(values) => {
                f.write_str("[")?;
                for (nth, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if nth == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Dictionary(entries) => write!(f, "{{{}}}", Entries(entries)),
            Self::Dialect { name, body } => {
                if !name.is_empty() {
                    write!(f, "#{name}")?;
                }
                body.as_ref().map_or(Ok(()), |body| write!(f, "<{}>", Entries(body)))
            }
            Self::Typed(value, of) => write!(f, "{value} : {of}"),
            Self::Verbatim(text) => f.write_str(text),
        }
    }
}

/// Prints parts with what separates them.
struct Entries<'a>(&'a [Entry]);

impl fmt::Display for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, Entry { key, value, comma }) in self.0.iter().enumerate() {
            if nth > 0 {
                f.write_str(if *comma { ", " } else { " " })?;
            }
            match (key.is_empty(), value) {
                (true, _) => write!(f, "{value}")?,
                (false, Attribute::Unit) => write_key(f, key)?,
                (false, _) => {
                    write_key(f, key)?;
                    write!(f, " = {value}")?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a key, in quotation marks where it is no plain name.
fn write_key(f: &mut fmt::Formatter<'_>, key: &str) -> fmt::Result {
    let is_plain = key.chars().all(is_name_letter) && !key.starts_with(|it: char| it.is_numeric());
    if is_plain { f.write_str(key) } else { write!(f, "\"{key}\"") }
}

/// True if a letter may stand in the name of a key or of a dialect's attribute.
pub(in crate::tuning) fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '$')
}
