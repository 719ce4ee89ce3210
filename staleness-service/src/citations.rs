//! Checks the sources that items cite and the names that they mention.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use staleness::ids::ItemKey;
use staleness::knowledge::{Citation, Evidence, Fact, Item};
use staleness_docs::git::LazyRepo;

use crate::error::{ServiceError, quoted};
use crate::settings::Settings;

/// Returns the checked-out commit as hexadecimal digits, or `None` if there is none.
pub fn head(settings: &Settings) -> Option<String> {
    settings.repo().get().ok().map(|repo| repo.head().id.to_string())
}

/// Checks that a revision exists in the project's repository.
///
/// # Errors
/// If the revision does not exist.
pub fn check_revision(settings: &Settings, option: &str, name: &str) -> Result<(), ServiceError> {
    match settings.repo().get().map(|repo| repo.revision(name)) {
        Ok(Err(error)) => Err(ServiceError::invalid(format!("{option} {}: {error}", quoted(name)))
            .hint("use a commit, branch or tag, such as HEAD~3; a shallow clone contains only recent commits")),
        _ => Ok(()),
    }
}

/// Parses `PATH`, `PATH:L`, `PATH:L-L` or `PATH#SYMBOL` and adds the digest of the cited text. The path is
/// relative to the project's root, or else to the current folder inside the project.
pub fn cite(settings: &Settings, text: &str) -> Result<Citation, ServiceError> {
    let place = &settings.place;
    let folder = place.folder.canonicalize().unwrap_or_else(|_| place.folder.clone());
    let within = |path: &Path| {
        let inside = path.strip_prefix(&folder).or_else(|_| path.strip_prefix(&place.folder));
        let inside = inside.ok()?.to_str()?;
        (!inside.is_empty()).then(|| inside.to_owned())
    };
    // An absolute path is a path on this machine, as everywhere on the command line.
    let whole = within(Path::new(text));
    let here = || within(&std::env::current_dir().ok()?).map(|folder| format!("{folder}/{text}"));
    staleness_docs::cite(place, whole.as_deref().unwrap_or(text)).or_else(|why| {
        let refused = || {
            ServiceError::invalid(format!("cannot cite {}: it {why}", quoted(text)))
                .hint("use a project file, as PATH, PATH:LINE or PATH#SYMBOL")
        };
        here().and_then(|text| staleness_docs::cite(place, &text).ok()).ok_or_else(refused)
    })
}

/// Returns each citation of an item, followed by the same citation with its current lines, and with a digest if the
/// source still exists.
pub fn seen(settings: &Settings, item: &Item) -> Vec<(Citation, Citation)> {
    staleness_docs::seen(&settings.place, &mut settings.repo(), item)
}

/// Maximum number of items for which [`evidence_at_hand`] reads the cited files.
const MOST_AT_HAND: usize = 256;

/// Returns evidence about stored items whose cited files were removed or changed. Looks at the first `MOST_AT_HAND`
/// items with citations, and starts git only if one of these files changed.
pub fn evidence_at_hand(settings: &Settings, items: &[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> {
    let cites = |item: &&Item| item.path.is_none() && !item.citations.is_empty();
    let items: Vec<Item> = items.iter().filter(cites).take(MOST_AT_HAND).cloned().collect();
    if items.is_empty() {
        return BTreeMap::new();
    }
    let mut go_on = |_| ControlFlow::Continue(());
    let by_disk = staleness_docs::item_evidence(
        &settings.place,
        &mut LazyRepo::default(),
        &items,
        &mut go_on,
    );
    let is_changed = |each: &Evidence| {
        matches!(each.fact, Fact::SourceMissing { .. } | Fact::SourceChanged { .. })
    };
    let found = by_disk.unwrap_or_default().found.into_iter();
    let changed = found.filter(|(_, evidence)| evidence.iter().any(is_changed));
    let changed: BTreeSet<ItemKey> = changed.map(|(key, _)| key).collect();
    let changed = items.into_iter().filter(|item| changed.contains(&item.key));
    evidence(settings, &changed.collect::<Vec<_>>())
}

/// Returns the evidence about each item from its citations and the names in it, or an empty map if the work was
/// cancelled.
pub fn evidence(settings: &Settings, items: &[Item]) -> BTreeMap<ItemKey, Vec<Evidence>> {
    let mut found: BTreeMap<ItemKey, Vec<Evidence>> =
        items.iter().map(|item| (item.key.clone(), Vec::new())).collect();
    let mut go_on = |_| match settings.watchdog.is_ended() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let report =
        staleness_docs::item_evidence(&settings.place, &mut settings.repo(), items, &mut go_on);
    found.extend(report.unwrap_or_default().found);
    found
}
