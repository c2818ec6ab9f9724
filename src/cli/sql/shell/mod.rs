//! The interactive shell: SQL statements that end with `;`, and commands that begin with a dot or a backslash.

mod commands;
mod completion;
mod reading;
mod session;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use tokio::runtime::Runtime;

use crate::cli::error::CliError;
use crate::cli::limits::Limits;
use crate::cli::pager::Pager;
use crate::cli::printing::Printing;

use crate::engine::Engine;
use crate::workspace;
use completion::Completion;
use session::{Next, Shell};

/// Maximum number of entries in the history.
const HISTORY: usize = 10_000;

/// Runs the shell until the end of input or `.quit`.
pub fn run(
    engine: &Arc<Engine>,
    runtime: &Runtime,
    printing: &Printing,
    limits: &Limits,
) -> Result<(), CliError> {
    let failed = |action| {
        move |error: ReadlineError| CliError::System { action, source: io::Error::other(error) }
    };
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut editor: Editor<Completion, FileHistory> =
        Editor::with_config(config).map_err(failed("use the terminal"))?;
    editor.set_max_history_size(HISTORY).map_err(failed("set up the history"))?;
    editor.set_helper(Some(Completion::new(engine)));
    let history = history_file();
    if let Some(path) = &history {
        // Fails if there is no history yet.
        let _ = editor.load_history(path);
    }
    let mut shell = Shell {
        engine,
        runtime,
        format: printing.of_query(),
        output: printing.output.clone(),
        max_rows: printing.max_rows,
        pager: Pager::find(),
        pages: true,
        timer: false,
        limits: limits.clone(),
    };
    eprintln!("{} open. End SQL with `;`. `.help` lists the commands.", open_bundles(engine));
    let mut saved = Ok(());
    loop {
        match reading::read(&mut editor) {
            Ok(text) => {
                // At once, as a signal may end the shell.
                if let Some(path) = &history {
                    saved = editor.append_history(path);
                }
                if take(&mut shell, &text) == Next::Quit {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(failed("read from the terminal")(error)),
        }
    }
    if let Some(path) = &history
        && let Err(error) = saved
    {
        eprintln!("ireescope: warning: the history was not saved to {}: {error}", path.display());
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

/// Returns the history file in the state folder of the user, and creates its folder.
fn history_file() -> Option<PathBuf> {
    let folder = workspace::state()?;
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// Runs a command or SQL. Errors are printed and do not end the shell.
fn take(shell: &mut Shell<'_>, text: &str) -> Next {
    let text = text.trim();
    let next = if commands::is_one(text) {
        shell.command(text)
    } else {
        shell.sql(text).map(|()| Next::Line)
    };
    next.unwrap_or_else(|error| {
        // Who leaves the pager early has seen enough.
        if !error.is_closed_pipe() {
            error.report();
        }
        Next::Line
    })
}
