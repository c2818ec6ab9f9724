//! Finds out what arguments name, and opens it.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use engine::dataset::Dataset;
use engine::{Engine, EngineError, Options};
use read::bundle::set::CaptureSet;
use read::bundle::{self, Bundle, BundleError, StandIn, sources};
use read::history::{History, Kept};
use read::record::set_damage_aside;

use super::addresses::Addresses;
use super::answers::Workspace;
use super::error::OpenError;
use super::histories::open_history;
use super::known::known;
use super::notice::Notice;
use super::options::WorkspaceOptions;
use super::{bench_folder, tune_folder, user_folders};

impl Workspace {
    /// Opens what the arguments name: bundles as `iree-profile` writes them, also compressed or as `ireeperf-jsonl`; globs,
    /// folders and capture sets; each of them as NAME=PATH; the folders of `bench` and `tune`; or alone, a dataset or a
    /// history. Fails if nothing was recorded.
    pub fn open(
        arguments: &[impl AsRef<str>],
        options: &WorkspaceOptions,
    ) -> Result<Self, OpenError> {
        let engine = engine(&owned(arguments), options)?;
        recorded(engine.bundles().iter().map(AsRef::as_ref))?;
        Self::of(engine)
    }

    /// Like [`Self::open`], but accepts captures that recorded nothing.
    pub fn open_any(
        arguments: &[impl AsRef<str>],
        options: &WorkspaceOptions,
    ) -> Result<Self, OpenError> {
        Self::of(engine(&owned(arguments), options)?)
    }

    /// Like [`Self::open_any`], for statements that can be stopped.
    pub fn open_stoppable(
        arguments: &[impl AsRef<str>],
        options: &WorkspaceOptions,
    ) -> Result<Self, OpenError> {
        Self::stoppable(engine(&owned(arguments), options)?)
    }

    /// Like [`Self::open_any`], but salvages damaged files: unreadable chunks are left out and become rows of `problems`.
    pub fn salvage(
        arguments: &[impl AsRef<str>],
        options: &WorkspaceOptions,
    ) -> Result<Self, OpenError> {
        let mut bundles = bundles(&owned(arguments), options)?;
        for bundle in &mut bundles {
            set_damage_aside(bundle, options.threads());
        }
        Self::of(Engine::new(bundles, of_engine(options, &[])?))
    }

    /// Opens a history.
    pub fn of_history(history: History, options: &WorkspaceOptions) -> Result<Self, OpenError> {
        Self::of(Engine::of_history(history, of_engine(options, &[])?))
    }

    /// Opens each bundle as a workspace of its own.
    pub fn open_each(
        arguments: &[impl AsRef<str>],
        options: &WorkspaceOptions,
    ) -> Result<Vec<Self>, OpenError> {
        let (bundles, options) = open_bundles(&owned(arguments), options)?;
        let open = |bundle| Self::of(Engine::new(vec![bundle], options.clone()));
        bundles.into_iter().map(open).collect()
    }
}

fn owned(arguments: &[impl AsRef<str>]) -> Vec<String> {
    arguments.iter().map(|argument| argument.as_ref().to_owned()).collect()
}

/// Opens bundles without an engine. Returns them with the options for their engines. Fails if none has records.
pub fn open_bundles(
    arguments: &[String],
    options: &WorkspaceOptions,
) -> Result<(Vec<Bundle>, Options), OpenError> {
    let mut bundles = bundles(arguments, options)?;
    recorded(bundles.iter())?;
    bundles.retain(|bundle| bundle.stand_in.is_none());
    Ok((bundles, of_engine(options, &[])?))
}

/// Fails if an argument is a folder that keeps rows of bundles: who reads the bytes of bundles would find nothing.
pub fn bundles_only(arguments: &[String]) -> Result<(), OpenError> {
    all_bundles(arguments, &Addresses::default())
}

fn all_bundles(arguments: &[String], addresses: &Addresses) -> Result<(), OpenError> {
    for argument in arguments {
        let path = Path::new(argument);
        let what = if addresses.is_dataset(argument) || Dataset::is_one(path) {
            "a folder of Parquet files"
        } else if addresses.is_history(argument) || History::is_one(path) {
            "a history"
        } else {
            continue;
        };
        return Err(OpenError::NotBundles { folder: argument.clone(), what });
    }
    Ok(())
}

