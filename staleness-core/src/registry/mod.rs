//! The registry: the main type of this crate. Its methods are grouped by subject.

mod admin;
mod calls;
mod definitions;
mod documents;
mod error;
mod finding;
mod hold;
mod import;
mod indexes;
mod knowledge;
mod lesson;
mod naming;
mod old;
mod prune;
mod prune_journal;
mod queries;
mod record;
mod routes;
mod seen;
mod sessions;
mod told;
mod tools;
mod used;
mod wait;
mod work;

use std::fmt;
use std::sync::Arc;

pub use calls::TurnEnd;
pub use documents::DocumentsReport;
pub use error::RegistryError;
pub use finding::{FindTools, FoundTools};
pub(crate) use hold::Forget;
pub use hold::{ByHand, ScopeChoice};
pub use import::{ImportReport, Importer, TransferCounts};
pub use indexes::Indexes;
pub use knowledge::{Act, FileItem, ItemPatch, Verification};
pub use prune::PruneReport;
use queries::history;
pub use queries::{ScoredTool, ToolListing};
use record::RecordUses;
pub use routes::{FindRoutes, FoundRoute, FoundRoutes, Learn, PrunedRoute, RoutePruneReport};
pub use sessions::{Resume, ResumeFrom};
pub use tools::RecordReport;
pub use used::Use;
pub use wait::Wait;
pub use work::{Resolution, WorkListing, WorkPatch};

use crate::ids::{ClientId, ProjectId};
use crate::policy::Policy;
use crate::scan::see_as;
use crate::store::{
    Change, Commit, Confined, DryStore, Filter, Query, RegistryStore, Row, Selection, Step,
    StoreError, View,
};
use crate::tool::Hold;

/// A registry on a store, with a policy. Cheap to clone.
///
/// Every method that depends on time takes it as an argument. Methods that carry an [`OpId`](crate::ids::OpId) can
/// be retried after errors with [`RegistryError::is_retryable`]. Every method may fail with an error of the store;
/// a method with other errors lists them. If a method makes several commits, those made before an error remain.
#[derive(Clone, Debug)]
pub struct Registry {
    store: Arc<dyn RegistryStore>,
    policy: Arc<Policy>,
    indexes: Indexes,
    client: Option<ClientId>,
    own: Option<ProjectId>,
}

impl Registry {
    /// Creates a registry on `store` with `policy`.
    pub fn new(store: Arc<dyn RegistryStore>, policy: Policy) -> Self {
        let (policy, indexes) = (Arc::new(policy), Indexes::new());
        Self { store, policy, indexes, client: None, own: None }
    }

    /// Shares the search indexes with all registries that have the same [`Indexes`]. They must use the same store.
    /// Cached indexes give the same answers as new ones, even while other processes write to the store.
    #[must_use]
    pub fn keeping(self, indexes: Indexes) -> Self {
        Self { indexes, ..self }
    }

    /// Returns the registry as one client sees it: lists, searches, verdicts and changes cover the tools that
    /// this client loads. Health and decisions by a person are shared by all clients. `None` covers the tools
    /// of all clients.
    #[must_use]
    pub fn seen_by(self, client: Option<ClientId>) -> Self {
        Self { client, ..self }
    }

    /// Limits the registry to writing records of one project. It still reads those of all projects. `None` removes the
    /// limit.
    #[must_use]
    pub fn confined_to(self, own: Option<ProjectId>) -> Self {
        Self { own, ..self }
    }

    /// Returns the policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn RegistryStore> {
        &self.store
    }

    /// Returns a registry that writes nothing. Its methods return what they would have written.
    pub fn dry(&self) -> Self {
        let store = Arc::new(DryStore::new(Arc::clone(&self.store)));
        Self { store, ..self.clone() }
    }

    async fn ask(&self, query: impl Query) -> Result<View, RegistryError> {
        let mut view = self.store.view(Arc::new(query)).await?;
        self.add_decisions(&mut view).await?;
        see_as(&mut view, self.client.as_ref(), &self.policy.account_servers);
        Ok(view)
    }

    /// Fills in [`View::decisions`] from the journal.
    async fn add_decisions(&self, view: &mut View) -> Result<(), RegistryError> {
        let held = view.tools.values().filter(|tool| tool.hold != Hold::None);
        let entries = held.fold(Selection::new(), |all, tool| all.journal(history(&tool.key)));
        let read = match entries == Selection::new() {
            true => View::default(),
            false => self.store.view(Arc::new(entries)).await?,
        };
        let by_hand = view.journal.values().chain(read.journal.values());
        let by_hand = by_hand.filter(|entry| entry.cause == "by_hand");
        // The entries are in order, so the last entry of a tool wins.
        let decisions = by_hand.filter_map(|entry| {
            let key = entry.subject.tool_key()?;
            let hold = view.tools.get(&key)?.hold;
            (entry.action.as_str() == hold.as_str()).then(|| (key, entry.clone()))
        });
        view.decisions = decisions.collect();
        Ok(())
    }

    async fn run(&self, step: impl Step) -> Result<Commit, RegistryError> {
        Ok(self.transact(Arc::new(step)).await?)
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        match self.own.clone() {
            Some(own) => self.store.transact(Arc::new(Confined::new(step, own))).await,
            None => self.store.transact(step).await,
        }
    }

    /// Returns the row of the first key that exists.
    async fn first<R: Row>(&self, keys: Vec<R::Key>) -> Result<Option<R>, RegistryError> {
        let peek = |all: Selection, key: &R::Key| all.peek(R::Filter::of(key.clone()));
        let mut view = self.ask(keys.iter().fold(Selection::new(), peek)).await?;
        Ok(keys.iter().find_map(|key| R::rows_mut(&mut view).remove(key)))
    }
}

/// The minimum similarity, 0..=1, at which an id is suggested in place of an unknown one.
const ALIKE: f64 = 0.75;

/// Returns the id that is most similar to a text. `None` if none is similar enough.
pub fn nearest<I: Ord + fmt::Display>(text: &str, ids: impl Iterator<Item = I>) -> Option<I> {
    let wanted = text.to_lowercase();
    let like = |id: I| (strsim::jaro_winkler(&wanted, &id.to_string().to_lowercase()), id);
    let best = ids.map(like).max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    best.filter(|(like, _)| *like >= ALIKE).map(|(_, id)| id)
}

/// Returns a row as it is after a commit. `None` if it does not exist.
fn left<R: Row>(commit: &Commit, key: &R::Key) -> Option<R> {
    let mut put = R::changes(&commit.changes).iter().filter_map(Change::put);
    put.find(|row| row.key() == key).or_else(|| R::rows(&commit.view).get(key)).cloned()
}

macro_rules! subjects {
    ($($(#[$doc:meta])* $subject:ident $of:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $subject<'r>(&'r Registry);
        )*

        impl Registry {
            $(
                $(#[$doc])*
                pub const fn $of(&self) -> $subject<'_> {
                    $subject(self)
                }
            )*
        }
    };
}

subjects! {
    /// Tools: scans of configurations, recorded uses, decisions by a person, lists and searches.
    Tools tools;
    /// Learned routes: queries that led to a tool.
    Routes routes;
    /// Items of knowledge: facts, preferences, to-dos, references, documents.
    Knowledge knowledge;
    /// Documents of projects, with the findings in them.
    Documents documents;
    /// Work items: plans, traps, constraints, handoffs, candidates, notes, decisions.
    WorkItems work;
    /// Sessions of agents: the changes reported to each, and the suggestions made in it.
    Sessions sessions;
    /// Maintenance of projects, sources and the store itself: pruning, exports, imports, backups.
    Admin admin;
}
