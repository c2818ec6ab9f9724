//! Shows results that are longer than the screen in a pager.

use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};

/// The command line of a pager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pager(String);

impl Pager {
    /// Returns `$PAGER`, or else `less` if it is installed. A pager that is set to nothing, or to `cat`, is none.
    pub fn find() -> Option<Self> {
        let set = std::env::var("PAGER").ok();
        let is_installed =
            || Command::new("less").arg("--version").stdout(Stdio::null()).status().is_ok();
        let command = match set {
            Some(command) => command,
            None if is_installed() => "less".to_owned(),
            None => return None,
        };
        Some(Self(command)).filter(|pager| !["", "cat"].contains(&pager.0.trim()))
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.0]).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            // Long lines are cut instead of wrapped, and the last page stays on the screen.
            command.env("LESS", "-SRX");
        }
        command.spawn()
    }
}

/// A writer to the terminal, or, from the first line that does not fit on the screen, to a pager.
pub struct Paged {
    pager: Pager,
    height: usize,
    /// What is not written yet.
    text: Vec<u8>,
    lines: usize,
    child: Option<Child>,
}

impl Paged {
    /// Returns the writer, or `None` if standard output is no terminal.
    pub fn new(pager: &Pager) -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let (_, height) = terminal_size::terminal_size()?;
        let (pager, height) = (pager.clone(), usize::from(height.0));
        Some(Self { pager, height, text: Vec::new(), lines: 0, child: None })
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        self.lines += bytes.split(|byte| *byte == b'\n').count() - 1;
        if self.lines >= self.height {
            if self.child.is_none() {
                self.child = Some(self.pager.start()?);
            }
            if let Some(input) = self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
                input.write_all(&self.text)?;
            }
            self.text.clear();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Paged {
    /// Writes what fits on the screen, or waits until the user leaves the pager.
    fn drop(&mut self) {
        let ended = match &mut self.child {
            Some(child) => child.wait().map(drop),
            None => io::stdout().write_all(&self.text).and_then(|()| io::stdout().flush()),
        };
        if let Err(error) = ended {
            eprintln!("ireescope: warning: the result was not shown: {error}");
        }
    }
}
