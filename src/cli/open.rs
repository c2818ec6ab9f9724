//! Opening what the command line names.

use crate::bundle::{self, sources};
use crate::engine::{Engine, Options};

use super::args::Opening;
use super::error::CliError;

/// An engine over the bundles, and a runtime to ask it on.
pub fn engine(
    arguments: &[String],
    opening: &Opening,
) -> Result<(Engine, tokio::runtime::Runtime), CliError> {
    let sources = sources::expand(arguments)?;
    let mut bundles = Vec::with_capacity(sources.len());
    for source in &sources {
        let bundle = bundle::open(source, opening.strict)?;
        if let Some(problem) = bundle.salvage() {
            eprintln!("ireescope: warning: {}: {}", bundle.path.display(), problem.what);
        }
        bundles.push(bundle);
    }
    let engine = Engine::new(bundles, Options { threads: opening.threads.map(usize::from) })?;
    let runtime = if engine.threads() == 1 {
        tokio::runtime::Builder::new_current_thread().enable_all().build()
    } else {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(engine.threads())
            .enable_all()
            .build()
    };
    let runtime = runtime.map_err(|source| CliError::System { action: "start threads", source })?;
    Ok((engine, runtime))
}
