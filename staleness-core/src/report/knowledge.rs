//! Reports of items of knowledge, and of blocks of documents.

use std::collections::BTreeSet;

use serde::Serialize;

use super::words;
use crate::ids::{ItemId, Scope};
use crate::knowledge::{
    Block, Citation, Context, Contradiction, Document, Evidence, Item, ItemKind,
};
use crate::time::Timestamp;
use crate::verdict::{Level, Verdict};

const TITLE_CHARS: usize = 80;

/// An item, or a block of a document, with its verdict.
///
/// `title`, `body`, `keywords` and `contradicted` contain text of unknown origin, so hooks omit them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KnowledgeReport {
    /// The id of the item. For a block, `path:line`.
    pub id: String,
    /// The scope of the item, or the project of the block. Serializes as `global` or `project`.
    #[serde(serialize_with = "words::scope")]
    pub scope: Scope,
    /// The kind of the item, or of the block's document.
    pub kind: ItemKind,
    /// The file that contains the text. `None` if the text is in the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the file on which the block begins, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The beginning of the text on one line, at most 80 characters.
    pub title: String,
    /// The text. `None` for a block, because only the title of a block is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Search words in addition to those of the text.
    pub keywords: Vec<String>,
    /// The time at which the item was written. For a block, the time of its last edit, or of the check if that is
    /// unknown.
    pub added_at: Timestamp,
    /// The time at which the text or another field was last edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// The time of the last verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified_at: Option<Timestamp>,
    /// The version of the project for which the item was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version_context: Option<String>,
    /// True if neither time nor versions nor code changes affect the item.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub evergreen: bool,
    /// The due date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Timestamp>,
    /// The time at which the item was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done_at: Option<Timestamp>,
    /// The expiry date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The citations. Serialize as `path`, `path:42`, `path:42-50` or `path#symbol`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", serialize_with = "words::texts")]
    pub citations: BTreeSet<Citation>,
    /// The items that this one replaces.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub supersedes: BTreeSet<ItemId>,
    /// The items that replace this one.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub superseded_by: BTreeSet<ItemId>,
    /// The items on which this one depends.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub related: BTreeSet<ItemId>,
    /// The last statement that the item is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<Contradiction>,
    /// The number of recalls.
    pub recalls: u64,
    /// The time of the last recall.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled_at: Option<Timestamp>,
    /// The verdict: how far the text can be trusted, why, and what should be done.
    pub verdict: Verdict,
}

impl KnowledgeReport {
    /// Reports an item, given all the evidence against it.
    pub fn of_item(item: &Item, evidence: &[Evidence], context: &Context) -> Self {
        Self {
            id: item.key.id.to_string(),
            scope: item.key.scope.clone(),
            kind: item.kind,
            path: item.path.clone(),
            line: None,
            title: title(&item.body, item.key.id.as_str()),
            body: (!item.body.is_empty()).then(|| item.body.clone()),
            keywords: item.keywords.iter().cloned().collect(),
            added_at: item.added_at,
            updated_at: Some(item.updated_at),
            verified_at: item.verified_at,
            version_context: item.version_context.clone(),
            evergreen: item.evergreen,
            due: item.due,
            done_at: item.done_at.filter(|_| item.is_done()),
            expires_at: item.expires_at,
            citations: item.citations.clone(),
            supersedes: item.supersedes.clone(),
            superseded_by: item.superseded_by.clone(),
            related: item.related.clone(),
            contradicted: item.contradicted.clone(),
            recalls: item.recalls,
            recalled_at: item.recalled_at,
            verdict: item.judge(evidence, context),
        }
    }

    /// Reports a block of a document. `kind` is the kind of the document.
    pub fn of_block(kind: ItemKind, document: &Document, block: &Block, context: &Context) -> Self {
        let path = document.key.path.as_str();
        Self {
            id: format!("{path}:{}", block.line),
            scope: Scope::Project(document.key.project.clone()),
            kind,
            path: Some(path.to_owned()),
            line: Some(block.line),
            title: block.title.clone(),
            body: None,
            keywords: Vec::new(),
            added_at: block.anchored_at.unwrap_or(document.checked_at),
            updated_at: None,
            verified_at: None,
            version_context: None,
            evergreen: false,
            due: None,
            done_at: None,
            expires_at: None,
            citations: BTreeSet::new(),
            supersedes: BTreeSet::new(),
            superseded_by: BTreeSet::new(),
            related: BTreeSet::new(),
            contradicted: None,
            recalls: 0,
            recalled_at: None,
            verdict: block.judge(kind, context),
        }
    }
}

/// An item that a question recalled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecallReport {
    /// The recalled item with its verdict.
    #[serde(flatten)]
    pub item: KnowledgeReport,
    /// The closeness to the question, 0..=1.
    pub score: f64,
    /// `[review]` or `[stale]`. `None` for a fresh item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<&'static str>,
}

impl RecallReport {
    /// Creates a report. An item that is not fresh is marked, not hidden.
    pub fn new(item: KnowledgeReport, score: f64) -> Self {
        let mark = match item.verdict.level {
            Level::Fresh => None,
            Level::Review => Some("[review]"),
            Level::Stale => Some("[stale]"),
        };
        Self { item, score, mark }
    }
}

/// Returns the first line with content, without markers of headings and lists, or the id if there is none.
fn title(body: &str, id: &str) -> String {
    let mark = |c: char| c.is_whitespace() || matches!(c, '#' | '-' | '*' | '>' | '+');
    let line = body.lines().map(|line| line.trim_start_matches(mark).trim_end());
    let line = line.into_iter().find(|line| !line.is_empty()).unwrap_or(id);
    let mut title: String = line.chars().take(TITLE_CHARS).collect();
    if line.chars().nth(TITLE_CHARS).is_some() {
        title.pop();
        title.push('…');
    }
    title
}
