//! The process that decodes one trace, which the program starts as itself.

#[cfg(unix)]
use std::fs::File;
use std::io;

/// Decodes the trace on standard input, and sends the tables on standard output. Returns the exit code.
pub fn main() -> u8 {
    // If the program is killed, nobody ends a library that hangs.
    #[cfg(target_os = "linux")]
    let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    match reply().map(|reply| att::serve(io::stdin(), reply)) {
        Ok(true) => 0,
        Ok(false) | Err(_) => 1,
    }
}

/// Returns the standard output, and lets what the libraries print there go to standard error instead.
#[cfg(unix)]
fn reply() -> io::Result<File> {
    use std::os::fd::AsFd;
    let out = io::stdout().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(out.into())
}

#[cfg(not(unix))]
fn reply() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}
