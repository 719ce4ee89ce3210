//! Steps used by the cases.

mod write;

use staleness_core::ids::{OpId, ToolKey};
use staleness_core::journal::Subject;
use staleness_core::store::{
    Change, ChangeSet, Decision, Durability, JournalFilter, OutcomeFilter, Query, Refusal,
    Selection, Step, ToolFilter, View,
};
use staleness_core::tool::Tool;

use crate::rows;
use crate::support::Do;
pub(crate) use write::Write;

/// Returns a step that increments the uses of a tool, creating it if needed.
pub(crate) fn bump(key: ToolKey) -> impl Step {
    Do::on(Selection::new().lock(ToolFilter::Key(key.clone())), move |draft| {
        let row = bumped(draft.view(), &key);
        draft.put(row);
    })
}

fn bumped(view: &View, key: &ToolKey) -> Tool {
    let mut tool = view.tools.get(key).cloned().unwrap_or_else(|| rows::tool(key.clone()));
    tool.uses += 1;
    tool
}

/// Records one use of a tool in three places at once: counter, outcome and journal entry. Does nothing if its
/// op exists.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) tool: ToolKey,
    pub(crate) op: OpId,
    pub(crate) durability: Durability,
}

impl Use {
    pub(crate) fn new(tool: ToolKey, by: impl AsRef<str>) -> Self {
        Self { tool, op: rows::op(by), durability: Durability::Normal }
    }
}

impl Step for Use {
    fn selection(&self) -> Selection {
        Selection::new()
            .lock(ToolFilter::Key(self.tool.clone()))
            .outcomes(OutcomeFilter::Op(self.tool.clone(), self.op.clone()))
            .journal(JournalFilter::Op(self.op.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut changes = ChangeSet::default();
        if view.outcomes.is_empty() && view.journal.is_empty() {
            changes.tools.push(Change::Put(bumped(view, &self.tool)));
            changes.outcomes.push(rows::outcome(self.tool.clone(), self.op.as_str()));
            let mut entry = rows::entry(Subject::tool(&self.tool));
            entry.op = Some(self.op.clone());
            changes.journal.push(entry);
        }
        Ok(Decision::Write(changes))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Follows a chain of tools in which each description is the name of the next tool, with one look per tool. Locks all
/// of them, and writes the changes at the end.
#[derive(Clone, Debug)]
pub(crate) struct Chase {
    pub(crate) first: ToolKey,
    pub(crate) then: ChangeSet,
}

impl Chase {
    pub(crate) fn from(first: ToolKey) -> Self {
        Self { first, then: ChangeSet::default() }
    }

    /// Returns the first tool of the chain that was neither read nor found to be missing.
    fn next(&self, view: &View) -> Option<ToolKey> {
        let mut key = self.first.clone();
        loop {
            let Some(tool) = view.tools.get(&key) else {
                return Some(key);
            };
            key = rows::global(tool.description.as_ref()?);
        }
    }
}

impl Step for Chase {
    fn selection(&self) -> Selection {
        self.then.locks().lock(ToolFilter::Key(self.first.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        Ok(match self.next(view) {
            Some(key) => Decision::Need(Selection::new().lock(ToolFilter::Key(key))),
            None => Decision::Write(self.then.clone()),
        })
    }
}

impl Query for Chase {
    fn selection(&self) -> Selection {
        Selection::new().peek(ToolFilter::Key(self.first.clone()))
    }

    fn more(&self, view: &View) -> Option<Selection> {
        self.next(view).map(|key| Selection::new().peek(ToolFilter::Key(key)))
    }
}

/// Reads everything and refuses.
#[derive(Clone, Debug)]
pub(crate) struct Refuse(pub(crate) Refusal);

impl Step for Refuse {
    fn selection(&self) -> Selection {
        Selection::everything().lock(ToolFilter::All)
    }

    fn decide(&self, _: &View) -> Result<Decision, Refusal> {
        Err(self.0.clone())
    }
}

/// The message with which [`Panics`] panics.
pub(crate) const PANIC: &str = "a step or query of the suite that panics on purpose";

/// Returns a step that panics like [`Panics`].
pub(crate) fn panics() -> impl Step {
    Do::on(Selection::everything().lock(ToolFilter::All), |_| {
        std::panic::resume_unwind(Box::new(PANIC))
    })
}

/// Reads everything and panics, without a message on the terminal.
#[derive(Clone, Debug)]
pub(crate) struct Panics;

impl Query for Panics {
    fn selection(&self) -> Selection {
        Selection::everything()
    }

    fn more(&self, _: &View) -> Option<Selection> {
        std::panic::resume_unwind(Box::new(PANIC))
    }
}
