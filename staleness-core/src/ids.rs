//! Identifiers: names of tools, scopes, projects, and the ids that clients supply.

use crate::text::wording;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use siphasher::sip128::{Hasher128, SipHasher13};

/// The reason why a text is not a valid identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text is empty or only white space.
    #[error("is empty")]
    Empty,
    /// The text is longer than [`IdError::MAX_BYTES`]. The value is its length in bytes.
    #[error("is {0} bytes long; at most {max} are allowed", max = Self::MAX_BYTES)]
    TooLong(usize),
    /// The text contains a control character.
    #[error("contains a control character")]
    Control,
}

impl IdError {
    /// The maximum length of an identifier, in bytes of UTF-8.
    pub const MAX_BYTES: usize = 512;

    /// Checks the rules for every identifier: not blank, at most [`IdError::MAX_BYTES`] bytes, no control characters.
    /// Wildcards, quotation marks and emoji are allowed.
    ///
    /// # Errors
    /// The rule that the text breaks.
    pub fn check(text: &str) -> Result<(), Self> {
        // A fast path: nearly every identifier is plain ASCII, and the ids in every row that is read are checked. The
        // fold has no branch per byte, so the compiler can vectorise it.
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

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(Box<str>);

        impl $name {
            /// Creates an id from `text` if [`IdError::check`] accepts it.
            ///
            /// # Errors
            /// The rule that the text breaks.
            pub fn new(text: impl AsRef<str>) -> Result<Self, IdError> {
                IdError::check(text.as_ref())?;
                Ok(Self(text.as_ref().into()))
            }

            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
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
    /// The name by which a tool is called, such as `Bash`, `/review` or `mcp__github__search`.
    ToolName;
    /// The id of one unit of work. Repeating the work under the same id has no further effect.
    OpId;
    /// The id of an agent's session, chosen by the client.
    SessionId;
    /// The name of an agent: the client's name, unless a more precise one is given.
    AgentId;
    /// The name of a client program, such as `claude-code`.
    ClientId;
    /// The id of a project: see [`ProjectId::of_root`].
    ProjectId;
    /// The name of an MCP server in the form used inside tool names: see [`ServerKey::of`].
    ServerKey;
    /// The id of an item of knowledge, unique within its scope.
    ItemId;
    /// The id of a work item, unique within its scope.
    WorkId;
    /// The name of an embedding model, with its version if that matters.
    ModelId;
}

impl SessionId {
    /// The prefix of the session ids that this program creates for connections to its MCP server.
    pub const OF_CONNECTION: &str = "mcp-";
    /// The prefix of the session ids that this program creates for commands without a session.
    pub const OF_COMMAND: &str = "work-";

    /// Returns true if this program created the id, so that no hook reports the session.
    pub fn is_unreported(&self) -> bool {
        [Self::OF_CONNECTION, Self::OF_COMMAND].iter().any(|made| self.as_str().starts_with(made))
    }
}

impl ProjectId {
    /// Returns the id of the project with root folder `root`: 16 hexadecimal digits, a hash of the path's text.
    ///
    /// # Panics
    /// Never: hexadecimal digits are a valid id.
    pub fn of_root(root: &str) -> Self {
        Self(format!("{:016x}", stable_hash(root.as_bytes()) as u64).into())
    }
}

/// The scope of a record: one project, or all projects of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub enum Scope {
    /// Visible in every project of the store.
    #[default]
    Global,
    /// Visible in one project.
    Project(ProjectId),
}

impl Scope {
    /// Returns the project. `None` for the global scope.
    pub const fn project(&self) -> Option<&ProjectId> {
        match self {
            Self::Global => None,
            Self::Project(id) => Some(id),
        }
    }

    /// Returns `global` or `project`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project(_) => "project",
        }
    }

    /// Returns the scope as a storage key: the project's id, or an empty text for the global scope.
    pub fn as_key(&self) -> &str {
        self.project().map_or("", ProjectId::as_str)
    }
}

impl TryFrom<String> for Scope {
    type Error = IdError;

    /// The inverse of [`Scope::as_key`].
    fn try_from(key: String) -> Result<Self, IdError> {
        if key.is_empty() { Ok(Self::Global) } else { key.try_into().map(Self::Project) }
    }
}

impl Serialize for Scope {
    /// Serializes as [`Scope::as_key`].
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_key())
    }
}

/// The identity of a tool: its scope and its name. The same name in two scopes is two tools.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ToolKey {
    /// The scope in which the tool is visible.
    pub scope: Scope,
    /// The name by which the tool is called.
    pub name: ToolName,
}

impl ToolKey {
    /// Returns the key of a tool that is visible in every project.
    pub const fn global(name: ToolName) -> Self {
        Self { scope: Scope::Global, name }
    }

