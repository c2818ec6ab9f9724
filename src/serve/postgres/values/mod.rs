//! Values as PostgreSQL's protocol has them: those of rows, and those that clients bind.
//!
//! A column of Arrow is first cast to the type of Arrow that has the values of its type of PostgreSQL (`kind.rs`), so that
//! few types are left to write (`write.rs`). Formats: PostgreSQL 16, *Frontend/Backend Protocol* and *Data Types*, and
//! what its server sends.

mod array;
mod bound;
mod kind;
mod numeric;
mod read;
mod read_text;
mod rows;
#[cfg(test)]
mod tests;
mod time;
mod write;

pub use array::{Item, read as read_array};
pub(crate) use bound::natural;
pub use kind::Kind;
pub use read::value;
pub use read_text::bytes as read_bytes;
pub(crate) use rows::as_described;
pub use rows::{Column, columns, copied, encode, fields};
pub(crate) use time::read_interval;
