//! Export lines of items of knowledge.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::word::{Version, constant, line, scope, set, sorted};
use crate::ids::{ItemId, ItemKey, OpId, Scope};
use crate::knowledge::{Citation, Contradiction, Item, ItemKind, Lines};
use crate::time::Timestamp;

line! {
    ItemLine of Item, Kind = "knowledge";
    key ItemKey {
        #[serde(rename = "project", with = "scope")]
        #[serde(default = "scope::global", skip_serializing_if = "scope::is_global")]
        scope: Scope,
        id: ItemId,
    }
    #[serde(rename = "item_kind")]
    kind: ItemKind,
    body: String,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "sorted")]
    keywords: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    added_at: Timestamp,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_context: Option<String>,
    evergreen: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified_commit: Option<String>,
    verifications: u32,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "citations")]
    citations: BTreeSet<Citation>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "sorted")]
    supersedes: BTreeSet<ItemId>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "sorted")]
    superseded_by: BTreeSet<ItemId>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", deserialize_with = "sorted")]
    related: BTreeSet<ItemId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contradicted: Option<Contradiction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done_at: Option<Timestamp>,
    recalls: u64,
    recalls_since_edit: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    recalled_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall_op: Option<OpId>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CitationPart {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
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

impl From<&Citation> for CitationPart {
    fn from(each: &Citation) -> Self {
        Self {
            path: each.path.clone(),
            first_line: each.lines.map(|lines| lines.first),
            last_line: each.lines.map(|lines| lines.last),
            symbol: each.symbol.clone(),
            digest: each.digest.clone(),
        }
    }
}

/// Citations as a sorted list.
mod citations {
    use serde::de::Error;
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<S: Serializer>(
        citations: &BTreeSet<Citation>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(citations.iter().map(CitationPart::from))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeSet<Citation>, D::Error> {
        let parts = Vec::<CitationPart>::deserialize(from)?.into_iter();
        let citations: Result<Vec<Citation>, String> = parts.map(Citation::try_from).collect();
        set(citations.map_err(D::Error::custom)?)
    }
}
