//! Who may connect: everybody on this machine, or those with a password over TLS.

use std::collections::HashMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::error::ServeError;

/// Who may connect.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// The certificate of the server; `None` to serve without TLS.
    pub tls: Option<Arc<Certificate>>,
    /// The passwords of users; `None` lets everybody in.
    pub passwords: Option<Arc<Passwords>>,
}

/// A certificate and its key, as PEM.
#[derive(Debug)]
pub struct Certificate {
    path: PathBuf,
    pub chain: Vec<u8>,
    pub key: Vec<u8>,
}

/// The passwords of users.
#[derive(Debug, Default)]
pub struct Passwords(HashMap<String, String>);

impl Access {
    /// Listens at an address. Returns it with the port that the system chose.
    pub async fn listen(&self, address: &str) -> Result<(TcpListener, SocketAddr), ServeError> {
        let failed = |source| ServeError::Listen { address: address.to_owned(), source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        self.check(local)?;
        Ok((listener, local))
    }

    /// Fails if an address can be reached from other machines and access is not limited.
    fn check(&self, address: SocketAddr) -> Result<(), ServeError> {
        let is_limited = self.tls.is_some() && self.passwords.is_some();
        if address.ip().is_loopback() || is_limited {
            Ok(())
        } else {
            Err(ServeError::Exposed(address))
        }
    }
}

impl Certificate {
    /// Reads a certificate, with those that lead to its authority, and its key.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, ServeError> {
        let (path, chain) = (certificate.to_owned(), bytes(certificate)?);
        Ok(Self { path, chain, key: bytes(key)? })
    }

    /// Returns what accepts connections with TLS that begin with one of these protocols, if any are named.
    pub(crate) fn acceptor(&self, protocols: &[&[u8]]) -> Result<TlsAcceptor, ServeError> {
        let unusable = |what: String| ServeError::File { path: self.path.clone(), what };
        let chain = CertificateDer::pem_slice_iter(&self.chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| unusable(format!("not a certificate: {error}")))?;
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|error| unusable(format!("its key is not one: {error}")))?;
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|it| it.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| unusable(error.to_string()))?;
        config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl Passwords {
    /// Reads a file with a line `USER:PASSWORD` for each user, which nobody else may read.
    pub fn read(path: &Path) -> Result<Self, ServeError> {
        let unusable = |what: String| ServeError::File { path: path.to_owned(), what };
        check_mode(path)?;
        let text = String::from_utf8(bytes(path)?);
        let text = text.map_err(|_| unusable("not a text of UTF-8".into()))?;
        let mut users = HashMap::new();
        for (nth, line) in text.lines().enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((user, password)) = line.split_once(':').filter(|it| !it.1.is_empty()) else {
                return Err(unusable(format!("line {}: not USER:PASSWORD", nth + 1)));
            };
            if users.insert(user.to_owned(), password.to_owned()).is_some() {
                return Err(unusable(format!("line {}: {user} stands there twice", nth + 1)));
            }
        }
        if users.is_empty() {
            return Err(unusable("no line with USER:PASSWORD".into()));
        }
        Ok(Self(users))
    }

    /// Returns the password of a user.
    pub fn of(&self, user: &str) -> Option<&str> {
        self.0.get(user).map(String::as_str)
    }

    /// Whether a user has this password. Takes as long for any password of the same length.
    pub fn accepts(&self, user: &str, password: &str) -> bool {
        let Some(known) = self.of(user) else { return false };
        let (known, given) = (known.as_bytes(), password.as_bytes());
        known.len() == given.len()
            && known.iter().zip(given).fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ServeError> {
    let unreadable =
        |error: std::io::Error| ServeError::File { path: path.to_owned(), what: error.to_string() };
    fs::read(path).map_err(unreadable)
}

#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), ServeError> {
    use std::os::unix::fs::PermissionsExt;
    let unusable = |what: String| ServeError::File { path: path.to_owned(), what };
    let mode = fs::metadata(path).map_err(|error| unusable(error.to_string()))?;
    if mode.permissions().mode().trailing_zeros() >= 6 {
        return Ok(());
    }
    Err(unusable("others may read it; run `chmod 600` on it".into()))
}

#[cfg(not(unix))]
fn check_mode(_: &Path) -> Result<(), ServeError> {
    Ok(())
}
