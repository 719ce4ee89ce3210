//! Identities: names, scopes, projects and the ids that clients hand in.

use crate::text::wording;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use siphasher::sip128::{Hasher128, SipHasher13};

/// Why a text was refused as an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdError {
    /// The text is empty or only white space.
    Empty,
    /// The text is longer than [`IdError::MAX_BYTES`]; the length is given in bytes.
    TooLong(usize),
    /// The text holds a control character.
    Control,
}

impl IdError {
    /// The longest identifier that is accepted, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 512;

    /// Checks the rules that every identifier obeys: not empty, at most [`IdError::MAX_BYTES`] bytes, no
    /// control characters. Wildcards, quotes and emoji are ordinary characters.
    ///
    /// # Errors
    /// The rule that the text breaks.
    pub fn check(text: &str) -> Result<(), Self> {
        // Nearly every identifier is of this kind, and each is checked whenever a row is read.
        // Without a branch for each byte, so that many are looked at together.
        let graphic = |all: bool, byte: u8| all & byte.is_ascii_graphic();
        let plain = text.len() <= Self::MAX_BYTES && text.bytes().fold(true, graphic);
        if plain && !text.is_empty() {
            return Ok(());
        }
        if text.trim().is_empty() {
            Err(Self::Empty)
        } else if text.len() > Self::MAX_BYTES {
            Err(Self::TooLong(text.len()))
        } else if text.chars().any(char::is_control) {
            Err(Self::Control)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("is empty"),
            Self::TooLong(bytes) => {
                write!(f, "is {bytes} bytes long; at most {} are allowed", Self::MAX_BYTES)
            }
            Self::Control => f.write_str("holds a control character"),
        }
    }
}

impl std::error::Error for IdError {}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Accepts `text` when it obeys [`IdError::check`].
            ///
            /// # Errors
            /// The rule that the text breaks.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                IdError::check(text.as_ref())?;
                Ok(Self(text.as_ref().into()))
            }

            /// The text itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                IdError::check(&text).map(|()| Self(text.into()))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }
    )*};
}

text_ids! {
    /// The name under which a tool is called, such as `Bash`, `/review` or `mcp__github__search`.
    ToolName;
    /// Identifies one unit of work, so that doing it twice has the effect of doing it once.
    OpId;
    /// A session of an agent, named by its client.
    SessionId;
    /// An agent: the client's name unless a more precise one is given.
    AgentId;
    /// A client program such as `claude-code`.
    ClientId;
    /// A project: see [`ProjectId::of_root`].
    ProjectId;
    /// The form of an MCP server's name that tool names carry: see [`ServerKey::of`].
    ServerKey;
    /// An item of knowledge, unique within its scope.
    ItemId;
    /// A work item, unique within its scope.
    WorkId;
    /// A model that embeds texts, with its version where that matters.
    ModelId;
}

impl ProjectId {
    /// The id of the project whose root folder is `root`: 16 hexadecimal digits that depend on
    /// the text of the path alone.
    ///
    /// # Panics
    /// Never: hexadecimal digits are a valid id.
    #[must_use]
    pub fn of_root(root: &str) -> Self {
        Self(format!("{:016x}", stable_hash(root.as_bytes()) as u64).into())
    }
}

/// The scope of a record: every project of a store, or one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub enum Scope {
    /// Every project of this store.
    Global,
    /// One project.
    Project(ProjectId),
}

impl Scope {
    /// The project, unless the scope is global.
    #[must_use]
    pub const fn project(&self) -> Option<&ProjectId> {
        match self {
            Self::Global => None,
            Self::Project(id) => Some(id),
        }
    }

    /// `global` or `project`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project(_) => "project",
        }
    }

    /// One text per scope, for keys in storage: empty for global, else the project's id.
    #[must_use]
    pub fn as_key(&self) -> &str {
        self.project().map_or("", ProjectId::as_str)
    }

    /// The inverse of [`Scope::as_key`].
    ///
    /// # Errors
    /// When the key is not empty and not a valid project id.
    pub fn from_key(key: &str) -> Result<Self, IdError> {
        if key.is_empty() { Ok(Self::Global) } else { ProjectId::new(key).map(Self::Project) }
    }
}

impl TryFrom<String> for Scope {
    type Error = IdError;
    fn try_from(key: String) -> Result<Self, IdError> {
        if key.is_empty() { Ok(Self::Global) } else { key.try_into().map(Self::Project) }
    }
}

