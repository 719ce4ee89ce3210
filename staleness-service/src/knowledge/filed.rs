//! Items in files: their fields are changed in the file, under the names that the file uses.

use std::path::{Path, PathBuf};

use staleness::registry::ItemPatch;
use staleness_docs::{Change, Field, FieldValue, set_fields};

use super::world::Target;
use crate::error::{ErrorKind, ServiceError, brief, in_words, text_within};
use crate::save;
use crate::settings::Settings;

/// Maximum size of a file to edit, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Edit {
    path: PathBuf,
    changes: Vec<Change>,
    before: String,
    after: String,
}

impl Edit {
    pub(super) fn changes(&self) -> bool {
        self.after != self.before
    }

    /// Applies the changes to the file's current content. A lock on the folder keeps other processes of this
    /// program out. To detect other writers, the file is read again right before it is replaced.
    pub(super) fn save(&self) -> Result<(), ServiceError> {
        if !self.changes() {
            return Ok(());
        }
        let trouble = |what: String| {
            ServiceError::new(ErrorKind::Io, format!("{}: {what}", brief(&self.path)))
        };
        let failed = |error: std::io::Error| trouble(in_words(&error));
        let target = self.path.canonicalize().map_err(failed)?;
        if target.metadata().map_err(failed)?.permissions().readonly() {
            return Err(trouble("it is read-only".into()).hint("it was not changed"));
        }
        let turn = save::Turn::new(target.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        let now = read(&target)?;
        let after = changed(&self.path, &now, &self.changes)?;
        if after == now {
            return Ok(());
        }
        let prepared = save::Prepared::new(&turn, &target, after.as_bytes(), &target, false)
            .map_err(failed)?;
        if read(&target)? != now {
            return Err(trouble("it was changed in the meantime".into()).hint("try again"));
        }
        prepared.put().map_err(failed)
    }
}

/// Prepares the edits that apply `patch` to the items' files.
pub(super) fn edits(
    settings: &Settings,
    targets: &[Target],
    patch: &ItemPatch,
) -> Result<Vec<Edit>, ServiceError> {
    if targets.is_empty() {
        return Ok(Vec::new());
    }
    if patch.body.is_some() {
        let path = targets[0].item.path.as_deref().unwrap_or_default();
        return Err(ServiceError::invalid(format!("{path}: edit its text in the file"))
            .hint("this command only changes front matter"));
    }
    let changes = changes(patch);
    targets.iter().map(|target| edit(settings, target, &changes)).collect()
}

/// Prepares the edits that set the to-dos' status to `done` or `open`.
pub(super) fn done(
    settings: &Settings,
    targets: &[Target],
    done: bool,
) -> Result<Vec<Edit>, ServiceError> {
    let status = if done { "done" } else { "open" };
    let change = [(Field::Status, Some(FieldValue::Text(status.into())))];
    let others = targets.iter().filter(|target| target.item.done_at.is_some() != done);
    others.map(|target| edit(settings, target, &change)).collect()
}

fn edit(settings: &Settings, target: &Target, changes: &[Change]) -> Result<Edit, ServiceError> {
    let path = place(settings, target)?;
    let before = read(&path)?;
    let after = changed(&path, &before, changes)?;
    Ok(Edit { path, changes: changes.to_vec(), before, after })
}

fn changed(path: &Path, text: &str, changes: &[Change]) -> Result<String, ServiceError> {
    set_fields(text, changes).map_err(|error| {
        ServiceError::invalid(format!("{}: {error}", brief(path))).hint("nothing was changed")
    })
}

/// Returns the path of an item's file. Fails if the path leads through a link.
fn place(settings: &Settings, target: &Target) -> Result<PathBuf, ServiceError> {
    let path = target.item.path.as_deref().unwrap_or_default();
    let (root, rest) = match path.strip_prefix("~/") {
        Some(rest) => (&settings.home, rest),
        None => (&settings.place.folder, path),
    };
    let file = root.join(rest);
    let inside = match (file.canonicalize(), root.canonicalize()) {
        (Ok(file), Ok(root)) => file.starts_with(root),
        _ => false,
    };
    if inside {
        Ok(file)
    } else {
        Err(ServiceError::invalid(format!("{} is outside the project", brief(&file)))
            .hint("edit it by hand"))
    }
}

fn read(path: &Path) -> Result<String, ServiceError> {
    text_within(path, MAX_BYTES)
        .map_err(|what| ServiceError::new(ErrorKind::Io, format!("{}: {what}", brief(path))))
}

fn changes(patch: &ItemPatch) -> Vec<Change> {
    fn words<T: ToString>(all: &std::collections::BTreeSet<T>) -> Option<FieldValue> {
        (!all.is_empty()).then(|| FieldValue::Words(all.iter().map(T::to_string).collect()))
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut set = |field, value| changes.push((field, value));
    if let Some(kind) = patch.kind {
        set(Field::Kind, Some(FieldValue::Text(kind.as_str().into())));
    }
    if let Some(keywords) = &patch.keywords {
        set(Field::Keywords, words(keywords));
    }
    if let Some(version) = &patch.version_context {
        set(Field::VersionContext, version.clone().map(FieldValue::Text));
    }
    if let Some(evergreen) = patch.evergreen {
        set(Field::Evergreen, evergreen.then_some(FieldValue::Flag(true)));
    }
    if let Some(due) = patch.due {
        set(Field::Due, due.map(FieldValue::Time));
    }
    if let Some(expires) = patch.expires_at {
        set(Field::Expires, expires.map(FieldValue::Time));
    }
    if let Some(citations) = &patch.citations {
        set(Field::Cite, words(citations));
    }
    if let Some(supersedes) = &patch.supersedes {
        set(Field::Supersedes, words(supersedes));
    }
    if let Some(related) = &patch.related {
        set(Field::Related, words(related));
    }
    changes
}
