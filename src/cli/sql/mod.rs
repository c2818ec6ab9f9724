//! `sql`: runs SQL over bundles, from flags, files, standard input or a shell.

mod shell;

use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use clap::Args;
use exporters::Format;
use tokio::runtime::Runtime;

use crate::cli::cluster::{self, OfCluster};
use crate::cli::encode::write;
use crate::cli::error::CliError;
use crate::cli::limits::Limits;
use crate::cli::open::{self, Opening};
use crate::cli::output::Destination;
use crate::cli::printing::Printing;
use crate::cli::signals;
use crate::engine::{self, Engine, Statement};
use crate::report::text::counted;
use crate::workspace::{SqlSession, Workspace, define, initialize};

#[derive(Debug, Args)]
#[command(after_help = SQL_AFTER, mut_arg("format", |arg| arg.help(FORMAT)), mut_arg("tls", |arg| arg.requires("cluster")), mut_arg("worker_timeout", |arg| arg.requires("cluster")))]
pub struct Sql {
    /// Bundles to open (optional; without bundles, tables are not available)
    #[arg(value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// SQL to run; may be repeated
    #[arg(long = "command", short = 'c', value_name = "SQL", allow_hyphen_values = true)]
    pub commands: Vec<String>,
    /// File with SQL to run, before all -c; may be repeated. On a terminal, a shell follows if it only defines views, tables
    /// and macros
    #[arg(long = "file", short = 'f', value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Value of `$NAME` in the SQL: a number, NULL, or else a text; may be repeated
    #[arg(long = "variable", short = 'v', value_name = "NAME=VALUE", value_parser = variable)]
    pub variables: Vec<(String, String)>,
    /// Exit with 1 if there is any row, for conditions that must not occur
    #[arg(long)]
    pub check: bool,
    /// Exit with 1 if there is no row
    #[arg(long, conflicts_with = "check")]
    pub expect_rows: bool,
    #[command(flatten)]
    pub printing: Printing,
    #[command(flatten)]
    pub limits: Limits,
    #[command(flatten)]
    pub cluster: OfCluster,
}

const FORMAT: &str = "\
Output format: text (a box), box, markdown, csv, tsv, json (an array), jsonl, line, arrow or parquet; by default chosen by \
the extension of FILE, else a box on a terminal, csv otherwise";

