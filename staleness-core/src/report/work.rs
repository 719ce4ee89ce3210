//! The report of a work item.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::ids::{WorkId, WorkKey};
use crate::time::Timestamp;
use crate::verdict::{Ground, Verdict};
use crate::work::{Claim, NoteType, Work, WorkKind, WorkStatus, WorkStep};

/// A work item with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkReport {
    /// The scope and id of the work item.
    #[serde(flatten, serialize_with = "WorkKey::as_fields")]
    pub key: WorkKey,
    /// The kind of work.
    pub kind: WorkKind,
    /// The state of the item.
    pub status: WorkStatus,
    /// The full text.
    pub text: String,
    /// The author's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The sender of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The intended recipient of a handoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The type of a note. `None` for other work.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub note: Option<NoteType>,
    /// True if a program proposed the item.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub generated: bool,
    /// True if a person typed the text at a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_person: bool,
    /// The time at which the item was created.
    pub created_at: Timestamp,
    /// The time at which the last activity took place.
    pub updated_at: Timestamp,
    /// The expiry date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The ids of the items to which this one refers.
    pub refs: BTreeSet<String>,
    /// The ids of the items for which this one waits.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub after: BTreeSet<String>,
    /// An open item for which this one waits. `None` also if this was not looked up.
    #[serde(skip)]
    pub waits_for: Option<WorkId>,
    /// The claim on the item, which may have expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// True if the claim has expired, and nobody has claimed the item since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abandoned: bool,
    /// The steps taken, in order.
    pub steps: Vec<WorkStep>,
    /// The verdict: how far the item can be relied on.
    pub verdict: Verdict,
}

impl WorkReport {
    /// Creates a report from an item and its verdict.
    pub fn new(work: Work, verdict: Verdict) -> Self {
        Self {
            key: work.key,
            kind: work.kind,
            status: work.status,
            text: work.text,
            author: work.author,
            from: work.from,
            to: work.to,
            note: (work.kind == WorkKind::Note).then_some(work.note),
            generated: work.generated,
            by_person: work.by_person,
            created_at: work.created_at,
            updated_at: work.updated_at,
            expires_at: work.expires_at,
            refs: work.refs,
            after: work.after,
            waits_for: None,
            claim: work.claim,
            abandoned: verdict.rests_on(Ground::Abandoned),
            steps: work.steps,
            verdict,
        }
    }
}
