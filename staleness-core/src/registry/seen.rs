//! Creation of projects on first contact.

use crate::project::{Project, Told};
use crate::registry::{Admin, RegistryError};
use crate::scan::ProjectRef;
use crate::store::{Decision, Draft, ProjectFilter, Refusal, Selection, Step, View};
use crate::time::Timestamp;

/// Creates a project if it is unknown. Earlier changes are not news to it.
#[derive(Debug)]
struct SeeProject {
    project: ProjectRef,
    at: Timestamp,
}

impl Step for SeeProject {
    fn selection(&self) -> Selection {
        Selection::new().lock(ProjectFilter::Id(self.project.id.clone()))
    }

    fn decide(&self, view: &View) -> Result<Decision, Refusal> {
        let mut draft = Draft::new(view, self.at);
        see(&mut draft, &self.project, self.at);
        Ok(Decision::Write(draft.finish()))
    }
}

/// Adds a project to the draft if it is unknown.
pub(super) fn see(draft: &mut Draft<'_>, project: &ProjectRef, at: Timestamp) {
    if draft.get::<Project>(&project.id).is_some() {
        return;
    }
    let revision = draft.view().revision;
    draft.put(Project {
        id: project.id.clone(),
        root: project.root.clone(),
        first_seen_at: at,
        last_seen_at: at,
        config_digest: 0,
        told: Told { revision, from: revision, session: None },
    });
}

impl Admin<'_> {
    /// Makes sure that a project has a record, so that it can be listed and forgotten. Call it before
    /// recording something that belongs to the project; scans and uses do so themselves. Writes nothing if
    /// the project is known. May be repeated.
    pub async fn see_project(
        self,
        project: &ProjectRef,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let known = Selection::new().peek(ProjectFilter::Id(project.id.clone()));
        if self.0.ask(known).await?.projects.is_empty() {
            self.0.run(SeeProject { project: project.clone(), at }).await?;
        }
        Ok(())
    }
}