fn engine(arguments: &[String], options: &WorkspaceOptions) -> Result<Engine, OpenError> {
    let addresses = Addresses::find(arguments, options)?;
    let arguments = addresses.with_copies(arguments);
    let is_remote = |argument: &String| addresses.is_dataset(argument);
    let is_local = |argument: &String| Dataset::is_one(Path::new(argument));
    let is_dataset = |argument: &String| is_remote(argument) || is_local(argument);
    let is_history =
        |argument: &String| addresses.is_history(argument) || History::is_one(Path::new(argument));
    match arguments.as_slice() {
        [folder] if is_dataset(folder) => {
            let dataset = match addresses.dataset(folder) {
                Some(dataset) => dataset,
                None => Dataset::open(Path::new(folder)).map_err(EngineError::from)?,
            };
            Ok(Engine::of_dataset(dataset, of_engine(options, &[])?))
        }
        [folder] if is_history(folder) => {
            let history = match addresses.history(folder)? {
                Some(history) => history,
                None => open_history(Path::new(folder), Kept::Everything, options)?,
            };
            Ok(Engine::of_history(history, of_engine(options, &[])?))
        }
        many if many.iter().any(is_history) => Err(OpenError::HistoryBesides),
        many if many.iter().any(is_dataset) => Err(OpenError::DatasetBesides),
        _ => {
            let dispatch_runs = bench_folder::dispatch_runs(&arguments)?;
            let of_engine = of_engine(options, &dispatch_runs)?;
            let mut beside = tune_folder::tables(&arguments)?;
            beside.insert("dispatch_runs", dispatch_runs);
            Ok(Engine::with_tables(of_paths(&arguments, &addresses, options)?, beside, of_engine))
        }
    }
}

/// Returns the options of an engine, with what rows of `dispatch_runs` tell of dispatches.
fn of_engine(
    options: &WorkspaceOptions,
    dispatch_runs: &[RecordBatch],
) -> Result<Options, OpenError> {
    let WorkspaceOptions { device, sources, configurations, .. } = options;
    let mut known = known(device.as_deref(), sources, configurations, dispatch_runs)?;
    known.calls = options.calls;
    let mut traces = options.traces.clone();
    traces.threads = options.threads.unwrap_or(traces.threads);
    traces.cache = traces.cache.or_else(|| Some(user_folders::cache()?.join("traces")));
    Ok(Options {
        threads: options.threads,
        traces: Some(traces),
        known: Arc::new(known),
        memory: options.memory()?,
        is_read_only: options.is_read_only,
        planning: options.planning.clone(),
    })
}

fn bundles(arguments: &[String], options: &WorkspaceOptions) -> Result<Vec<Bundle>, OpenError> {
    let addresses = Addresses::find(arguments, options)?;
    of_paths(&addresses.with_copies(arguments), &addresses, options)
}

/// Opens what paths name, or addresses of which it is known what they name.
fn of_paths(
    arguments: &[String],
    addresses: &Addresses,
    options: &WorkspaceOptions,
) -> Result<Vec<Bundle>, OpenError> {
    all_bundles(arguments, addresses)?;
    let arguments = tune_folder::spread(&bench_folder::spread(arguments));
    let known = addresses.sources()?;
    let sources = sources::expand_others(&arguments, |argument| {
        known.get(argument).cloned().map(Ok).or_else(|| addresses.of_copy(argument))
    })?;
    let mut bundles = Vec::with_capacity(sources.len());
    for bundle in bundle::open_all(&sources, &options.of_bundles()) {
        let bundle = bundle?;
        let path = bundle.path.clone();
        if let Some(problem) = bundle.salvage() {
            let problem = problem.what.clone();
            options.listener.tell(Notice::Salvaged { path: path.clone(), problem });
        }
        if bundle.stand_in == Some(StandIn::Lost) {
            options.listener.tell(Notice::Lost { path });
        }
        bundles.push(bundle);
    }
    Ok(bundles)
}

/// Fails if no bundle has records, with the reason from its capture set.
fn recorded<'a>(mut bundles: impl Iterator<Item = &'a Bundle> + Clone) -> Result<(), OpenError> {
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
    Err(OpenError::Bundle(BundleError::NothingRecorded { path, why }))
}
