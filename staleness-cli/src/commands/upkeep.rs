//! `prune` and `backup`.

use std::path::Path;

use serde_json::json;
use staleness::store::StoreError;
use staleness::{Registry, RegistryError, Timestamp, Wait};
use staleness_core::registry::{PruneReport, RoutePruneReport};
use staleness_core::text::counted;
use staleness_service::upkeep::{Left, prune_left};

use crate::args::PruneArgs;
use crate::error::{CliError, ErrorKind, in_words};
use crate::output::{Output, escape};
use crate::settings::{Access, Settings};

/// The numbers of rows that pruning removes, or would remove.
pub(super) struct Pruned {
    routes: RoutePruneReport,
    outcomes: PruneReport,
    left: Left,
}

impl Pruned {
    pub(super) fn new(
        registry: &Registry,
        now: Timestamp,
        dry_run: bool,
    ) -> Result<Self, CliError> {
        let routes = registry.routes().prune_all(now, dry_run).wait()?;
        let outcomes = registry.admin().prune_outcomes(now, dry_run).wait()?;
        Ok(Self { routes, outcomes, left: prune_left(registry, now, dry_run)? })
    }

    /// Returns the number of rows of each kind, as a number and in words. All but the first two are usually 0.
    fn counts(&self) -> [(u64, String); 8] {
        let Self { routes, outcomes, left } = self;
        [
            (routes.removed.len() as u64, "route", "routes"),
            (outcomes.removed, "outcome", "outcomes"),
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
        ]
        .map(|(removed, one, many)| (removed, counted(removed, one, many)))
    }

    /// Returns the numbers of rows in words, without the zeros.
    pub(super) fn words(&self) -> Vec<String> {
        let counts = self.counts().into_iter().filter(|(removed, _)| *removed > 0);
        counts.map(|(_, words)| words).collect()
    }
}

pub(crate) fn prune(settings: &Settings, args: &PruneArgs, out: &Output) -> Result<(), CliError> {
    // A missing registry has nothing to prune and is not created.
    let registry = settings.open(Access::Look)?;
    let pruned = Pruned::new(&registry, settings.now, args.dry_run)?;
    let Pruned { routes, outcomes, left } = &pruned;
    let value = json!({
        "routes": { "removed": routes.removed.len(), "kept": routes.kept },
        "outcomes": outcomes,
        "sessions": left.sessions,
        "cursors": left.cursors,
        "projects": { "removed": left.projects.removed },
        "invented": { "removed": left.invented },
        "unlisted": { "removed": left.unlisted },
        "journal": { "removed": left.entries },
    });
    let done = if args.dry_run { "would be removed" } else { "removed" };
    let [(_, of_routes), (_, of_outcomes), rest @ ..] = pruned.counts();
    let mut text = format!(
        "{of_routes} {done}, {} kept\n{of_outcomes} {done}, {} kept\n",
        routes.kept, outcomes.kept
    );
    for (_, words) in rest.iter().filter(|(removed, _)| *removed > 0) {
        text.push_str(&format!("{words} {done}\n"));
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
