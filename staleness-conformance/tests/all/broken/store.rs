//! The store that breaks a promise.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex};

use async_trait::async_trait;
use pollster::block_on;
use staleness_conformance::support::{entry, put, tool};
use staleness_core::MemoryStore;
use staleness_core::ids::ToolName;
use staleness_core::store::{
    Change, ChangeSet, Commit, Decision, Durability, JournalFilter, OutcomeFilter, OutcomeRange,
    Query, Refusal, RegistryStore, Selection, Step, StoreError, ToolFilter, View,
};

use super::Flaw;

#[derive(Debug)]
pub(crate) struct Broken {
    flaw: Flaw,
    inner: Mutex<MemoryStore>,
    poison: Mutex<()>,
    transacts: AtomicUsize,
    first_two: Barrier,
    half: Mutex<Half>,
    viewed: Condvar,
}

/// Progress of the first commit in halves. Held while the half is written and while a reader
/// looks, so that whoever sees the half is known to have seen it.
#[derive(Debug, Default)]
struct Half {
    written: bool,
    seen: bool,
}

impl Broken {
    pub(crate) fn new(flaw: Flaw, inner: MemoryStore) -> Self {
        Self {
            flaw,
            inner: Mutex::new(inner),
            poison: Mutex::default(),
            transacts: AtomicUsize::new(0),
            first_two: Barrier::new(2),
            half: Mutex::default(),
            viewed: Condvar::new(),
        }
    }

    fn inner(&self) -> MemoryStore {
        self.inner.lock().unwrap().clone()
    }

    /// Writes whatever it is given.
    fn write(&self, changes: ChangeSet) -> Result<Commit, StoreError> {
        put(&self.inner(), changes)
    }

    fn see(&self, selection: Selection) -> Result<View, StoreError> {
        block_on(self.inner().view(Arc::new(selection)))
    }

    /// Only the greatest numbers were removed, so recording what is left again keeps its numbers.
    fn forget_numbers(&self) -> Result<(), StoreError> {
        let all = self.see(Selection::everything())?;
        *self.inner.lock().unwrap() = MemoryStore::new();
        let mut rest = ChangeSet::default();
        rest.tools = all.tools.into_values().map(Change::Put).collect();
        rest.outcomes = all.outcomes.into_values().collect();
        self.write(rest).map(|_| ())
    }

    fn in_halves(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        let mut whole = self.decided(step.as_ref())?;
        let mut half = ChangeSet::default();
        half.tools = std::mem::take(&mut whole.tools);
        let mut state = self.half.lock().unwrap();
        self.write(half)?;
        // Only once: readers that failed at the first half are gone.
        if !state.written {
            state.written = true;
            state = self.viewed.wait_while(state, |state| !state.seen).unwrap();
        }
        drop(state);
        self.write(whole)
    }

    /// A look that may fall between the halves of a commit.
    fn see_half(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        let mut state = self.half.lock().unwrap();
        let view = block_on(self.inner().view(query));
        state.seen |= state.written;
        self.viewed.notify_all();
        view
    }

    /// Decides on what it sees without holding it.
    fn decided(&self, step: &dyn Step) -> Result<ChangeSet, StoreError> {
        let mut view = self.see(step.selection())?;
        loop {
            match step.decide(&view)? {
                Decision::Need(more) => view.merge(self.see(more)?),
                Decision::Write(changes) => return Ok(changes),
            }
        }
    }

    fn read_first(&self, step: &dyn Step) -> Result<Commit, StoreError> {
        let changes = self.decided(step)?;
        if self.transacts.fetch_add(1, Ordering::SeqCst) < 2 {
            self.first_two.wait();
        }
        self.write(changes)
    }

    fn look_at_now(&self, query: &dyn Query, most: usize) -> Result<View, StoreError> {
        let mut view = self.see(query.selection())?;
        for _ in 1..most {
            match query.more(&view) {
                Some(more) => view.merge(self.see(more)?),
                None => break,
            }
        }
        Ok(view)
    }
}

impl Flaw {
    /// Bends a selection as a store with this flaw does.
    fn bent(self, mut selection: Selection) -> Selection {
        self.bent_rows(&mut selection);
        match self {
            Self::IgnoresLimits => {
                for filter in &mut selection.outcomes {
                    if let OutcomeFilter::LastOfProject { limit, .. }
                    | OutcomeFilter::FirstAndLast { limit }
                    | OutcomeFilter::Spread { limit } = filter
                    {
                        *limit = u32::MAX;
                    }
                }
                for filter in &mut selection.journal {
                    if let JournalFilter::Subject { limit, .. } = filter {
                        *limit = u32::MAX;
                    }
                }
            }
            Self::ForgetsOps => {
                selection.outcomes.retain(|filter| !matches!(filter, OutcomeFilter::Op(..)));
                selection.journal.retain(|filter| !matches!(filter, JournalFilter::Op(_)));
            }
            Self::MixesScopes | Self::MatchesPatterns if matches!(selection.tools.as_slice(), [pick] if matches!(pick.filter, ToolFilter::Key(_))) =>
            {
                selection.tools[0].filter = ToolFilter::All;
            }
            Self::OrdersByClock => selection = selection.outcomes(OutcomeFilter::All),
            _ => {}
        }
        selection
    }

