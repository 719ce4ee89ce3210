//! Connects to the host of a server's URL, once per request.

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HeaderValue, LOCATION};
use hyper::{Request, Response, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// Maximum time to connect to one of a host's addresses.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) const UNREADABLE: &str = "its address is not valid";
const UNKNOWN: &str = "cannot be reached: its host is unknown";

/// The scheme, host and port of a URL.
pub(super) struct Origin {
    is_encrypted: bool,
    /// The host as a name or an IP address.
    name: String,
    port: u16,
    /// The host as written in a request.
    pub(super) host: HeaderValue,
}

impl Origin {
    pub(super) fn of(url: &Uri) -> Result<Self, &'static str> {
        let is_encrypted = match url.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err("its address is not an HTTP URL"),
        };
        let authority = url.authority().ok_or(UNREADABLE)?;
        if authority.as_str().contains('@') {
            return Err("its address has a user name or password, which is not sent");
        }
        let port = authority.port_u16().unwrap_or(if is_encrypted { 443 } else { 80 });
        let name = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        let host = HeaderValue::from_str(authority.as_str());
        Ok(Self { is_encrypted, name, port, host: host.map_err(|_| UNREADABLE)? })
    }

    /// Returns the path of a redirect. `None` if it leads to another origin.
    pub(super) fn path_of(&self, answer: &Response<Incoming>) -> Option<String> {
        let to: Uri = answer.headers().get(LOCATION)?.to_str().ok()?.parse().ok()?;
        let key = |it: &Self| (it.is_encrypted, it.name.clone(), it.port);
        if to.scheme().is_some() && key(&Self::of(&to).ok()?) != key(self) {
            return None;
        }
        // `//host/path` would be parsed as a path.
        let path = to.path_and_query()?.as_str();
        (path.starts_with('/') && !path.starts_with("//")).then(|| path.to_owned())
    }

    /// Sends a request over a new connection. The error is the reason in words.
    pub(super) async fn send(
        &self,
        request: Request<String>,
    ) -> Result<Response<Incoming>, &'static str> {
        let stream = self.connect().await?;
        if !self.is_encrypted {
            return speak(stream, request).await;
        }
        let name = ServerName::try_from(self.name.clone());
        let name = name.map_err(|_| UNREADABLE)?;
        let tls = CONFIG.clone().ok_or("this build has no encryption")?;
        let stream = TlsConnector::from(tls).connect(name, stream).await.map_err(|error| {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
            match inner {
                Some(rustls::Error::InvalidCertificate(_)) => {
                    "cannot be reached: its certificate is not valid, or this machine does not trust it"
                }
                _ => "cannot be reached: the encrypted connection (TLS) failed",
            }
        })?;
        speak(stream, request).await
    }

    async fn connect(&self) -> Result<TcpStream, &'static str> {
        let addresses = lookup_host((self.name.as_str(), self.port)).await.map_err(|_| UNKNOWN)?;
        let mut why = UNKNOWN;
        for address in addresses {
            why = match tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    "cannot be reached: it refuses the connection"
                }
                Ok(Err(_)) => "cannot be reached: the connection failed",
                Err(_) => "cannot be reached: its host does not answer",
            };
        }
        Err(why)
    }
}

async fn speak<S>(stream: S, request: Request<String>) -> Result<Response<Incoming>, &'static str>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let not_http = |_| "it does not speak HTTP";
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(not_http)?;
    // The task ends when the answer is no longer awaited.
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(not_http)
}

/// The settings of encrypted connections: they trust the certificates of the system.
static CONFIG: LazyLock<Option<Arc<ClientConfig>>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
});
