//! Evidence: facts that speak against an item, as they were found.

use serde::{Deserialize, Serialize};

use super::Citation;
use crate::text::wording;
use crate::time::Timestamp;

/// The sorts of evidence. The strongest instance of each sort counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SignalKind {
    /// Its own date of expiry has passed.
    Expired,
    /// Another item stands for it.
    Superseded,
    /// It was said to be wrong.
    Contradicted,
    /// A source that it cites is missing.
    SourceMissing,
    /// It names what the project had when it was written and has no more.
    ReferenceDrift,
    /// A source that it cites was changed after it was verified, or written if it never was.
    SourceChanged,
    /// It was written for an earlier version of the project.
    VersionDrift,
    /// An item that it depends on changed after it was verified.
    RelatedFresher,
    /// An item that it depends on is stale itself.
    RelatedStale,
    /// A to-do that is read again and again, and not done.
    RecalledWithoutProgress,
    /// A word that was true at a time.
    TemporalMarker,
    /// Its date lies in the future.
    FutureDate,
    /// It links to something that never existed.
    BrokenLink,
}

wording! { SignalKind {
    Expired = "expired", Superseded = "superseded", Contradicted = "contradicted",
    SourceMissing = "source_missing", ReferenceDrift = "reference_drift",
    SourceChanged = "source_changed", VersionDrift = "version_drift",
    RelatedFresher = "related_fresher", RelatedStale = "related_stale",
    RecalledWithoutProgress = "recalled_without_progress", TemporalMarker = "temporal_marker",
    FutureDate = "future_date", BrokenLink = "broken_link",
} }

/// The part of a citation that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cited {
    /// The file or folder.
    Path,
    /// The file is shorter than the lines that are cited.
    Lines,
    /// The symbol is not in the file.
    Symbol,
    /// The heading, whose anchor stands in the place of a symbol, is not in the document.
    Heading,
}

/// The sort of word that a text uses for a thing of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// A path.
    Path,
    /// A command-line flag such as `--dry-run`.
    Flag,
    /// A code identifier.
    Identifier,
    /// A command that calls a target of the project, such as `npm run lint`.
    Command,
}

/// The distance by which one version is behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// Patch releases only.
    Patch,
    /// Minor releases.
    Minor,
    /// Major releases.
    Major,
}

/// One thing that was found. Commits are full hexadecimal ids; reports shorten them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fact {
    /// The date of expiry has passed.
    Expired {
        /// That date.
        at: Timestamp,
    },
    /// Another item stands for it.
    Superseded {
        /// The id of that item; where a document is superseded, the path of what stands for it.
        by: String,
    },
    /// It was said to be wrong.
    Contradicted {
        /// The person or agent that says so.
        by: String,
        /// Why.
        reason: String,
    },
    /// A source that it cites is missing.
    SourceMissing {
        /// The citation of it.
        citation: Citation,
        /// The part of it that is gone.
        gone: Cited,
        /// The path of the file now, if it was renamed; of a heading its anchor now.
        renamed_to: Option<String>,
        /// The commit that removed it, when that is known.
        commit: Option<String>,
    },
    /// It names what was there when it was last edited and is nowhere now.
    ReferenceDrift {
        /// The word.
        word: String,
        /// The sort of that word.
        sort: WordKind,
        /// Its present name, if that is certain: the path of the file, or the command with the new name of its target.
        renamed_to: Option<String>,
        /// The commit that removed it, when that is known.
        commit: Option<String>,
        /// When that was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<Timestamp>,
    },
    /// The cited lines or symbol were changed after the verification.
    SourceChanged {
        /// The citation of them.
        citation: Citation,
        /// The first commit that changed it after the verification; `None` when only a digest tells.
        commit: Option<String>,
        /// Whole days between the verification and that commit.
        days_after: Option<i64>,
    },
    /// It was written for an earlier version.
    VersionDrift {
        /// The version that it was written for.
        written_for: String,
        /// The version of the project now.
        project_at: String,
        /// The distance between the two.
        distance: Distance,
    },
    /// An item that it depends on changed after it was verified.
    RelatedFresher {
        /// The id of that item.
        id: String,
    },
    /// An item that it depends on is stale itself.
    RelatedStale {
        /// The id of that item.
        id: String,
    },
    /// A to-do that is read again and again, and not done.
    RecalledWithoutProgress {
        /// The number of recalls since it was last edited.
        recalls: u64,
    },
    /// A word that was true at a time.
    TemporalMarker {
        /// The word as it is written.
        word: String,
    },
    /// Its date lies in the future.
    FutureDate {
        /// That date.
        at: Timestamp,
    },
    /// It links to something that no commit ever had, or names a path that was gone before it was last edited.
    BrokenLink {
        /// The target of the link; the anchor of a heading stands in the place of a symbol.
        citation: Citation,
        /// The part of it that never was.
        gone: Cited,
        /// The commit that removed it; `None` for what never was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<String>,
    },
}

impl Fact {
    /// Returns the new name of what is gone, if it is certain.
    #[must_use]
    pub fn renamed_to(&self) -> Option<&str> {
        match self {
            Self::SourceMissing { renamed_to, .. } | Self::ReferenceDrift { renamed_to, .. } => {
                renamed_to.as_deref()
            }
            _ => None,
        }
    }

    /// The sort of evidence that this fact is.
    #[must_use]
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

/// A fact, and where in the text it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The fact that was found.
    #[serde(flatten)]
    pub fact: Fact,
    /// The line of the file in which the word stands, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The first column of the word there, counted in characters from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The nearest name that is there now, where what is gone has no certain new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

impl From<Fact> for Evidence {
    fn from(fact: Fact) -> Self {
        Self { fact, line: None, column: None, near: None }
    }
}
