//! Knowledge of other systems: one item a line.

use std::collections::BTreeSet;

use serde::Deserialize;
use staleness::ids::{ItemId, ItemKey, Scope};
use staleness::knowledge::ItemKind;
use staleness::registry::Act;
use staleness::scan::ProjectRef;
use staleness::{Registry, Wait, clock};
use staleness_core::registry::{ImportReport, StatedItem};
use staleness_service::{Silent, documents};

use super::foreign::project_of;
use super::moment::Moment;
use crate::error::CliError;
use crate::settings::Settings;

/// Items that one commit writes.
const BATCH: usize = 50;

/// Under the names that other systems use, and ours.
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
    /// The item that the line holds, seen from this project, with the project that it belongs to.
    pub(super) fn item(
        self,
        here: &ProjectRef,
    ) -> Result<(StatedItem, Option<ProjectRef>), String> {
        let project = match (self.global, self.project.as_deref()) {
            (true, None) => None,
            (true, Some(_)) => return Err("of a project, or global: not both".into()),
            (false, root) => Some(project_of(root, here)?),
        };
        let own = project.as_ref().map(|project| project.id.clone());
        let scope = own.map_or(Scope::Global, Scope::Project);
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

/// Takes items in, in batches.
pub(super) struct Keeper {
    registry: Registry,
    act: Act,
    dry_run: bool,
    batch: Vec<StatedItem>,
}

impl Keeper {
    /// `ids` are those of all items that come: of those that live in files the file is the truth.
    pub(super) fn new(
        registry: Registry,
        settings: &Settings,
        ids: &BTreeSet<ItemKey>,
        dry_run: bool,
    ) -> Result<Self, CliError> {
        let files = documents::filed(settings, &registry, ids, &Silent)?;
        let act = Act { files, ..Act::new(clock::fresh_op(), settings.now) };
        Ok(Self { registry, act, dry_run, batch: Vec::new() })
    }

    pub(super) fn take(
        &mut self,
        item: StatedItem,
        report: &mut ImportReport,
    ) -> Result<(), CliError> {
        self.batch.push(item);
        if self.batch.len() == BATCH { self.write(report) } else { Ok(()) }
    }

    /// Writes what is left.
    pub(super) fn write(&mut self, report: &mut ImportReport) -> Result<(), CliError> {
        let items = std::mem::take(&mut self.batch);
        let all = items.len() as u64;
        let written =
            self.registry.knowledge().import(items, &self.act, self.dry_run).wait()? as u64;
        report.imported.knowledge += written;
        report.skipped.knowledge += all - written;
        Ok(())
    }
}
