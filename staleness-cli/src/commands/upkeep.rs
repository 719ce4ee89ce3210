//! `prune` and `backup`.

use staleness::{RegistryError, Wait};
use std::path::Path;

use serde_json::json;
use staleness::store::StoreError;
use staleness_core::text::counted;
use staleness_service::upkeep::prune_left;

use crate::args::PruneArgs;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::{Output, escape};
use crate::settings::{Access, Settings};

pub(crate) fn prune(settings: &Settings, args: &PruneArgs, out: &Output) -> Result<(), CliError> {
    // A missing registry has nothing to prune and is not created.
    let registry = settings.open(Access::Look)?;
    let routes = registry.routes().prune_all(settings.now, args.dry_run).wait()?;
    let report = registry.admin().prune_outcomes(settings.now, args.dry_run).wait()?;
    let left = prune_left(&registry, settings.now, args.dry_run)?;
    let value = json!({
        "routes": { "removed": routes.removed.len(), "kept": routes.kept },
        "outcomes": report,
        "sessions": left.sessions,
        "cursors": left.cursors,
        "projects": { "removed": left.projects.removed },
        "invented": { "removed": left.invented },
        "unlisted": { "removed": left.unlisted },
        "journal": { "removed": left.entries },
    });
    let done = if args.dry_run { "would be removed" } else { "removed" };
    let mut text = format!(
        "{} {done}, {} kept\n{} {done}, {} kept\n",
        counted(routes.removed.len(), "route", "routes"),
        routes.kept,
        counted(report.removed, "outcome", "outcomes"),
        report.kept
    );
    // These counts are usually 0, so they are shown only if something was removed.
    for (removed, one, many) in [
        (left.sessions.removed, "session", "sessions"),
        (left.cursors.removed, "agent's read position", "agents' read positions"),
        (left.projects.removed, "project without a folder", "projects without a folder"),
        (left.invented, "invented name", "invented names"),
        (
            left.unlisted,
            "unused tool that its server no longer lists",
            "unused tools that their server no longer lists",
        ),
        (left.entries, "old journal entry", "old journal entries"),
    ] {
        if removed > 0 {
            text.push_str(&format!("{} {done}\n", counted(removed, one, many)));
        }
    }
    out.done(&value, || text)
}

pub(crate) fn backup(settings: &Settings, file: &Path, out: &Output) -> Result<(), CliError> {
    let trouble = |what: String| {
        CliError::new(ErrorKind::Io, format!("cannot back up to {}: {what}", file.display()))
    };
    if let Some(store) = settings.url.path()
        && !store.exists()
    {
        let message = format!("{}: no such registry", settings.url);
        return Err(CliError::new(ErrorKind::Store, message).hint("run `staleness scan` first"));
    }
    let registry = settings.open(Access::Look)?;
    registry.admin().backup(file).wait().map_err(|error| match error {
        RegistryError::Store(StoreError::Io { source, .. })
            if source.kind() == std::io::ErrorKind::AlreadyExists =>
        {
            trouble(in_words(&source)).hint("choose a file that does not exist yet")
        }
        RegistryError::Store(StoreError::Io { source, .. }) => trouble(in_words(&source)),
        other => other.into(),
    })?;
    let bytes = std::fs::metadata(file).map_err(|error| trouble(in_words(&error)))?.len();
    let path = file.display().to_string();
    out.done(&json!({ "path": path, "bytes": bytes }), || {
        format!("{}: {bytes} bytes\n", escape(&path))
    })
}
