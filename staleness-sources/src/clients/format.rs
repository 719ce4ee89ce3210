//! Describes the formats of client files: what each client reads, ignores and rejects.

use std::path::Path;

use crate::json::{self, Object, Value};
use crate::text::Liberties;
use staleness_docs::disk::shown;

/// The JSON extensions that a client accepts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Syntax {
    /// Strict JSON, with or without a byte-order mark.
    Strict,
    /// Strict JSON with comments.
    Comments,
    /// Comments and trailing commas.
    Lenient,
}

impl Syntax {
    /// Returns the line of the first syntax that the client rejects, and a description that says what to do.
    pub(super) fn refuses(self, text: &Liberties) -> Option<(usize, &'static str)> {
        let mark = (text.mark && matches!(self, Self::Comments)).then_some(1);
        let comment = text.comment.filter(|_| matches!(self, Self::Strict));
        let strict = !matches!(self, Self::Lenient);
        [
            (mark, "a byte-order mark is not allowed; save it without one"),
            (comment, "comments are not allowed; remove them"),
            (text.comma.filter(|_| strict), "a trailing comma is not allowed; remove it"),
            (
                text.character.filter(|_| strict),
                "a character is not valid JSON: a space that is not ASCII, or a line break in a string",
            ),
        ]
        .into_iter()
        .filter_map(|(line, what)| Some((line?, what)))
        .min_by_key(|(line, _)| *line)
    }
}

/// The place of the server map in a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Nesting {
    /// Directly under the key.
    Flat,
    /// Under the key, or under `servers` inside the key's value.
    Either,
    /// Under `servers` inside the key's value.
    Inner,
}

/// The format of a file with servers.
#[derive(Debug)]
pub(super) struct Format {
    /// The client's display name.
    pub(super) title: &'static str,
    pub(super) syntax: Syntax,
    /// The key of the server map.
    pub(super) key: &'static str,
    pub(super) nesting: Nesting,
    /// Members that disable a server if they have the given value. The client ignores all others.
    pub(super) switches: &'static [(&'static str, bool)],
    /// Returns the reason why the client skips a server, although it reads the file.
    pub(super) skips: fn(&Object<'_>) -> Option<String>,
    /// True if the file contains only servers, so an entry outside the map is a misplaced server.
    pub(super) servers_only: bool,
}

impl Format {
    /// Returns the format with `mcpServers` of a client that parses strictly.
    pub(super) const fn strict(title: &'static str) -> Self {
        Self {
            title,
            syntax: Syntax::Strict,
            key: "mcpServers",
            nesting: Nesting::Flat,
            switches: &[],
            skips: |_| None,
            servers_only: false,
        }
    }

    /// Returns the format of a file with only `mcpServers`, for a client that parses leniently.
    pub(super) const fn lenient(title: &'static str) -> Self {
        Self { syntax: Syntax::Lenient, servers_only: true, ..Self::strict(title) }
    }

    /// Returns the value in which the client looks for servers.
    pub(super) fn servers<'o, 't>(&self, object: &'o Object<'t>) -> Option<&'o Value<'t>> {
        let outer = json::get(object, self.key)?;
        let inner = outer.as_object().and_then(|outer| json::get(outer, "servers"));
        match self.nesting {
            Nesting::Flat => Some(outer),
            Nesting::Either => inner.filter(|inner| holds_objects(inner)).or(Some(outer)),
            Nesting::Inner => inner,
        }
    }

    pub(super) fn is_off(&self, server: &Object<'_>) -> bool {
        self.switches.iter().any(|(key, off)| json::get_bool(server, key) == Some(*off))
    }

    /// Returns the message for a file that the client rejects.
    pub(super) fn refusal(&self, path: &Path, line: usize, what: &str) -> String {
        format!("{}:{line}: {}", shown(path), refused_by(self.title, what))
    }
}

/// Returns the message for a readable file that the client rejects.
pub(super) fn refused_by(title: &str, what: &str) -> String {
    format!("{title} rejects this file: {what}")
}

/// Returns true if every member is an object. The value is then a map of servers, not one server.
pub(super) fn holds_objects(value: &Value<'_>) -> bool {
    value.as_object().is_some_and(|object| {
        let mut values = object.properties.iter().map(|member| &member.value);
        values.all(|value| value.as_object().is_some())
    })
}
