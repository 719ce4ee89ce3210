//! Fuzzes store URLs.
//!
//! Input: the text. A `^` in it stands for a password, anywhere.

use staleness::{PostgresUrl, StoreUrl};
use staleness_postgres::fuzzing::{Said, said};
use staleness_service::ServiceError;
use staleness_service::settings::named_url;

use crate::{SECRET, refused};

/// Parses the text, and also as the Postgres driver would.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data).replace('^', SECRET);
    let read = named_url("--store", &text);
    assert_eq!(read, named_url("--store", &text), "the same twice");
    let hidden = is_hidden(&text);
    let shown = StoreUrl::without_password(&text);
    assert_eq!(shown, StoreUrl::without_password(&text), "the same twice");
    keeps(&shown, hidden);
    let url = match read {
        Ok(url) => url,
        Err(error) => {
            keeps(&refused(&error, most(&text)), hidden);
            keeps(&error.render(true), hidden);
            return;
        }
    };
    keeps(&url.to_string(), hidden);
    keeps(&format!("{url:?}"), hidden);
    match &url {
        StoreUrl::Postgres(url) => postgres(url, &text),
        other => {
            let again: Result<StoreUrl, _> = other.to_string().parse();
            assert_eq!(again.as_ref(), Ok(other), "what is shown can be typed");
        }
    }
}

fn keeps(shown: &str, hidden: bool) {
    assert!(!hidden || !shown.contains(SECRET), "{shown}");
}

/// Returns the maximum size of an error about a text, in bytes.
const fn most(text: &str) -> usize {
    12 * text.len() + 500
}

/// Returns true if all secrets in a text are in the place of a password or a parameter.
fn is_hidden(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        // A `key=value` connection string.
        return !text.starts_with("//") && only(text, &format!("password={SECRET}"));
    };
    let named = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if !named || matches!(scheme, "sqlite" | "redb") || scheme.contains(SECRET) {
        return false;
    }
    let Some(rest) = rest.strip_prefix("//") else {
        // A URL without slashes.
        return rest.rfind('@').is_some_and(|at| !rest[at..].contains(SECRET));
    };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    if rest[end..].contains('@') {
        return true;
    }
    let (authority, server) = match rest.rfind('@') {
        Some(at) => (&rest[..at], &rest[at..]),
        None => ("", rest),
    };
    let user = authority.split(':').next().unwrap_or_default();
    let (server, parameters) = server.split_once('?').unwrap_or((server, ""));
    // A workspace is shown, even under an escaped name.
    let told = parameters.split('&').any(|one| {
        let name = one.split('=').next().unwrap_or_default();
        (name.contains('%') || name == "workspace") && one.contains(SECRET)
    });
    !user.contains(SECRET) && !server.contains(SECRET) && !told
}

fn only(text: &str, part: &str) -> bool {
    text.matches(part).count() == text.matches(SECRET).count()
}

fn postgres(url: &PostgresUrl, text: &str) {
    assert_eq!(url.expose(), text);
    let plain: Result<StoreUrl, _> = url.to_string().parse();
    if let Ok(StoreUrl::Postgres(plain)) = plain {
        keeps(&plain.to_string(), url.has_password() && !url.to_string().contains(SECRET));
    }
    match (said(text), said(text)) {
        (Ok(one), Ok(again)) => {
            assert_eq!(one, again, "the same twice");
            understood(&one, url, text);
        }
        (Err(error), Err(again)) => {
            assert_eq!(error.to_string(), again.to_string(), "the same twice");
            // Only the names of parameters and of the workspace may be shown.
            let parameters = text.split_once('?').map_or("", |(_, parameters)| parameters);
            let mut told_of = parameters.split('&').filter(|one| one.contains(SECRET));
            let hidden = told_of.all(|one| one.starts_with(&format!("password={SECRET}")));
            keeps(&format!("{error:?} {error}"), hidden);
            refused(&ServiceError::from(error), most(text));
        }
        (one, again) => panic!("{one:?}, {again:?}"),
    }
}

/// Asserts that the driver's password is never shown.
fn understood(said: &Said, url: &PostgresUrl, text: &str) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    assert!((1..=64).contains(&said.workspace.len()) && said.workspace.bytes().all(plain));
    let Some(password) = &said.password else { return };
    if std::env::var_os("PGPASSWORD").is_none() {
        assert!(url.has_password(), "{url}");
    }
    let password = String::from_utf8_lossy(password);
    if password.contains(SECRET) && text.matches(SECRET).count() == password.matches(SECRET).count()
    {
        for shown in [
            url.to_string(),
            format!("{url:?}"),
            StoreUrl::without_password(text),
            format!("{said:?}"),
        ] {
            keeps(&shown, true);
        }
    }
}
