//! Evidence: facts that speak against an item.

use serde::{Deserialize, Serialize};

use super::Citation;
use crate::time::Timestamp;
use crate::verdict::SignalKind;

/// The missing part of a citation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cited {
    /// The whole file or folder.
    Path,
    /// The cited lines: the file is shorter.
    Lines,
    /// The symbol within the file.
    Symbol,
    /// The heading within the document. Its anchor is stored as the citation's symbol.
    Heading,
}

/// The kind of word that refers to a part of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// A path in the project.
    Path,
    /// A command-line flag such as `--dry-run`.
    Flag,
    /// A code identifier.
    Identifier,
    /// A command that runs a target of the project, such as `npm run lint`.
    Command,
}

/// The distance by which one version is behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// Patch releases only.
    Patch,
    /// At least one minor release.
    Minor,
    /// At least one major release.
    Major,
}

/// A finding. Commits are full hexadecimal ids; reports shorten them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fact {
    /// The expiry date has passed.
    Expired {
        /// The expiry date.
        at: Timestamp,
    },
    /// Another item replaces this one.
    Superseded {
        /// The id of the replacement. For a document, its path.
        by: String,
    },
    /// A person or an agent reported that the item is wrong.
    Contradicted {
        /// The person or agent who reported it.
        by: String,
        /// The reason given.
        reason: String,
    },
    /// A cited source is missing.
    SourceMissing {
        /// The citation.
        citation: Citation,
        /// The part that is missing.
        gone: Cited,
        /// The new path if the file was renamed, or the new anchor of a heading.
        renamed_to: Option<String>,
        /// The commit that removed the source, if known.
        commit: Option<String>,
    },
    /// The text names something that existed at the text's last edit and no longer exists anywhere.
    ReferenceDrift {
        /// The name as written.
        word: String,
        /// The kind of word.
        sort: WordKind,
        /// The new name, if it is certain: that of a file, or a command with the new name of its target.
        renamed_to: Option<String>,
        /// The commit that removed the named thing, if known.
        commit: Option<String>,
        /// The time of that commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
        /// True if the word is a flag or a name in code that may belong to something else. Its weight is halved.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// The cited lines or symbol changed after the verification.
    SourceChanged {
        /// The citation.
        citation: Citation,
        /// The first commit that changed the source after the verification. `None` if only a digest shows the change.
        commit: Option<String>,
        /// The number of whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// The item was written for an earlier version of the project.
    VersionDrift {
        /// The version for which it was written.
        written_for: String,
        /// The current version of the project.
        project_at: String,
        /// The distance between the two versions.
        distance: Distance,
    },
    /// An item on which this one depends changed after this one was verified.
    RelatedFresher {
        /// The id of that item.
        id: String,
    },
    /// An item on which this one depends is itself stale.
    RelatedStale {
        /// The id of that item.
        id: String,
    },
    /// The item is a to-do that is recalled repeatedly and still open.
    RecalledWithoutProgress {
        /// The number of recalls since the last edit.
        recalls: u64,
    },
    /// The text contains a word that was true at the time of writing.
    TemporalMarker {
        /// The word as written.
        word: String,
    },
    /// The date in the item is in the future.
    FutureDate {
        /// The date.
        at: Timestamp,
    },
    /// The text links to something that no commit contains, or names a path that was removed before the text's last
    /// edit.
    BrokenLink {
        /// The target of the link. The anchor of a heading is stored as the symbol.
        citation: Citation,
        /// The part that does not exist.
        gone: Cited,
        /// The commit that removed the target. `None` if it never existed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
}

impl Fact {
    /// Returns the new name of the missing thing. `None` if it is uncertain.
    pub fn renamed_to(&self) -> Option<&str> {
        match self {
            Self::SourceMissing { renamed_to, .. } | Self::ReferenceDrift { renamed_to, .. } => {
                renamed_to.as_deref()
            }
            _ => None,
        }
    }

    /// Returns the commit that removed or changed something after the text was written, if known.
    pub fn commit(&self) -> Option<&str> {
        match self {
            Self::SourceMissing { commit, .. }
            | Self::ReferenceDrift { commit, .. }
            | Self::SourceChanged { commit, .. } => commit.as_deref(),
            _ => None,
        }
    }

    /// Returns the kind of evidence.
    pub const fn kind(&self) -> SignalKind {
        match self {
            Self::Expired { .. } => SignalKind::Expired,
            Self::Superseded { .. } => SignalKind::Superseded,
            Self::Contradicted { .. } => SignalKind::Contradicted,
            Self::SourceMissing { .. } => SignalKind::SourceMissing,
            Self::ReferenceDrift { .. } => SignalKind::ReferenceDrift,
            Self::SourceChanged { .. } => SignalKind::SourceChanged,
            Self::VersionDrift { .. } => SignalKind::VersionDrift,
            Self::RelatedFresher { .. } => SignalKind::RelatedFresher,
            Self::RelatedStale { .. } => SignalKind::RelatedStale,
            Self::RecalledWithoutProgress { .. } => SignalKind::RecalledWithoutProgress,
            Self::TemporalMarker { .. } => SignalKind::TemporalMarker,
            Self::FutureDate { .. } => SignalKind::FutureDate,
            Self::BrokenLink { .. } => SignalKind::BrokenLink,
        }
    }
}

/// A fact, with its position in the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The fact.
    #[serde(flatten)]
    pub fact: Fact,
    /// The line of the word in the file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The first column of the word, counted in characters from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The most similar existing name, if the missing one has no certain new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

impl From<Fact> for Evidence {
    fn from(fact: Fact) -> Self {
        Self { fact, line: None, column: None, near: None }
    }
}
