//! Verdicts on every kind of record: the level of trust, the evidence and the next action.

use crate::text::wording;

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

wording! {
    /// The level of trust.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Level {
        /// Can be relied on.
        Fresh = "fresh",
        /// Should be checked.
        Review = "review",
        /// Must not be relied on.
        Stale = "stale",
    }
}

impl Level {
    /// Returns the level of a freshness: fresh from 0.7, review from 0.4, otherwise stale. The freshness is rounded to
    /// 1e-9 before the comparison.
    pub fn of(freshness: f64) -> Self {
        Self::between(round(freshness), 0.7, 0.4)
    }

    /// Returns the level of a rounded freshness for the given lower bounds of "fresh" and "review".
    pub const fn between(freshness: f64, fresh_from: f64, review_from: f64) -> Self {
        if freshness >= fresh_from {
            Self::Fresh
        } else if freshness >= review_from {
            Self::Review
        } else {
            Self::Stale
        }
    }
}

wording! {
    /// The recommended next action.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum NextAction {
        /// No action.
        Keep = "keep",
        /// Check that the record is still valid.
        Verify = "verify",
        /// Bring the record up to date, or repair the tool.
        Update = "update",
        /// Stop relying on the record.
        Drop = "drop",
        /// Mark a to-do as done.
        Complete = "complete",
        /// Give a to-do a new date.
        Reschedule = "reschedule",
    }
}

wording! {
    /// The kinds of evidence against an item of knowledge. Only the strongest instance of each kind counts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum SignalKind {
        /// The expiry date has passed.
        Expired = "expired",
        /// Another item replaces this one.
        Superseded = "superseded",
        /// A person or an agent reported that the item is wrong.
        Contradicted = "contradicted",
        /// A cited source is missing.
        SourceMissing = "source_missing",
        /// The text names something that existed in the project when the text was written, and no longer does.
        ReferenceDrift = "reference_drift",
        /// A cited source changed after the item was verified, or after it was written if it was never verified.
        SourceChanged = "source_changed",
        /// The item was written for an earlier version of the project.
        VersionDrift = "version_drift",
        /// An item on which this one depends changed after this one was verified.
        RelatedFresher = "related_fresher",
        /// An item on which this one depends is itself stale.
        RelatedStale = "related_stale",
        /// The item is a to-do that is recalled repeatedly and still open.
        RecalledWithoutProgress = "recalled_without_progress",
        /// The text contains a word that was true at the time of writing, such as `currently`.
        TemporalMarker = "temporal_marker",
        /// The date in the item is in the future.
        FutureDate = "future_date",
        /// The text links to something that never existed.
        BrokenLink = "broken_link",
    }
}

/// The ground of a signal. Serializes as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ground {
    /// A tool fails.
    Failing,
    /// A tool is absent.
    Absent,
    /// A person disabled the tool or its server. There is no verdict.
    Off,
    /// Only other clients have the tool. There is no verdict.
    OtherClient,
    /// The client loads another server entry with the same name. There is no verdict.
    Replaced,
    /// The tool was never used. There is no verdict.
    Unused,
    /// The tool was used, but none of its latest outcomes is a success. There is no verdict.
    Unproven,
    /// The server changed the tool's definition. The tool may be used.
    DefinitionChanged,
    /// The server changed the tool's definition. The tool may be used after a person accepts the change.
    DefinitionWithheld,
    /// The tool has not been seen for a long time.
    Unseen,
    /// The server did not answer the last request for its tools, or its list was faulty.
    DidNotAnswer,
    /// The work waits for an answer or a decision.
    Unanswered,
    /// An old observation.
    Old,
    /// Work without progress.
    Inactive,
    /// Work whose claim has expired.
    Abandoned,
    /// The time since something was verified or written.
    Age,
    /// The name never existed in the project. There is no verdict on the tool.
    Invented,
    /// Evidence against an item of knowledge. The ground `expired` also applies to work.
    #[serde(untagged)]
    Evidence(SignalKind),
}

impl Ground {
    /// Returns the word used in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Absent => "absent",
            Self::Off => "off",
            Self::OtherClient => "other_client",
            Self::Replaced => "replaced",
            Self::Unused => "unused",
            Self::Unproven => "unproven",
            Self::DefinitionChanged => "definition_changed",
            Self::DefinitionWithheld => "definition_withheld",
            Self::Unseen => "unseen",
            Self::DidNotAnswer => "did_not_answer",
            Self::Unanswered => "unanswered",
            Self::Old => "old",
            Self::Inactive => "inactive",
            Self::Abandoned => "abandoned",
            Self::Age => "age",
            Self::Invented => "invented",
            Self::Evidence(kind) => kind.as_str(),
        }
    }
}

impl From<SignalKind> for Ground {
    fn from(kind: SignalKind) -> Self {
        Self::Evidence(kind)
    }
}

