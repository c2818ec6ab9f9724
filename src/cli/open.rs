//! Opens the bundles, folders and datasets that the command line names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use bytesize::ByteSize;
use clap::Args;
use tokio::runtime::{Builder, Runtime};

use crate::att::Settings;
use crate::bundle::set::CaptureSet;
use crate::bundle::{self, Bundle, BundleError, StandIn, sources};
use crate::engine::dataset::Dataset;
use crate::engine::{Engine, EngineError, Memory, Options, default_limit};
use crate::history::History;
use crate::record::set_damage_aside;

use super::bench::folder;
use super::error::CliError;
use super::known::known;
use super::{tune_folder, user_folders};

/// How bundles are opened.
#[derive(Debug, Clone, Default, Args)]
pub struct Opening {
    /// Reject bundles of unfinished captures instead of reading their complete records
    #[arg(long, global = true)]
    pub strict: bool,
    /// Number of threads (default: one per processor)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder of `iree-compile --iree-hal-dump-executable-sources-to`, for `flops`, `bytes` and `op_kind` in SQL; may be
    /// repeated
    #[arg(long, global = true, value_name = "DIR")]
    pub sources: Vec<PathBuf>,
    /// Folder of `iree-compile --iree-hal-dump-executable-configurations-to`, for `knobs` in SQL; may be repeated
    #[arg(long, global = true, value_name = "DIR")]
    pub configurations: Vec<PathBuf>,
    /// Number of calls in each bundle, if `top` says that it is not certain
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub calls: Option<u32>,
    /// Device in `device_peaks` that recorded the bundles, if it cannot be told from them
    #[arg(long, global = true, value_name = "DEVICE")]
    pub peaks: Option<String>,
    /// Memory for queries, e.g. `512MB` (default: half of the machine's or container's); they sort, group and join
    /// larger tables on disk
    #[arg(long, global = true, value_name = "SIZE")]
    pub memory_limit: Option<ByteSize>,
    /// Folder for what queries write to disk (default: that for temporary files)
    #[arg(long, global = true, value_name = "DIR")]
    pub spill_dir: Option<PathBuf>,
    /// How instruction traces are decoded; `att` sets it.
    #[arg(skip)]
    pub traces: Settings,
    /// Whether SQL may only read the bundles; `sql` sets it.
    #[arg(skip)]
    pub is_read_only: bool,
}

/// Stack size in bytes of the threads that evaluate queries, which recurse into expressions.
pub const STACK: usize = 16 << 20;

/// Stack size in bytes of the threads that plan the queries of users. Generated SQL may nest tens of thousands of levels
/// deep, and the parsers, printers and optimizers of expressions are recursive.
pub const DEEP_STACK: usize = 64 << 20;

/// Creates an engine over the bundles and a runtime for its queries. Fails if no bundle has records.
pub fn engine(arguments: &[String], opening: &Opening) -> Result<(Engine, Runtime), CliError> {
    let engine = open(arguments, opening)?;
    recorded(engine.bundles().iter().map(AsRef::as_ref))?;
    with_runtime(engine, 0)
}

/// Like [`engine`], but accepts captures that recorded nothing.
pub fn any(arguments: &[String], opening: &Opening) -> Result<(Engine, Runtime), CliError> {
    with_runtime(open(arguments, opening)?, 0)
}

/// Like [`any`], but salvages damaged files: unreadable chunks are left out and become rows of `problems`.
pub fn salvaging(arguments: &[String], opening: &Opening) -> Result<(Engine, Runtime), CliError> {
    let mut bundles = bundles(arguments, opening)?;
    let threads = threads(opening);
    for bundle in &mut bundles {
        set_damage_aside(bundle, threads);
    }
    with_runtime(Engine::new(bundles, options(opening, &[])?), 0)
}

/// Like [`any`], for statements that can be stopped: the runtime has one more thread, which handles Ctrl-C and time limits
/// during a query.
pub fn stoppable(arguments: &[String], opening: &Opening) -> Result<(Engine, Runtime), CliError> {
    with_runtime(open(arguments, opening)?, 1)
}

/// Creates an engine and a runtime for each bundle separately.
pub fn each(arguments: &[String], opening: &Opening) -> Result<Vec<(Engine, Runtime)>, CliError> {
    let (bundles, options) = alone(arguments, opening)?;
    let open = |bundle| with_runtime(Engine::new(vec![bundle], options.clone()), 0);
    bundles.into_iter().map(open).collect()
}

/// Opens the bundles without engines. Returns them with the options for their engines. Fails if none has records.
pub fn alone(arguments: &[String], opening: &Opening) -> Result<(Vec<Bundle>, Options), CliError> {
    let mut bundles = bundles(arguments, opening)?;
    recorded(bundles.iter())?;
    bundles.retain(|bundle| bundle.stand_in.is_none());
    Ok((bundles, options(opening, &[])?))
}

/// Creates the runtime of an engine, with `more` threads than it needs.
pub fn with_runtime(engine: Engine, more: usize) -> Result<(Engine, Runtime), CliError> {
    let threads = engine.threads() + more;
    let mut builder =
        if threads == 1 { Builder::new_current_thread() } else { Builder::new_multi_thread() };
    // Statements that can be stopped are planned in tasks.
    let stack = if more > 0 { DEEP_STACK } else { STACK };
    let runtime = builder.worker_threads(threads).thread_stack_size(stack).enable_all().build();
    let failed = |source| CliError::System { action: "start threads", source };
    Ok((engine, runtime.map_err(failed)?))
}

