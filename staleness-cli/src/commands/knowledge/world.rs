//! What a command on items has to know of the project: read when it is asked for.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use staleness::BlockingRegistry;
use staleness::clock;
use staleness::ids::{ItemId, ItemKey};
use staleness::knowledge::{Context, Item, score_and_level};
use staleness::registry::{Act, FileItem, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness::store::{Refusal, StoreError};
use staleness::verdict::Level;
use staleness_sources::documents::Report;

use super::fields;
use crate::commands::citations;
use crate::commands::documents::{self, Asked};
use crate::commands::items::{Known, joined, known, outside, to_look_up};
use crate::error::{CliError, ErrorKind, quoted};
use crate::output::Output;
use crate::settings::Settings;

/// The project, as far as it was looked at.
pub(crate) struct World<'a> {
    pub(super) settings: &'a Settings,
    pub(super) out: &'a Output,
    version: Option<&'a str>,
    report: OnceCell<Report>,
}

/// An item that something is done to.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) item: Item,
    /// Whether its text lives in a file, which is there.
    pub(super) filed: bool,
}

impl<'a> World<'a> {
    pub(crate) fn new(settings: &'a Settings, version: Option<&'a str>, out: &'a Output) -> Self {
        Self { settings, out, version, report: OnceCell::new() }
    }

    /// The documents as they are now: reads files and their history.
    pub(crate) fn report(&self) -> Result<&Report, CliError> {
        if let Some(report) = self.report.get() {
            return Ok(report);
        }
        let asked = Asked { version: self.version, ..Asked::default() };
        let report = documents::check(self.settings, asked, self.out)?;
        Ok(self.report.get_or_init(|| report))
    }

    /// The version of the project: the one that was named, else the one that it declares.
    pub(super) fn version(&self) -> Option<String> {
        match (self.version, self.report.get()) {
            (Some(version), _) => Some(version.to_owned()),
            (None, Some(report)) => report.version.clone(),
            (None, None) => documents::version(self.settings),
        }
    }

    pub(crate) fn context(&self) -> Context {
        documents::context(self.settings, self.version().as_deref())
    }

    /// Every item that the project sees, with everything that speaks against it.
    pub(super) fn everything(&self, registry: &BlockingRegistry) -> Result<Vec<Known>, CliError> {
        let stored = registry.items(&self.settings.project.id)?;
        let report = self.report()?;
        let items = joined(stored, report.items.clone());
        Ok(looked_up(self.settings, items, report, &self.context()))
    }

    /// Every item that can be had without asking git: with what follows from the items themselves, and
    /// what the last check found in their files.
    pub(super) fn at_hand(
        &self,
        registry: &BlockingRegistry,
        context: &Context,
    ) -> Result<Vec<Known>, CliError> {
        let (items, report) = self.items_at_hand(registry)?;
        let none = BTreeMap::new();
        Ok(known(items, &|item| outside(item, &report, &none), context))
    }

    /// Every item that can be had without asking git, and what the last check found.
    pub(super) fn items_at_hand(
        &self,
        registry: &BlockingRegistry,
    ) -> Result<(Vec<Item>, Report), CliError> {
        let stored = registry.items(&self.settings.project.id)?;
        let report = documents::at_hand(self.settings, registry)?;
        let items = joined(stored, report.items.clone());
        Ok((items, report))
    }

    /// How many items that can be had without asking git cannot be trusted.
    pub(crate) fn doubtful(&self, registry: &BlockingRegistry) -> Result<usize, CliError> {
        let context = self.context();
        let known = self.at_hand(registry, &context)?;
        let level = |each: &Known| score_and_level(&each.item, &each.evidence, &context).1;
        Ok(known.iter().filter(|each| level(each) != Level::Fresh).count())
    }

