//! Imports work items of other systems, one per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use staleness::ids::{WorkId, WorkKey};
use staleness::scan::ProjectRef;
use staleness::work::{NoteType, Work, WorkKind};
use staleness_core::registry::ToldWork;
use staleness_core::work::WorkStep;

use super::home::scope_of;
use super::moment::Moment;

/// A line with the field names of this program and of other systems.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkLine {
    id: WorkId,
    kind: String,
    #[serde(alias = "body")]
    text: String,
    status: Option<String>,
    author: Option<String>,
    from: Option<String>,
    to: Option<String>,
    note_type: Option<NoteType>,
    #[serde(default)]
    generated: bool,
    #[serde(alias = "created_at", alias = "added")]
    created: Moment,
    #[serde(alias = "updated_at")]
    updated: Option<Moment>,
    #[serde(alias = "expires_at", alias = "stale_after")]
    expires: Option<Moment>,
    #[serde(default)]
    refs: BTreeSet<String>,
    #[serde(default)]
    after: BTreeSet<String>,
    #[serde(default)]
    steps: Vec<StepLine>,
    project: Option<String>,
    #[serde(default)]
    global: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepLine {
    text: String,
    at: Moment,
}

impl WorkLine {
    /// Converts the line to a work item, relative to this project. Also returns the item's project.
    pub(super) fn told(self, here: &ProjectRef) -> Result<(ToldWork, Option<ProjectRef>), String> {
        let (scope, project) = scope_of(self.global, self.project.as_deref(), here)?;
        let kind = WorkKind::named(&self.kind)?;
        let (tells_status, tells_note) = (self.status.is_some(), self.note_type.is_some());
        let status = match &self.status {
            Some(word) => kind.state_named(word)?,
            None => kind.first(),
        };
        if self.note_type.is_some() && kind != WorkKind::Note {
            return Err(format!("a {kind} has no note_type"));
        }
        let Moment(created_at) = self.created;
        let steps =
            self.steps.into_iter().map(|StepLine { text, at: Moment(at) }| WorkStep { text, at });
        let mut steps: Vec<WorkStep> = steps.collect();
        steps.sort_by_key(|step| step.at);
        let last = steps.last().map_or(created_at, |step| step.at.max(created_at));
        let work = Work {
            status,
            author: self.author,
            from: self.from,
            to: self.to,
            note: self.note_type.unwrap_or_default(),
            generated: self.generated,
            updated_at: self.updated.map_or(last, |Moment(at)| at),
            expires_at: self.expires.map(|Moment(at)| at),
            refs: self.refs,
            after: self.after,
            steps,
            ..Work::new(WorkKey { scope, id: self.id }, kind, self.text, created_at)
        };
        work.check().map_err(|refusal| refusal.to_string())?;
        Ok((ToldWork { work, tells_status, tells_note }, project))
    }
}
