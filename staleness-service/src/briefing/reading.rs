//! The text for an agent that reads a document: its stale lines, each reported once per session, from the results
//! of the last check.

use std::path::Path;

use staleness::{Registry, Wait};
use staleness_core::ids::DocumentKey;
use staleness_core::policy::HookPolicy;
use staleness_docs::is_checked;

use super::documents::{at_reading, stale_lines};
use super::judged;
use crate::ServiceError;
use crate::model_text::ModelText;
use crate::settings::Settings;
use crate::told::{MAX_BYTES, Told};

/// The text about documents that an agent has just read, and the digests of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The text.
    pub text: ModelText,
    /// The digests, for [`Told::note`].
    pub digests: Vec<u64>,
}

/// Returns the text about files that an agent has read. Paths are absolute, or relative to `cwd`. `None` if nothing is
/// new to the session. Does not run git.
///
/// # Errors
/// Errors of the store.
pub fn look(
    settings: &Settings,
    registry: &dyn Fn() -> Result<Option<Registry>, ServiceError>,
    told: &Told,
    (cwd, paths): (Option<&Path>, &[String]),
) -> Result<Option<Reading>, ServiceError> {
    let hooks = &settings.configured.policy.hooks;
    let budget = HookPolicy::share(hooks.session_start_chars as usize);
    let mut keys = paths.iter().filter(|path| hooks.tell && is_checked(path)).peekable();
    if keys.peek().is_none() {
        return Ok(None);
    }
    let known = told.read();
    // Subagents may use half of the file, so that the main agent has room.
    let room = if told.is_to_subagent() { MAX_BYTES / 2 } else { MAX_BYTES };
    let Some(registry) = registry()?.filter(|_| known.len() as u64 + 1_000 < room) else {
        return Ok(None);
    };
    let mut reading = Reading::default();
    for path in keys {
        let path = crate::documents::key_of(settings, cwd, path);
        let key = DocumentKey { project: settings.project.id.clone(), path };
        let Some(document) = registry.documents().read(key).wait()? else { continue };
        let version = crate::documents::version(settings);
        let context = crate::documents::context(settings, version.as_deref());
        for loaded in judged(settings, &registry, &context, vec![document])?.0 {
            let mut lines = stale_lines(&loaded, &context);
            lines.retain(|line| !told.is_in(&known, line.digest));
            let left = budget.saturating_sub(reading.text.chars());
            let (text, shown) = at_reading(&loaded.document, &lines, settings.now, left);
            if shown > 0 {
                reading.text.push(text);
                reading.digests.extend(lines[..shown].iter().map(|line| told.number(line.digest)));
            }
        }
    }
    Ok(Some(reading).filter(|reading| !reading.digests.is_empty()))
}
