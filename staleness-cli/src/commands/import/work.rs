//! Imports work items of other systems, one per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use staleness::Timestamp;
use staleness::ids::{WorkId, WorkKey};
use staleness::scan::ProjectRef;
use staleness::work::{NoteType, Work, WorkKind};
use staleness_core::work::WorkStep;
use staleness_service::work::others;

use super::home::scope_of;
use super::moment::Moment;
use crate::error::quoted;

/// A line to import. Its fields have the names of this program or of other systems.
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
    /// Returns the key and the project of the item. The project is `here` if the line names none, and `None` for a
    /// global item.
    pub(super) fn key(&self, here: &ProjectRef) -> Result<(WorkKey, Option<ProjectRef>), String> {
        let (scope, project) = scope_of(self.global, self.project.as_deref(), here)?;
        Ok((WorkKey { scope, id: self.id.clone() }, project))
    }

    /// Replaces the names of agents and people by the result of `name`.
    pub(super) fn rename(&mut self, name: impl Fn(String) -> String) {
        for field in [&mut self.author, &mut self.from, &mut self.to] {
            *field = field.take().map(&name);
        }
    }

    /// Returns the work item with the values in the line. Values that the line lacks come from the known item, if there
    /// is one.
    pub(super) fn work(&self, key: WorkKey, known: Option<&Work>) -> Result<Work, String> {
        let kind = WorkKind::named(&self.kind)?;
        if self.note_type.is_some() && kind != WorkKind::Note {
            return Err(format!("a {kind} has no note_type"));
        }
        let Moment(created_at) = self.created;
        let mut work = match known {
            Some(known) if known.kind != kind => {
                let id = quoted(key.id.as_str());
                let here = known.kind;
                return Err(format!(
                    "{id} is a {here} here and a {kind} in the import; an id can have only one kind"
                ));
            }
            Some(known) => known.clone(),
            None => Work::new(key, kind, "", created_at),
        };
        if let Some(word) = &self.status {
            let (from, to) = (work.status, kind.state_named(word)?);
            if to.is_open() {
                work.before = None;
            } else if from.is_open() {
                work.before = known.map(|_| from);
                work.claim = None;
            }
            work.status = to;
        }
        work.by_person &= work.text == self.text;
        work.text.clone_from(&self.text);
        let names = [
            (&mut work.author, &self.author),
            (&mut work.from, &self.from),
            (&mut work.to, &self.to),
        ];
        for (field, name) in names {
            *field = name.clone().or(field.take());
        }
        work.note = self.note_type.unwrap_or(work.note);
        work.generated |= self.generated;
        work.expires_at = self.expires.as_ref().map_or(work.expires_at, |Moment(at)| Some(*at));
        work.refs.extend(others(self.refs.iter().cloned()));
        work.after.extend(others(self.after.iter().cloned()));
        let last = self.steps.iter().map(|step| step.at.0).fold(created_at, Timestamp::max);
        work.updated_at = self.updated.as_ref().map_or(last, |Moment(at)| *at);
        let steps =
            self.steps.iter().map(|step| WorkStep { text: step.text.clone(), at: step.at.0 });
        let new: Vec<WorkStep> = steps.filter(|step| !work.steps.contains(step)).collect();
        work.steps.extend(new);
        work.steps.sort_by_key(|step| step.at);
        work.check().map_err(|refusal| refusal.to_string())?;
        Ok(work)
    }
}
