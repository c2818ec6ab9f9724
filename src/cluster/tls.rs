//! Certificates: each process of a cluster shows one, and accepts those of the same authority only.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};
use url::Url;

use super::errors::ClusterError;

/// The files of a folder with certificates: `ca.crt`, `node.crt` and `node.key`, as PEM.
#[derive(Clone)]
pub struct Certificates {
    authority: Certificate,
    own: Identity,
}

impl std::fmt::Debug for Certificates {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Certificates")
    }
}

impl Certificates {
    /// Reads the files.
    pub fn read(folder: &Path) -> Result<Self, ClusterError> {
        // The program may have two libraries of cryptography, and tonic asks which of them to use.
        let _ = tokio_rustls::rustls::crypto::aws_lc_rs::default_provider().install_default();
        let read = |name: &str| {
            let path: PathBuf = folder.join(name);
            fs::read(&path).map_err(|source| ClusterError::Certificate { path, source })
        };
        Ok(Self {
            authority: Certificate::from_pem(read("ca.crt")?),
            own: Identity::from_pem(read("node.crt")?, read("node.key")?),
        })
    }

    /// Returns how a server shows its certificate and asks for that of the client.
    pub(super) fn of_server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new().identity(self.own.clone()).client_ca_root(self.authority.clone())
    }

    /// Returns how a client shows its certificate and which it accepts.
    pub(super) fn of_client(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().ca_certificate(self.authority.clone()).identity(self.own.clone())
    }
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub host: String,
    pub port: u16,
}

impl Address {
    /// Parses an address, which has to be on this machine if there are no certificates.
    pub fn parse(text: &str, has_tls: bool) -> Result<Self, ClusterError> {
        let wrong = || ClusterError::Address(text.to_owned());
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err(wrong());
        }
        let is_here =
            host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if !is_here && !has_tls {
            return Err(ClusterError::Open(text.to_owned()));
        }
        Ok(Self { host, port })
    }

    /// Returns the URL of a service there.
    pub fn url(&self, has_tls: bool) -> Result<Url, ClusterError> {
        let scheme = if has_tls { "https" } else { "http" };
        let Self { host, port } = self;
        let text = if host.contains(':') {
            format!("{scheme}://[{host}]:{port}")
        } else {
            format!("{scheme}://{host}:{port}")
        };
        Url::parse(&text).map_err(|_| ClusterError::Address(format!("{host}:{port}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_elsewhere_need_certificates() {
        let host =
            |text, has_tls| Address::parse(text, has_tls)?.url(has_tls).map(|url| url.to_string());
        assert_eq!(host("localhost:1", false).unwrap(), "http://localhost:1/");
        assert_eq!(host("[::1]:50050", false).unwrap(), "http://[::1]:50050/");
        assert_eq!(host("127.0.0.2:50050", false).unwrap(), "http://127.0.0.2:50050/");
        assert_eq!(host("node0:50050", true).unwrap(), "https://node0:50050/");
        for open in ["node0:50050", "0.0.0.0:50050", "10.0.0.1:1", "localhost.example:1"] {
            assert!(matches!(host(open, false), Err(ClusterError::Open(_))), "{open}");
        }
        for wrong in ["localhost", ":50050", "localhost:x", "localhost:70000"] {
            assert!(matches!(host(wrong, false), Err(ClusterError::Address(_))), "{wrong}");
        }
    }
}
