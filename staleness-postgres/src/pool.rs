//! Connections, and the thread on which they run.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use deadpool::managed::{self, Metrics, Object, PoolError, RecycleError, RecycleResult};
use staleness_core::store::StoreError;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, Error, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::from_connect;
use crate::patience::Patience;
use crate::tls;
use crate::url::Target;

/// Minimum time allowed for TLS and password verification, which need computation on both sides.
const HANDSHAKE: Duration = Duration::from_secs(2);

pub(crate) type Pool = managed::Pool<Connector>;
pub(crate) type Pooled = Object<Connector>;

pub(crate) struct Session {
    client: Arc<Client>,
    runtime: Handle,
    task: JoinHandle<Result<(), Error>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) const fn client(&self) -> &Arc<Client> {
        &self.client
    }

    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Opens connections on the store's own runtime.
#[derive(Clone)]
pub(crate) struct Connector {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    patience: Patience,
    /// Maximum time to connect, including authentication.
    limit: Duration,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The driver's output omits the password.
        f.debug_struct("Connector").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Connector {
    /// Prepares the configuration for connecting. Does not connect.
    pub(crate) fn new(target: &Target, patience: Patience) -> Result<Self, StoreError> {
        let mut config = target.config.clone();
        let each = *config.get_connect_timeout().unwrap_or(&patience.lock());
        config.connect_timeout(each);
        // The driver's limit applies to each address, and only to the TCP connection.
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        let hosts = u32::try_from(hosts).unwrap_or(u32::MAX);
        let limit = each.saturating_add(each.max(HANDSHAKE)).saturating_mul(hosts);
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            _ => Some(tls::connector(target.roots.as_deref())?),
        };
        Ok(Self { config, tls, patience, limit })
    }
}

impl managed::Manager for Connector {
    type Type = Session;
    type Error = StoreError;

    async fn create(&self) -> Result<Session, StoreError> {
        let runtime = self.patience.runtime().clone();
        let (config, tls) = (self.config.clone(), self.tls.clone());
        let connecting = async move {
            match tls {
                Some(tls) => {
                    let (client, connection) = config.connect(tls).await?;
                    Ok::<_, Error>((client, runtime.spawn(connection)))
                }
                None => {
                    let (client, connection) = config.connect(NoTls).await?;
                    Ok((client, runtime.spawn(connection)))
                }
            }
        };
        let limit = self.limit;
        let timed = async move { tokio::time::timeout(limit, connecting).await };
        match self.patience.runtime().spawn(timed).await {
            Ok(Ok(Ok((client, task)))) => Ok(Session {
                client: Arc::new(client),
                runtime: self.patience.runtime().clone(),
                task,
            }),
            Ok(Ok(Err(error))) => Err(from_connect(error)),
            Ok(Err(_)) => {
                let why = io::Error::new(io::ErrorKind::TimedOut, "the server does not answer");
                Err(StoreError::io("connecting to the database", why))
            }
            Err(ended) => match ended.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime ends with the store.
                Err(cancelled) => Err(StoreError::Backend(Box::new(cancelled))),
            },
        }
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<StoreError> {
        if session.client.is_closed() {
            return Err(RecycleError::message("closed"));
        }
        Ok(())
    }
}

pub(crate) fn pool(connector: Connector, most: usize) -> Result<Pool, StoreError> {
    Pool::builder(connector)
        .max_size(most)
        .build()
        .map_err(|error| StoreError::Backend(Box::new(error)))
}

/// Takes a connection from the pool. If all are in use, waits as long as for a lock.
pub(crate) async fn take(pool: &Pool) -> Result<Pooled, StoreError> {
    let manager = pool.manager();
    let limit = manager.limit.saturating_add(manager.patience.lock());
    let taken = manager.patience.within(limit, pool.get()).await.ok_or(StoreError::Busy)?;
    taken.map_err(|error| match error {
        PoolError::Backend(error) => error,
        other => StoreError::Backend(Box::new(std::io::Error::other(other.to_string()))),
    })
}
