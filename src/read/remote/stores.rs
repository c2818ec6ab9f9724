//! The stores of a workspace, and the threads on which requests run.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};

use object_store::ObjectStore;
use tokio::runtime::{Builder, Runtime};

use super::address::Address;
use super::error::RemoteError;

/// Most bytes of copies of objects, unless told otherwise.
const CACHE_BYTES: u64 = 10 << 30;

/// The environment variables that stores read begin with these.
const SETTINGS: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// How far the copying of an object is.
#[derive(Debug, Clone)]
pub struct Transfer {
    pub address: String,
    pub done: u64,
    pub total: u64,
}

/// Told how far a copy is.
pub type Watch = Arc<dyn Fn(Transfer) + Send + Sync>;

/// Object stores, which all clones share.
#[derive(Clone, Default)]
pub struct Stores {
    inner: Arc<Inner>,
    /// The folder of copies; `None` if the user has no cache folder.
    pub cache: Option<PathBuf>,
    /// Most bytes of copies; `None` for 10 GiB.
    pub cache_bytes: Option<u64>,
    /// Who is told of copies.
    pub watch: Option<Watch>,
}

#[derive(Default)]
struct Inner {
    runtime: OnceLock<Option<Runtime>>,
    known: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // A runtime that is dropped waits, which asynchronous callers must not do.
        if let Some(Some(runtime)) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Stores {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Stores").field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Stores {
    /// Creates stores whose copies have at most so many bytes; `None` for 10 GiB.
    pub fn keeping(cache_bytes: Option<u64>) -> Self {
        Self { cache_bytes, ..Self::default() }
    }

    /// Returns the limit of the cache in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.cache_bytes.unwrap_or(CACHE_BYTES)
    }

    /// Returns the store of an address. Credentials are those of the environment.
    pub(super) fn store(&self, address: &Address) -> Result<Arc<dyn ObjectStore>, RemoteError> {
        let key = address.root.as_str().to_owned();
        let mut known = self.inner.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = known.get(&key) {
            return Ok(Arc::clone(store));
        }
        let is_setting = |name: &str| SETTINGS.iter().any(|start| name.starts_with(start));
        // Who writes http:// wants no encryption.
        let plain = address.root.scheme() == "http";
        let settings = std::env::vars()
            .filter(|(name, _)| is_setting(name))
            .chain(plain.then(|| ("allow_http".to_owned(), "true".to_owned())));
        let (store, _) = object_store::parse_url_opts(&address.root, settings)
            .map_err(RemoteError::of("open", &address.text))?;
        let store: Arc<dyn ObjectStore> = Arc::from(store);
        known.insert(key, Arc::clone(&store));
        Ok(store)
    }

    /// Starts requests on the threads of the stores.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        address: String,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> impl Future<Output = Result<T, RemoteError>> + Send + 'static {
        let lost = RemoteError::Lost(address);
        let runtime = self.inner.runtime.get_or_init(|| {
            Builder::new_multi_thread().worker_threads(1).enable_all().build().ok()
        });
        let task = runtime.as_ref().map(|runtime| runtime.spawn(work));
        async move {
            match task {
                Some(task) => task.await.unwrap_or(Err(lost)),
                None => Err(lost),
            }
        }
    }

    /// Waits for requests, in any thread.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        address: &str,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> Result<T, RemoteError> {
        let (send, receive) = mpsc::sync_channel(1);
        drop(self.spawn(address.to_owned(), async move {
            // Fails only if nobody waits any more.
            let _ = send.send(work.await);
            Ok(())
        }));
        receive.recv().unwrap_or_else(|_| Err(RemoteError::Lost(address.to_owned())))
    }
}
