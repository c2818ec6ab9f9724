//! Decodes traces, each in a process of its own, several at once. A crash, a hang or an error ends one process; the other
//! traces are decoded all the same.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use arrow::array::RecordBatch;
use base::in_order;
use base::words::OptionStyle;
use read::bundle::Bundle;

use super::cache::Cached;
use super::child::rows;
use super::detail::Detail;
use super::error::AttError;
use super::inputs::{Selection, Trace, traces};
use super::request::{ARGUMENT, FAILED, Image, LACKING, Load, Parts, Reply, Request};
use super::row::{TABLES, TraceRow};

/// How long a trace may take by default.
pub const TIME_LIMIT: Duration = Duration::from_mins(10);

/// Shortest and longest polling interval, which grows with the elapsed time.
const TICKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// Maximum length of what is repeated of the messages of a library.
const MESSAGE: usize = 400;

/// How traces are decoded, and which.
#[derive(Debug, Clone)]
pub struct Settings {
    pub selection: Selection,
    /// The `ireescope` program, which is started for each trace; without it, traces are not decoded.
    pub program: Option<PathBuf>,
    /// A folder with ROCm's libraries, or one of them; `None` for that of the environment or of the system.
    pub rocm_library_path: Option<PathBuf>,
    pub time_limit: Duration,
    /// The folder that keeps what was decoded.
    pub cache: Option<PathBuf>,
    /// Whether traces are decoded even if that was kept.
    pub is_fresh: bool,
    /// Number of traces that are decoded at once.
    pub threads: usize,
    /// How the reasons in `att_traces` spell options.
    pub options: OptionStyle,
    /// What became of the traces; all copies of the settings share it.
    pub outcome: Arc<Mutex<Outcome>>,
}

/// What became of traces.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Number of selected traces.
    pub traces: usize,
    /// Why traces were not decoded, a message for each.
    pub problems: Vec<String>,
}

impl Settings {
    /// Returns what became of traces since the last call.
    pub fn take_outcome(&self) -> Outcome {
        std::mem::take(&mut *self.outcome.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            program: None,
            rocm_library_path: None,
            time_limit: TIME_LIMIT,
            cache: None,
            is_fresh: false,
            threads: thread::available_parallelism().map_or(1, usize::from),
            options: OptionStyle::default(),
            outcome: Arc::default(),
        }
    }
}

/// The rows of each table.
pub type Tables = HashMap<&'static str, Vec<RecordBatch>>;

/// What was decoded of a trace.
type Decoded = Result<Parts, AttError>;

/// Decodes the selected traces of bundles. A trace that cannot be decoded has a row with the reason in `att_traces`. Fails
/// if a library is missing.
pub fn decode(
    bundles: &[Arc<Bundle>],
    settings: &Settings,
    detail: Detail,
) -> Result<Tables, AttError> {
    let mut all = Vec::new();
    for bundle in bundles {
        all.extend(traces(bundle, &settings.selection)?);
    }
    let mut tables: Tables = TABLES.iter().map(|table| (*table, Vec::new())).collect();
    let mut outcome = settings.outcome.lock().unwrap_or_else(PoisonError::into_inner);
    outcome.traces += all.len();
    for (trace, decoded) in all.iter().zip(each(&all, settings, detail)) {
        let parts = match decoded {
            Ok(parts) => parts,
            Err(AttError::Failed(what)) => {
                let what = settings.options.spell(&what);
                let row = TraceRow::without(&trace.origin, what.clone());
                let origin = &trace.origin;
                outcome.problems.push(format!(
                    "trace {} of {} cannot be decoded: {what}",
                    origin.trace_id, origin.bundle
                ));
                let [table, ..] = TABLES;
                rows(table, &[row]).map_err(|error| AttError::Failed(error.to_string()))?
            }
            Err(other) => return Err(other),
        };
        for (table, batch) in parts {
            tables.entry(table).or_default().push(batch);
        }
    }
    Ok(tables)
}

/// Decodes each trace on the next free thread. Those after one that lacks a library are not decoded.
fn each(all: &[Trace], settings: &Settings, detail: Detail) -> Vec<Decoded> {
    let is_over = AtomicBool::new(false);
    let is_of_trace = |decoded: &Decoded| matches!(decoded, Ok(_) | Err(AttError::Failed(_)));
    let done = in_order(all, settings.threads, |trace| {
        let decoded = (!is_over.load(Ordering::Relaxed)).then(|| one(trace, settings, detail))?;
        is_over.fetch_or(!is_of_trace(&decoded), Ordering::Relaxed);
        Some(decoded)
    });
    let mut done: Vec<Decoded> = done.into_iter().flatten().collect();
    // What ended the work comes first: then nothing before it is missing.
    done.sort_by_key(is_of_trace);
    done
}

