//! The blocking face: every verb of the registry for callers without an asynchronous runtime.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use pollster::block_on;

use super::{
    Act, ByHand, DocumentsReport, FindRoutes, FindTools, FoundRoutes, FoundTools, ItemPatch, Learn,
    PruneReport, RecordReport, Registry, Resolution, Resume, RoutePruneReport, ScopeChoice,
    ScoredTool, SessionPruneReport, ToolListing, Use, Verification, WorkListing, WorkPatch,
};
use crate::ids::{
    AgentId, ItemId, ItemKey, ModelId, OpId, ProjectId, Scope, SessionId, SourceId, ToolKey,
    ToolName, WorkId, WorkKey,
};
use crate::journal::{JournalEntry, Revision, Subject};
use crate::knowledge::{Document, Item, ItemBrief};
use crate::project::Project;
use crate::report::{Delta, History, ScanReport, Suggestion, ToolReport, WorkReport};
use crate::route::{Prompted, Route, RouteId, RouteKey, RouteVector, SuggestedTool, Suggestions};
use crate::scan::{ProjectRef, Scan};
use crate::session::{Session, SessionKey};
use crate::source::Source;
use crate::store::{Selection, StoreError, View};
use crate::time::Timestamp;
use crate::tool::Hold;
use crate::work::{StaleReport, Work};

/// A [`Registry`] whose verbs block the calling thread. Not for use inside an asynchronous runtime.
#[derive(Clone, Debug)]
pub struct BlockingRegistry {
    inner: Registry,
}

macro_rules! blocking {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        impl BlockingRegistry {
            $(
                #[doc = concat!("Blocks on [`Registry::", stringify!($name), "`].")]
                ///
                /// # Errors
                /// As the method it blocks on.
                pub fn $name(&self, $($arg: $type),*) -> Result<$result, StoreError> {
                    block_on(self.inner.$name($($arg),*))
                }
            )*
        }
    };
}

impl BlockingRegistry {
    pub(super) const fn new(inner: Registry) -> Self {
        Self { inner }
    }

    /// See [`Registry::dry`].
    #[must_use]
    pub fn dry(&self) -> Self {
        Self::new(self.inner.dry())
    }

    /// The registry with its asynchronous verbs.
    #[must_use]
    pub const fn inner(&self) -> &Registry {
        &self.inner
    }
}

