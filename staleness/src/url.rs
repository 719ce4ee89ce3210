//! Store URLs, which name a backend and a location.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

/// A backend and the location of its data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// `sqlite:PATH`: one SQLite file.
    Sqlite(PathBuf),
    /// `redb:PATH`: one redb file.
    Redb(PathBuf),
    /// `postgres://…`: a workspace of a Postgres database.
    Postgres(PostgresUrl),
    /// `memory:`: a store in memory, lost when the process ends.
    Memory,
}

impl StoreUrl {
    /// Returns the path of the store's file, or `None` for Postgres and memory.
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Sqlite(path) | Self::Redb(path) => Some(path),
            Self::Postgres(_) | Self::Memory => None,
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Redb(path) => write!(f, "redb:{}", path.display()),
            Self::Postgres(url) => url.fmt(f),
            Self::Memory => f.write_str("memory:"),
        }
    }
}

/// The URL of a workspace in a Postgres database. `Display` and `Debug` omit the password and all parameters
/// except the workspace.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    /// Returns the full URL, including the password. Use it to connect; never print it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns true if the URL contains a password, or might.
    pub fn has_password(&self) -> bool {
        let rest = behind_scheme(&self.0);
        let in_front = parts(rest).is_none_or(|(credentials, _)| credentials.contains(':'));
        in_front || parameters(rest).any(|(name, _)| name == "password")
    }
}

/// Returns the part after `//`, or an empty string if there is none.
fn behind_scheme(url: &str) -> &str {
    url.split_once("//").map_or("", |(_, rest)| rest)
}

/// Splits into the credentials before `@`, and the server and path up to the parameters. `None` if there is
/// an `@` after the authority, because the end of a password is then ambiguous.
fn parts(rest: &str) -> Option<(&str, &str)> {
    let (authority, behind) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    if behind.contains('@') {
        return None;
    }
    let at = authority.rfind('@');
    let server = rest.split('?').next().unwrap_or_default();
    Some((&rest[..at.unwrap_or(0)], &server[at.map_or(0, |at| at + 1)..]))
}

/// Returns the query parameters with percent-decoded names.
fn parameters(rest: &str) -> impl Iterator<Item = (String, &str)> {
    let all = rest.split_once('?').map_or("", |(_, parameters)| parameters).split('&');
    all.map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        (decoded(name), value)
    })
}

/// Percent-decodes a text. Invalid escapes stay unchanged.
fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = behind_scheme(&self.0);
        f.write_str("postgres://")?;
        let Some((credentials, server)) = parts(rest) else { return f.write_str("…") };
        let user = credentials.split(':').next().filter(|user| !user.is_empty());
        if let Some(user) = user {
            write!(f, "{user}@")?;
        }
        f.write_str(server)?;
        match parameters(rest).find(|(name, _)| name == "workspace") {
            Some((_, workspace)) => write!(f, "?workspace={workspace}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

impl StoreUrl {
    /// Redacts anything in an invalid URL that may be a password, for use in error messages.
    pub fn without_password(text: &str) -> String {
        let is_scheme = |scheme: &str| !scheme.is_empty() && scheme.bytes().all(is_of_scheme);
        let (scheme, rest) = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (format!("{scheme}:"), rest),
            // A connection string in `key=value` form, or a path.
            _ => (String::new(), text),
        };
        if let Some(rest) = rest.strip_prefix("//") {
            return match parts(rest) {
                Some(("", server)) => format!("{scheme}//{server}"),
                Some((_, server)) => format!("{scheme}//…@{server}"),
                None => format!("{scheme}//…"),
            };
        }
        let is_file = matches!(scheme.as_str(), "sqlite:" | "redb:");
        let is_told =
            |rest: &str| !rest.contains([':', '@', '?']) || scheme.is_empty() && is_path(text);
        let names_one = |rest: &str| {
            ["pass", "pwd"].iter().any(|word| rest.to_ascii_lowercase().contains(word))
        };
        // Either a URL without slashes or `key=value` pairs, in which a password cannot be located.
        if !is_file && (!is_told(rest) || names_one(rest) && rest.contains('=')) {
            return format!("{scheme}…");
        }
        text.to_owned()
    }
}

const fn is_of_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// Returns true if a text is clearly a file path.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || !text.contains(':')
}

/// The reason why a text is not a store URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseUrlError {
    /// The text has no `scheme:`.
    #[error("use sqlite:PATH, redb:PATH, postgres://… or memory:")]
    NoScheme,
    /// The scheme is unknown to this crate. A known scheme that is not built in fails later, when the store is opened.
    #[error("there is no {0} backend; choose sqlite:PATH, redb:PATH, postgres://… or memory:")]
    NotOffered(String),
    /// The path after the scheme is missing.
    #[error("the store's path is missing: sqlite:PATH or redb:PATH")]
    NoPath,
    /// The server after the scheme is missing.
    #[error("the server is missing: postgres://USER@HOST/DATABASE?workspace=NAME")]
    NoServer,
    /// `memory:` is followed by text, although it takes no path.
    #[error("memory: takes no path; for a file, use sqlite:PATH or redb:PATH")]
    KeptNowhere,
}

