//! The rows of the memory store, and what selections and changes mean for them.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::ids::{DocumentKey, ItemKey, ProjectId, SourceId, ToolKey, WorkKey};
use crate::journal::{JournalEntry, Revision};
use crate::knowledge::{Document, Item, ItemBrief};
use crate::outcome::Outcome;
use crate::project::Project;
use crate::route::{Route, RouteKey, RouteVector, Suggestions};
use crate::session::{Cursor, CursorKey, Session, SessionKey};
use crate::source::Source;
use crate::store::{
    ChangeSet, DocumentFilter, ItemFilter, JournalFilter, OutcomeCounts, OutcomeCut, OutcomeFilter,
    OutcomeRange, ProjectFilter, RouteFilter, Selection, SourceFilter, ToolFilter, VectorFilter,
    View, WorkFilter, covers_cursor, covers_document, covers_route, covers_session,
    covers_suggestion, covers_tool, covers_vector, covers_work, last_per_server, write,
};
use crate::tool::Tool;
use crate::work::Work;

#[derive(Debug, Default)]
pub(super) struct Rows {
    revision: Revision,
    last_seq: u64,
    projects: BTreeMap<ProjectId, Project>,
    sources: BTreeMap<SourceId, Source>,
    tools: BTreeMap<ToolKey, Tool>,
    knowledge: BTreeMap<ItemKey, Item>,
    documents: BTreeMap<DocumentKey, Document>,
    work: BTreeMap<WorkKey, Work>,
    sessions: BTreeMap<SessionKey, Session>,
    cursors: BTreeMap<CursorKey, Cursor>,
    routes: BTreeMap<RouteKey, Route>,
    vectors: BTreeMap<RouteKey, RouteVector>,
    suggestions: BTreeMap<SessionKey, Suggestions>,
    outcomes: BTreeMap<u64, Outcome>,
    journal: BTreeMap<(Revision, u32), JournalEntry>,
}

impl Rows {
    pub(super) fn load(&self, selection: &Selection) -> View {
        let mut view = View { revision: self.revision, ..View::default() };
        for pick in &selection.projects {
            view.projects.extend(copy(&self.projects, |id, _| match &pick.filter {
                ProjectFilter::Id(wanted) => wanted == id,
                ProjectFilter::All => true,
            }));
        }
        for pick in &selection.sources {
            view.sources.extend(copy(&self.sources, |id, _| match &pick.filter {
                SourceFilter::Id(wanted) => wanted == id,
                SourceFilter::Scope(scope) => *scope == id.scope(),
                SourceFilter::All => true,
            }));
        }
        for pick in &selection.tools {
            // A batch names its tools one by one.
            if let ToolFilter::Key(key) = &pick.filter {
                view.tools.extend(self.tools.get(key).map(|tool| (key.clone(), tool.clone())));
                continue;
            }
            view.tools
                .extend(copy(&self.tools, |key, tool| covers_tool(&pick.filter, key, Some(tool))));
        }
        for scope in &selection.briefs {
            let named = self.tools.values().filter(|tool| tool.key.scope == *scope);
            view.briefs.insert(scope.clone(), named.collect());
        }
        for pick in &selection.knowledge {
            self.load_knowledge(&pick.filter, &mut view);
        }
        for scope in &selection.item_briefs {
            let named = self.knowledge.values().filter(|item| item.key.scope == *scope);
            view.item_briefs.insert(scope.clone(), named.cloned().map(ItemBrief::from).collect());
        }
        for pick in &selection.documents {
            self.load_documents(&pick.filter, &mut view);
        }
        for pick in &selection.work {
            self.load_work(&pick.filter, &mut view);
        }
        for pick in &selection.sessions {
            view.sessions.extend(copy(&self.sessions, |key, _| covers_session(&pick.filter, key)));
        }
        for pick in &selection.cursors {
            view.cursors.extend(copy(&self.cursors, |key, _| covers_cursor(&pick.filter, key)));
        }
        for pick in &selection.routes {
            self.load_routes(&pick.filter, &mut view);
        }
        for project in &selection.route_briefs {
            let named = self.routes.values().filter(|route| route.key.project == *project);
            view.route_briefs.insert(project.clone(), named.collect());
        }
        for pick in &selection.vectors {
            self.load_vectors(&pick.filter, &mut view);
        }
        for pick in &selection.suggestions {
            view.suggestions
                .extend(copy(&self.suggestions, |key, _| covers_suggestion(&pick.filter, key)));
        }
        for filter in &selection.outcomes {
            self.load_outcomes(filter, &mut view);
        }
        for filter in &selection.journal {
            self.load_journal(filter, &mut view);
        }
        view.counts = selection.count_outcomes.map(|cut| OutcomeCounts {
            total: self.outcomes.len() as u64,
            cut: self.cut(&cut).count() as u64,
        });
        view.route_count = selection
            .count_routes
            .as_ref()
            .map(|project| self.routes.keys().filter(|key| key.project == *project).count() as u64);
        view
    }