/// Returns what was kept of a trace, or decodes and keeps it.
fn one(trace: &Trace, settings: &Settings, detail: Detail) -> Decoded {
    let bytes = trace.bytes()?;
    let (request, images) = request(trace, settings, detail, bytes.len())?;
    let cached = settings.cache.as_ref().map(|folder| Cached::of(folder, &request, &images, bytes));
    let known = cached.as_ref().filter(|_| !settings.is_fresh);
    if let Some(parts) = known.and_then(|cached| cached.read(&trace.origin, detail)) {
        trace.bundle.whole()?;
        return Ok(parts);
    }
    let parts = in_process(trace, settings, &request, &images)?;
    if let Some(cached) = cached {
        cached.write(&parts, detail);
    }
    Ok(parts)
}

/// Decodes a trace in a new process.
fn in_process(trace: &Trace, settings: &Settings, request: &Request, images: &[&[u8]]) -> Decoded {
    let bytes = trace.bytes()?;
    let (reply, messages) = (temporary()?, temporary()?);
    let start = AttError::system("start a process that decodes traces");
    let lacking = || {
        AttError::Lacking(
            "traces are decoded by the program ireescope, whose path is not set".into(),
        )
    };
    let mut command = Command::new(settings.program.as_ref().ok_or_else(lacking)?);
    // Ctrl-C stops the query, which ends the process: it must not look as if the library had failed.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .arg(ARGUMENT)
        .stdin(Stdio::piped())
        .stdout(reply.try_clone().map_err(start)?)
        .stderr(messages.try_clone().map_err(start)?)
        .spawn()
        .map_err(start)?;
    let stdin = child.stdin.take();
    let ended = thread::scope(|scope| {
        // If the process ends before it has read everything, its exit code tells why.
        scope.spawn(|| stdin.map(|mut stdin| request.send(&mut stdin, images, bytes)));
        wait(&mut child, trace, settings.time_limit)
    });
    trace.bundle.whole()?;
    let ended = ended?;
    let received = rewound(reply).and_then(Reply::receive);
    let reply = received.map_err(AttError::system("read what was decoded"))?;
    let Some(status) = ended else {
        let seconds = settings.time_limit.as_secs_f64();
        let what = format!("it took more than {seconds} s while {}", reply.last_line);
        return Err(AttError::Failed(what + "; option `time_limit` allows more" + &said(messages)));
    };
    if let Some(what) = reply.last_line.strip_prefix(LACKING) {
        return Err(AttError::Lacking(what.to_owned()));
    }
    if let Some(what) = reply.last_line.strip_prefix(FAILED) {
        return Err(AttError::Failed(what.to_owned()));
    }
    if status.success() && reply.has_tables {
        return reply
            .tables(|_| true)
            .map_err(|error| AttError::Failed(format!("what was decoded is incomplete: {error}")));
    }
    let what = format!("the process ended with {status} while {}", reply.last_line);
    Err(AttError::Failed(what + &said(messages)))
}

/// Returns what to send, with the images.
fn request<'a>(
    trace: &'a Trace,
    settings: &Settings,
    detail: Detail,
    trace_bytes: usize,
) -> Result<(Request, Vec<&'a [u8]>), AttError> {
    let mut request = Request {
        origin: trace.origin.clone(),
        rocm_library_path: settings.rocm_library_path.clone(),
        detail,
        trace_bytes,
        ..Request::default()
    };
    let (mut images, mut offsets) = (Vec::new(), Vec::new());
    for loaded in trace.code_objects()? {
        let known = offsets.iter().position(|offset| *offset == loaded.offset);
        let image = known.unwrap_or(images.len());
        if known.is_none() {
            offsets.push(loaded.offset);
            images.push(loaded.image);
            let (code_object_id, bytes) = (loaded.code_object_id, loaded.image.len());
            request.images.push(Image { code_object_id, bytes });
        }
        request.loads.push(Load {
            code_object_id: loaded.code_object_id,
            image,
            delta: loaded.delta,
            size: loaded.size,
        });
    }
    Ok((request, images))
}

/// Waits for a process. Kills it at the time limit, which gives `None`, and if the query is stopped.
fn wait(child: &mut Child, trace: &Trace, limit: Duration) -> Result<Option<ExitStatus>, AttError> {
    let waiting = AttError::system("wait for a process that decodes traces");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(waiting)? {
            return Ok(Some(status));
        }
        let elapsed = started.elapsed();
        let stopped = trace.bundle.go_on();
        if elapsed >= limit || stopped.is_err() {
            // It may have ended meanwhile.
            let _ = child.kill();
            child.wait().map_err(waiting)?;
            return stopped.map(|()| None).map_err(AttError::from);
        }
        thread::sleep((elapsed / 50).clamp(TICKS.0, TICKS.1));
    }
}

fn temporary() -> Result<File, AttError> {
    tempfile::tempfile().map_err(AttError::system("create a temporary file"))
}

fn rewound(mut file: File) -> std::io::Result<File> {
    file.rewind().map(|()| file)
}

/// Returns the last line that the libraries printed, in parentheses.
fn said(messages: File) -> String {
    let mut text = Vec::new();
    // Without it, the message is shorter.
    let _ = rewound(messages).and_then(|mut file| file.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let end = last.floor_char_boundary(MESSAGE);
    let last = last.get(..end).unwrap_or_default();
    if last.is_empty() { String::new() } else { format!(" ({last})") }
}