impl FromStr for StoreUrl {
    type Err = ParseUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once(':').ok_or(ParseUrlError::NoScheme)?;
        match scheme {
            "sqlite" | "redb" if rest.is_empty() => Err(ParseUrlError::NoPath),
            "sqlite" => Ok(Self::Sqlite(rest.into())),
            "redb" => Ok(Self::Redb(rest.into())),
            "postgres" | "postgresql" if rest.starts_with("//") && rest.len() > 2 => {
                Ok(Self::Postgres(PostgresUrl(text.to_owned())))
            }
            "postgres" | "postgresql" => Err(ParseUrlError::NoServer),
            "memory" if rest.is_empty() => Ok(Self::Memory),
            "memory" => Err(ParseUrlError::KeptNowhere),
            other if other.is_empty() || !other.chars().all(|c| c.is_ascii_alphanumeric()) => {
                Err(ParseUrlError::NoScheme)
            }
            other => Err(ParseUrlError::NotOffered(other.chars().take(32).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_round_trip_and_wrong_ones_are_explained() {
        for text in ["sqlite:/a b/c.db", "sqlite:relative.db", "redb:/a b/c.redb", "memory:"] {
            assert_eq!(text.parse::<StoreUrl>().unwrap().to_string(), text);
        }
        assert_eq!("plain/path".parse::<StoreUrl>(), Err(ParseUrlError::NoScheme));
        assert_eq!("/a:b".parse::<StoreUrl>(), Err(ParseUrlError::NoScheme));
        assert_eq!("sqlite:".parse::<StoreUrl>(), Err(ParseUrlError::NoPath));
        assert_eq!("redb:".parse::<StoreUrl>(), Err(ParseUrlError::NoPath));
        assert_eq!("memory:/x".parse::<StoreUrl>(), Err(ParseUrlError::KeptNowhere));
        assert_eq!("redb:x".parse::<StoreUrl>().unwrap().path(), Some("x".as_ref()));
        let other = "mysql:/x".parse::<StoreUrl>();
        assert_eq!(other, Err(ParseUrlError::NotOffered("mysql".into())));
        assert_eq!("postgres:/x".parse::<StoreUrl>(), Err(ParseUrlError::NoServer));
        assert_eq!("postgres://".parse::<StoreUrl>(), Err(ParseUrlError::NoServer));
    }

    #[test]
    fn a_password_is_not_shown() {
        for (text, shown) in [
            ("postgres://me@db/team?workspace=w", "postgres://me@db/team?workspace=w"),
            ("postgres://me:hunter2@db:1/team", "postgres://me@db:1/team"),
            ("postgresql://me:hun@ter2@db/team?password=hunter2", "postgres://me@db/team"),
            (
                "postgres:///team?host=/run&password=hunter2&workspace=w",
                "postgres:///team?workspace=w",
            ),
            ("postgres://db/team?user=me&password=hunter2@x", "postgres://…"),
            ("postgres://db/team?user=me&p%61ssword=hunter2", "postgres://db/team"),
            ("postgres://me:hun/ter2@db/team", "postgres://…"),
            ("postgres://me:hun?ter2@db/team", "postgres://…"),
            ("postgres://me:a@hun/ter2@db/team", "postgres://…"),
        ] {
            let url = text.parse::<StoreUrl>().unwrap();
            assert_eq!(url.to_string(), shown);
            assert!(!StoreUrl::without_password(text).contains("hun"), "{text}");
            assert_eq!(format!("{url:?}"), format!("Postgres(PostgresUrl({shown}))"));
            let StoreUrl::Postgres(url) = url else { panic!("{url}") };
            assert_eq!(url.expose(), text);
            assert_eq!(url.has_password(), text.contains("hun"), "{text}");
        }
        assert_eq!(
            StoreUrl::without_password("postgress://me:hunter2@db/x?y"),
            "postgress://…@db/x"
        );
        for plain in
            ["plain/path", "/a:b", "a@b.db", "./what?", "mysql:x", "sqlite:a@b:c?d", "C:\\a"]
        {
            assert_eq!(StoreUrl::without_password(plain), plain);
        }
        for (mistyped, shown) in [
            ("postgres:me:hunter2@db/x", "postgres:…"),
            ("postgres:/me:hunter2@db/x", "postgres:…"),
            ("postgres:me:hunter2", "postgres:…"),
            ("postgres:db/x?password=hunter2", "postgres:…"),
            ("postgres:me:hunter2@db//x", "postgres:…"),
            ("post gres://me:hunter2@db/x", "…"),
            ("://me:hunter2@db/x", "…"),
            ("me:hunter2@db/x", "me:…"),
            ("jdbc:postgresql://me:hunter2@db/x", "jdbc:…"),
            ("host=db user=me password=hunter2", "…"),
            ("POSTGRES://me:hunter2@db/x", "POSTGRES://…@db/x"),
        ] {
            assert_eq!(StoreUrl::without_password(mistyped), shown);
            assert!(mistyped.parse::<StoreUrl>().is_err(), "{mistyped}");
        }
        assert_eq!(StoreUrl::without_password("pg://db/x?password=hunter2"), "pg://db/x");
        assert_eq!(StoreUrl::without_password("pg://db/x?password=hunter2@y"), "pg://…");
        assert_eq!(decoded("%70%zz%é%4"), "p%zz%é%4");
    }
}
