//! Parses a store's URL.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use staleness_core::store::StoreError;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The workspace if the URL names none.
const DEFAULT_WORKSPACE: &str = "default";

/// Maximum length of a workspace name, in bytes.
const MAX_WORKSPACE_BYTES: usize = 64;

/// Idle time before a keep-alive probe, and maximum time for which sent data may stay unacknowledged.
const SILENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) config: Config,
    pub(crate) workspace: String,
    /// Certificates to trust instead of the system's.
    pub(crate) roots: Option<PathBuf>,
}

/// Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`. The parameters are the driver's,
/// `workspace` and `sslrootcert`. The connection is encrypted unless the server is local or `sslmode` is
/// `disable`.
///
/// A missing password is taken from `PGPASSWORD`. Errors contain no part of the URL except names of
/// parameters and the workspace.
pub(crate) fn parse(url: &str) -> Result<Target, StoreError> {
    let rest = url
        .strip_prefix("postgres://")
        .or_else(|| url.strip_prefix("postgresql://"))
        .ok_or_else(|| wrong("it does not begin with postgres://"))?;
    let credentials = rest.find('@').map_or(0, |at| at + 1);
    // The driver may read text before this `@` as a password.
    let behind = rest.find(['/', '?']).is_some_and(|end| end < credentials);
    if behind || rest[credentials..].split(['/', '?']).next().is_some_and(|host| host.contains('@'))
    {
        return Err(wrong(
            "in the user, password, path and parameters, write @ as %40; in the user and password \
             also / as %2F and ? as %3F",
        ));
    }
    let (plain, parameters) = match rest[credentials..].split_once('?') {
        Some((before, parameters)) => (&rest[..credentials + before.len()], parameters),
        None => (rest, ""),
    };
    let mut workspace = DEFAULT_WORKSPACE.to_owned();
    let (mut roots, mut mode) = (None, false);
    let mut theirs = Vec::new();
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("workspace", name)) => workspace = checked(name)?,
            Some(("sslrootcert", path)) => roots = Some(PathBuf::from(decoded(path)?)),
            other => {
                mode |= other.is_some_and(|(name, _)| name == "sslmode");
                theirs.push(parameter);
            }
        }
    }
    let mut config: Config = format!("postgres://{plain}?{}", theirs.join("&")).parse().map_err(
        |error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            wrong(&why.unwrap_or_else(|| error.to_string()))
        },
    )?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(wrong("the host is missing"));
    }
    if config.get_user().is_none() {
        return Err(wrong("the user is missing"));
    }
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD").filter(|text| !text.is_empty())
    {
        config.password(password.into_encoded_bytes());
    }
    // `prefer` would fall back to plain text if an attacker claims that the server has no TLS.
    match (is_local(&config), config.get_ssl_mode()) {
        (true, _) if !mode => config.ssl_mode(SslMode::Disable),
        (false, SslMode::Prefer) => config.ssl_mode(SslMode::Require),
        _ => &mut config,
    };
    if config.get_application_name().is_none() {
        config.application_name("staleness");
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE).keepalives_interval(SILENCE / 3);
    }
    Ok(Target { config, workspace, roots })
}

fn is_local(config: &Config) -> bool {
    let hosts = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    hosts && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// Checks the name of a workspace. A valid name needs no quoting in SQL.
fn checked(name: &str) -> Result<String, StoreError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || name.len() > MAX_WORKSPACE_BYTES || !name.bytes().all(plain) {
        let shown: String = name.chars().take(MAX_WORKSPACE_BYTES).collect();
        return Err(wrong(&format!(
            "{shown:?} is not a workspace name: use 1 to {MAX_WORKSPACE_BYTES} letters, digits, \
             dashes, dots and underscores"
        )));
    }
    Ok(name.to_owned())
}

fn decoded(text: &str) -> Result<String, StoreError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = after.split_at_checked(2).and_then(|(digits, tail)| {
            rest = tail;
            u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        });
        bytes.push(digits.ok_or_else(|| wrong("a % must be followed by two hexadecimal digits"))?);
    }
    String::from_utf8(bytes).map_err(|_| wrong("a parameter is not UTF-8"))
}

