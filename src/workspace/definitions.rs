//! Definitions that `sql` finds: the user's `init.sql`, and the `views/*.sql` of the folders that are opened.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use base::with_extension;
use engine::{self, Engine, EngineError, Statement};
use futures::TryStreamExt;
use tokio::runtime::Runtime;

use super::error::OpenError;
use super::notice::{Listener, Notice};
use super::user_folders;

/// Runs the user's `ireescope/init.sql` in `$XDG_CONFIG_HOME` or `~/.config`, then defines the views of the folders.
pub fn initialize(
    engine: &Engine,
    runtime: &Runtime,
    arguments: &[String],
    listener: &Listener,
) -> Result<(), OpenError> {
    if let Some(path) = user_folders::config().map(|folder| folder.join("init.sql"))
        && path.exists()
    {
        // Histories have no tables of bundles, which the views of the user may need.
        run(engine, runtime, &path, engine::parse, engine.is_of_history())?;
    }
    for path in views(engine, arguments)? {
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let definitions =
            |text: &str| engine::definitions(text, name.as_deref().unwrap_or_default());
        let defined = run(engine, runtime, &path, definitions, false);
        // The folder may be somebody else's, and its tables can be queried without the view.
        if let Err(error) = defined {
            listener.tell(Notice::View(error));
        }
    }
    Ok(())
}

/// Returns the files `views/*.sql` of the folders that are opened and of capture sets, in the order of their names.
fn views(engine: &Engine, arguments: &[String]) -> Result<Vec<PathBuf>, OpenError> {
    let sets = engine.bundles().iter().filter_map(|bundle| bundle.set.as_ref());
    let sets = sets.map(|set| set.copy.clone().unwrap_or_else(|| set.folder.clone()));
    let folders = arguments.iter().map(PathBuf::from).chain(sets);
    let mut paths = Vec::new();
    let mut seen = HashSet::new();
    for folder in folders.map(|folder| folder.join("views")) {
        if folder.is_dir() && seen.insert(folder.clone()) {
            paths.extend(with_extension(&folder, "sql").map_err(OpenError::reading(&folder))?);
        }
    }
    Ok(paths)
}

fn run(
    engine: &Engine,
    runtime: &Runtime,
    path: &Path,
    parse: impl Fn(&str) -> Result<Vec<Statement>, EngineError>,
    may_fail: bool,
) -> Result<(), OpenError> {
    let text = std::fs::read_to_string(path).map_err(OpenError::reading(path))?;
    let at = path.display();
    let whole = |source| OpenError::Definition { place: at.to_string(), source };
    for statement in parse(&text).map_err(whole)? {
        let place = format!("{at}, line {}", statement.line());
        match define(engine, runtime, &statement) {
            Err(source) if !may_fail => return Err(OpenError::Definition { place, source }),
            _ => {}
        }
    }
    Ok(())
}

/// Runs a statement, whose rows are not printed.
pub fn define(
    engine: &Engine,
    runtime: &Runtime,
    statement: &Statement,
) -> Result<(), EngineError> {
    let run = async {
        let _rows: Vec<_> = engine.define(statement).await?.try_collect().await?;
        Ok(())
    };
    runtime.block_on(run)
}
