//! How a client logs in: without a password on this machine, or with one by SCRAM-SHA-256 (RFC 7677).

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use futures::Sink;
use pgwire::api::auth::sasl::SASLAuthStartupHandler;
use pgwire::api::auth::sasl::scram::{
    SCRAM_ITERATIONS, ScramAuth, gen_salted_password, random_nonce,
};
use pgwire::api::auth::{
    AuthSource, LoginInfo, Password, ServerParameterProvider, StartupHandler,
    finish_authentication, protocol_negotiation, save_startup_parameters_to_metadata,
};
use pgwire::api::{
    ClientInfo, ConnectionGuard, ConnectionHandle, ConnectionManager, METADATA_USER,
    PidSecretKeyGenerator,
};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::{PgWireBackendMessage, PgWireFrontendMessage};

use super::errors::fatal;
use super::settings::Settings;
use crate::access::Passwords;
use crate::service::Service;

/// How the clients of a server log in.
pub struct Logins {
    passwords: Option<Arc<Salted>>,
    needs_tls: bool,
    parameters: Arc<Parameters>,
    keys: Arc<dyn PidSecretKeyGenerator>,
    pub connections: Arc<ConnectionManager>,
}

impl Logins {
    pub fn new(
        service: Arc<Service>,
        passwords: Option<&Arc<Passwords>>,
        needs_tls: bool,
        keys: Arc<dyn PidSecretKeyGenerator>,
    ) -> Self {
        let passwords = passwords.map(|known| {
            Arc::new(Salted { known: Arc::clone(known), salt: random_nonce().into_bytes() })
        });
        Self {
            passwords,
            needs_tls,
            parameters: Arc::new(Parameters(service)),
            keys,
            connections: Arc::default(),
        }
    }

    /// Returns how the client of one connection logs in.
    pub(crate) fn login(&self) -> Login {
        let scram = self.passwords.as_ref().map(|passwords| {
            let passwords = Arc::clone(passwords) as Arc<dyn AuthSource>;
            SASLAuthStartupHandler::new(Arc::clone(&self.parameters))
                .with_scram(ScramAuth::new(passwords))
                .with_pid_secret_key_generator(Arc::clone(&self.keys))
                .with_connection_manager(Arc::clone(&self.connections))
        });
        Login {
            scram,
            needs_tls: self.needs_tls,
            parameters: Arc::clone(&self.parameters),
            keys: Arc::clone(&self.keys),
            connections: Arc::clone(&self.connections),
        }
    }
}

/// How the client of one connection logs in.
pub struct Login {
    scram: Option<SASLAuthStartupHandler<Parameters>>,
    needs_tls: bool,
    parameters: Arc<Parameters>,
    keys: Arc<dyn PidSecretKeyGenerator>,
    connections: Arc<ConnectionManager>,
}

#[async_trait]
impl StartupHandler for Login {
    async fn on_startup<C>(
        &self,
        client: &mut C,
        message: PgWireFrontendMessage,
    ) -> PgWireResult<()>
    where
        C: ClientInfo + Sink<PgWireBackendMessage> + Unpin + Send + Sync,
        C::Error: Debug,
        PgWireError: From<<C as Sink<PgWireBackendMessage>>::Error>,
    {
        if self.needs_tls && !client.is_secure() {
            return Err(fatal(
                "28000",
                "this server accepts connections with TLS only; use sslmode=require or stricter",
            ));
        }
        if let PgWireFrontendMessage::Startup(startup) = &message {
            let settings = Settings::of(client, &self.parameters.0);
            let begun = settings.begin_with(startup.parameters.iter());
            begun.map_err(|(code, text)| fatal(code, text))?;
        }
        if let Some(scram) = &self.scram {
            return scram.on_startup(client, message).await;
        }
        let PgWireFrontendMessage::Startup(startup) = &message else { return Ok(()) };
        protocol_negotiation(client, startup).await?;
        save_startup_parameters_to_metadata(client, startup);
        let (number, key) = self.keys.generate(client);
        client.set_pid_and_secret_key(number, key.clone());
        let (handle, guard) = self.connections.register(number, key);
        client.session_extensions().insert::<Arc<ConnectionHandle>>(handle);
        client.session_extensions().insert::<ConnectionGuard>(guard);
        finish_authentication(client, self.parameters.as_ref()).await
    }
}

/// What a client is told of the server and its session.
struct Parameters(Arc<Service>);

impl ServerParameterProvider for Parameters {
    fn server_parameters<C: ClientInfo>(&self, client: &C) -> Option<HashMap<String, String>> {
        let told = Settings::of(client, &self.0).told();
        let told = told.into_iter().map(|(name, value)| (name.to_owned(), value));
        let user = client.metadata().get(METADATA_USER).cloned().unwrap_or_default();
        Some(told.chain([("session_authorization".to_owned(), user)]).collect())
    }
}

/// Passwords as SCRAM compares them.
#[derive(Debug)]
struct Salted {
    known: Arc<Passwords>,
    salt: Vec<u8>,
}

#[async_trait]
impl AuthSource for Salted {
    async fn get_password(&self, login: &LoginInfo) -> PgWireResult<Password> {
        // An unknown user fails as one with a wrong password does.
        let unknown = random_nonce();
        let password = login.user().and_then(|user| self.known.of(user)).unwrap_or(&unknown);
        let salted = gen_salted_password(password, &self.salt, SCRAM_ITERATIONS);
        Ok(Password::new(Some(self.salt.clone()), salted))
    }
}
