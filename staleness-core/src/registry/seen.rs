//! Creates the rows of projects on first contact.

use crate::project::Project;
use crate::registry::{Admin, RegistryError};
use crate::scan::ProjectRef;
use crate::store::{Draft, Edit, ProjectFilter, Selection};
use crate::time::Timestamp;

/// Adds a project to the draft if it is unknown. Earlier changes are not reported to it.
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
        told: revision,
    });
}

impl Admin<'_> {
    /// Creates the row of a project if there is none, so that the project can be listed and forgotten. Must be called
    /// before recording something that belongs to the project; scans and uses do it themselves. Writes nothing if the
    /// project is known. May be repeated.
    pub async fn see_project(
        self,
        project: &ProjectRef,
        at: Timestamp,
    ) -> Result<(), RegistryError> {
        let filter = ProjectFilter::Id(project.id.clone());
        let known = Selection::new().peek(filter.clone());
        if self.0.ask(known).await?.projects.is_empty() {
            let (project, all) = (project.clone(), Selection::new().lock(filter));
            let step = Edit::new(at, all, move |draft| {
                see(draft, &project, at);
                Ok(())
            });
            self.0.run(step.durable()).await?;
        }
        Ok(())
    }
}
