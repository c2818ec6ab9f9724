//! The service: what is served, and the statements that run on it.

use std::net::SocketAddr;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ScalarValue;
use engine::{self, EngineError, Memory, Ready, Statement, Types};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout_at};
use workspace::WorkspaceOptions;

use super::client::{Client, Door};
use super::error::ServeError;
use super::limits::Limits;
use super::log::Record;
use super::memory::Guard;
use super::metrics::Metrics;
use super::opened::{Opened, Snapshot};
use super::places::Places;
use super::rows::{Rows, Turn};
use super::runtimes::Runtimes;
use super::watch::watch;

/// Runs the statements of clients over what is served.
pub struct Service {
    opened: Arc<Opened>,
    pub limits: Limits,
    pub metrics: Arc<Metrics>,
    memory: Memory,
    runtimes: Arc<Runtimes>,
    guard: Arc<Guard>,
    turns: Arc<Semaphore>,
    places: Arc<Places>,
    /// Whether the server is asked to stop.
    stopping: watch::Sender<bool>,
}

/// A statement that is planned, and can run as often as its client wants.
#[derive(Clone)]
pub struct Prepared {
    pub text: Arc<str>,
    ready: Ready,
    /// What is planned again when other files are served, and the state that the plan reads; `None` if it reads no files.
    source: Option<(Statement, Arc<Snapshot>)>,
    /// The types that it was planned with.
    types: Arc<Types>,
}

/// Waits until the server is asked to stop.
pub struct Stopping(watch::Receiver<bool>);

impl Stopping {
    pub async fn wait(&mut self) {
        // A server that is gone has stopped.
        let _ = self.0.wait_for(|is_stopping| *is_stopping).await;
    }
}

impl Prepared {
    /// Returns a statement whose plan reads no files.
    pub fn fixed(text: &str, ready: Ready) -> Self {
        Self { text: text.into(), ready, source: None, types: Arc::default() }
    }

    /// Returns the columns of its rows.
    pub fn schema(&self) -> SchemaRef {
        self.ready.schema()
    }

    /// Returns the columns of its rows with these values for its parameters.
    pub(crate) fn schema_with(&self, values: Vec<ScalarValue>) -> Result<SchemaRef, ServeError> {
        Ok(self.ready.clone().with(values)?.schema())
    }

    /// Returns the types of its parameters, `None` where the statement does not tell.
    pub fn parameters(&self) -> Result<Vec<Option<DataType>>, ServeError> {
        Ok(self.ready.parameters()?)
    }
}

impl Service {
    /// Opens what is served. All statements share the memory of the options.
    pub fn open(
        arguments: Vec<String>,
        options: WorkspaceOptions,
        limits: Limits,
    ) -> Result<Self, ServeError> {
        let memory = options.memory()?;
        let options = WorkspaceOptions { memory: Some(memory.clone()), ..options };
        Ok(Self {
            opened: Arc::new(Opened::open(arguments, options)?),
            metrics: Arc::default(),
            memory,
            runtimes: Arc::default(),
            guard: Arc::default(),
            turns: Arc::new(Semaphore::new(limits.statements)),
            places: Arc::default(),
            stopping: watch::Sender::new(false),
            limits,
        })
    }