    fn load_routes(&self, filter: &RouteFilter, view: &mut View) {
        if let RouteFilter::Key(key) = filter {
            view.routes.extend(self.routes.get(key).map(|row| (key.clone(), row.clone())));
            return;
        }
        view.routes.extend(copy(&self.routes, |key, _| covers_route(filter, key)));
    }

    fn load_vectors(&self, filter: &VectorFilter, view: &mut View) {
        if let VectorFilter::Key(key) = filter {
            view.vectors.extend(self.vectors.get(key));
            return;
        }
        let rows = self.vectors.iter();
        let named = rows.filter(|(key, row)| covers_vector(filter, key, Some(&row.model)));
        let most = if matches!(filter, VectorFilter::First(..)) { 1 } else { usize::MAX };
        view.vectors.extend(named.take(most).map(|(_, row)| row));
    }

    fn load_knowledge(&self, filter: &ItemFilter, view: &mut View) {
        match filter {
            ItemFilter::Key(key) => view
                .knowledge
                .extend(self.knowledge.get(key).map(|item| (key.clone(), item.clone()))),
            ItemFilter::Scope(scope) => {
                view.knowledge.extend(copy(&self.knowledge, |key, _| *scope == key.scope));
            }
            ItemFilter::All => view.knowledge.extend(copy(&self.knowledge, |_, _| true)),
        }
    }

    fn load_documents(&self, filter: &DocumentFilter, view: &mut View) {
        if let DocumentFilter::Key(key) = filter {
            view.documents.extend(self.documents.get(key).map(|row| (key.clone(), row.clone())));
        } else {
            view.documents
                .extend(copy(&self.documents, |key, row| covers_document(filter, key, Some(row))));
        }
    }

    fn load_work(&self, filter: &WorkFilter, view: &mut View) {
        if let WorkFilter::Key(key) = filter {
            view.work.extend(self.work.get(key).map(|row| (key.clone(), row.clone())));
            return;
        }
        view.work.extend(copy(&self.work, |key, row| covers_work(filter, key, Some(row))));
    }

    fn load_outcomes(&self, filter: &OutcomeFilter, view: &mut View) {
        let rows = self.outcomes.values();
        let found: Vec<&Outcome> = match filter {
            OutcomeFilter::Op(tool, op) => {
                rows.filter(|row| row.tool == *tool && row.op == *op).collect()
            }
            OutcomeFilter::LastOfProject { project, limit } => rows
                .rev()
                .filter(|row| row.mark.is_counted() && row.project == *project)
                .take(*limit as usize)
                .collect(),
            OutcomeFilter::LastPerServer { since } => {
                last_per_server(rows, *since).into_values().collect()
            }
            OutcomeFilter::All => rows.collect(),
        };
        view.outcomes.extend(found.into_iter().map(|row| (row.seq, row.clone())));
    }

    fn load_journal(&self, filter: &JournalFilter, view: &mut View) {
        let rows = self.journal.values();
        let found: Vec<&JournalEntry> = match filter {
            JournalFilter::Op(op) => rows.filter(|row| row.op.as_ref() == Some(op)).collect(),
            JournalFilter::Subject { subject, limit } => {
                rows.rev().filter(|row| row.subject == *subject).take(*limit as usize).collect()
            }
            JournalFilter::Since { after, scope } => {
                // Of a long journal only the end is read.
                let newer =
                    self.journal.range((Bound::Excluded((*after, u32::MAX)), Bound::Unbounded));
                newer.map(|(_, row)| row).filter(|row| row.subject.scope == *scope).collect()
            }
            JournalFilter::All => rows.collect(),
        };
        view.journal.extend(found.into_iter().map(|row| ((row.revision, row.index), row.clone())));
    }

