//! The dialect of users' statements: what DataFusion would answer wrongly or ignore becomes right, or an error.
//!
//! `syntax` rewrites and checks the parsed statement (with `calls` and `joins`), `arithmetic` plans its operators. The SQL files of this project are
//! planned as they stand.

mod arithmetic;
mod calls;
mod joins;
mod refusal;
mod syntax;

pub use arithmetic::Arithmetic;
pub use syntax::rewrite;
