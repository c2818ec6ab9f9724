//! Encodes rows as typed records, with the layouts that `schemas` declares.

use schemas::enums::Enum;
use schemas::escape::bytes_of;
use schemas::ireeperf::{EntryPart, LEFT_OUT, RecordType};
use schemas::spec::{Family, Field, Kind, Read, Shape, Tail};
use serde_json::Value;

/// The encoding of one record type, worked out once from the declarations.
pub struct Plan {
    pub family: &'static Family,
    slots: Vec<Slot>,
    /// A record in which every value is absent.
    blank: Vec<u8>,
    /// The key of the trailing entries, and the parts of an entry.
    entries: Option<(&'static str, &'static [EntryPart])>,
}

/// The path of a key in the row, and where its value is written.
struct Slot {
    path: Vec<String>,
    put: Put,
}

#[derive(Clone, Copy)]
enum Put {
    /// A number of `width` bytes.
    Number {
        at: usize,
        width: usize,
    },
    /// A number of `width` bytes in the header of the chunk.
    Header {
        at: usize,
        width: usize,
    },
    /// The number of an enumeration's name.
    Name {
        at: usize,
        names: &'static Enum,
    },
    /// Consecutive numbers of four bytes each.
    Numbers {
        at: usize,
        count: usize,
    },
    /// A hash: 32 hexadecimal digits of two u64 words. `Bytes` is a UUID: as many digits of sixteen bytes.
    Words {
        at: usize,
    },
    Bytes {
        at: usize,
    },
    /// A trailing text, and the offset of its length.
    Text {
        length_at: usize,
    },
}

impl Plan {
    /// Creates the plan of a record type; `None` if its table has no chunk family.
    pub fn of(kind: &RecordType) -> Option<Self> {
        let table = schemas::find(kind.table)?;
        let family = table.reads()?;
        let mut plan = Self {
            family,
            slots: Vec::new(),
            blank: vec![0; family.layout],
            entries: kind.entries,
        };
        for field in table.repeated.iter().chain(table.fields) {
            let Some(put) = plan.put(kind, field) else { continue };
            let renamed = kind.renamed.iter().find(|(known, _)| *known == field.name);
            let path = match (renamed, put, field.shape) {
                (Some((_, path)), ..) => (*path).to_owned(),
                (None, Put::Name { .. }, _) => kind.named.map_or("", |(_, key, _)| key).to_owned(),
                (None, _, Shape::Named(_)) => format!("{}_value", field.name),
                _ => field.name.to_owned(),
            };
            let path = path.split('.').map(str::to_owned).collect();
            plan.slots.push(Slot { path, put });
        }
        Some(plan)
    }