impl Serialize for Scope {
    /// As [`Scope::as_key`].
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_key())
    }
}

/// The identity of a tool: its scope and its name. The same name in two scopes is two tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ToolKey {
    /// The scope in which the tool is visible.
    pub scope: Scope,
    /// The name under which it is called.
    pub name: ToolName,
}

impl ToolKey {
    /// A tool of every project.
    #[must_use]
    pub const fn global(name: ToolName) -> Self {
        Self { scope: Scope::Global, name }
    }

    /// A tool of one project.
    #[must_use]
    pub const fn project(project: ProjectId, name: ToolName) -> Self {
        Self { scope: Scope::Project(project), name }
    }
}

/// The identity of an item of knowledge: its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemKey {
    /// The scope in which the item holds.
    pub scope: Scope,
    /// Its id there.
    pub id: ItemId,
}

/// The identity of a work item: its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WorkKey {
    /// The scope to which the item belongs.
    pub scope: Scope,
    /// Its id there.
    pub id: WorkId,
}

/// The identity of a checked document: the project for which it was checked, and its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentKey {
    /// The project for which it was checked.
    pub project: ProjectId,
    /// Its path: relative to the project's root with `/` between the parts, or beginning with `~/`
    /// for a file of the user outside it.
    pub path: String,
}

/// The level at which a client keeps a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// For every project of the user.
    User,
    /// In the project's own folder.
    Project,
    /// For one project, but kept in a file of the user.
    Local,
    /// A list that a running server reported, not a file.
    Live,
}

wording! { Level { User = "user", Project = "project", Local = "local", Live = "live" } }

/// The identity of a source of tools. Its path is no part of it: plugin paths carry versions.
///
/// `client` and `part` must not hold control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId {
    /// The project that the source belongs to, unless it serves every project.
    pub project: Option<ProjectId>,
    /// The client that reads the source, such as `claude-code`.
    pub client: String,
    /// The level at which the client keeps it.
    pub level: Level,
    /// The part of that level, such as `mcp`, `commands` or `plugin:name@market/skills`.
    pub part: String,
}

impl SourceId {
    /// The scope of the tools that this source lists.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.project.clone().map_or(Scope::Global, Scope::Project)
    }
}

impl fmt::Display for SourceId {
    /// `client/level/part`; the project is left out, since it is known from the context.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.client, self.level.as_str(), self.part)
    }
}

/// A 128-bit hash that is the same on every platform and in every release: SipHash-1-3 with a key
/// of zeros (<https://github.com/veorq/SipHash>). It tells texts apart; it does not keep secrets.
#[must_use]
pub fn stable_hash(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    std::hash::Hasher::write(&mut hasher, bytes);
    hasher.finish128().as_u128()
}

/// The [`stable_hash`] of texts as if they were written one behind the other.
pub(crate) fn stable_hash_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> u128 {
    let mut hasher = SipHasher13::new();
    for text in texts {
        std::hash::Hasher::write(&mut hasher, text.as_bytes());
    }
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_wildcards_quotes_emoji_and_right_to_left_marks() {
        for name in ["a_b%c*", "it's", "\u{1f680}", "a\u{202e}b", &"x".repeat(IdError::MAX_BYTES)] {
            assert!(ToolName::new(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn empty_long_and_control_names_are_refused() {
        assert_eq!(ToolName::new(" "), Err(IdError::Empty));
        assert_eq!(ToolName::new("x".repeat(10_000)), Err(IdError::TooLong(10_000)));
        assert_eq!(ToolName::new("a\nb"), Err(IdError::Control));
        assert_eq!(ToolName::new("a\u{1b}[31m"), Err(IdError::Control));
    }

    #[test]
    fn a_hash_does_not_depend_on_how_its_text_is_cut() {
        let text = "the hash of a text that is longer than one block";
        for cut in 0..text.len() {
            let parts = [&text[..cut], "", &text[cut..]];
            assert_eq!(stable_hash_of(parts), stable_hash(text.as_bytes()), "{cut}");
        }
    }

    #[test]
    fn a_project_id_is_stable() {
        let id = ProjectId::of_root("/home/a/project");
        assert_eq!(id, ProjectId::of_root("/home/a/project"));
        assert_ne!(id, ProjectId::of_root("/home/a/project2"));
        assert_eq!(id.as_str().len(), 16);
    }
}
