//! The commands, one file each.

pub(crate) mod board;
pub(crate) mod check;
mod citations;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod documents;
pub(crate) mod export;
pub(crate) mod hook;
pub(crate) mod import;
mod items;
pub(crate) mod knowledge;
pub(crate) mod overview;
pub(crate) mod project;
pub(crate) mod record;
pub(crate) mod remembered;
pub(crate) mod resume;
pub(crate) mod review;
mod save;
pub(crate) mod scan;
pub(crate) mod sessions;
mod shell;
pub(crate) mod stale;
pub(crate) mod tell;
mod tell_documents;
mod tell_work;
pub(crate) mod tools;
mod typed;
pub(crate) mod upkeep;
pub(crate) mod work;

use staleness::store::{Refusal, StoreError};
use staleness::{BlockingRegistry, ids};

use crate::error::{CliError, ErrorKind, quoted};
use crate::settings::Settings;

/// A name that must be a valid id.
pub(crate) fn tool_name(text: &str) -> Result<ids::ToolName, CliError> {
    ids::ToolName::new(text).map_err(|why| CliError::invalid(format!("the tool's name {why}")))
}

/// An optional id, named for the error.
pub(crate) fn optional<T>(what: &str, text: Option<&String>) -> Result<Option<T>, CliError>
where
    T: TryFrom<String, Error = ids::IdError>,
{
    text.cloned()
        .map(|text| T::try_from(text).map_err(|why| CliError::invalid(format!("the {what} {why}"))))
        .transpose()
}

/// An unknown tool, with the name that is most like it.
pub(crate) fn explain(
    registry: &BlockingRegistry,
    settings: &Settings,
    name: &str,
    error: StoreError,
) -> CliError {
    let StoreError::Refused(Refusal::Unknown { what, .. }) = &error else { return error.into() };
    let mut known =
        CliError::new(ErrorKind::Unknown, format!("no {what} is known as {}", quoted(name)));
    known.hint = Some(match registry.nearest(&settings.project, name) {
        Ok(Some(near)) => format!("did you mean {near}?"),
        _ => "see `staleness tools list`, or run `staleness scan` first".into(),
    });
    known
}

/// One of a few words.
pub(crate) fn word<T>(
    text: Option<&str>,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
    allowed: impl Fn() -> String,
) -> Result<Option<T>, CliError> {
    text.map(|text| {
        read(text).ok_or_else(|| {
            CliError::invalid(format!("{} is no {what}", quoted(text)))
                .hint(format!("allowed are {}", allowed()))
        })
    })
    .transpose()
}
