//! Handles SIGINT, SIGTERM and SIGHUP while tools run.

use std::sync::Arc;

use super::error::CliError;
use crate::capture::Stop;

/// Starts a thread that handles signals. The first signal asks the tool to stop, the second one kills it; its output is
/// kept. The third one, or any after the end of the capture, exits the program with code 130.
pub fn listen(stop: &Arc<Stop>) -> Result<(), CliError> {
    let failed = |source| CliError::System { action: "listen for signals", source };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let stop = Arc::downgrade(stop);
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            while runtime.block_on(signalled()).is_ok() {
                let Some(stop) = stop.upgrade() else { std::process::exit(130) };
                if stop.ask() > 2 {
                    stop.kill();
                    std::process::exit(130);
                }
            }
        })
        .map_err(failed)?;
    Ok(())
}

#[cfg(unix)]
async fn signalled() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut end = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = end.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn signalled() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
