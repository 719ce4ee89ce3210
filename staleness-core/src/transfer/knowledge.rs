//! The lines of items of knowledge.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::word::{self, Version, constant};
use crate::ids::{ItemId, ItemKey, OpId, ProjectId, Scope};
use crate::knowledge::{Citation, Contradiction, Item, ItemKind, Lines};
use crate::time::Timestamp;

constant!(Kind = "knowledge");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ItemLine {
    kind: Kind,
    version: Version,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    id: ItemId,
    #[serde(with = "word")]
    item_kind: ItemKind,
    body: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keywords: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    added_at: Timestamp,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version_context: Option<String>,
    evergreen: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    due: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verified_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verified_commit: Option<String>,
    verifications: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    citations: Vec<CitationPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<ItemId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    superseded_by: Vec<ItemId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    related: Vec<ItemId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    contradicted: Option<ContradictionPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    done_at: Option<Timestamp>,
    recalls: u64,
    recalls_since_edit: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recalled_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recall_op: Option<OpId>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CitationPart {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl TryFrom<CitationPart> for Citation {
    type Error = String;

    fn try_from(part: CitationPart) -> Result<Self, String> {
        let CitationPart { path, first_line, last_line, symbol, digest } = part;
        let lines = match (first_line, last_line) {
            (Some(first), Some(last)) => Some(Lines { first, last }),
            (None, None) => None,
            _ => return Err(format!("one of two lines of {path:?}")),
        };
        Ok(Self { path, lines, symbol, digest })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContradictionPart {
    by: String,
    reason: String,
    at: Timestamp,
}

impl From<&Item> for ItemLine {
    fn from(row: &Item) -> Self {
        let citation = |each: &Citation| CitationPart {
            path: each.path.clone(),
            first_line: each.lines.map(|lines| lines.first),
            last_line: each.lines.map(|lines| lines.last),
            symbol: each.symbol.clone(),
            digest: each.digest.clone(),
        };
        let ids = |ids: &BTreeSet<ItemId>| ids.iter().cloned().collect();
        Self {
            kind: Kind,
            version: Version,
            project: row.key.scope.project().cloned(),
            id: row.key.id.clone(),
            item_kind: row.kind,
            body: row.body.clone(),
            keywords: row.keywords.iter().cloned().collect(),
            path: row.path.clone(),
            added_at: row.added_at,
            updated_at: row.updated_at,
            version_context: row.version_context.clone(),
            evergreen: row.evergreen,
            due: row.due,
            expires_at: row.expires_at,
            verified_at: row.verified_at,
            verified_commit: row.verified_commit.clone(),
            verifications: row.verifications,
            citations: row.citations.iter().map(citation).collect(),
            supersedes: ids(&row.supersedes),
            superseded_by: ids(&row.superseded_by),
            related: ids(&row.related),
            contradicted: row.contradicted.as_ref().map(|said| ContradictionPart {
                by: said.by.clone(),
                reason: said.reason.clone(),
                at: said.at,
            }),
            done_at: row.done_at,
            recalls: row.recalls,
            recalls_since_edit: row.recalls_since_edit,
            recalled_at: row.recalled_at,
            recall_op: row.recall_op.clone(),
        }
    }
}

impl TryFrom<ItemLine> for Item {
    type Error = String;

    /// Refuses lists that are not sorted: they would come back as other bytes.
    fn try_from(line: ItemLine) -> Result<Self, String> {
        let citations: Vec<Citation> =
            line.citations.into_iter().map(Citation::try_from).collect::<Result<_, _>>()?;
        Ok(Self {
            key: ItemKey { scope: line.project.map_or(Scope::Global, Scope::Project), id: line.id },
            kind: line.item_kind,
            body: line.body,
            keywords: sorted("keywords", line.keywords)?,
            path: line.path,
            added_at: line.added_at,
            updated_at: line.updated_at,
            version_context: line.version_context,
            evergreen: line.evergreen,
            due: line.due,
            expires_at: line.expires_at,
            verified_at: line.verified_at,
            verified_commit: line.verified_commit,
            verifications: line.verifications,
            citations: sorted("citations", citations)?,
            supersedes: sorted("supersedes", line.supersedes)?,
            superseded_by: sorted("superseded_by", line.superseded_by)?,
            related: sorted("related", line.related)?,
            contradicted: line.contradicted.map(|said| Contradiction {
                by: said.by,
                reason: said.reason,
                at: said.at,
            }),
            done_at: line.done_at,
            recalls: line.recalls,
            recalls_since_edit: line.recalls_since_edit,
            recalled_at: line.recalled_at,
            recall_op: line.recall_op,
        })
    }
}

fn sorted<T: Ord>(what: &str, list: Vec<T>) -> Result<BTreeSet<T>, String> {
    if list.is_sorted_by(|a, b| a < b) {
        Ok(list.into_iter().collect())
    } else {
        Err(format!("{what} are not sorted, or one of them is there twice"))
    }
}
