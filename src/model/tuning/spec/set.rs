//! Makes a spec that sets knobs of a dispatch.

use base::Pattern;

use super::matcher::{Entry, Spec};
use super::write::{Unwritable, write};
use crate::tuning::attribute::{Attribute, PathError};
use crate::tuning::configuration::{Dispatch, Operation};

/// Why no spec can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// No dispatch has a name like this; those that there are.
    #[error("no dispatch is called {name}; there are:{}", listed(.known))]
    Unknown { name: String, known: Vec<String> },
    /// Several dispatches do.
    #[error("{name} matches several dispatches; name one of:{}", listed(.matching))]
    Several { name: String, matching: Vec<String> },
    /// The dispatch has nothing to configure.
    #[error("{0} has no root operation, so it has no knobs")]
    NoRoot(String),
    /// The dispatch has no such knob.
    #[error(transparent)]
    Knob(#[from] PathError),
    /// Its operation cannot be matched.
    #[error("{dispatch}: {why}")]
    Unwritable { dispatch: String, why: Unwritable },
}

fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("\n  {name}")).collect()
}

/// Makes a spec, and its text, that sets knobs of the dispatch with this name, or of the only one that matches it as a
/// pattern. Other knobs keep their values.
pub fn set_knobs(
    dispatches: &[Dispatch],
    name: &str,
    values: &[(String, Attribute)],
) -> Result<(Spec, String), SetError> {
    let (dispatch, root) = chosen(name, dispatches)?;
    let name = &dispatch.name;
    let mut configuration = dispatch.configuration(root);
    for (knob, value) in values {
        configuration.set(knob, value.clone())?;
    }
    let (entry, sequences) = Entry::of(name, root, &configuration)
        .map_err(|why| SetError::Unwritable { dispatch: name.clone(), why })?;
    let spec = Spec { sequences, entries: vec![entry] };
    let set: Vec<String> = values.iter().map(|(knob, value)| format!("{knob} = {value}")).collect();
    let text = write(&spec, &format!("Written by ireescope for {name}: {}.", set.join(", ")));
    Ok((spec, text))
}

/// Returns the dispatch that a pattern names, and its root operation.
fn chosen<'a>(name: &str, all: &'a [Dispatch]) -> Result<(&'a Dispatch, &'a Operation), SetError> {
    let pattern = Pattern::new(name);
    let matching: Vec<&Dispatch> =
        all.iter().filter(|dispatch| pattern.matches(&dispatch.name)).collect();
    let names = |of: &[&Dispatch]| of.iter().map(|dispatch| dispatch.name.clone()).collect();
    match matching.as_slice() {
        [] => Err(SetError::Unknown {
            name: name.to_owned(),
            known: names(&all.iter().collect::<Vec<_>>()),
        }),
        [only] => {
            let root = only.root().ok_or_else(|| SetError::NoRoot(only.name.clone()))?;
            Ok((only, root))
        }
        many => Err(SetError::Several { name: name.to_owned(), matching: names(many) }),
    }
}
