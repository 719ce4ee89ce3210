//! `lock`: writes `agents.lock`.

use std::collections::BTreeMap;

use serde_json::json;
use staleness_core::text::counted;
use staleness_service::lock::{FILE, Lock, current, path};

use super::check::not_checked;
use super::definitions::diff_of;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::Output;
use crate::output::diff::{painted, unified};
use crate::settings::{Access, Settings};
use staleness_service::save;

/// Shows the changes to the file, and writes it unless this is a dry run.
pub(crate) fn run(settings: &Settings, dry_run: bool, out: &Output) -> Result<(), CliError> {
    let path = path(settings);
    if save::leads_out_of(&settings.place.folder, &path) {
        let message = format!("{FILE} is a link that points outside the project");
        return Err(CliError::invalid(message).hint("remove the link"));
    }
    // A file that cannot be read is shown as replaced completely.
    let before = Lock::read(settings).unwrap_or_else(|error| {
        out.warn(&format!("warning: {}", error.message));
        None
    });
    let now = current(settings, &settings.open(Access::Look)?)?;
    let lock = now.to_lock(before.as_ref())?;
    let mut unaccepted: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for each in &now.unaccepted {
        unaccepted.entry(each.class).or_default().push(&each.name);
    }
    for (class, names) in unaccepted.iter().rev() {
        let tools = counted(names.len(), "tool", "tools");
        let see = names.first().map(|name| diff_of(name)).unwrap_or_default();
        let what = class.as_str();
        out.warn(&format!(
            "warning: {FILE} has {tools} with a change that nobody accepted ({what}); see `{see}`"
        ));
    }
    let (old, new) = (before.as_ref().map(Lock::text).unwrap_or_default(), lock.text());
    let changes = old != new || before.is_none();
    if !dry_run && changes {
        save::whole(&path, new.as_bytes()).map_err(|error| {
            CliError::new(ErrorKind::Io, format!("{FILE}: {}", in_words(&error)))
        })?;
    }
    let moved = before.as_ref().map(|before| now.compare(before).moved).unwrap_or_default();
    let unchecked = now.compare(&lock).unchecked;
    let written = changes && !dry_run;
    let document = json!({
        "file": FILE, "entries": lock.len(), "changed": changes, "written": written,
        "moved": moved, "unchecked": unchecked,
    });
    out.done(&document, || {
        let mut text = String::new();
        if changes {
            text = painted(&unified([FILE, FILE], &old, &new), out);
        }
        let done = match (written, changes) {
            (true, _) => "written",
            (false, true) => "would be written",
            (false, false) => "is up to date",
        };
        let entries = counted(lock.len(), "entry", "entries");
        text.push_str(&format!("{FILE} {done}: {entries}\n"));
        text + &not_checked(&unchecked, out)
    })
}
