//! Panics in libraries, which are errors to the user: bad input must not end the program with a backtrace.

use std::any::Any;
use std::panic::{PanicHookInfo, set_hook};
use std::sync::{Mutex, PoisonError};

use crate::base::said;

/// Where the last panic happened.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Prints no panics from now on. Who catches one reports it with [`told`].
pub fn keep_quiet() {
    set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
}

/// Words a caught panic, with where it happened.
pub fn told(panic: &(dyn Any + Send)) -> String {
    worded(&said(panic))
}

/// Words what the last panic said, with where it happened.
pub fn worded(said: &str) -> String {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    format!(
        "a bug in ireescope or one of its libraries: {said}{place}; please report it with the command"
    )
}
