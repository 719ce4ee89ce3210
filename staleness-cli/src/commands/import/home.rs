//! The scope named by a line of another system.

use std::path::Path;

use staleness::ids::Scope;
use staleness::scan::ProjectRef;

use crate::error::quoted;

/// Returns the project with this root folder, or the current one.
pub(super) fn project_of(root: Option<&str>, here: &ProjectRef) -> Result<ProjectRef, String> {
    match root {
        None => Ok(here.clone()),
        Some(root) if Path::new(root).is_absolute() => {
            let trimmed = root.trim_end_matches('/');
            Ok(ProjectRef::of_root(if trimmed.is_empty() { "/" } else { trimmed }))
        }
        Some(root) => Err(format!("the project {} is not an absolute path", quoted(root))),
    }
}

/// Returns the scope and the project of a record. A global record has no project, and any other belongs to the named
/// project or to `here`.
pub(super) fn scope_of(
    global: bool,
    root: Option<&str>,
    here: &ProjectRef,
) -> Result<(Scope, Option<ProjectRef>), String> {
    if !global {
        let project = project_of(root, here)?;
        return Ok((Scope::Project(project.id.clone()), Some(project)));
    }
    match root {
        None => Ok((Scope::Global, None)),
        Some(_) => Err("cannot be global and belong to a project".into()),
    }
}
