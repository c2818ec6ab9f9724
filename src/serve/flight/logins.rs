//! Who calls: a user with a password, or with the token that it got for one.

use std::collections::HashMap;
use std::str;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arrow_flight::HandshakeResponse;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use tokio::time::Instant;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};
use tonic::transport::server::TlsConnectInfo;
use tonic::{Extensions, Request, Status};

use super::handles::random;
use super::incoming::{Call, Caller};
use crate::access::Passwords;
use crate::client::Client;
use crate::service::Service;

/// How long a token is accepted.
const DAY: Duration = Duration::from_hours(24);
/// Most tokens of a user. One more ends the oldest.
const TOKENS: usize = 1000;
/// The name of all users where none has a password.
const NOBODY: &str = "anonymous";

/// The logins of a server.
pub struct Logins {
    service: Arc<Service>,
    passwords: Option<Arc<Passwords>>,
    tokens: Mutex<HashMap<String, Token>>,
}

struct Token {
    user: Arc<str>,
    made: Instant,
}

/// Who has made a call.
#[derive(Clone)]
pub struct Login {
    /// Whom handles belong to.
    pub user: Arc<str>,
    pub client: Arc<Client>,
    caller: Caller,
    /// The token by which the user is known.
    token: Option<String>,
}

impl Login {
    /// Returns who has made a call.
    pub fn of(extensions: &Extensions) -> Result<Self, Status> {
        extensions.get::<Self>().cloned().ok_or_else(|| Status::unauthenticated("log in"))
    }

    /// Notes that a call runs.
    pub fn call(&self) -> Call {
        self.caller.calls.begin()
    }
}

impl Logins {
    pub fn new(service: Arc<Service>, passwords: Option<Arc<Passwords>>) -> Self {
        Self { service, passwords, tokens: Mutex::default() }
    }

    /// Lets a call in, and notes who has made it.
    pub(crate) fn admit(&self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if self.service.is_stopping() {
            return Err(Status::unavailable("the server stops"));
        }
        let extensions = request.extensions();
        let behind_tls = extensions.get::<TlsConnectInfo<Caller>>().map(TlsConnectInfo::get_ref);
        let caller = extensions.get::<Caller>().or(behind_tls).cloned();
        let caller = caller.ok_or_else(|| Status::internal("a call without a connection"))?;
        let (user, token) = self.user(request.metadata()).inspect_err(|error| {
            tracing::debug!(client = %caller.address, "refused: {}", error.message());
        })?;
        let client = caller.client(&self.service, &user)?;
        drop(caller.calls.begin());
        request.extensions_mut().insert(Login { user, client, caller, token });
        Ok(request)
    }

    /// Returns the user that the headers of a call name, and the token by which they do.
    fn user(&self, headers: &MetadataMap) -> Result<(Arc<str>, Option<String>), Status> {
        let Some(passwords) = &self.passwords else { return Ok((NOBODY.into(), None)) };
        let given = headers.get("authorization").and_then(|given| given.to_str().ok());
        let given = given.and_then(|given| given.split_once(' '));
        let Some((kind, given)) = given else {
            return Err(Status::unauthenticated("this server asks for a user and a password"));
        };
        if kind.eq_ignore_ascii_case("bearer") {
            let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
            tokens.retain(|_, token| token.made.elapsed() < DAY);
            return match tokens.get(given) {
                Some(token) => Ok((Arc::clone(&token.user), Some(given.to_owned()))),
                None => Err(Status::unauthenticated("the login has ended; log in again")),
            };
        }
        // Some clients leave out the padding.
        let words = BASE64_STANDARD_NO_PAD.decode(given.trim_end_matches('=')).unwrap_or_default();
        let words = str::from_utf8(&words).ok().and_then(|words| words.split_once(':'));
        match words {
            Some((user, password))
                if kind.eq_ignore_ascii_case("basic") && passwords.accepts(user, password) =>
            {
                Ok((user.into(), None))
            }
            _ => Err(Status::unauthenticated("wrong user or password")),
        }
    }

    /// Returns a token for a user, and the header that clients send from then on.
    pub fn token(
        &self,
        login: &Login,
    ) -> Result<(HandshakeResponse, MetadataValue<Ascii>), Status> {
        let token: String = random()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let header = MetadataValue::try_from(format!("Bearer {token}"));
        let header = header.map_err(|error| Status::internal(error.to_string()))?;
        if self.passwords.is_some() {
            let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
            let of_user = || tokens.iter().filter(|(_, token)| token.user == login.user);
            if of_user().count() >= TOKENS {
                let oldest = of_user().min_by_key(|(_, token)| token.made);
                if let Some(oldest) = oldest.map(|(token, _)| token.clone()) {
                    tokens.remove(&oldest);
                }
            }
            let made = Token { user: Arc::clone(&login.user), made: Instant::now() };
            tokens.insert(token.clone(), made);
        }
        let response = HandshakeResponse { protocol_version: 0, payload: token.into() };
        Ok((response, header))
    }

    /// Ends the token by which a user is known.
    pub fn end(&self, login: &Login) {
        if let Some(token) = &login.token {
            self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
        }
    }
}
