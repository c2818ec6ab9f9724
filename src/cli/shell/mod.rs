//! The shell: SQL until `;`, commands behind a dot or a backslash.

mod commands;
mod helper;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use exporters::Format;
use futures::StreamExt;
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::args::{FormatChoice, Sql};
use super::error::CliError;
use super::output::Destination;
use super::sql::write;
use crate::engine::{self, Engine, Statement};
use helper::ShellHelper;

/// Entries of the history that are kept.
const HISTORY: usize = 10_000;

/// What the dot commands change.
pub struct Shell<'a> {
    engine: &'a Engine,
    runtime: &'a Runtime,
    format: FormatChoice,
    output: Option<PathBuf>,
    timer: bool,
}

/// Whether to read on.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Line,
    Quit,
}

/// Reads and answers until the end of input.
pub fn run(engine: &Engine, runtime: &Runtime, args: &Sql) -> Result<(), CliError> {
    let failed = |action| {
        move |error: ReadlineError| CliError::System { action, source: io::Error::other(error) }
    };
    let config = Config::builder().auto_add_history(true).build();
    let mut editor: Editor<ShellHelper, FileHistory> =
        Editor::with_config(config).map_err(failed("use the terminal"))?;
    editor.set_max_history_size(HISTORY).map_err(failed("keep a history"))?;
    editor.set_helper(Some(ShellHelper::new(engine)));
    let history = history_file();
    if let Some(path) = &history {
        // The first time there is none.
        let _ = editor.load_history(path);
    }
    let (format, output) = (args.format, args.output.clone());
    let mut shell = Shell { engine, runtime, format, output, timer: false };
    eprintln!("{} open. SQL ends with `;`, `.help` lists commands.", open_bundles(engine));
    loop {
        match editor.readline("ireescope> ") {
            Ok(text) => {
                if shell.take(&text) == Next::Quit {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed("read from the terminal")(error)),
        }
    }
    if let Some(path) = &history
        && let Err(error) = editor.save_history(path)
    {
        eprintln!("ireescope: warning: the history was not kept in {}: {error}", path.display());
    }
    Ok(())
}

fn open_bundles(engine: &Engine) -> String {
    match engine.bundles() {
        [] => "No bundle is".into(),
        [one] => format!("{} is", one.path.display()),
        many => format!("{} bundles are", many.len()),
    }
}

/// The history in the user's state folder.
fn history_file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| {
            std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local/state"))
        })?;
    let folder = state.join("ireescope");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

impl Shell<'_> {
    /// Takes a command or SQL; errors are printed, and the shell goes on.
    pub fn take(&mut self, text: &str) -> Next {
        let text = text.trim();
        let next = if text.starts_with(['.', '\\']) {
            self.command(text)
        } else {
            self.sql(text).map(|()| Next::Line)
        };
        next.unwrap_or_else(|error| {
            error.report();
            Next::Line
        })
    }

    /// Runs SQL; Ctrl-C cancels it.
    fn sql(&self, script: &str) -> Result<(), CliError> {
        for statement in engine::parse(script)? {
            let started = Instant::now();
            let rows = self.runtime.block_on(async {
                tokio::select! {
                    rows = self.one(&statement) => rows.map(Some),
                    _ = tokio::signal::ctrl_c() => Ok(None),
                }
            })?;
            match rows {
                None => eprintln!("cancelled"),
                Some(rows) if self.timer => eprintln!("{rows} rows in {:.1?}", started.elapsed()),
                Some(rows) if io::stdout().is_terminal() => eprintln!("{rows} rows"),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Answers one statement. The query runs on a thread of its own and hands over batches, so that dropping this
    /// leaves nothing behind that would still print.
    async fn one(&self, statement: &Statement) -> Result<usize, CliError> {
        let destination = Destination::new(self.output.as_deref(), self.engine)?;
        let format = match (self.format, &self.output) {
            (FormatChoice::Auto, None) => Format::Box,
            (choice, _) => destination.format(choice)?,
        };
        let mut stream = self.engine.run(statement).await?;
        let schema = stream.schema();
        let (sender, mut batches) = mpsc::channel(2);
        let query = self.runtime.spawn(async move {
            while let Some(batch) = stream.next().await {
                if sender.send(batch).await.is_err() {
                    break;
                }
            }
        });
        let _cancel = AbortOnDrop(query.abort_handle());
        let batches = futures::stream::poll_fn(|context| batches.poll_recv(context));
        let rows = write(&schema, batches, format, &destination).await?;
        if rows.is_some() {
            destination.commit()?;
        }
        Ok(rows.unwrap_or(0))
    }
}

/// Stops a query whose answer is no longer wanted.
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Prints to standard output; a closed pipe ends the shell at its next read.
fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|source| CliError::System { action: "write to standard output", source })
}
