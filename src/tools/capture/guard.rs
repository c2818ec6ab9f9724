//! A guard: a shell that outlives this program, so that tools end with it, however it ends.
//!
//! It reads the running process groups from a pipe, a line after each change. The pipe ends when this program does, even by
//! SIGKILL. Then the guard kills the groups of the last line, and waits until they have ended. Meanwhile it holds the lock
//! of a folder, if it has one: as its standard output, to which it writes nothing.

use std::fs::File;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

/// What the shell does. `dash` takes no `--` before a negative number. Zombies that nobody waits for count as running, so it
/// waits for 5 s at most.
const SCRIPT: &str = "trap '' HUP INT TERM
while read -r line; do groups=$line; done
exec 2>/dev/null
for group in $groups; do kill -KILL \"-$group\"; done
for group in $groups; do
  left=100
  while [ $left -gt 0 ] && kill -0 \"-$group\"; do sleep 0.05; left=$((left - 1)); done
done";

/// A running guard.
#[derive(Debug)]
pub struct Guard {
    shell: Child,
    groups: Option<ChildStdin>,
}

impl Guard {
    /// Starts a guard that holds the lock of a folder, if any. Returns `None` where there is no shell.
    pub fn start(lock: Option<&File>) -> Option<Self> {
        let mut command = Command::new("sh");
        // Ctrl-C is for this program and its tools.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let held = lock.and_then(|file| file.try_clone().ok());
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stderr(Stdio::null());
        command.stdout(held.map_or_else(Stdio::null, Stdio::from));
        let mut shell = command.spawn().ok()?;
        let groups = shell.stdin.take();
        Some(Self { shell, groups })
    }

    /// Tells the groups that run now.
    pub fn tell(&mut self, groups: &[u32]) {
        let line: Vec<String> = groups.iter().map(u32::to_string).collect();
        if let Some(pipe) = &mut self.groups {
            // Without its guard, this program still ends its tools wherever it can.
            let _ = pipe.write_all(format!("{}\n", line.join(" ")).as_bytes());
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.groups = None;
        let _ = self.shell.wait();
    }
}
