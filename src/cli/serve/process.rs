//! Runs the servers until a signal ends them.

use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::task::JoinSet;

use super::args::Serve;
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::signals;
use crate::serve::{
    Access, Certificate, Limits, Passwords, ServeError, Service, serve_flight_sql, serve_metrics,
    serve_postgres,
};

impl From<ServeError> for CliError {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Open(error) => error.into(),
            ServeError::Exposed(_) | ServeError::ExposedMetrics(_) => {
                Self::Usage(FLAGS.spell(&error.to_string()))
            }
            other => Self::Lacking(FLAGS.spell(&other.to_string())),
        }
    }
}

/// Runs `serve`.
pub fn run(args: &Serve, opening: &Opening) -> Result<(), CliError> {
    // Standard error takes the lines; standard output has none of them.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_target(false).init();
    let access = access(args)?;
    let service = Service::open(args.bundles.clone(), opening.options(), limits(args))?;
    let service = Arc::new(service);
    // Connections have threads of their own, so that statements do not delay them.
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime =
        runtime.map_err(|source| CliError::System { action: "start a thread", source })?;
    let ended = runtime.block_on(serve(args, &service, access));
    runtime.shutdown_background();
    ended
}

async fn serve(args: &Serve, service: &Arc<Service>, access: Access) -> Result<(), CliError> {
    let (mut doors, mut beside) = (JoinSet::new(), JoinSet::new());
    if let Some(address) = &args.postgres {
        let (local, door) = serve_postgres(Arc::clone(service), access.clone(), address).await?;
        eprintln!("ireescope: PostgreSQL's protocol at {local}");
        doors.spawn(door);
    }
    if let Some(address) = &args.flight_sql {
        let (local, door) = serve_flight_sql(Arc::clone(service), access, address).await?;
        eprintln!("ireescope: Arrow Flight SQL at {local}");
        doors.spawn(door);
    }
    if let Some(address) = &args.metrics {
        let metrics = Arc::clone(&service.metrics);
        let (local, door) = serve_metrics(metrics, address).await?;
        eprintln!("ireescope: counts for Prometheus at http://{local}/metrics");
        beside.spawn(door);
    }
    let kept = Arc::clone(service);
    beside.spawn(async move { kept.keep_memory().await });
    if args.watch {
        let watched = Arc::clone(service);
        beside.spawn(async move { watched.watch().await });
    }
    signals::first().await?;
    service.stop();
    tracing::info!("stopping; statements that run may take up to {:?}", service.limits.grace);
    let ended = async { while doors.join_next().await.is_some() {} };
    tokio::select! {
        _ = tokio::time::timeout(service.limits.grace, ended) => Ok(()),
        // A second signal does not wait.
        again = signals::first() => again,
    }
}

fn access(args: &Serve) -> Result<Access, ServeError> {
    let tls = match (&args.tls_cert, &args.tls_key) {
        (Some(certificate), Some(key)) => Some(Certificate::read(certificate, key)?.into()),
        _ => None,
    };
    let passwords = args.password_file.as_deref().map(Passwords::read).transpose()?;
    Ok(Access { tls, passwords: passwords.map(Arc::new) })
}

fn limits(args: &Serve) -> Limits {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let memory = args.client_memory.map(|it| usize::try_from(it.as_u64()).unwrap_or(usize::MAX));
    Limits {
        time: args.statement_timeout,
        rows: args.row_limit,
        bytes: args.byte_limit.as_u64(),
        memory,
        connections: number(args.max_connections),
        statements: number(args.max_statements),
        idle: args.idle_timeout,
        grace: args.grace,
    }
}