    /// The items that ids mean, the store's own before those of files.
    pub(super) fn targets(
        &self,
        registry: &BlockingRegistry,
        ids: &[String],
        scope: ScopeChoice,
    ) -> Result<Vec<Target>, CliError> {
        let mut targets: Vec<Target> = Vec::new();
        for text in ids {
            let target = self.target(registry, &fields::id(text)?, scope)?;
            if targets.iter().all(|other| other.item.key != target.item.key) {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    pub(super) fn target(
        &self,
        registry: &BlockingRegistry,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<Target, CliError> {
        let stored = match registry.item(&self.settings.project.id, id, scope) {
            Ok(item) if item.path.is_none() => return Ok(Target { item, filed: false }),
            Ok(row) => Some(row),
            Err(StoreError::Refused(Refusal::Unknown { .. })) => None,
            Err(error) => return Err(error.into()),
        };
        let of_file = |item: &&Item| item.key.id == *id && scope != ScopeChoice::Global;
        if let Some(file) = self.report()?.items.iter().find(of_file) {
            let item = crate::commands::items::with_row(file.clone(), stored.as_ref());
            return Ok(Target { item, filed: true });
        }
        // What is left of an item whose file is gone.
        match stored {
            Some(item) => Ok(Target { item, filed: false }),
            None => Err(self.unknown(registry, id)),
        }
    }

    /// An unknown id, with the one that is most like it.
    fn unknown(&self, registry: &BlockingRegistry, id: &ItemId) -> CliError {
        let message = format!("no item is known as {}", quoted(id.as_str()));
        let error = CliError::new(ErrorKind::Unknown, message);
        error.hint(match registry.nearest_item(&self.settings.project.id, id.as_str()) {
            Ok(Some(near)) => format!("did you mean {near}?"),
            _ => "see `staleness knowledge list`".into(),
        })
    }

    /// What is told of items after something was done to them. What is found outside is looked up
    /// for those alone.
    pub(super) fn told(
        &self,
        registry: &BlockingRegistry,
        keys: &[ItemKey],
    ) -> Result<Vec<KnowledgeReport>, CliError> {
        let stored = registry.items(&self.settings.project.id)?;
        let empty = Report::default();
        let report = self.report.get().unwrap_or(&empty);
        let items = joined(stored, report.items.clone());
        let asked = to_look_up(&items, report);
        let asked = asked.iter().filter(|item| keys.contains(&item.key));
        let cited = citations::evidence(self.settings, asked);
        let outside = |item: &Item| outside(item, report, &cited);
        let context = self.context();
        let known = known(items, &outside, &context);
        let find = |key: &ItemKey| known.iter().find(|each| each.item.key == *key);
        Ok(keys.iter().filter_map(|key| Some(find(key)?.told(&context))).collect())
    }

    /// An act of now on these items.
    pub(super) fn act(&self, targets: &[Target], reason: Option<&str>) -> Act {
        let file = |target: &Target| {
            let item = &target.item;
            let file = FileItem {
                path: item.path.clone()?,
                kind: item.kind,
                added_at: item.added_at,
                updated_at: item.updated_at,
            };
            target.filed.then(|| (item.key.clone(), file))
        };
        let files: BTreeMap<_, _> = targets.iter().filter_map(file).collect();
        let note = reason.map(ToOwned::to_owned);
        Act { note, files, ..Act::new(clock::fresh_op(), self.settings.now) }
    }
}

/// Items with what follows from them, with what the last check found in their files, and with what
/// became of what they cite: asks git where they cite something.
pub(super) fn looked_up(
    settings: &Settings,
    items: Vec<Item>,
    report: &Report,
    context: &Context,
) -> Vec<Known> {
    let cited = citations::evidence(settings, to_look_up(&items, report).iter());
    known(items, &|item| outside(item, report, &cited), context)
}

/// The keys of items.
pub(super) fn keys(targets: &[Target]) -> Vec<ItemKey> {
    targets.iter().map(|target| target.item.key.clone()).collect()
}