fn wrong(why: &str) -> StoreError {
    StoreError::io("reading the store's URL", io::Error::new(io::ErrorKind::InvalidInput, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "hunter2";

    fn told(url: &str) -> String {
        format!("{:?}", parse(url).unwrap_err())
    }

    #[test]
    fn a_url_names_a_server_a_database_and_a_workspace() {
        let target = parse(
            "postgres://me:a%40b@db.example:5433/team?workspace=a.B-1&sslrootcert=/a%20b.pem",
        )
        .unwrap();
        assert_eq!(target.workspace, "a.B-1");
        assert_eq!(target.roots, Some("/a b.pem".into()));
        assert_eq!(target.config.get_dbname(), Some("team"));
        assert_eq!(target.config.get_password(), Some("a@b".as_bytes()));
        assert_eq!(target.config.get_ports(), [5433]);
        let plain = parse("postgresql://me@[::1]").unwrap();
        assert_eq!(plain.workspace, DEFAULT_WORKSPACE);
        let socket = parse("postgres:///db?host=/run/postgres&user=me").unwrap();
        assert!(matches!(socket.config.get_hosts(), [Host::Unix(_)]));
    }

    #[test]
    fn a_server_elsewhere_is_reached_encrypted_unless_the_url_says_otherwise() {
        for (url, mode) in [
            ("postgres://me@db.example/x", SslMode::Require),
            ("postgres://me@10.0.0.1/x", SslMode::Require),
            ("postgres://me@localhost,db.example/x", SslMode::Require),
            ("postgres://me@db.example/x?hostaddr=127.0.0.1", SslMode::Require),
            ("postgres://me@localhost/x?hostaddr=10.0.0.1", SslMode::Require),
            ("postgres://me@localhost/x", SslMode::Disable),
            ("postgres://me@127.0.0.1,[::1]/x", SslMode::Disable),
            ("postgres:///x?host=/run&user=me", SslMode::Disable),
            ("postgres://me@localhost/x?sslmode=require", SslMode::Require),
            ("postgres://me@db.example/x?sslmode=disable", SslMode::Disable),
            ("postgres://me@db.example/x?sslmode=prefer", SslMode::Require),
            ("postgres://me@db.example/x?%73slmode=prefer", SslMode::Require),
            ("postgres://me@localhost/x?sslmode=prefer", SslMode::Prefer),
        ] {
            assert_eq!(parse(url).unwrap().config.get_ssl_mode(), mode, "{url}");
        }
    }

    #[test]
    fn a_wrong_url_is_explained_without_its_password() {
        for (url, why) in [
            ("mysql://me:hunter2@h/x", "postgres://"),
            ("postgres://me:hunter2@x@h/x", "%40"),
            ("postgres://me:x@hunter2@h/x", "%40"),
            ("postgres://db.example/team?user=me&password=hunter2@x", "%40"),
            ("postgres://db.example?user=me&password=hunter2@x", "%40"),
            ("postgres://me:hunter2/@h/x", "%40"),
            ("postgres:///x?host=/run@hunter2&user=me", "%40"),
            ("postgres://me:hunter2@h:port/x", "port"),
            ("postgres://me:hunter2@h/x?wrong=1", "wrong"),
            ("postgres://me:hunter2@h/x?workspace=a/b", "workspace"),
            ("postgres://me:hunter2@h/x?workspace=", "workspace"),
            ("postgres://me:hunter2@h/x?sslrootcert=%4", "hexadecimal"),
            ("postgres://me:hunter2@h/x?sslrootcert=%ff", "UTF-8"),
            ("postgres://me:hunter2@h/x?unterminated", "unterminated"),
            ("postgres://:hunter2@/x", "host"),
            ("postgres://h/x", "user"),
        ] {
            let told = told(url);
            assert!(told.contains(why), "{url}: {told}");
            assert!(!told.contains(SECRET), "{url}: {told}");
        }
        let long = "w".repeat(MAX_WORKSPACE_BYTES + 1);
        assert!(told(&format!("postgres://me@h/x?workspace={long}")).contains("workspace"));
        let target = parse("postgres://me:hunter2@h/x").unwrap();
        assert!(!format!("{target:?}").contains(SECRET));
    }
}
