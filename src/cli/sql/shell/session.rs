//! The state of a shell, and the execution of SQL.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use exporters::Format;
use tokio::runtime::Runtime;

use crate::cli::encode::write;
use crate::cli::error::CliError;
use crate::cli::limits::Limits;
use crate::cli::open::warn_undecoded;
use crate::cli::output::Destination;
use crate::cli::pager::Pager;
use crate::engine::{self, Engine, Statement};
use crate::report::text::counted;
use crate::workspace::SqlSession;

/// The state of a shell, which the commands change.
pub struct Shell<'a> {
    pub engine: &'a Arc<Engine>,
    pub runtime: &'a Runtime,
    /// `None` for the default of the output.
    pub format: Option<Format>,
    pub output: Option<PathBuf>,
    /// Maximum number of rows of a box; 0 for all, `None` for the default.
    pub max_rows: Option<usize>,
    pub pager: Option<Pager>,
    /// Whether the pager is used.
    pub pages: bool,
    pub timer: bool,
    pub limits: Limits,
}

/// What the shell does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Line,
    Quit,
}

impl Shell<'_> {
    /// Runs the statements of a script. Ctrl-C and the time limit stop the current one.
    pub fn sql(&self, script: &str) -> Result<(), CliError> {
        let limits = self.limits.of_statements();
        let session = SqlSession::new(Arc::clone(self.engine), limits);
        for statement in engine::parse(script)? {
            let started = Instant::now();
            let rows = self.runtime.block_on(async {
                tokio::select! {
                    rows = session.in_time(self.one(&session, &statement)) => rows.map(Some),
                    _ = tokio::signal::ctrl_c() => Ok(None),
                }
            });
            warn_undecoded(&self.engine.undecoded());
            match rows? {
                None => eprintln!("cancelled"),
                Some(rows) if self.timer => {
                    eprintln!("{} in {:.1?}", counted(rows as u64, "row"), started.elapsed());
                }
                Some(rows) if io::stdout().is_terminal() => {
                    eprintln!("{}", counted(rows as u64, "row"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Runs one statement and returns the number of rows.
    async fn one(&self, session: &SqlSession, statement: &Statement) -> Result<usize, CliError> {
        let destination = Destination::new(self.output.as_deref(), [self.engine.as_ref()])?
            .max_rows(self.max_rows)
            .limits(&self.limits);
        let destination = destination.pager(self.pager.clone().filter(|_| self.pages));
        let format = match (self.format, &self.output) {
            (None, None) => Format::Box,
            (choice, _) => destination.format(choice)?,
        };
        let mut running = session.run(statement).await?;
        let schema = Arc::clone(&running.schema);
        let rows = write(&schema, running.batches(), format, &destination).await?;
        if rows.is_some() {
            destination.commit()?;
        }
        Ok(rows.unwrap_or(0))
    }
}