blocking! {
    readings(project: &ProjectId) -> BTreeMap<SourceId, u64>;
    apply_scan(scan: Scan) -> ScanReport;
    preview_scan(scan: Scan) -> (ScanReport, View);
    record(used: Use) -> RecordReport;
    record_all(uses: Vec<Use>) -> Vec<RecordReport>;
    record_quietly(used: Use) -> bool;
    set_hold(by_hand: ByHand, hold: Hold) -> ToolReport;
    forget(by_hand: ByHand) -> ();
    forget_project(id: ProjectId, op: OpId, at: Timestamp) -> ();
    forget_project_and_knowledge(id: ProjectId, op: OpId, at: Timestamp) -> ();
    prune_outcomes(now: Timestamp, dry_run: bool) -> PruneReport;
    prune_outcomes_while(now: Timestamp, more: &mut (dyn FnMut() -> bool + Send)) -> PruneReport;
    prune_sessions(now: Timestamp, dry_run: bool) -> SessionPruneReport;
    prune_journal(now: Timestamp, dry_run: bool, more: &mut (dyn FnMut() -> bool + Send)) -> u64;
    projects_left(now: Timestamp) -> Vec<Project>;
    prune_project(id: ProjectId, op: OpId, now: Timestamp, dry_run: bool) -> bool;
    list(project: &ProjectRef, listing: ToolListing, now: Timestamp) -> Vec<ToolReport>;
    show(project: &ProjectRef, keys: &[ToolKey], now: Timestamp) -> ToolReport;
    find_key(project: &ProjectId, text: &str, scope: ScopeChoice) -> ToolKey;
    nearest(project: &ProjectRef, text: &str) -> Option<ToolName>;
    rank(project: &ProjectRef, limit: usize, now: Timestamp) -> Vec<ScoredTool>;
    suggest(project: &ProjectRef, query: Option<&str>, session: Option<&SessionId>, limit: usize, now: Timestamp) -> Vec<Suggestion>;
    discover(project: &ProjectRef, query: &str, limit: usize, now: Timestamp) -> Vec<Suggestion>;
    suggest_tools(project: &ProjectRef, find: FindTools, now: Timestamp) -> FoundTools;
    discover_tools(project: &ProjectRef, find: FindTools, now: Timestamp) -> FoundTools;
    history(keys: &[ToolKey], limit: u32) -> History;
    journal_of(subject: Subject, limit: u32) -> Vec<JournalEntry>;
    projects() -> Vec<Project>;
    see_project(project: &ProjectRef, at: Timestamp) -> ();
    sources() -> Vec<Source>;
    add_item(item: Item, act: Act) -> Item;
    edit_items(keys: Vec<ItemKey>, patch: ItemPatch, act: Act) -> Vec<Item>;
    verify_items(verifications: Vec<Verification>, act: Act) -> Vec<Item>;
    done_items(keys: Vec<ItemKey>, act: Act) -> Vec<Item>;
    reopen_items(keys: Vec<ItemKey>, act: Act) -> Vec<Item>;
    supersede_item(old: ItemKey, new: ItemKey, act: Act) -> (Item, Item);
    contradict_item(key: ItemKey, by: String, reason: String, act: Act) -> Item;
    remove_item(key: ItemKey, act: Act) -> Option<Item>;
    count_recalls(keys: Vec<ItemKey>, act: Act) -> usize;
    item(project: &ProjectId, id: &ItemId, scope: ScopeChoice) -> Item;
    items(project: &ProjectId) -> Vec<Item>;
    item_rows(project: &ProjectId) -> Vec<Item>;
    item_briefs(project: &ProjectId) -> BTreeMap<Scope, Vec<ItemBrief>>;
    items_of(keys: &[ItemKey]) -> Vec<Item>;
    nearest_item(project: &ProjectId, text: &str) -> Option<ItemId>;
    put_documents(project: &ProjectId, documents: Vec<Document>, paths: Option<BTreeSet<String>>, at: Timestamp) -> DocumentsReport;
    documents(project: &ProjectId) -> Vec<Document>;
    loaded_documents(project: &ProjectId) -> Vec<Document>;
    flagged_documents(project: &ProjectId) -> Vec<Document>;
    add_work(work: Work, act: Act) -> Work;
    set_work(key: WorkKey, patch: WorkPatch, act: Act) -> Work;
    step_work(key: WorkKey, text: String, act: Act) -> Work;
    touch_work(key: WorkKey, at: Timestamp) -> Work;
    reopen_work(key: WorkKey, act: Act) -> Work;
    resolve_work(project: &ProjectRef, key: WorkKey, act: Act) -> Resolution;
    stale_report(project: &ProjectRef, now: Timestamp) -> StaleReport;
    work_item(project: &ProjectId, id: &WorkId, scope: ScopeChoice) -> Work;
    work_items(project: &ProjectId, listing: WorkListing) -> Vec<Work>;
    work_reports(project: &ProjectRef, work: Vec<Work>, now: Timestamp) -> Vec<WorkReport>;
    nearest_work(project: &ProjectId, text: &str) -> Option<WorkId>;
    start_session(project: &ProjectId, agent: &AgentId, id: &SessionId, at: Timestamp) -> Session;
    end_session(project: &ProjectId, id: &SessionId, at: Timestamp) -> Session;
    sessions(project: &ProjectId) -> Vec<Session>;
    nearest_session(project: &ProjectId, text: &str) -> Option<SessionId>;
    resume(project: &ProjectRef, resume: Resume, now: Timestamp) -> Delta;
    mark_resumed(project: &ProjectId, resume: &Resume, delta: &Delta, at: Timestamp) -> bool;
    learn_route(project: &ProjectRef, learn: Learn) -> Option<Route>;
    preview_learn(project: &ProjectRef, learn: Learn) -> Option<Route>;
    routes(project: &ProjectId) -> Vec<Route>;
    find_routes(project: &ProjectRef, find: FindRoutes, now: Timestamp) -> FoundRoutes;
    route_vectors(project: &ProjectId, model: &ModelId) -> Vec<RouteVector>;
    dimensions_of(project: &ProjectId, model: &ModelId) -> Option<usize>;
    offer_to_embed(project: &ProjectId, model: &ModelId) -> Option<String>;
    use_routes(keys: Vec<RouteKey>, op: &OpId, at: Timestamp) -> usize;
    prune_routes(project: &ProjectId, now: Timestamp, dry_run: bool) -> RoutePruneReport;
    prune_all_routes(now: Timestamp, dry_run: bool) -> RoutePruneReport;
    forget_route(project: &ProjectId, id: RouteId, at: Timestamp) -> Route;
    nearest_route(project: &ProjectId, text: &str) -> Option<RouteId>;
    suggestions(key: &SessionKey) -> Option<Suggestions>;
    suggest_for_prompt(project: &ProjectRef, session: &SessionId, prompt: &str, now: Timestamp) -> Vec<SuggestedTool>;
    note_prompt(key: SessionKey, prompted: Prompted) -> ();
    note_suggested(key: SessionKey, prompted: Prompted) -> ();
    forget_suggestions(key: SessionKey, at: Timestamp) -> ();
    pages(selection: &Selection, visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send)) -> ();
    backup(to: &Path) -> ();
    check() -> ();
    revision() -> Revision;
}
