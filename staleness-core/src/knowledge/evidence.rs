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

/// One finding. Commits are full hexadecimal ids; reports shorten them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fact {
    /// The expiry date has passed.
    Expired {
        /// The expiry date.
        at: Timestamp,
    },
    /// Another item replaces it.
    Superseded {
        /// The id of the replacement; for a document, its path.
        by: String,
    },
    /// It was reported to be wrong.
    Contradicted {
        /// The person or agent who reported it.
        by: String,
        /// The reason given.
        reason: String,
    },
    /// A source that it cites is missing.
    SourceMissing {
        /// The citation.
        citation: Citation,
        /// The part that is missing.
        gone: Cited,
        /// The new path if the file was renamed, or the new anchor of a heading.
        renamed_to: Option<String>,
        /// The commit that removed it, if known.
        commit: Option<String>,
    },
    /// It names something that existed at its last edit and no longer exists anywhere.
    ReferenceDrift {
        /// The name as written.
        word: String,
        /// The kind of word.
        sort: WordKind,
        /// The new name, if it is certain: the file's path, or the command with the target's new name.
        renamed_to: Option<String>,
        /// The commit that removed it, if known.
        commit: Option<String>,
        /// The time of that commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
        /// True if it is a name in code, or a flag, that may belong to something else: its weight is halved.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        alone: bool,
    },
    /// The cited lines or symbol changed after the verification.
    SourceChanged {
        /// The citation.
        citation: Citation,
        /// The first commit that changed the source after the verification; `None` if only a digest shows the change.
        commit: Option<String>,
        /// The whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// It was written for an earlier version of the project.
    VersionDrift {
        /// The version for which it was written.
        written_for: String,
        /// The version of the project now.
        project_at: String,
        /// The distance between the two versions.
        distance: Distance,
    },
    /// An item that it depends on changed after it was verified.
    RelatedFresher {
        /// The id of that item.
        id: String,
    },
    /// An item that it depends on is itself stale.
    RelatedStale {
        /// The id of that item.
        id: String,
    },
    /// A to-do that is recalled repeatedly and still open.
    RecalledWithoutProgress {
        /// The number of recalls since it was last edited.
        recalls: u64,
    },
    /// A word that was true at the time of writing.
    TemporalMarker {
        /// The word as written.
        word: String,
    },
    /// Its date is in the future.
    FutureDate {
        /// The date.
        at: Timestamp,
    },
    /// It links to something that no commit contains, or names a path that was removed before the last edit.
    BrokenLink {
        /// The target of the link. The anchor of a heading is stored as the symbol.
        citation: Citation,
        /// The part that does not exist.
        gone: Cited,
        /// The commit that removed it; `None` if it never existed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
}

impl Fact {
    /// Returns the new name of the missing thing, if it is certain.
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