    /// The sequence numbers within a cut, oldest first.
    fn cut(&self, cut: &OutcomeCut) -> impl Iterator<Item = u64> + '_ {
        let newest = usize::try_from(cut.keep_newest).unwrap_or(usize::MAX);
        let older = self.outcomes.len().saturating_sub(newest);
        let until = cut.until;
        self.outcomes.values().take(older).filter(move |row| row.at <= until).map(|row| row.seq)
    }

    pub(super) fn apply(&mut self, changes: &mut ChangeSet) -> Revision {
        for range in &changes.outcome_ranges {
            let gone: Vec<u64> = match range {
                OutcomeRange::Cut { cut, limit } => {
                    self.cut(cut).take(usize::try_from(*limit).unwrap_or(usize::MAX)).collect()
                }
                OutcomeRange::OfTool(key) => self.seqs(|row| row.tool == *key),
                OutcomeRange::OfProject(id) => self.seqs(|row| row.project == *id),
            };
            for seq in gone {
                self.outcomes.remove(&seq);
            }
        }
        self.revision = changes.number(self.last_seq, self.revision);
        self.last_seq += changes.outcomes.len() as u64;
        write(&mut self.projects, &changes.projects, |row| &row.id);
        write(&mut self.sources, &changes.sources, |row| &row.id);
        write(&mut self.tools, &changes.tools, |row| &row.key);
        write(&mut self.knowledge, &changes.knowledge, |row| &row.key);
        write(&mut self.documents, &changes.documents, |row| &row.key);
        write(&mut self.work, &changes.work, |row| &row.key);
        write(&mut self.sessions, &changes.sessions, |row| &row.key);
        write(&mut self.cursors, &changes.cursors, |row| &row.key);
        write(&mut self.routes, &changes.routes, |row| &row.key);
        write(&mut self.vectors, &changes.vectors, |row| &row.key);
        write(&mut self.suggestions, &changes.suggestions, |row| &row.key);
        self.outcomes.extend(changes.outcomes.iter().map(|row| (row.seq, row.clone())));
        self.journal
            .extend(changes.journal.iter().map(|row| ((row.revision, row.index), row.clone())));
        self.revision
    }

    fn seqs(&self, wanted: impl Fn(&Outcome) -> bool) -> Vec<u64> {
        self.outcomes.values().filter(|row| wanted(row)).map(|row| row.seq).collect()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.journal.keys().next_back() {
            Some((revision, _)) if *revision > self.revision => {
                Err(format!("the journal holds revision {revision} beyond {}", self.revision))
            }
            _ => Ok(()),
        }
    }
}

fn copy<K: Ord + Clone, R: Clone>(
    rows: &BTreeMap<K, R>,
    wanted: impl Fn(&K, &R) -> bool,
) -> BTreeMap<K, R> {
    rows.iter()
        .filter(|(key, row)| wanted(key, row))
        .map(|(key, row)| (key.clone(), row.clone()))
        .collect()
}

/// Cuts a view into views of at most `page` rows, one collection after the other.
pub(super) fn split(whole: View, page: usize) -> Vec<View> {
    let mut pages = Vec::new();
    let blank = View {
        revision: whole.revision,
        counts: whole.counts,
        route_count: whole.route_count,
        ..View::default()
    };
    macro_rules! collection {
        ($field:ident) => {
            let mut rows = whole.$field.into_iter();
            loop {
                let part: BTreeMap<_, _> = rows.by_ref().take(page).collect();
                if part.is_empty() {
                    break;
                }
                pages.push(View { $field: part, ..blank.clone() });
            }
        };
    }
    collection!(projects);
    collection!(sources);
    collection!(tools);
    collection!(knowledge);
    collection!(documents);
    collection!(work);
    collection!(sessions);
    collection!(cursors);
    collection!(routes);
    let vectors = whole.vectors.keys();
    for part in vectors.chunks(page) {
        let mut next = blank.clone();
        for row in part.iter().filter_map(|key| whole.vectors.get(key)) {
            next.vectors.insert(&row);
        }
        pages.push(next);
    }
    collection!(suggestions);
    collection!(outcomes);
    collection!(journal);
    pages
}
