//! What clients have prepared, by handles that nobody can guess.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use tokio::time::Instant;
use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::service::Prepared;

/// Most statements that a user may keep.
const STATEMENTS: usize = 1000;
/// Most bytes of texts and values of the statements that a user keeps.
const BYTES: usize = 64 << 20;
/// How long a statement is kept that is not used.
const UNUSED: Duration = Duration::from_mins(10);
/// How often unused statements are looked for.
const INTERVAL: Duration = Duration::from_secs(30);

/// 128 random bits.
pub type Handle = [u8; 16];

/// Returns a handle.
pub fn random() -> Result<Handle, Status> {
    let mut handle = Handle::default();
    let filled = default_provider().secure_random.fill(&mut handle);
    filled.map_err(|_| Status::internal("the system has no random numbers"))?;
    Ok(handle)
}

/// A statement with values for its parameters.
#[derive(Clone)]
pub struct Bound {
    pub prepared: Arc<Prepared>,
    /// The types of its parameters, `None` where it does not tell.
    pub types: Arc<[Option<DataType>]>,
    pub values: Arc<[ScalarValue]>,
}

impl Bound {
    fn bytes(&self) -> usize {
        self.prepared.text.len() + self.values.iter().map(ScalarValue::size).sum::<usize>()
    }
}

/// What a handle is for.
enum State {
    /// A prepared statement.
    Prepared(Bound),
    /// A statement whose rows its client has not asked for yet.
    Waiting(Bound),
    /// One that runs, and what stops it.
    Running(CancellationToken),
}

struct Kept {
    user: Arc<str>,
    state: State,
    bytes: usize,
    used: Instant,
}

#[derive(Default)]
struct Taken {
    statements: usize,
    bytes: usize,
}

#[derive(Default)]
struct All {
    kept: HashMap<Handle, Kept>,
    taken: HashMap<Arc<str>, Taken>,
}

/// The handles of a server.
#[derive(Default)]
pub struct Handles(Mutex<All>);

/// A statement that runs. Its handle ends with it.
pub struct Running {
    handle: Handle,
    handles: Arc<Handles>,
    /// What stops it.
    pub stop: CancellationToken,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handles.all().remove(&self.handle);
    }
}

impl Handles {
    /// Keeps a prepared statement.
    pub(crate) fn keep_prepared(&self, user: &Arc<str>, bound: Bound) -> Result<Handle, Status> {
        let bytes = bound.bytes();
        self.all().keep(user, State::Prepared(bound), bytes)
    }

    /// Keeps a statement until its client asks for its rows.
    pub(crate) fn keep_waiting(&self, user: &Arc<str>, bound: Bound) -> Result<Handle, Status> {
        let bytes = bound.bytes();
        self.all().keep(user, State::Waiting(bound), bytes)
    }

    /// Returns a prepared statement.
    pub fn prepared(&self, user: &str, handle: &[u8]) -> Result<Bound, Status> {
        match &self.all().of(user, handle)?.state {
            State::Prepared(bound) => Ok(bound.clone()),
            _ => Err(unknown()),
        }
    }

    /// Keeps values for the parameters of a prepared statement.
    pub fn bind(
        &self,
        user: &Arc<str>,
        handle: &[u8],
        values: Vec<ScalarValue>,
    ) -> Result<(), Status> {
        let mut all = self.all();
        let kept = all.of(user, handle)?;
        let State::Prepared(bound) = &mut kept.state else { return Err(unknown()) };
        let bound = Bound { values: values.into(), ..bound.clone() };
        let (before, after) = (kept.bytes, bound.bytes());
        let taken = all.taken.entry(Arc::clone(user)).or_default();
        let bytes = (taken.bytes + after).saturating_sub(before);
        if bytes > BYTES {
            return Err(too_large());
        }
        taken.bytes = bytes;
        let kept = all.of(user, handle)?;
        (kept.state, kept.bytes) = (State::Prepared(bound), after);
        Ok(())
    }