const SQL_AFTER: &str = "\
Examples:
  ireescope sql -c 'SELECT key, total_ns FROM top_functions' m.ireeprof
  ireescope sql -c 'SELECT * FROM dispatches' -o dispatches.parquet runs/*.ireeprof
  ireescope sql -v limit=5 -c 'SELECT * FROM top_functions LIMIT $limit' m.ireeprof
  ireescope sql --check -c 'SELECT * FROM dispatches WHERE NOT is_valid' m.ireeprof      (exits with 1 if there are any)
  ireescope sql before=a.ireeprof after=b.ireeprof          (a shell; .help lists its commands)

`ireescope tables` lists all tables, views and reports. Statements in ~/.config/ireescope/init.sql run first, then \
the views of folders that are opened are defined (FOLDER/views/*.sql).";

/// Runs the command.
pub fn run(args: &Sql, opening: &Opening) -> Result<(), CliError> {
    let planning = cluster::planning(&args.cluster, opening)?;
    let is_read_only = args.limits.read_only_sql;
    let opening = &Opening { is_read_only, planning, ..opening.clone() };
    let script = script(args)?;
    let mut statements = engine::parse(script.as_deref().unwrap_or_default())?;
    for statement in &mut statements {
        statement.bind(&args.variables)?;
    }
    if script.is_none() || is_before_shell(args, &statements) {
        return shell(args, opening, &statements);
    }
    let Workspace { engine, runtime } = match args.limits.statement_timeout {
        Some(_) => opening.open_stoppable(&args.bundles)?,
        None => opening.open_any(&args.bundles)?,
    };
    of_cluster(args, &engine)?;
    let ended = script_of(args, &engine, &runtime, &statements);
    // Do not wait for a query that is still stopping.
    runtime.shutdown_background();
    ended
}

/// Runs the statements and writes their results.
fn script_of(
    args: &Sql,
    engine: &Arc<Engine>,
    runtime: &Runtime,
    statements: &[Statement],
) -> Result<(), CliError> {
    initialize(engine, runtime, &args.bundles, &open::listener())?;
    let destination = args.printing.destination([engine.as_ref()])?.limits(&args.limits);
    let format = destination.format(args.printing.of_query())?;
    let session = SqlSession::new(Arc::clone(engine), args.limits.of_statements());
    let (mut results, mut count) = (0, 0);
    for statement in statements {
        let run =
            answer((engine, &session), statement, &args.limits, format, &destination, results);
        let answer = runtime.block_on(session.in_time(run));
        let rows = answer.map_err(|error| match error {
            CliError::Engine(source) if statements.len() > 1 => {
                CliError::of_statement(&statement.text(), source)
            }
            other => other,
        })?;
        results += usize::from(rows.is_some());
        count += rows.unwrap_or_default();
    }
    if results == 0 && args.printing.output.is_some() {
        return Err(CliError::Usage("there is no result to write to the output file".into()));
    }
    destination.commit()?;
    match count {
        0 if args.expect_rows => Err(CliError::No("there are no rows, but --expect-rows".into())),
        1.. if args.check => {
            Err(CliError::No(format!("--check found {}", counted(count as u64, "row"))))
        }
        _ => Ok(()),
    }
}

/// Fails if a cluster cannot read what is open.
fn of_cluster(args: &Sql, engine: &Engine) -> Result<(), CliError> {
    if args.cluster.cluster.is_empty() || engine.is_of_dataset() {
        return Ok(());
    }
    Err(CliError::Usage(
        "--cluster needs a dataset, as workers do not read bundles; `ireescope export --format=parquet -o DATASET` writes one"
            .into(),
    ))
}

/// True if files with nothing but definitions were named on a terminal, which makes sense only before a shell.
fn is_before_shell(args: &Sql, statements: &[Statement]) -> bool {
    args.commands.is_empty()
        && statements.iter().all(Statement::is_definition)
        && io::stdin().is_terminal()
        && io::stdout().is_terminal()
}

/// Runs definitions, then the shell.
fn shell(args: &Sql, opening: &Opening, statements: &[Statement]) -> Result<(), CliError> {
    let Workspace { engine, runtime } = opening.open_stoppable(&args.bundles)?;
    of_cluster(args, &engine)?;
    initialize(&engine, &runtime, &args.bundles, &open::listener())?;
    for statement in statements {
        define(&engine, &runtime, statement)
            .map_err(|source| CliError::of_statement(&statement.text(), source))?;
    }
    signals::end_shell_cleanly()?;
    let ended = shell::run(&engine, &runtime, &args.printing, &args.limits);
    // Do not wait for a cancelled query that is still stopping.
    runtime.shutdown_background();
    ended
}

/// Parses a value of `--variable`.
fn variable(text: &str) -> Result<(String, String), String> {
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match text.split_once('=') {
        Some((name, value)) if is_name(name) => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE, with a name of letters, digits and _".to_owned()),
    }
}

/// Returns the SQL to run; `None` for a shell.
fn script(args: &Sql) -> Result<Option<String>, CliError> {
    let mut parts = Vec::new();
    for path in &args.files {
        let text = std::fs::read_to_string(path).map_err(CliError::reading(path))?;
        // Some editors write a byte-order mark.
        parts.push(text.trim_start_matches('\u{feff}').to_owned());
    }
    parts.extend(args.commands.iter().cloned());
    if !parts.is_empty() {
        return Ok(Some(parts.join("\n;\n")));
    }
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|source| CliError::System { action: "read standard input", source })?;
    Ok(Some(text))
}

/// Runs one statement and writes its result, which `results` others precede. Returns the number of rows, or `None` for
/// a statement without a result.
async fn answer(
    (engine, session): (&Engine, &SqlSession),
    statement: &Statement,
    limits: &Limits,
    format: Format,
    destination: &Destination,
    results: usize,
) -> Result<Option<usize>, CliError> {
    let check = |schema: &SchemaRef| {
        if results > 0 && format.is_binary() && !schema.fields().is_empty() {
            return Err(CliError::Usage(
                "arrow and parquet can hold only one result, but there are more".into(),
            ));
        }
        Ok(())
    };
    if limits.statement_timeout.is_some() {
        let mut running = session.run(statement).await?;
        let schema = Arc::clone(&running.schema);
        check(&schema)?;
        return write(&schema, running.batches(), format, destination).await;
    }
    let batches = engine.run(statement).await?;
    let schema = batches.schema();
    check(&schema)?;
    write(&schema, limits.of_statements().limited(batches), format, destination).await
}
