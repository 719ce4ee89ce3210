//! A copy of the registry, for running a hook without side effects.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use staleness::store::{Selection, View};
use staleness::{Registry, StoreUrl, Wait};
use staleness_core::transfer::Record;
use tempfile::TempDir;

use crate::error::{ErrorKind, ServiceError, in_words};
use crate::private;
use crate::settings::{Access, Settings};
use crate::shared::SharedStore;
use crate::spool::SPOOL;
use crate::told::TOLD;

/// Returns settings for a copy of the registry and of the files beside it. The copy is removed with the folder.
///
/// # Errors
/// Errors of the store, and of the file system.
pub fn rehearsal(settings: &Settings) -> Result<(TempDir, Settings), ServiceError> {
    let trouble = |error: std::io::Error| {
        let what = format!(
            "cannot create a copy in {}: {}",
            std::env::temp_dir().display(),
            in_words(&error)
        );
        ServiceError::new(ErrorKind::Io, what)
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix("staleness-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir().map_err(trouble)?;
    let path = folder.path().canonicalize().map_err(trouble)?.join("registry");
    let url = match &settings.url {
        StoreUrl::Sqlite(_) => StoreUrl::Sqlite(path),
        StoreUrl::Redb(_) => StoreUrl::Redb(path),
        _ => StoreUrl::Memory,
    };
    let mut copy = settings.clone();
    copy.store = SharedStore::new(url.clone());
    copy.url = url;
    match copy.url.path() {
        Some(to) if settings.url.path().is_some_and(Path::exists) => {
            settings.open(Access::Look)?.admin().backup(to).wait()?;
        }
        Some(_) => {}
        None => copy_records(settings, &copy)?,
    }
    for suffix in [SPOOL, TOLD] {
        let beside = |url| private::beside(url, suffix);
        if let (Some(from), Some(to)) = (beside(&settings.url), beside(&copy.url)) {
            copy_files(&from, &to).map_err(trouble)?;
        }
    }
    Ok((folder, copy))
}

/// Copies the records of a store that is not a file, and the project's documents. Earlier suggestions in a session
/// are not copied.
fn copy_records(from: &Settings, to: &Settings) -> Result<(), ServiceError> {
    let (project, original) = (&from.project.id, from.open(Access::Look)?);
    let lines = lines(&original)?;
    let documents = original.documents().list(project).wait()?;
    let registry = to.open(Access::Write)?;
    let mut importer = registry.admin().importer(false).wait()?;
    for line in lines.lines() {
        let record = Record::read(line).map_err(|why| ServiceError::new(ErrorKind::Store, why))?;
        importer.put(record).wait()?;
    }
    importer.finish().wait()?;
    registry.documents().put(project, documents, None, from.now).wait()?;
    Ok(())
}

/// Returns the export lines of all records.
fn lines(registry: &Registry) -> Result<String, ServiceError> {
    let mut lines = Vec::new();
    let mut read = |page: View| {
        page.append_lines(&mut lines);
        ControlFlow::Continue(())
    };
    registry.admin().pages(&Selection::records(), &mut read).wait()?;
    Ok(String::from_utf8_lossy(&lines).into_owned())
}

/// Copies the files of a private folder. A file that another process removes in the meantime is skipped.
fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    // A folder to which others have access is not used.
    let Ok(names) = private::names(from) else { return Ok(()) };
    if names.is_empty() {
        return Ok(());
    }
    private::make(to)?;
    for name in names {
        match fs::copy(from.join(&name), to.join(&name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use staleness::ids::{OpId, ToolName};
    use staleness::outcome::OutcomeKind;
    use staleness::registry::Use;

    use super::*;
    use crate::settings::Options;

    #[test]
    fn a_copy_has_all_records_and_the_original_learns_nothing_of_it() {
        let place = tempfile::tempdir().unwrap();
        for store in ["memory:".to_owned(), format!("sqlite:{}/r.db", place.path().display())] {
            let options = Options {
                store: Some(store),
                home: Some(place.path().into()),
                project: Some(place.path().into()),
                ..Options::default()
            };
            let settings = Settings::new(options, None, true).unwrap();
            let used = |registry: &Registry, op: &str| {
                let (op, tool) = (OpId::new(op).unwrap(), ToolName::new("Bash").unwrap());
                let (at, project) = (settings.now, settings.project.clone());
                let one = Use::new(op, tool, OutcomeKind::Success, at, project);
                registry.tools().record(one).wait().unwrap();
            };
            let original = settings.open(Access::Write).unwrap();
            used(&original, "one");
            let lines = |registry: &Registry| lines(registry).unwrap();
            let before = lines(&original);
            let (folder, copy) = rehearsal(&settings).unwrap();
            let rehearsed = copy.open(Access::Write).unwrap();
            assert_eq!(lines(&rehearsed), before);
            used(&rehearsed, "two");
            assert_ne!(lines(&rehearsed), before);
            assert_eq!(lines(&original), before);
            let (path, is_file) = (folder.path().to_owned(), copy.url != StoreUrl::Memory);
            assert_eq!(path.join("registry").exists(), is_file);
            drop((rehearsed, copy, folder));
            assert!(!path.exists());
        }
    }
}
