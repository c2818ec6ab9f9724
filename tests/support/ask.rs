//! Creates temporary files and engines, and runs queries on them that return text.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use exporters::{Format, Target};
use futures::StreamExt;
use ireescope::bundle::{self, Bundle, BundleError, BundleSource};
use ireescope::engine::{Engine, EngineError, Options};
use tempfile::NamedTempFile;

use super::generator::Capture;

/// Returns the root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of the captures in tests/data, sorted.
pub fn captures() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("tests/data")).expect("tests/data is there");
    let mut paths: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "ireeprof"));
    paths.sort();
    assert!(paths.len() >= 7, "the captures are there");
    paths
}

/// Creates a file of these bytes, which is deleted when the handle is dropped.
pub fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file =
        tempfile::Builder::new().suffix(".ireeprof").tempfile().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    file
}

/// Creates a file of a generated capture, which is deleted when the handle is dropped.
pub fn generated(capture: &Capture) -> NamedTempFile {
    let mut file = file(&[]);
    capture.write(&mut file).expect("room for it");
    file
}

/// Opens a bundle with a label.
pub fn open(path: &Path, label: &str) -> Result<Bundle, BundleError> {
    let source = BundleSource::named(label.into(), path.into());
    bundle::open(&source, &bundle::OpenOptions::default())
}

/// Creates an engine over one file, with the label `b`.
pub fn engine(path: &Path) -> Engine {
    engine_over(vec![open(path, "b").expect("it opens")], None)
}

/// Creates an engine over the bytes of a bundle, with the label `b`.
pub fn engine_of(bytes: &[u8]) -> Engine {
    engine(file(bytes).path())
}

/// Creates an engine over bundles, with this number of threads or the default one.
pub fn engine_over(bundles: Vec<Bundle>, threads: Option<usize>) -> Engine {
    Engine::new(bundles, Options { threads, ..Options::default() })
}

/// Runs a statement, and returns its result as CSV.
pub fn csv(engine: &Engine, statement: &str) -> Result<String, EngineError> {
    let bytes = encoded(engine, statement, Format::Csv)?;
    Ok(String::from_utf8(bytes).expect("csv is text"))
}

/// Runs a statement, and returns its result in a format that takes any columns.
pub fn encoded(engine: &Engine, statement: &str, format: Format) -> Result<Vec<u8>, EngineError> {
    let threads = if engine.threads() > 1 { engine.threads() } else { 1 };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    runtime.expect("a runtime").block_on(encoded_stream(engine, statement, format))
}

async fn encoded_stream(
    engine: &Engine,
    statement: &str,
    format: Format,
) -> Result<Vec<u8>, EngineError> {
    let mut stream = engine.query(statement).await?;
    let bytes = Bytes::default();
    let encoder = format.encoder(&stream.schema(), Box::new(bytes.clone()), Target::default());
    let mut encoder = encoder.expect("the format takes any columns");
    while let Some(batch) = stream.next().await {
        encoder.batch(&batch?).expect("the format takes any batch");
    }
    encoder.finish().expect("memory takes any bytes");
    Ok(bytes.0.lock().expect("no panic before").clone())
}

/// Runs a statement, and returns its rows without the header, split at commas. Panics if the statement fails.
pub fn rows(engine: &Engine, statement: &str) -> Vec<Vec<String>> {
    let text = csv(engine, statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Runs a statement, and returns its only cell. Panics unless the result has one row.
pub fn cell(engine: &Engine, statement: &str) -> String {
    let rows = rows(engine, statement);
    assert_eq!(rows.len(), 1, "{statement} has one row");
    rows[0].join(",")
}

#[derive(Debug, Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic before").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns a command that starts a program with signals as a terminal has them. Tests that a service or a shell has started in the
/// background inherit that SIGINT is ignored.
pub fn with_default_signals(program: &Command) -> Command {
    let mut command = Command::new(program.get_program());
    if cfg!(target_os = "linux") {
        command = Command::new("env");
        command.arg("--default-signal").arg(program.get_program());
    }
    command.args(program.get_args());
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(program.get_current_dir().unwrap_or(Path::new(".")));
    command
}
