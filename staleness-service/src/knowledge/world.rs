//! The state of a project for commands on items. Each part is read when first needed.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use staleness::ids::{AgentId, ItemId, ItemKey, Scope, WorkKey};
use staleness::knowledge::{Context, Item};
use staleness::registry::{Act, ScopeChoice};
use staleness::report::KnowledgeReport;
use staleness::store::Refusal;
use staleness::verdict::{Level, SignalKind};
use staleness::{Registry, RegistryError, Wait, clock};
use staleness_core::knowledge::{Evidence, SignalSet};
use staleness_core::registry::FileItem;
use staleness_docs::Report;

use crate::citations;
use crate::documents::{self, Asked};
use crate::error::{ErrorKind, ServiceError, quoted};
use crate::items::{Known, hides, joined, known, outside, to_look_up, with_row};
use crate::listener::Listener;
use crate::settings::{Access, Settings};
use crate::words;

/// The lazily read state of a project.
#[allow(missing_debug_implementations, reason = "the listener has no debug output")]
pub struct World<'a> {
    /// The project, time, policy and store.
    pub settings: &'a Settings,
    /// Receives progress and notes.
    pub listener: &'a dyn Listener,
    version: Option<&'a str>,
    /// If true, nothing is written.
    pub dry_run: bool,
    /// The agent that makes changes. If `None`, verdicts are for the agent in the settings.
    agent: Option<AgentId>,
    report: OnceCell<Report>,
    /// The documents, read without running git.
    at_hand: OnceCell<Report>,
    /// The version declared in the project's files, or otherwise named by its latest tag.
    tagged: OnceCell<Option<String>>,
}

/// An item to act on.
#[derive(Clone, Debug)]
pub struct Target {
    /// The item. An item in a file is merged with its row in the store.
    pub item: Item,
    /// True if the item is in an existing file.
    pub filed: bool,
}

/// Items in the state after a change, used to report on a dry run or on the change just made.
#[derive(Clone, Debug, Default)]
pub struct Pretended {
    /// Rows of the store.
    pub rows: Vec<Item>,
    /// Items in files.
    pub files: Vec<Item>,
}

/// Replaces each item by the one in `others` with the same key, and adds the rest of `others`.
fn over(items: Vec<Item>, others: Vec<Item>) -> Vec<Item> {
    let all = items.into_iter().chain(others).map(|item| (item.key.clone(), item));
    all.collect::<BTreeMap<ItemKey, Item>>().into_values().collect()
}

/// Returns an item's id and scope. `global:ID` names a global item, as for work items.
pub(super) fn scoped(
    text: &str,
    scope: ScopeChoice,
) -> Result<(ItemId, ScopeChoice), ServiceError> {
    Ok(match text.strip_prefix(WorkKey::GLOBAL) {
        Some(id) if scope != ScopeChoice::Project => (words::id("id", id)?, ScopeChoice::Global),
        _ => (words::id("id", text)?, scope),
    })
}

impl Target {
    /// Creates a target for an item whose text is in the store, or whose file was deleted.
    const fn of_store(item: Item) -> Self {
        Self { item, filed: false }
    }
}

impl<'a> World<'a> {
    /// Creates a world in which nothing has been read yet. `version` overrides the project's declared version.
    pub fn new(
        settings: &'a Settings,
        version: Option<&'a str>,
        listener: &'a dyn Listener,
    ) -> Self {
        let (report, at_hand, tagged) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { settings, listener, version, dry_run: false, agent: None, report, at_hand, tagged }
    }

    /// Sets the agent that makes changes. With `dry_run`, changes are only shown.
    #[must_use]
    pub fn done_by(self, agent: Option<AgentId>, dry_run: bool) -> Self {
        Self { dry_run, agent, ..self }
    }

    /// Opens the registry for changes. In a dry run nothing is written.
    pub fn to_act(&self) -> Result<Registry, ServiceError> {
        if self.dry_run {
            return self.to_try();
        }
        self.settings.open(Access::Write)
    }

    /// Opens the registry so that changes are checked but not written.
    pub fn to_try(&self) -> Result<Registry, ServiceError> {
        Ok(self.settings.open(Access::Look)?.dry())
    }

    /// Returns a world for the same project in which nothing has been read yet.
    pub fn anew(&self) -> Self {
        let (agent, dry_run) = (self.agent.clone(), self.dry_run);
        Self { agent, dry_run, ..Self::new(self.settings, self.version, self.listener) }
    }

