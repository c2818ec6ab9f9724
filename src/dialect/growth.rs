//! Limits how much a statement grows when names are replaced by what they stand for, as each may stand for several others.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::Visit;

use super::refusal::Fault;
use super::walk::expressions;

/// Number of expressions that may be added. Planning as many takes seconds.
const MOST: usize = 50_000;

/// Counts the expressions that replacements add.
#[derive(Debug, Default)]
pub struct Growth(usize);

impl Growth {
    /// Adds the expressions of a replacement. Fails if there are too many.
    pub fn add(&mut self, replacement: &impl Visit) -> Result<(), Fault> {
        let _ = expressions(replacement, |_| {
            self.0 += 1;
            ControlFlow::<()>::Continue(())
        });
        if self.0 > MOST {
            return Err(format!(
                "macros and aliases add more than {MOST} expressions to the statement; a macro must not call itself, and a subquery computes a value once"
            )
            .into());
        }
        Ok(())
    }
}