/// Runs queries at once, as a pass over a bundle takes one thread mostly; one after the other where memory is scarce.
/// Returns their results in order.
pub fn at_once<T: Send + 'static>(
    (engine, runtime): (&Engine, &Runtime),
    queries: impl Iterator<Item = impl Future<Output = Result<T, EngineError>> + Send + 'static>,
) -> Result<Vec<T>, CliError> {
    if engine.has_scarce_memory() {
        return queries.map(|query| Ok(runtime.block_on(query)?)).collect();
    }
    let tasks: Vec<_> = queries.map(|query| runtime.spawn(query)).collect();
    let joined = tasks.into_iter().map(|task| match runtime.block_on(task) {
        Ok(result) => Ok(result?),
        Err(failed) => std::panic::resume_unwind(failed.into_panic()),
    });
    joined.collect()
}

fn open(arguments: &[String], opening: &Opening) -> Result<Engine, CliError> {
    let is_dataset = |argument: &String| Dataset::is_one(Path::new(argument));
    let is_history = |argument: &String| History::is_one(Path::new(argument));
    match arguments {
        [folder] if is_dataset(folder) => {
            let dataset = Dataset::open(Path::new(folder)).map_err(EngineError::from)?;
            Ok(Engine::of_dataset(dataset, options(opening, &[])?))
        }
        [folder] if is_history(folder) => {
            let history = History::open(Path::new(folder)).map_err(EngineError::from)?;
            Ok(Engine::of_history(history, options(opening, &[])?))
        }
        many if many.iter().any(is_history) => Err(CliError::Usage(
            "a history cannot be opened together with bundles; add them to it with `ireescope history add`".into(),
        )),
        many if many.iter().any(is_dataset) => Err(CliError::Usage(
            "a folder of Parquet files cannot be opened together with other bundles; export them into the folder".into(),
        )),
        _ => {
            let dispatch_runs = folder::dispatch_runs(arguments)?;
            let options = options(opening, &dispatch_runs)?;
            let mut beside = tune_folder::tables(arguments)?;
            beside.insert("dispatch_runs", dispatch_runs);
            Ok(Engine::beside(bundles(arguments, opening)?, beside, options))
        }
    }
}

fn options(opening: &Opening, dispatch_runs: &[RecordBatch]) -> Result<Options, CliError> {
    let Opening { peaks, sources, configurations, .. } = opening;
    let mut known = known(peaks.as_deref(), sources, configurations, dispatch_runs)?;
    known.calls = opening.calls.map(u64::from);
    let mut traces = opening.traces.clone();
    traces.threads = opening.threads.map_or(traces.threads, usize::from);
    traces.cache = user_folders::cache().map(|folder| folder.join("traces"));
    Ok(Options {
        threads: opening.threads.map(usize::from),
        traces: Some(traces),
        known: Arc::new(known),
        memory: memory(opening)?,
        is_read_only: opening.is_read_only,
    })
}

fn memory(opening: &Opening) -> Result<Memory, CliError> {
    let asked = opening.memory_limit.map(|limit| usize::try_from(limit.as_u64()));
    let limit = asked.map_or_else(default_limit, |limit| limit.unwrap_or(usize::MAX));
    let folder = opening.spill_dir.clone().unwrap_or_else(std::env::temp_dir);
    Ok(Memory::limited(limit, folder).map_err(EngineError::from)?)
}

/// Fails if an argument is a folder that keeps rows of bundles: commands that read the bytes of bundles would find nothing.
pub fn bundles_only(arguments: &[String]) -> Result<(), CliError> {
    let folder = arguments.iter().find_map(|argument| {
        let path = Path::new(argument);
        let what = if Dataset::is_one(path) {
            "a folder of Parquet files"
        } else if History::is_one(path) {
            "a history"
        } else {
            return None;
        };
        Some((argument, what))
    });
    folder.map_or(Ok(()), |(folder, what)| {
        Err(CliError::Usage(format!(
            "{folder} is {what}, but this command reads bundles: name the bundles, or ask with `ireescope sql {folder}`"
        )))
    })
}

fn bundles(arguments: &[String], opening: &Opening) -> Result<Vec<Bundle>, CliError> {
    bundles_only(arguments)?;
    let arguments = tune_folder::spread(&folder::spread(arguments));
    let sources = sources::expand(&arguments)?;
    let threads = threads(opening);
    let mut bundles = Vec::with_capacity(sources.len());
    for bundle in bundle::open_all(&sources, opening.strict, threads) {
        let bundle = bundle?;
        let path = bundle.path.display();
        if let Some(problem) = bundle.salvage() {
            eprintln!("ireescope: warning: {path}: {}", problem.what);
        }
        if bundle.stand_in == Some(StandIn::Lost) {
            eprintln!(
                "ireescope: warning: {path}: the file is missing, but its capture set lists it"
            );
        }
        bundles.push(bundle);
    }
    Ok(bundles)
}

/// Returns the number of threads that open and read bundles.
fn threads(opening: &Opening) -> usize {
    opening.threads.map_or_else(bundle::processors, usize::from)
}

/// Fails if no bundle has records, with the reason from its capture set.
fn recorded<'a>(mut bundles: impl Iterator<Item = &'a Bundle> + Clone) -> Result<(), CliError> {
    let stand_in = bundles.clone().find(|bundle| bundle.stand_in.is_some());
    let Some(bundle) = stand_in.filter(|_| bundles.all(|bundle| bundle.stand_in.is_some())) else {
        return Ok(());
    };
    let set = bundle.set.as_deref();
    let path = set.map_or_else(|| bundle.path.clone(), |set| set.folder.clone());
    let why = match bundle.stand_in {
        Some(StandIn::Lost) => Some(format!("{} is missing", bundle.path.display())),
        _ => set.and_then(CaptureSet::why_nothing),
    };
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    Err(CliError::Bundle(BundleError::NothingRecorded { path, why }))
}