    /// Reads the files that contain items, without running git.
    pub fn look_at_hand(&self, registry: &Registry) -> Result<(), ServiceError> {
        if self.at_hand.get().is_none() {
            let at_hand = documents::at_hand(self.settings, registry)?;
            self.at_hand.get_or_init(|| at_hand);
        }
        Ok(())
    }

    /// Checks all documents, including their history. Later calls return the same report.
    pub fn report(&self) -> Result<&Report, ServiceError> {
        if let Some(report) = self.report.get() {
            return Ok(report);
        }
        let (version, dry_run) = (self.version, self.dry_run);
        let asked = Asked { version, dry_run, ..Asked::default() };
        let report = documents::check(self.settings, asked, self.listener)?;
        Ok(self.report.get_or_init(|| report))
    }

    /// Checks the files that contain `items`, and sets the items' dates from their commits. `rows` are the items' rows
    /// in the store. With `peek`, nothing is stored.
    pub(super) fn check_files(
        &self,
        items: &mut [Item],
        rows: &BTreeMap<ItemKey, Item>,
        peek: bool,
    ) -> Result<Report, ServiceError> {
        let (version, dry_run) = (self.version, self.dry_run || peek);
        let asked = Asked { version, dry_run, ..Asked::default() };
        documents::check_files(self.settings, asked, items, rows, self.listener)
    }

    /// Returns the project's version: the one given to [`Self::new`], otherwise the declared one, otherwise that of the
    /// latest tag.
    pub fn version(&self) -> Option<String> {
        match (self.version, self.report.get()) {
            (Some(version), _) => Some(version.to_owned()),
            (None, Some(report)) => report.version.clone(),
            (None, None) => {
                self.tagged.get_or_init(|| documents::version_by_git(self.settings)).clone()
            }
        }
    }

    /// Returns the context of verdicts: time, policy and project version.
    pub fn context(&self) -> Context {
        self.context_at(self.version().as_deref())
    }

    /// Like [`Self::context`], but does not ask git for a version.
    pub fn context_at_hand(&self) -> Context {
        let version = documents::version(self.settings);
        self.context_at(self.version.or(version.as_deref()))
    }

    fn context_at(&self, version: Option<&str>) -> Context {
        let agent = self.agent.as_ref().or(self.settings.agent.as_ref());
        documents::context_for(self.settings, agent, version)
    }

    /// Returns all items that the project sees, with all evidence.
    pub fn everything(&self, registry: &Registry) -> Result<Vec<Known>, ServiceError> {
        let report = self.report()?;
        let stored = documents::rows(self.settings, registry, &report.items)?;
        let items = joined(stored, report.items.clone());
        Ok(looked_up(self.settings, items, report, &self.context()))
    }

    /// Returns all items with the evidence that is available without git history: from the items themselves, from
    /// the last check of their files, and from cited files that changed.
    pub fn at_hand(
        &self,
        registry: &Registry,
        context: &Context,
    ) -> Result<Vec<Known>, ServiceError> {
        let (items, report) = self.items_at_hand(registry)?;
        let cited = citations::evidence_at_hand(self.settings, &items);
        Ok(known(items, &|item| outside(item, &report, &cited), context))
    }

    /// Returns all items, and the results of the last check, without running git.
    pub fn items_at_hand(&self, registry: &Registry) -> Result<(Vec<Item>, Report), ServiceError> {
        let report = documents::at_hand(self.settings, registry)?;
        let stored = documents::rows(self.settings, registry, &report.items)?;
        let items = joined(stored, report.items.clone());
        Ok((items, report))
    }

    /// Returns the number of items that need attention, by the same evidence as [`Self::at_hand`]. Superseded
    /// items of the store do not count.
    pub fn doubtful(&self, registry: &Registry) -> Result<usize, ServiceError> {
        let context = self.context_at_hand();
        let (items, report) = self.items_at_hand(registry)?;
        let cited = citations::evidence_at_hand(self.settings, &items);
        let outside = |item: &Item| outside(item, &report, &cited);
        let mut evidence: Vec<_> = items.iter().map(outside).collect();
        Evidence::gather(&items.iter().collect::<Vec<_>>(), &mut evidence, &context);
        let signals = evidence.iter().map(SignalSet::of);
        let is_settled = |item: &Item, signals: SignalSet| {
            item.path.is_none() && signals.holds(SignalKind::Superseded)
        };
        let levels = items.iter().zip(signals).filter(|(item, all)| !is_settled(item, *all));
        let levels = levels.map(|(item, signals)| signals.score(item, &context).1);
        Ok(levels.filter(|level| *level != Level::Fresh).count())
    }