    /// Returns the newest state of what is served.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.opened.current()
    }

    /// Looks for changes of files for as long as this is polled.
    pub async fn watch(&self) {
        watch(Arc::clone(&self.opened)).await;
    }

    /// Keeps the memory of the process near its limit for as long as this is polled.
    pub async fn keep_memory(&self) {
        self.guard.keep(self.memory.limit()).await;
    }

    /// Returns a client that has connected.
    pub fn client(
        &self,
        door: Door,
        address: SocketAddr,
        user: &str,
    ) -> Result<Arc<Client>, ServeError> {
        let whole = self.memory.limit();
        let limit = self.limits.memory.unwrap_or(whole / 4).min(whole);
        let memory = self.memory.portion(limit).map_err(EngineError::from)?;
        let held = Mutex::default();
        Ok(Arc::new(Client { door, address, user: user.to_owned(), memory, held }))
    }

    /// Lets all following statements of a client read the same state of the files, or the newest.
    pub fn hold(&self, client: &Client, is_held: bool) {
        let mut held = client.held.lock();
        *held = is_held.then(|| held.take().unwrap_or_else(|| self.snapshot()));
    }

    /// Returns the state of the files that the statements of a client read.
    pub(crate) fn snapshot_of(&self, client: &Client) -> Arc<Snapshot> {
        client.held.lock().clone().unwrap_or_else(|| self.snapshot())
    }

    /// Plans a statement with these types.
    pub async fn prepare(
        &self,
        client: &Arc<Client>,
        text: &str,
        types: Types,
    ) -> Result<Prepared, ServeError> {
        let deadline = Instant::now() + self.limits.time;
        let prepared = self.plan(text, Arc::new(types), self.snapshot_of(client), deadline).await;
        prepared.inspect_err(|error| self.failed(client, text, error))
    }

    /// Plans a statement again, now that the types of its parameters are known.
    pub async fn typed(
        &self,
        client: &Arc<Client>,
        prepared: Prepared,
        parameters: Vec<Option<DataType>>,
    ) -> Result<Prepared, ServeError> {
        if parameters == prepared.types.parameters {
            return Ok(prepared);
        }
        let Some((statement, snapshot)) = prepared.source.clone() else { return Ok(prepared) };
        let types = Types { parameters, ..Types::clone(&prepared.types) };
        let known = Prepared { types: Arc::new(types), ..prepared };
        let deadline = Instant::now() + self.limits.time;
        let again = self.planned_again(statement, &known, snapshot, deadline).await;
        again.inspect_err(|error| self.failed(client, &known.text, error))
    }

    /// Tells of a statement that cannot be planned.
    pub(super) fn failed(&self, client: &Arc<Client>, text: &str, error: &ServeError) {
        Record::begin(client, &self.metrics, &text.into()).failed(error);
    }

    /// Runs a statement with values for its parameters.
    pub async fn run(
        &self,
        client: &Arc<Client>,
        prepared: &Prepared,
        values: Vec<ScalarValue>,
    ) -> Result<Rows, ServeError> {
        let mut record = Record::begin(client, &self.metrics, &prepared.text);
        let deadline = Instant::now() + self.limits.time;
        let begun = async {
            let Prepared { ready, source, .. } =
                self.renewed(prepared, self.snapshot_of(client), deadline).await?;
            let ready = ready.with(values)?.within(&client.memory);
            let files = source.map(|(_, snapshot)| snapshot.files.clone());
            Ok((ready, self.turn(deadline).await?, files.unwrap_or_default()))
        };
        match begun.await {
            Ok((ready, turn, files)) => Rows::start(ready, files, record, turn).await,
            Err(error) => {
                record.failed(&error);
                Err(error)
            }
        }
    }

    /// Returns a prepared statement, planned again where it read another state of the files.
    async fn renewed(
        &self,
        prepared: &Prepared,
        snapshot: Arc<Snapshot>,
        deadline: Instant,
    ) -> Result<Prepared, ServeError> {
        let statement = match &prepared.source {
            Some((statement, read)) if read.number != snapshot.number => statement.clone(),
            _ => return Ok(prepared.clone()),
        };
        let again = self.planned_again(statement, prepared, snapshot, deadline).await?;
        let (before, now) = (prepared.schema(), again.schema());
        let is_same = before.fields().len() == now.fields().len()
            && before.fields().iter().zip(now.fields()).all(|(one, other)| {
                one.name() == other.name() && one.data_type() == other.data_type()
            });
        if is_same { Ok(again) } else { Err(ServeError::Changed) }
    }

    async fn plan(
        &self,
        text: &str,
        types: Arc<Types>,
        snapshot: Arc<Snapshot>,
        deadline: Instant,
    ) -> Result<Prepared, ServeError> {
        let text = Arc::<str>::from(text);
        let (engine, owned) = (Arc::clone(&snapshot.engine), Arc::clone(&text));
        let known = Arc::clone(&types);
        // Parsing recurses into the statement, too, which may be nested deeply.
        let plan = move || async move {
            let mut statements = engine::parse(&owned)?;
            let statement = match (statements.pop(), statements.len()) {
                (Some(only), 0) => only,
                (_, more) => {
                    let number = more + usize::from(more > 0);
                    let what = format!("expected one statement, but got {number}");
                    return Err(EngineError::Query(what));
                }
            };
            let ready = engine.ready(&statement, &known).await?;
            Ok((statement, ready))
        };
        let (statement, ready) = self.before(deadline, plan).await?;
        Ok(Prepared { text, ready, source: Some((statement, snapshot)), types })
    }

    /// Plans a statement in another state, or with other types.
    async fn planned_again(
        &self,
        statement: Statement,
        prepared: &Prepared,
        snapshot: Arc<Snapshot>,
        deadline: Instant,
    ) -> Result<Prepared, ServeError> {
        let (text, types) = (Arc::clone(&prepared.text), Arc::clone(&prepared.types));
        let (engine, planned, known) =
            (Arc::clone(&snapshot.engine), statement.clone(), Arc::clone(&types));
        let plan = move || async move { engine.ready(&planned, &known).await };
        let ready = self.before(deadline, plan).await?;
        Ok(Prepared { text, ready, source: Some((statement, snapshot)), types })
    }

    /// Runs a part of a statement in a runtime of statements, whose threads have the stack that it may need.
    pub(super) async fn on_statement_thread<T, F>(
        &self,
        part: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T, ServeError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send,
    {
        self.before(Instant::now() + self.limits.time, part).await
    }

    async fn before<T, F>(
        &self,
        deadline: Instant,
        part: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T, ServeError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, EngineError>> + Send,
    {
        let place = timeout_at(deadline, self.places.take()).await;
        let _place = place.map_err(|_| ServeError::time(self.limits.time))?;
        let turn = self.turn(deadline).await?;
        let stopping = || ServeError::Stopping;
        let handle = turn.lease.handle().ok_or_else(stopping)?;
        let task = handle.spawn(async move { part().await });
        let abort = task.abort_handle();
        let stop = turn.guarded.stop();
        let ended = tokio::select! {
            ended = timeout_at(deadline, task) => ended,
            () = stop.cancelled() => {
                abort.abort();
                return Err(ServeError::Memory(turn.memory));
            }
        };
        match ended {
            Ok(Ok(result)) => Ok(result?),
            Ok(Err(joined)) if joined.is_panic() => {
                let said = base::said(joined.into_panic().as_ref());
                Err(workspace::SqlError::Panicked(said).into())
            }
            Ok(Err(_)) => Err(stopping()),
            Err(_) => {
                abort.abort();
                Err(ServeError::time(self.limits.time))
            }
        }
    }

    /// Waits for the turn of a statement.
    pub(super) async fn turn(&self, deadline: Instant) -> Result<Turn, ServeError> {
        let permit = timeout_at(deadline, Arc::clone(&self.turns).acquire_owned()).await;
        let permit = permit.map_err(|_| ServeError::time(self.limits.time))?;
        let permit = permit.map_err(|_| ServeError::Stopping)?;
        let lease = self.runtimes.lease(self.snapshot().engine.threads())?;
        let (guarded, memory) = (self.guard.begin(), self.memory.limit());
        Ok(Turn { lease, permit, guarded, deadline, memory, limits: self.limits })
    }

    /// Asks all connections to end when their statements have.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Whether the server is asked to stop.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Returns what waits until the server is asked to stop.
    pub fn stopping(&self) -> Stopping {
        Stopping(self.stopping.subscribe())
    }
}
