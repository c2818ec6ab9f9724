//! The dialect of users' statements: what DataFusion would answer wrongly or ignore becomes right, or an error.
//!
//! `grammar` parses, `syntax` rewrites and checks the parsed statement (with `calls`, `joins` and `windows`), `arithmetic`
//! plans its operators, and `subqueries`, `lists` and `intervals` rewrite the plan. The SQL files of this project are planned as
//! they stand.

mod aliases;
mod arithmetic;
mod calls;
mod correlated;
mod grammar;
mod intervals;
mod joins;
mod lists;
mod macros;
mod refusal;
mod subqueries;
mod syntax;
mod windows;

pub use aliases::expand;
pub use arithmetic::Arithmetic;
pub use grammar::Grammar;
pub use intervals::Intervals;
pub use lists::Lists;
pub use macros::Macros;
pub use subqueries::Subqueries;
pub use syntax::rewrite;