    /// Returns the key of a tool of one project.
    pub const fn project(project: ProjectId, name: ToolName) -> Self {
        Self { scope: Scope::Project(project), name }
    }

    /// Returns the keys of a project's own tool and of the global one.
    pub(crate) fn both(project: &ProjectId, name: &ToolName) -> [Self; 2] {
        [Self::project(project.clone(), name.clone()), Self::global(name.clone())]
    }
}

/// The identity of an item of knowledge: its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemKey {
    /// The scope in which the item is valid.
    pub scope: Scope,
    /// The item's id within the scope.
    pub id: ItemId,
}

/// The identity of a work item: its scope and its id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WorkKey {
    /// The scope to which the item belongs.
    pub scope: Scope,
    /// The item's id within the scope.
    pub id: WorkId,
}

impl WorkKey {
    /// The beginning of the printed key of a global item.
    pub const GLOBAL: &str = "global:";

    /// Writes the id, and the scope of a global item.
    pub(crate) fn as_fields<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let scope = Some(self.scope.word()).filter(|_| self.scope == Scope::Global);
        to.collect_map(
            [("id", Some(self.id.as_str())), ("scope", scope)]
                .into_iter()
                .filter(|(_, each)| each.is_some()),
        )
    }
}

impl fmt::Display for WorkKey {
    /// Prints the id. A global item gets the prefix `global:`, because the project may have its own item with the same
    /// id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let global = if self.scope == Scope::Global { Self::GLOBAL } else { "" };
        write!(f, "{global}{}", self.id)
    }
}

/// The identity of a checked document: a project and a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentKey {
    /// The project in which the document was checked.
    pub project: ProjectId,
    /// The path, relative to the project's root with `/` separators, or beginning with `~/` for a file in the user's
    /// home outside the project.
    pub path: String,
}

wording! {
    /// The level at which a client stores a configuration. Stores contain the index of a level, so the order must never
    /// change.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Level {
        /// For every project of one user.
        User = "user",
        /// For one project, in the project's own folder.
        Project = "project",
        /// For one project, in a file of the user.
        Local = "local",
        /// Reported by a running server, not read from a file.
        Live = "live",
    }
}

/// The identity of a source of tools. It does not contain the path, because the paths of plugins contain versions.
///
/// `client` and `part` must not contain control characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId {
    /// The project to which the source belongs. `None` if it serves all projects.
    pub project: Option<ProjectId>,
    /// The client that reads the source, such as `claude-code`.
    pub client: String,
    /// The level of the configuration.
    pub level: Level,
    /// The part within that level, such as `mcp`, `commands` or `plugin:name@market/skills`.
    pub part: String,
}

impl SourceId {
    /// Returns the scope of the tools that this source lists.
    pub fn scope(&self) -> Scope {
        self.project.clone().map_or(Scope::Global, Scope::Project)
    }
}

impl fmt::Display for SourceId {
    /// Prints `client/level/part`. Omits the project, which is clear from the context.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.client, self.level.as_str(), self.part)
    }
}

/// Returns a 128-bit hash that is the same on every platform and in every release: SipHash-1-3 with an all-zero key
/// (<https://github.com/veorq/SipHash>). Not a cryptographic hash.
pub fn stable_hash(bytes: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new();
    std::hash::Hasher::write(&mut hasher, bytes);
    hasher.finish128().as_u128()
}

/// Returns the [`stable_hash`] of the concatenated texts.
pub(crate) fn stable_hash_of<'t>(texts: impl IntoIterator<Item = &'t str>) -> u128 {
    let mut hasher = SipHasher13::new();
    for text in texts {
        std::hash::Hasher::write(&mut hasher, text.as_bytes());
    }
    hasher.finish128().as_u128()
}

/// The project and the agent that select the policy rules. The default matches no rule of a project or agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The project's id and root folder. The policy may have rules for either.
    pub project: Option<(&'a ProjectId, &'a str)>,
    /// The name of the agent. For a work item, that of its author.
    pub agent: Option<&'a str>,
}

impl Caller<'_> {
    /// Returns the caller's entries in a table keyed by project and in one keyed by agent.
    pub(crate) fn entries<'t, T>(
        self,
        by_project: &'t BTreeMap<String, T>,
        by_agent: &'t BTreeMap<String, T>,
    ) -> [Option<&'t T>; 2] {
        let of = |(id, root): (&ProjectId, &str)| {
            by_project.get(id.as_str()).or_else(|| by_project.get(root))
        };
        [self.project.and_then(of), self.agent.and_then(|agent| by_agent.get(agent))]
    }
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
