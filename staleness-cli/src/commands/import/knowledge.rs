//! Imports knowledge of other systems, one item per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use staleness::ids::{ItemId, ItemKey};
use staleness::knowledge::ItemKind;
use staleness::scan::ProjectRef;
use staleness_core::registry::StatedItem;

use super::home::scope_of;
use super::moment::Moment;

/// A line with the field names of this program and of other systems.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnowledgeLine {
    id: ItemId,
    #[serde(alias = "text")]
    body: String,
    kind: Option<ItemKind>,
    keywords: Option<BTreeSet<String>>,
    #[serde(alias = "added_at")]
    added: Moment,
    #[serde(alias = "updated_at")]
    updated: Option<Moment>,
    version_context: Option<String>,
    #[serde(alias = "recalled_at")]
    last_recalled: Option<Moment>,
    #[serde(default, alias = "recalls")]
    recall_count: u64,
    evergreen: Option<bool>,
    due: Option<Moment>,
    #[serde(alias = "stale_after", alias = "expires_at")]
    expires: Option<Moment>,
    #[serde(alias = "verified_at")]
    verified: Option<Moment>,
    #[serde(alias = "done_at")]
    done: Option<Moment>,
    related: Option<BTreeSet<ItemId>>,
    project: Option<String>,
    #[serde(default)]
    global: bool,
}

impl KnowledgeLine {
    /// Converts the line to an item, relative to this project. Also returns the item's project.
    pub(super) fn item(
        self,
        here: &ProjectRef,
    ) -> Result<(StatedItem, Option<ProjectRef>), String> {
        let (scope, project) = scope_of(self.global, self.project.as_deref(), here)?;
        let at = |moment: Option<Moment>| moment.map(|Moment(at)| at);
        let Moment(added_at) = self.added;
        let item = StatedItem {
            kind: self.kind,
            keywords: self.keywords,
            updated_at: at(self.updated),
            version_context: self.version_context,
            evergreen: self.evergreen,
            due: at(self.due),
            expires_at: at(self.expires),
            verified_at: at(self.verified),
            done_at: at(self.done),
            related: self.related,
            recalls: self.recall_count,
            recalled_at: at(self.last_recalled),
            ..StatedItem::new(ItemKey { scope, id: self.id }, self.body, added_at)
        };
        if item.done_at.is_some() && item.kind != Some(ItemKind::Todo) {
            return Err("only a to-do can be done".into());
        }
        item.alone().check().map_err(|refusal| refusal.to_string())?;
        Ok((item, project))
    }
}
