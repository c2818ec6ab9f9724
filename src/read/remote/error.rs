//! Errors of object stores.

use std::io;
use std::path::PathBuf;

use object_store::Error;

/// Why an object could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The address is not one.
    #[error("{address} is not the address of an object: {what}")]
    Address { address: String, what: String },
    /// Nothing is there.
    #[error("nothing is at {address}: {hint}")]
    Missing { address: String, hint: &'static str },
    /// The store refused, or could not be reached.
    #[error("cannot {action} {address}: {}", said(error, address))]
    Store { action: &'static str, address: String, error: Error },
    /// Another program changed the object meanwhile.
    #[error("{0} was replaced while it was read; run the command again")]
    Replaced(String),
    /// The store lacks what writing needs.
    #[error("cannot write to {address}: {what}")]
    Unable { address: String, what: &'static str },
    /// Others change a list of files all the time.
    #[error(
        "{0} is changed by others all the time; run the command again when fewer programs write to it"
    )]
    Busy(String),
    /// A file of this machine could not be read or written.
    #[error("cannot copy from or to {}: {source}", path.display())]
    Cache { path: PathBuf, source: io::Error },
    /// A request ended without an answer.
    #[error("a request of {0} ended without an answer")]
    Lost(String),
}

impl RemoteError {
    /// Returns a function that wraps an error of the store.
    pub fn of(action: &'static str, address: &str) -> impl FnOnce(Error) -> Self {
        let address = address.to_owned();
        move |error| match error {
            Error::Precondition { .. } if action == "read" => Self::Replaced(address),
            Error::NotFound { .. } => {
                Self::Missing { address, hint: "there is no such object; check the address" }
            }
            error => Self::Store { action, address, error },
        }
    }

    /// Returns a function that wraps an error of writing to the cache.
    pub fn cache(path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Cache { path, source }
    }

    /// Whether another writer came first.
    pub fn is_conflict(&self) -> bool {
        use Error::{AlreadyExists, Precondition};
        matches!(self, Self::Store { error: AlreadyExists { .. } | Precondition { .. }, .. })
    }
}

/// Returns the words of the innermost error, and what to do about the usual ones.
fn said(error: &Error, address: &str) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let text = inner.to_string();
    // Stores answer in XML.
    let message = text.split_once("<Message>").and_then(|(_, rest)| rest.split_once("</Message>"));
    let message = message.map_or(text.as_str(), |(message, _)| message);
    let whole = error.to_string();
    let scheme = address.split("://").next().unwrap_or_default();
    let variables = VARIABLES.iter().find(|it| it.schemes.contains(&scheme));
    // Where machines of clouds ask for the credentials of their role.
    let is_role = ["//169.254.", "//metadata.google.internal"].iter().any(|it| whole.contains(it));
    if is_role && let Some(Variables { credentials, unsigned, .. }) = variables {
        return format!(
            "no credentials were found: set {credentials}, or {unsigned}=true for public objects (this machine has no role: {message})"
        );
    }
    let is_refused =
        matches!(error, Error::Unauthenticated { .. } | Error::PermissionDenied { .. });
    let is_http = message.contains("URL scheme is not allowed");
    let hint = match variables {
        _ if is_refused => "; check the credentials in the environment".to_owned(),
        Some(Variables { plain: Some(plain), .. }) if is_http => {
            format!("; for an endpoint that begins with http://, set {plain}=true")
        }
        _ if address.starts_with("s3") && whole.contains("PermanentRedirect") => {
            "; set AWS_REGION to that of the bucket".to_owned()
        }
        _ if whole.contains("error sending request") => {
            let endpoint = variables.map_or("the address", |it| it.endpoint);
            format!("; is it reachable from here, and {endpoint} right?")
        }
        _ => String::new(),
    };
    format!("{message}{hint}")
}

/// The environment variables of a kind of store.
struct Variables {
    schemes: &'static [&'static str],
    credentials: &'static str,
    /// Whether requests go without a signature.
    unsigned: &'static str,
    /// Whether requests may go without encryption, if there is such a variable.
    plain: Option<&'static str>,
    endpoint: &'static str,
}

const VARIABLES: &[Variables] = &[
    Variables {
        schemes: &["s3", "s3a"],
        credentials: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        unsigned: "AWS_SKIP_SIGNATURE",
        plain: Some("AWS_ALLOW_HTTP"),
        endpoint: "AWS_ENDPOINT_URL",
    },
    Variables {
        schemes: &["gs"],
        credentials: "GOOGLE_APPLICATION_CREDENTIALS",
        unsigned: "GOOGLE_SKIP_SIGNATURE",
        plain: None,
        endpoint: "GOOGLE_BASE_URL",
    },
    Variables {
        schemes: &["az", "azure", "abfs", "abfss"],
        credentials: "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        unsigned: "AZURE_SKIP_SIGNATURE",
        plain: Some("AZURE_ALLOW_HTTP"),
        endpoint: "AZURE_STORAGE_ENDPOINT",
    },
];