/// A piece of evidence in a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signal {
    /// The kind of evidence.
    pub kind: Ground,
    /// The strength of the signal, 0..=1.
    pub strength: f64,
    /// The maximum freshness that the signal can take, 0..=1.
    pub weight: f64,
    /// A description on one line that the reader can act on. It contains only names, paths and this program's own
    /// words.
    pub reason: String,
    /// The line of the file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// A note that somebody wrote about the evidence. Its text is untrusted, so hooks omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Signal {
    /// Creates a signal without a line or a note.
    pub const fn new(kind: Ground, strength: f64, weight: f64, reason: String) -> Self {
        Self { kind, strength, weight, reason, line: None, note: None }
    }
}

/// The answer to three questions about a record: can it still be trusted, why, and what should be done.
///
/// There is no verdict on a tool that has never been seen to work, is switched off, belongs only to other clients, is
/// replaced by another server entry, or is an invented name: a signal says why, and `level` is fresh. In reports and
/// JSON the level is then `unknown`, `off`, `other_client`, `replaced` or `invented`, and there is no freshness.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The level of trust.
    pub level: Level,
    /// The freshness, from 1 (fresh) to 0 (stale).
    pub freshness: f64,
    /// The evidence, strongest effect first.
    pub signals: Vec<Signal>,
    /// The recommended action.
    pub action: NextAction,
}

impl Verdict {
    /// Returns the verdict of a subject without any evidence against it.
    pub const fn fresh() -> Self {
        Self { level: Level::Fresh, freshness: 1.0, signals: Vec::new(), action: NextAction::Keep }
    }

    /// Returns true if this ground is among the grounds of the verdict.
    pub fn rests_on(&self, ground: impl Into<Ground>) -> bool {
        let ground = ground.into();
        self.signals.iter().any(|signal| signal.kind == ground)
    }

    /// Returns the level as reports show it.
    pub fn word(&self) -> &'static str {
        self.none().unwrap_or(self.level.as_str())
    }

    /// Returns the freshness, if there is a verdict.
    pub fn score(&self) -> Option<f64> {
        self.none().is_none().then_some(self.freshness)
    }

    /// Returns the word that reports show instead of a verdict. `None` if there is a verdict. An invented name in a
    /// text has a verdict, because its signal has a weight.
    fn none(&self) -> Option<&'static str> {
        self.signals.iter().find_map(|signal| match signal.kind {
            Ground::Unused | Ground::Unproven => Some("unknown"),
            kind @ (Ground::Off | Ground::OtherClient | Ground::Replaced) => Some(kind.as_str()),
            kind @ Ground::Invented if signal.weight == 0.0 => Some(kind.as_str()),
            _ => None,
        })
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut verdict = to.serialize_struct("Verdict", 4)?;
        verdict.serialize_field("level", self.word())?;
        verdict.serialize_field("freshness", &self.score())?;
        verdict.serialize_field("signals", &self.signals)?;
        verdict.serialize_field("action", &self.action)?;
        verdict.end()
    }
}

/// Rounds to 1e-9, the precision at which scores are compared and printed.
pub(crate) fn round(score: f64) -> f64 {
    let rounded = (score * 1e9).round() / 1e9;
    if rounded == 0.0 { 0.0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_have_nine_places_and_no_negative_zero() {
        assert!((round(0.1 + 0.2) - 0.3).abs() < f64::EPSILON);
        assert!(round(-1e-12).is_sign_positive());
    }

    #[test]
    fn reports_use_the_words_that_json_uses() {
        let quoted = |word: &str| format!("\"{word}\"");
        for level in Level::ALL {
            assert_eq!(serde_json::to_string(&level).unwrap(), quoted(level.as_str()));
        }
        for action in [
            NextAction::Keep,
            NextAction::Verify,
            NextAction::Update,
            NextAction::Drop,
            NextAction::Complete,
            NextAction::Reschedule,
        ] {
            assert_eq!(serde_json::to_string(&action).unwrap(), quoted(action.as_str()));
        }
        let grounds = [
            Ground::Failing,
            Ground::Absent,
            Ground::Off,
            Ground::OtherClient,
            Ground::Replaced,
            Ground::Unused,
            Ground::Unproven,
            Ground::DefinitionChanged,
            Ground::DefinitionWithheld,
            Ground::Unseen,
            Ground::DidNotAnswer,
            Ground::Unanswered,
            Ground::Old,
            Ground::Inactive,
            Ground::Age,
            Ground::Invented,
        ];
        for ground in grounds.into_iter().chain(SignalKind::ALL.map(Ground::from)) {
            let json = quoted(ground.as_str());
            assert_eq!(serde_json::to_string(&ground).unwrap(), json);
            assert_eq!(serde_json::from_str::<Ground>(&json).unwrap(), ground);
        }
    }
}