    /// Bends the view of a selection.
    fn filtered(self, selection: &Selection, mut view: View) -> View {
        let picked = selection.tools.iter().find_map(|pick| match &pick.filter {
            ToolFilter::Key(key) if selection.tools.len() == 1 => Some(key),
            _ => None,
        });
        if let Some(picked) = picked {
            view.tools.retain(|key, _| match self {
                Self::MixesScopes => key.name == picked.name,
                Self::MatchesPatterns => key.scope == picked.scope && like(&picked.name, &key.name),
                _ => true,
            });
        }
        if let (Self::OrdersByClock, [OutcomeFilter::LastOfProject { project, limit }]) =
            (self, &selection.outcomes[..])
        {
            let mut all: Vec<_> = view
                .outcomes
                .into_values()
                .filter(|row| row.mark.is_counted() && row.project == *project)
                .collect();
            all.sort_by_key(|row| std::cmp::Reverse((row.at, row.seq)));
            all.truncate(*limit as usize);
            view.outcomes = all.into_iter().map(|row| (row.seq, row)).collect();
        }
        if self == Self::StandsStill {
            view.generation = view.generation.map(|_| 1);
        }
        if self == Self::TellsAnother {
            view.revision.0 += 1;
        }
        view
    }

    /// Bends a change set.
    fn changed(self, mut changes: ChangeSet) -> ChangeSet {
        self.changed_rows(&mut changes);
        match self {
            Self::ForgetsJournal => changes.journal.clear(),
            Self::KeepsPruned => changes.pruned.clear(),
            Self::RaisesAlways if changes.journal.is_empty() => {
                changes.journal.push(entry("left behind"))
            }
            Self::IgnoresLimits => {
                for range in &mut changes.outcome_ranges {
                    if let OutcomeRange::Cut { limit, .. } = range {
                        *limit = u64::MAX;
                    }
                }
            }
            Self::DeletesAlong => {
                let gone: Vec<_> = changes
                    .tools
                    .iter()
                    .filter_map(|change| match change {
                        Change::Delete(key) => Some(OutcomeRange::OfTool(key.clone())),
                        _ => None,
                    })
                    .collect();
                changes.outcome_ranges.extend(gone);
            }
            _ => {}
        }
        changes
    }
}

/// `_` stands for any letter.
fn like(pattern: &ToolName, name: &ToolName) -> bool {
    let (pattern, name) = (pattern.as_str(), name.as_str());
    pattern.chars().count() == name.chars().count()
        && pattern
            .chars()
            .zip(name.chars())
            .all(|(wanted, letter)| wanted == '_' || wanted == letter)
}

#[async_trait]
#[deny(clippy::missing_trait_methods)]
impl RegistryStore for Broken {
    async fn view(&self, query: Arc<dyn Query>) -> Result<View, StoreError> {
        match self.flaw {
            Flaw::WritesHalves => self.see_half(query),
            Flaw::LooksAtNow => self.look_at_now(query.as_ref(), 4),
            Flaw::LooksForever => self.look_at_now(query.as_ref(), 100),
            flaw => {
                let selection = query.selection();
                let bent = Bent { inner: query, flaw };
                let view = block_on(self.inner().view(Arc::new(bent)))?;
                Ok(flaw.filtered(&selection, view))
            }
        }
    }

    async fn transact(&self, step: Arc<dyn Step>) -> Result<Commit, StoreError> {
        match self.flaw {
            Flaw::WritesHalves => return self.in_halves(step),
            Flaw::ReadsBeforeItLocks => return self.read_first(step.as_ref()),
            _ => {}
        }
        let _guard = (self.flaw == Flaw::StaysPoisoned)
            .then(|| self.poison.lock().map_err(|_| StoreError::Corrupt("poisoned".into())))
            .transpose()?;
        let bent = Bent { inner: step, flaw: self.flaw };
        let mut result = block_on(self.inner().transact(Arc::new(bent)));
        match (&mut result, self.flaw) {
            (Err(StoreError::Refused(_)), Flaw::WritesWhenRefused) => {
                let mut changes = ChangeSet::default();
                changes.tools.push(Change::Put(tool("left behind")));
                self.write(changes)?;
            }
            (Ok(commit), Flaw::TellsNoSeqs) => {
                commit.changes.outcomes.iter_mut().for_each(|row| row.seq = 0);
            }
            (Ok(commit), Flaw::ReusesSeqs) if !commit.changes.outcome_ranges.is_empty() => {
                self.forget_numbers()?;
            }
            _ => {}
        }
        result
    }

    async fn pages(
        &self,
        selection: &Selection,
        visit: &mut (dyn FnMut(View) -> ControlFlow<()> + Send),
    ) -> Result<(), StoreError> {
        match self.flaw {
            Flaw::SendsOnePage => {
                let _ = visit(self.see(selection.clone())?);
                Ok(())
            }
            Flaw::RepeatsPages => block_on(self.inner().pages(selection, &mut |page| {
                let _ = visit(page.clone());
                visit(page)
            })),
            Flaw::NeverStops => block_on(self.inner().pages(selection, &mut |page| {
                let _ = visit(page);
                ControlFlow::Continue(())
            })),
            _ => block_on(self.inner().pages(selection, visit)),
        }
    }

    async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        block_on(self.inner().backup(to))
    }

    async fn check(&self) -> Result<(), StoreError> {
        block_on(self.inner().check())
    }
}

/// A query or a step as a store with this flaw takes it.
#[derive(Debug)]
struct Bent<T: ?Sized> {
    flaw: Flaw,
    inner: Arc<T>,
}

impl Query for Bent<dyn Query> {
    fn selection(&self) -> Selection {
        self.flaw.bent(self.inner.selection())
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.inner.more(view).map(|more| self.flaw.bent(more))
    }
}

impl Step for Bent<dyn Step> {
    fn selection(&self) -> Selection {
        match self.flaw {
            Flaw::IgnoresLimits | Flaw::ForgetsOps => self.flaw.bent(self.inner.selection()),
            _ => self.inner.selection(),
        }
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        Ok(match self.inner.decide(view)? {
            Decision::Write(changes) => Decision::Write(self.flaw.changed(changes)),
            need => need,
        })
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }
}