    /// Returns true if an item with this id exists in the store or in a file. Does not run git.
    ///
    /// # Errors
    /// If the work is cancelled or the store fails. Neither error means that the item is missing.
    pub fn knows(
        &self,
        registry: &Registry,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<bool, ServiceError> {
        let files = self.files_at_hand(registry)?;
        let items = joined(documents::rows(self.settings, registry, files)?, files.to_vec());
        let fits = |item: &Item| match scope {
            ScopeChoice::Either => true,
            ScopeChoice::Global => item.key.scope == Scope::Global,
            ScopeChoice::Project => item.key.scope != Scope::Global,
        };
        Ok(items.iter().any(|item| item.key.id == *id && fits(item)))
    }

    /// Returns the items that are now in files, without running git.
    pub(super) fn files_at_hand(&self, registry: &Registry) -> Result<&[Item], ServiceError> {
        self.look_at_hand(registry)?;
        Ok(self.at_hand.get().map_or(&[], |report| &report.items))
    }

    /// Resolves ids to items, without duplicates. Stored items take precedence over items in files.
    pub fn targets(
        &self,
        registry: &Registry,
        ids: &[String],
        scope: ScopeChoice,
    ) -> Result<Vec<Target>, ServiceError> {
        let mut targets: Vec<Target> = Vec::new();
        for text in ids {
            let (id, scope) = scoped(text, scope)?;
            let target = self.target(registry, &id, scope)?;
            if targets.iter().all(|other| other.item.key != target.item.key) {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    /// Resolves an id to an item. A stored item takes precedence over an item in a file.
    pub fn target(
        &self,
        registry: &Registry,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<Target, ServiceError> {
        let target = self.target_or_row(registry, id, scope)?;
        match &target.item.path {
            Some(path) if !target.filed => {
                let message = format!("no item named {}", quoted(id.as_str()));
                Err(ServiceError::new(ErrorKind::Unknown, message)
                    .hint(format!("its file {} no longer holds it", quoted(path))))
            }
            _ => Ok(target),
        }
    }

    /// Resolves an id to an item, or to the row that a deleted file left.
    pub(super) fn target_or_row(
        &self,
        registry: &Registry,
        id: &ItemId,
        scope: ScopeChoice,
    ) -> Result<Target, ServiceError> {
        let project = &self.settings.project.id;
        let stored = match registry.knowledge().get(project, id, scope).wait() {
            Ok(item) if self.is_hidden(registry, &item, scope)? => None,
            Ok(item) if item.path.is_none() => return Ok(Target::of_store(item)),
            Ok(row) => Some(row),
            Err(RegistryError::Rejected(Refusal::Unknown { .. })) => None,
            Err(error) => return Err(error.into()),
        };
        let of_file = |item: &&Item| item.key.id == *id && scope != ScopeChoice::Global;
        if let Some(file) = self.report()?.items.iter().find(of_file) {
            let item = with_row(file.clone(), stored.as_ref());
            return Ok(Target { item, filed: true });
        }
        let Some(left) = stored else { return Err(self.unknown(registry, id)) };
        // A row left by a deleted file does not hide a global item.
        let hidden = match scope {
            ScopeChoice::Either => {
                registry.knowledge().get(project, id, ScopeChoice::Global).wait()
            }
            ScopeChoice::Global | ScopeChoice::Project => return Ok(Target::of_store(left)),
        };
        match hidden {
            Err(RegistryError::Rejected(Refusal::Unknown { .. })) => Ok(Target::of_store(left)),
            global => Ok(Target::of_store(global?)),
        }
    }

    /// Returns true if `item` is global and is hidden by an item in a file of this project, and `scope` allows both.
    fn is_hidden(
        &self,
        registry: &Registry,
        item: &Item,
        scope: ScopeChoice,
    ) -> Result<bool, ServiceError> {
        if item.key.scope != Scope::Global || scope != ScopeChoice::Either {
            return Ok(false);
        }
        Ok(self.files_at_hand(registry)?.iter().any(|file| hides(file, item)))
    }

    /// Creates the error for an unknown id, suggesting the most similar one.
    pub fn unknown(&self, registry: &Registry, id: &ItemId) -> ServiceError {
        let message = format!("no item named {}", quoted(id.as_str()));
        let error = ServiceError::new(ErrorKind::Unknown, message);
        let project = &self.settings.project.id;
        let checked = registry.documents().list(project).wait().unwrap_or_default();
        if documents::named(&checked, id.as_str()).is_some() {
            return error.hint("it is a document: correct the file, then run `staleness check`");
        }
        let known = registry.knowledge().list(project).wait().unwrap_or_default().into_iter();
        let known = known.map(|item| item.key.id.to_string());
        error.hint(words::near(id.as_str(), known, "staleness knowledge list"))
    }

    /// Returns reports on items after a change. Looks up their citations, but not those of other items.
    pub fn told(
        &self,
        registry: &Registry,
        keys: &[ItemKey],
    ) -> Result<Vec<KnowledgeReport>, ServiceError> {
        self.told_as(registry, keys, Pretended::default())
    }

    /// Like [`Self::told`], but as if the items in `pretended` had been written.
    pub fn told_as(
        &self,
        registry: &Registry,
        keys: &[ItemKey],
        pretended: Pretended,
    ) -> Result<Vec<KnowledgeReport>, ServiceError> {
        let known = self.known_as(registry, keys, pretended)?;
        let context = self.context();
        Ok(known.iter().map(|each| each.told(&context)).collect())
    }

    /// Like [`Self::told_as`], but returns the items with their evidence.
    pub(super) fn known_as(
        &self,
        registry: &Registry,
        keys: &[ItemKey],
        pretended: Pretended,
    ) -> Result<Vec<Known>, ServiceError> {
        // Superseding and related items may be in a file.
        let report = match self.report.get().or(self.at_hand.get()) {
            Some(report) => report,
            None => {
                let known = documents::known_at_hand(self.settings, registry)?;
                self.at_hand.get_or_init(|| known)
            }
        };
        let stored = documents::rows(self.settings, registry, &report.items)?;
        let stored = over(stored, pretended.rows);
        // A requested item is not hidden by the item with the same id in the other scope.
        let hides = |item: &Item| {
            keys.iter().any(|key| key.id == item.key.id && key.scope != item.key.scope)
        };
        let all = [stored, over(report.items.clone(), pretended.files)];
        let [stored, files] =
            all.map(|all| all.into_iter().filter(|item| !hides(item)).collect::<Vec<_>>());
        let items = joined(stored, files);
        let mut asked = to_look_up(&items, report);
        asked.retain(|item| keys.contains(&item.key));
        let cited = citations::evidence(self.settings, &asked);
        let outside = |item: &Item| outside(item, report, &cited);
        let known = known(items, &outside, &self.context());
        let find = |key: &ItemKey| known.iter().find(|each| each.item.key == *key).cloned();
        Ok(keys.iter().filter_map(find).collect())
    }

    /// Records that the project exists, so that it can be listed and forgotten.
    pub fn seen(&self, registry: &Registry) -> Result<(), ServiceError> {
        Ok(registry.admin().see_project(&self.settings.project, self.settings.now).wait()?)
    }

    /// Creates an act on these items at the current time, with a fresh op id.
    pub fn act(&self, targets: &[Target], reason: Option<&str>) -> Act {
        let file = |target: &Target| {
            let file = FileItem::of(&target.item)?;
            target.filed.then(|| (target.item.key.clone(), file))
        };
        let files: BTreeMap<_, _> = targets.iter().filter_map(file).collect();
        let note = reason.map(ToOwned::to_owned);
        let actor = self.agent.clone();
        Act { note, files, actor, ..Act::new(clock::fresh_op(), self.settings.now) }
    }
}

/// Returns items with all evidence: from other items, the last check, and their citations and names. Runs git
/// where needed.
pub(super) fn looked_up(
    settings: &Settings,
    items: Vec<Item>,
    report: &Report,
    context: &Context,
) -> Vec<Known> {
    let cited = citations::evidence(settings, &to_look_up(&items, report));
    known(items, &|item| outside(item, report, &cited), context)
}

pub(super) fn keys(targets: &[Target]) -> Vec<ItemKey> {
    targets.iter().map(|target| target.item.key.clone()).collect()
}
