//! Parses the record layouts in `layouts.txt`, which are transcribed independently of `schemas/` so that each checks
//! the other.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A field of a layout.
#[derive(Debug, Clone)]
pub struct Field {
    pub offset: usize,
    /// `u8`, `u16`, `u32`, `u64`, `i32` or `i64`.
    pub kind: String,
    /// Number of elements of an array; 1 for other fields.
    pub count: usize,
    pub name: String,
}

/// The layout of a record.
#[derive(Debug, Default)]
pub struct Layout {
    pub size: usize,
    pub fields: Vec<Field>,
}

/// The parsed file: layouts, enumerations and flag words by name.
#[derive(Debug, Default)]
pub struct Layouts {
    pub records: BTreeMap<String, Layout>,
    pub enums: BTreeMap<String, Vec<(String, u32)>>,
    pub flags: BTreeMap<String, Vec<(String, u32)>>,
}

/// The parsed `layouts.txt`.
pub static LAYOUTS: LazyLock<Layouts> = LazyLock::new(|| parse(include_str!("layouts.txt")));

impl Field {
    /// Returns the bytes of one element.
    pub fn width(&self) -> usize {
        self.kind[1..].parse::<usize>().expect("a width in bits") / 8
    }
}

/// Returns the layout called `name`.
pub fn layout(name: &str) -> &'static Layout {
    LAYOUTS.records.get(name).unwrap_or_else(|| panic!("no layout {name}"))
}

fn parse(text: &str) -> Layouts {
    let mut all = Layouts::default();
    let mut current = String::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "enum" => {
                all.enums.insert(words[1].into(), pairs(&words[2..]));
            }
            "flags" => {
                all.flags.insert(words[1].into(), pairs(&words[2..]));
            }
            "layout" => {
                words[1].clone_into(&mut current);
                let size = words[2].parse().expect("a size");
                all.records.insert(current.clone(), Layout { size, fields: Vec::new() });
            }
            _ => all.records.get_mut(&current).expect("a layout").fields.push(field(&words)),
        }
    }
    all
}

fn pairs(words: &[&str]) -> Vec<(String, u32)> {
    let pair = |word: &&str| {
        let (name, value) = word.split_once('=').expect("name=value");
        (name.to_owned(), value.parse().expect("a number"))
    };
    words.iter().map(pair).collect()
}

fn field(words: &[&str]) -> Field {
    let (kind, count) = match words[1].split_once('[') {
        Some((kind, count)) => (kind, count.trim_end_matches(']').parse().expect("a count")),
        None => (words[1], 1),
    };
    Field {
        offset: words[0].parse().expect("an offset"),
        kind: kind.into(),
        count,
        name: words[2].into(),
    }
}
