//! Store URLs: which backend keeps a registry, and where.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which backend keeps a registry, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// `sqlite:PATH`: one SQLite file.
    Sqlite(PathBuf),
    /// `redb:PATH`: one redb file.
    Redb(PathBuf),
    /// `memory:`: gone with the process.
    Memory,
}

impl StoreUrl {
    /// The file that keeps the registry, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&std::path::Path> {
        match self {
            Self::Sqlite(path) | Self::Redb(path) => Some(path),
            Self::Memory => None,
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Redb(path) => write!(f, "redb:{}", path.display()),
            Self::Memory => f.write_str("memory:"),
        }
    }
}

/// Why a text is no store URL.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseUrlError {
    /// There is no `scheme:` in front.
    NoScheme,
    /// The scheme names no backend. One that exists and is not built in is an error of opening.
    NotOffered(String),
    /// The scheme wants a path behind it.
    NoPath,
}

impl fmt::Display for ParseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoScheme => {
                f.write_str("a store is written as sqlite:PATH, redb:PATH or memory:")
            }
            Self::NotOffered(scheme) => {
                write!(f, "there is no {scheme} backend; choose sqlite:PATH, redb:PATH or memory:")
            }
            Self::NoPath => f.write_str("the store's path is missing: sqlite:PATH or redb:PATH"),
        }
    }
}

impl std::error::Error for ParseUrlError {}

impl FromStr for StoreUrl {
    type Err = ParseUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once(':').ok_or(ParseUrlError::NoScheme)?;
        match scheme {
            "sqlite" | "redb" if rest.is_empty() => Err(ParseUrlError::NoPath),
            "sqlite" => Ok(Self::Sqlite(rest.into())),
            "redb" => Ok(Self::Redb(rest.into())),
            "memory" => Ok(Self::Memory),
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
        assert_eq!("redb:x".parse::<StoreUrl>().unwrap().path(), Some("x".as_ref()));
        let other = "postgres:/x".parse::<StoreUrl>();
        assert_eq!(other, Err(ParseUrlError::NotOffered("postgres".into())));
    }
}
