//! Handles SIGINT, SIGTERM and SIGHUP while tools run or files are written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use super::error::CliError;
use crate::base::remove_all;
use crate::capture::Stop;
use crate::remote::abort_uploads;

/// Whether a thread handles signals.
static IS_HANDLED: AtomicBool = AtomicBool::new(false);

/// The exit code that the last signal stands for.
static CODE: AtomicU8 = AtomicU8::new(INTERRUPTED);

/// Returns the error of a command that a signal has ended.
pub fn interrupted(what: impl Into<String>) -> CliError {
    CliError::Interrupted(what.into(), CODE.load(Ordering::Relaxed))
}

/// Starts a thread that handles signals until the result is dropped. The first signal asks the tool to stop, the second one
/// kills it; its output is kept. The third one, or any after that, exits the program.
pub fn listen() -> Result<Arc<Stop>, CliError> {
    IS_HANDLED.store(true, Ordering::Relaxed);
    let stop = Arc::new(Stop::default());
    let listening = Arc::downgrade(&stop);
    handle(move |code| {
        CODE.store(code, Ordering::Relaxed);
        let Some(stop) = listening.upgrade() else { end(code) };
        if stop.ask() > 2 {
            stop.kill();
            end(code)
        }
    })?;
    Ok(stop)
}

/// Starts a thread that removes temporary files, aborts uploads, and exits when the first signal arrives. Does nothing if signals are
/// handled already.
pub fn end_cleanly() -> Result<(), CliError> {
    if IS_HANDLED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    handle(|code| end(code))
}

/// Does the same as [`end_cleanly`] for a shell, in which Ctrl-C cancels the statement that runs.
pub fn end_shell_cleanly() -> Result<(), CliError> {
    IS_HANDLED.store(true, Ordering::Relaxed);
    handle(|code| {
        if code != INTERRUPTED {
            end(code)
        }
    })
}

/// Waits for the first signal, in the runtime of the caller.
#[cfg(any(feature = "cluster", feature = "servers"))]
pub async fn first() -> Result<(), CliError> {
    let failed = |source| CliError::System { action: "listen for signals", source };
    Signals::new().map_err(failed)?.next().await;
    Ok(())
}

/// The exit code after SIGINT.
const INTERRUPTED: u8 = 130;

fn end(code: u8) -> ! {
    abort_uploads();
    remove_all();
    std::process::exit(code.into())
}

/// Calls `take` in a new thread for each signal, with the exit code that it stands for.
fn handle(take: impl Fn(u8) + Send + 'static) -> Result<(), CliError> {
    let failed = |source| CliError::System { action: "listen for signals", source };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let mut signals = {
        let _guard = runtime.enter();
        Signals::new().map_err(failed)?
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            loop {
                take(runtime.block_on(signals.next()));
            }
        })
        .map_err(failed)?;
    Ok(())
}

#[cfg(unix)]
struct Signals([(tokio::signal::unix::Signal, u8); 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [
            (SignalKind::interrupt(), INTERRUPTED),
            (SignalKind::terminate(), 143),
            (SignalKind::hangup(), 129),
        ];
        let [interrupt, terminate, hangup] =
            kinds.map(|(kind, code)| signal(kind).map(|it| (it, code)));
        Ok(Self([interrupt?, terminate?, hangup?]))
    }

    async fn next(&mut self) -> u8 {
        let Self([(interrupt, first), (terminate, second), (hangup, third)]) = self;
        tokio::select! {
            _ = interrupt.recv() => *first,
            _ = terminate.recv() => *second,
            _ = hangup.recv() => *third,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> u8 {
        let _ = tokio::signal::ctrl_c().await;
        INTERRUPTED
    }
}
