//! Runs programs with a time limit, and judges how they ended.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The time after which a program hangs.
const LIMIT: Duration = Duration::from_secs(20);

/// What a program printed, and how it ended.
#[derive(Debug)]
pub struct Said {
    /// `None` if it was killed at the time limit.
    pub status: Option<ExitStatus>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Said {
    /// Runs a command without input.
    pub fn by(command: &mut Command) -> Self {
        let (mut out, mut err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        let mut child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone().unwrap())
            .stderr(err.try_clone().unwrap())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let mut pause = Duration::from_micros(500);
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > LIMIT {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(4));
        };
        let err = String::from_utf8_lossy(&read(&mut err)).into_owned();
        Self { status, out: read(&mut out), err }
    }

    pub fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    pub fn is_fine(&self) -> bool {
        self.code() == Some(0)
    }

    /// The first line of standard error.
    pub fn why(&self) -> &str {
        self.err.lines().next().unwrap_or_default()
    }

    /// Returns what is never right: a panic, a signal, an exit code that the README does not list, or a hang.
    pub fn flaw(&self) -> Option<String> {
        let Some(status) = self.status else {
            return Some(format!("it runs for more than {LIMIT:?}"));
        };
        if let Some(signal) = status.signal() {
            return Some(format!("signal {signal}: {}", self.err));
        }
        if self.err.contains("panicked") {
            return Some(format!("a panic: {}", self.err));
        }
        match status.code() {
            Some(0..=4) => None,
            code => Some(format!("exit code {code:?}: {}", self.err)),
        }
    }
}

fn read(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}