    /// Begins a statement that waits.
    pub fn start(self: &Arc<Self>, user: &str, handle: &[u8]) -> Result<(Bound, Running), Status> {
        let mut all = self.all();
        let kept = all.of(user, handle)?;
        let stop = CancellationToken::new();
        let bound = match &kept.state {
            State::Waiting(bound) => bound.clone(),
            State::Running(_) => {
                let text = "the rows of this statement are sent already; execute it again";
                return Err(Status::failed_precondition(text));
            }
            State::Prepared(_) => return Err(unknown()),
        };
        kept.state = State::Running(stop.clone());
        let handle = handle.try_into().map_err(|_| unknown())?;
        Ok((bound, Running { handle, handles: Arc::clone(self), stop }))
    }

    /// Stops a statement that waits or runs.
    pub fn stop(&self, user: &str, handle: &[u8]) -> Result<(), Status> {
        let mut all = self.all();
        match &all.of(user, handle)?.state {
            State::Running(stop) => stop.cancel(),
            State::Waiting(_) => all.remove(&handle.try_into().map_err(|_| unknown())?),
            State::Prepared(_) => return Err(unknown()),
        }
        Ok(())
    }

    /// Forgets a prepared statement.
    pub fn close(&self, user: &str, handle: &[u8]) -> Result<(), Status> {
        let mut all = self.all();
        let State::Prepared(_) = all.of(user, handle)?.state else { return Err(unknown()) };
        all.remove(&handle.try_into().map_err(|_| unknown())?);
        Ok(())
    }

    /// Forgets what is not used, for as long as this is polled.
    pub(crate) async fn expire(&self) {
        loop {
            tokio::time::sleep(INTERVAL).await;
            self.all().expire();
        }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    fn keep(&mut self, user: &Arc<str>, state: State, bytes: usize) -> Result<Handle, Status> {
        let full = |taken: Option<&Taken>| {
            taken.is_some_and(|it| it.statements >= STATEMENTS || it.bytes + bytes > BYTES)
        };
        if full(self.taken.get(user)) {
            self.expire();
        }
        let taken = self.taken.entry(Arc::clone(user)).or_default();
        if taken.statements >= STATEMENTS {
            let text = format!(
                "more than {STATEMENTS} statements are prepared and not closed; close some, or wait until they expire"
            );
            return Err(Status::resource_exhausted(text));
        }
        if taken.bytes + bytes > BYTES {
            return Err(too_large());
        }
        let handle = random()?;
        taken.statements += 1;
        taken.bytes += bytes;
        let kept = Kept { user: Arc::clone(user), state, bytes, used: Instant::now() };
        self.kept.insert(handle, kept);
        Ok(handle)
    }

    /// Returns what a user keeps by this handle.
    fn of(&mut self, user: &str, handle: &[u8]) -> Result<&mut Kept, Status> {
        let handle: Handle = handle.try_into().map_err(|_| unknown())?;
        let Entry::Occupied(kept) = self.kept.entry(handle) else { return Err(unknown()) };
        // Others learn nothing of it.
        if *kept.get().user != *user {
            return Err(unknown());
        }
        let kept = kept.into_mut();
        kept.used = Instant::now();
        Ok(kept)
    }

    fn remove(&mut self, handle: &Handle) {
        let Some(kept) = self.kept.remove(handle) else { return };
        let Entry::Occupied(mut taken) = self.taken.entry(kept.user) else { return };
        taken.get_mut().statements -= 1;
        taken.get_mut().bytes = taken.get().bytes.saturating_sub(kept.bytes);
        if taken.get().statements == 0 {
            taken.remove();
        }
    }

    fn expire(&mut self) {
        let is_unused =
            |kept: &Kept| !matches!(kept.state, State::Running(_)) && kept.used.elapsed() >= UNUSED;
        let unused = self.kept.iter().filter(|(_, kept)| is_unused(kept));
        let unused: Vec<Handle> = unused.map(|(handle, _)| *handle).collect();
        for handle in &unused {
            self.remove(handle);
        }
    }
}

fn unknown() -> Status {
    Status::not_found(
        "there is no such statement; it has ended, was closed, or was not used for 10 minutes",
    )
}

fn too_large() -> Status {
    Status::resource_exhausted(format!(
        "the statements that are kept for this user have more than {BYTES} bytes; close some"
    ))
}
