//! Long work: other threads of Python run meanwhile, and Ctrl-C ends it.

use std::panic::AssertUnwindSafe;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ireescope::base::said;
use ireescope::workspace::DEEP_STACK;
use pyo3::prelude::*;
use pyo3::types::PyModule;

use crate::failure::{Done, Failure};

/// How often signals are looked for.
pub const PATIENCE: Duration = Duration::from_millis(20);

/// The thread that runs the handlers of signals.
static MAIN: OnceLock<ThreadId> = OnceLock::new();

/// Remembers the main thread, if this is it.
pub fn remember_main_thread(py: Python<'_>) -> PyResult<()> {
    let threading = PyModule::import(py, "threading")?;
    let [this, main] = ["current_thread", "main_thread"].map(|name| threading.call_method0(name));
    if this?.is(&main?) {
        MAIN.get_or_init(|| thread::current().id());
    }
    Ok(())
}

/// Runs the handlers of signals that came. Only the main thread does so, and only it may have to wait for the interpreter.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is one of a lifetime")]
pub fn check_signals() -> PyResult<()> {
    if MAIN.get() == Some(&thread::current().id()) {
        Python::attach(|py| py.check_signals())
    } else {
        Ok(())
    }
}

/// What work says while it goes on: a text, and how much is done of a total, if that is known.
pub type Told = (String, Option<(u64, u64)>);

/// Takes what work says.
#[derive(Clone)]
pub struct Teller(Sender<Message>);

enum Message {
    Told(Told),
    Ended,
}

impl Teller {
    /// Says something. Nobody may listen any more.
    pub fn tell(&self, text: impl Into<String>, progress: Option<(u64, u64)>) {
        let _ = self.0.send(Message::Told((text.into(), progress)));
    }
}

/// Who ends work that is no longer wanted.
pub enum Stopping<'a> {
    /// Nobody: its result is dropped. It must not write files.
    Abandoned,
    /// This function; then it is waited for, so that the work removes what is not whole.
    By(&'a dyn Fn()),
}

/// Runs work on a thread of its own, and waits for it. `progress` is called with what it says; an exception there, or from a
/// handler of a signal, stops the work.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    stopping: &Stopping<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Teller) -> Done<T> + Send + 'static,
) -> PyResult<T> {
    let (sender, mut messages) = channel();
    let teller = Teller(sender.clone());
    let run = move || {
        let done = std::panic::catch_unwind(AssertUnwindSafe(|| work(&teller)));
        let _ = sender.send(Message::Ended);
        done.unwrap_or_else(|panic| Err(Failure::Internal(said(panic.as_ref()))))
    };
    let thread = thread::Builder::new().name("ireescope".into()).stack_size(DEEP_STACK).spawn(run);
    let thread =
        thread.map_err(|error| Failure::Resource(format!("cannot start a thread: {error}")))?;
    let mut failed: Option<PyErr> = None;
    loop {
        let receiver = &mut messages;
        let message = py.detach(move || receiver.recv_timeout(PATIENCE));
        let checked = match message {
            Ok(Message::Told((text, done))) if failed.is_none() => match progress {
                Some(call) => {
                    let (done, total) = done.unzip();
                    call.call1(py, (text, done, total)).map(drop)
                }
                None => Ok(()),
            },
            Ok(Message::Told(_)) => Ok(()),
            Ok(Message::Ended) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => check_signals(),
        };
        if let Err(error) = checked
            && failed.is_none()
        {
            match stopping {
                Stopping::Abandoned => return Err(error),
                Stopping::By(stop) => stop(),
            }
            failed = Some(error);
        }
    }
    let done = py.detach(|| thread.join());
    match failed {
        Some(error) => Err(error),
        None => Ok(done.unwrap_or_else(|panic| Err(Failure::Internal(said(panic.as_ref()))))?),
    }
}
