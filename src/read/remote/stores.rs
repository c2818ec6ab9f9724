//! The stores of a workspace, and the threads on which requests run.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::{ObjectStore, ObjectStoreScheme, RetryConfig};
use tokio::runtime::{Builder, Runtime};

use super::address::Address;
use super::error::RemoteError;
use super::listing::Listing;
use super::repeat::FIRST;

/// Most bytes of copies of objects, unless told otherwise.
const CACHE_BYTES: u64 = 10 << 30;

/// The environment variables that stores read begin with these.
const SETTINGS: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// What is told while objects are read.
#[derive(Debug, Clone)]
pub enum Told {
    /// How far the copying of an object is.
    Transfer { address: String, done: u64, total: u64 },
    /// Objects whose keys cannot be written as paths, by their addresses.
    LeftOut(Vec<String>),
}

/// Who is told.
pub type Watch = Arc<dyn Fn(Told) + Send + Sync>;

/// Object stores, which all clones share.
#[derive(Clone, Default)]
pub struct Stores {
    inner: Arc<Inner>,
    /// The folder of copies; `None` if the user has no cache folder.
    pub cache: Option<PathBuf>,
    /// Most bytes of copies; `None` for 10 GiB.
    pub cache_bytes: Option<u64>,
    /// Who is told of copies, and of what is left out.
    pub watch: Option<Watch>,
}

#[derive(Default)]
struct Inner {
    runtime: OnceLock<Option<Runtime>>,
    known: Mutex<HashMap<String, Known>>,
}

/// A store, and what its lists leave out.
#[derive(Clone)]
struct Known {
    store: Arc<dyn ObjectStore>,
    /// The same for the first requests of a command, see [`FIRST`].
    first: Arc<dyn ObjectStore>,
    listing: Listing,
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
        Ok(self.known(address)?.store)
    }

    /// Returns the store of an address for the first requests of a command, which fail soon.
    pub(super) fn first(&self, address: &Address) -> Result<Arc<dyn ObjectStore>, RemoteError> {
        Ok(self.known(address)?.first)
    }

    fn known(&self, address: &Address) -> Result<Known, RemoteError> {
        let key = address.root.as_str().to_owned();
        let mut known = self.inner.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key) {
            return Ok(known.clone());
        }
        let listing = Listing::default();
        let connect = |retry| {
            let connected = connected(address, &listing, retry);
            connected.map_err(RemoteError::of("open", &address.text))
        };
        let (store, first) = (connect(RetryConfig::default())?, connect(FIRST)?);
        let made = Known { store, first, listing };
        known.insert(key, made.clone());
        Ok(made)
    }

    /// Tells which objects the lists of a store have left out since the last call.
    pub(super) fn tell_left_out(&self, address: &Address) -> Result<(), RemoteError> {
        let keys = self.known(address)?.listing.take();
        if let Some(watch) = &self.watch
            && !keys.is_empty()
        {
            let address = |key: &String| format!("{}/{}", address.store(), key.escape_debug());
            watch(Told::LeftOut(keys.iter().map(address).collect()));
        }
        Ok(())
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

/// Creates the store of an address, with the settings of the environment.
fn connected(
    address: &Address,
    listing: &Listing,
    retry: RetryConfig,
) -> object_store::Result<Arc<dyn ObjectStore>> {
    /// The kinds of stores have builders with the same methods, but of no common trait.
    macro_rules! built {
        ($builder:ty) => {{
            let builder = <$builder>::new().with_url(address.root.as_str());
            let builder = settings(address).fold(builder, |builder, (name, value)| {
                match name.to_ascii_lowercase().parse() {
                    Ok(key) => builder.with_config(key, value),
                    Err(_) => builder,
                }
            });
            Arc::new(builder.with_retry(retry).with_http_connector(listing.clone()).build()?)
        }};
    }
    let (scheme, _) = ObjectStoreScheme::parse(&address.root)?;
    Ok(match scheme {
        ObjectStoreScheme::AmazonS3 => built!(AmazonS3Builder),
        ObjectStoreScheme::GoogleCloudStorage => built!(GoogleCloudStorageBuilder),
        ObjectStoreScheme::MicrosoftAzure => built!(MicrosoftAzureBuilder),
        ObjectStoreScheme::Http => built!(HttpBuilder),
        // Fails with the schemes that are known.
        _ => Arc::from(object_store::parse_url(&address.root)?.0),
    })
}

/// Returns the settings of a store: the variables of the environment, by which the builders know them.
fn settings(address: &Address) -> impl Iterator<Item = (String, String)> + use<> {
    let is_setting = |name: &str| SETTINGS.iter().any(|start| name.starts_with(start));
    // Who writes http:// wants no encryption.
    let plain = address.root.scheme() == "http";
    std::env::vars()
        .filter(move |(name, _)| is_setting(name))
        .chain(plain.then(|| ("allow_http".to_owned(), "true".to_owned())))
}
