//! Errors of statements that are refused.

use std::ops::ControlFlow;

/// The error of a statement. Boxed, because it is carried through a deep recursion.
pub type Fault = Box<str>;
pub type Flow = ControlFlow<Fault>;

pub fn fault(text: impl Into<Fault>) -> Flow {
    ControlFlow::Break(text.into())
}

/// `<what> is not supported; <instead>`.
pub fn unsupported(what: &str, instead: &str) -> Flow {
    fault(format!("{what} is not supported; {instead}"))
}

/// Rejects each clause that is present.
pub fn reject(clauses: &[(bool, &str, &str)]) -> Flow {
    match clauses.iter().find(|(is_present, ..)| *is_present) {
        Some((_, what, instead)) => unsupported(what, instead),
        None => ControlFlow::Continue(()),
    }
}