    fn put(&mut self, kind: &RecordType, field: &Field) -> Option<Put> {
        match (field.read, field.shape) {
            (Read::Record(at), Shape::One(Kind::Hash { .. })) => Some(Put::Words { at }),
            (Read::Record(at), Shape::One(Kind::Uuid { .. })) => Some(Put::Bytes { at }),
            // A name without its number: the number is another field at the same offset.
            (Read::Record(_), Shape::One(Kind::Name(_) | Kind::Name16(_))) => None,
            (Read::Record(at), Shape::Each(suffixes)) => {
                Some(Put::Numbers { at, count: suffixes.len() })
            }
            (Read::Record(at), Shape::Named(names)) => {
                fill(&mut self.blank, at, 4, u64::MAX);
                let is_named = kind.named.is_some_and(|(known, ..)| known == field.name);
                Some(if is_named { Put::Name { at, names } } else { Put::Number { at, width: 4 } })
            }
            (Read::Record(at), Shape::One(kind)) => {
                let width = kind.width()?;
                if kind == Kind::U32OrOnes {
                    fill(&mut self.blank, at, width, u64::MAX);
                }
                Some(Put::Number { at, width })
            }
            (Read::Record(at), Shape::Bits(..)) => Some(Put::Number { at, width: 4 }),
            (Read::Chunk(at), Shape::One(kind)) => Some(Put::Header { at, width: kind.width()? }),
            (Read::Text(nth), _) => match self.family.tail {
                Tail::Texts(lengths) => Some(Put::Text { length_at: lengths.get(nth).copied()? }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Appends the record of a row to `out`. `header` is the header of its chunk. Fails if a value does not fit.
    pub fn record(&self, row: &Value, header: &mut [u8], out: &mut Vec<u8>) -> Result<(), String> {
        let start = out.len();
        out.extend_from_slice(&self.blank);
        for Slot { path, put } in &self.slots {
            let value = path.iter().try_fold(row, |value, key| value.get(key));
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            let record = start..start + self.blank.len();
            let done = match *put {
                Put::Text { length_at } => value.as_str().map(bytes_of).and_then(|bytes| {
                    out.extend_from_slice(&bytes);
                    set(out.get_mut(record)?, length_at, 4, bytes.len() as u64)
                }),
                Put::Header { at, width } => set_number(header, at, width, value),
                put => put.into_record(out.get_mut(record).unwrap_or_default(), value),
            };
            done.ok_or_else(|| format!("{} has the invalid value {value}", path.join(".")))?;
        }
        self.trail(row, out, start)?;
        let length = out.len() - start;
        set(out.get_mut(start..).unwrap_or_default(), 0, 4, length as u64)
            .ok_or_else(|| "the row is too large for a record".to_owned())
    }

    /// Appends trailing entries, or the marker that a trace is left out.
    fn trail(&self, row: &Value, out: &mut Vec<u8>, start: usize) -> Result<(), String> {
        match (self.family.tail, self.entries) {
            (Tail::Entries { count, entry }, Some((key, parts))) => {
                let values = row.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                for value in values {
                    let from = out.len();
                    out.resize(from + entry, 0);
                    for (part, at, width) in parts {
                        let part = if part.is_empty() { Some(value) } else { value.get(part) };
                        part.and_then(|part| set_number(out.get_mut(from..)?, *at, *width, part))
                            .ok_or_else(|| format!("{key} has the invalid value {value}"))?;
                    }
                }
                set(out.get_mut(start..).unwrap_or_default(), count, 4, values.len() as u64)
                    .ok_or_else(|| format!("{key} has too many values"))
            }
            (Tail::Following(_), _) => {
                out.extend_from_slice(&LEFT_OUT);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Put {
    fn into_record(self, record: &mut [u8], value: &Value) -> Option<()> {
        match self {
            Self::Number { at, width } => set_number(record, at, width, value),
            Self::Name { at, names } => {
                let name = value.as_str()?;
                // An unknown name stays absent.
                match names.values.iter().find(|(_, known)| *known == name) {
                    Some((number, _)) => set(record, at, 4, u64::from(*number)),
                    None => Some(()),
                }
            }
            Self::Numbers { at, count } => {
                let numbers = value.as_array().filter(|numbers| numbers.len() == count)?;
                let mut numbers = numbers.iter().enumerate();
                numbers.try_for_each(|(nth, number)| set_number(record, at + 4 * nth, 4, number))
            }
            Self::Words { at } => {
                let (first, second) = value.as_str()?.split_at_checked(16)?;
                let word = |digits| u64::from_str_radix(digits, 16).ok();
                set(record, at, 8, word(first)?)?;
                set(record, at + 8, 8, word(second)?)
            }
            Self::Bytes { at } => {
                let number = u128::from_str_radix(value.as_str()?, 16).ok()?;
                record.get_mut(at..at + 16)?.copy_from_slice(&number.to_be_bytes());
                Some(())
            }
            Self::Header { .. } | Self::Text { .. } => None,
        }
    }
}

/// Writes the `width` low bytes of a number at offset `at`. Returns `None` if the offset does not fit.
pub fn fill(bytes: &mut [u8], at: usize, width: usize, value: u64) -> Option<()> {
    bytes.get_mut(at..at + width)?.copy_from_slice(value.to_le_bytes().get(..width)?);
    Some(())
}

/// Writes a number like [`fill`], but returns `None` also if it has more than `width` bytes.
fn set(bytes: &mut [u8], at: usize, width: usize, value: u64) -> Option<()> {
    let fits = width >= 8 || value >> (8 * width) == 0;
    fits.then(|| fill(bytes, at, width, value))?
}

fn set_number(bytes: &mut [u8], at: usize, width: usize, value: &Value) -> Option<()> {
    match (value.as_u64(), value.as_i64()) {
        (Some(number), _) => set(bytes, at, width, number),
        (None, Some(number)) if width == 4 => {
            let number = i32::try_from(number).ok()?.cast_unsigned();
            set(bytes, at, width, u64::from(number))
        }
        (None, Some(number)) => set(bytes, at, width, number.cast_unsigned()),
        _ => None,
    }
}
