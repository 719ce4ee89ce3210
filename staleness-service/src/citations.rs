//! Look-ups in the project of what items cite and name.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use staleness::ids::ItemKey;
use staleness::knowledge::{Citation, Evidence, Fact, Item};
use staleness_docs::git::LazyRepo;

use crate::error::{ServiceError, quoted};
use crate::settings::Settings;

/// The commit that is checked out, in hexadecimal digits.
pub fn head(settings: &Settings) -> Option<String> {
    settings.repo().get().ok().map(|repo| repo.head().id.to_string())
}

/// Refuses a revision that the project's repository does not have.
pub fn check_revision(settings: &Settings, name: &str) -> Result<(), ServiceError> {
    match settings.repo().get().map(|repo| repo.revision(name)) {
        Ok(Err(error)) => Err(ServiceError::invalid(format!("since {}: {error}", quoted(name)))
            .hint("name a commit, branch or tag, such as HEAD~3; a shallow clone has few")),
        _ => Ok(()),
    }
}

/// Reads `PATH`, `PATH:L`, `PATH:L-L` or `PATH#SYMBOL`, with the digest of what is there now. The
/// path counts from the project's root; in a folder below it, also from there.
pub fn cite(settings: &Settings, text: &str) -> Result<Citation, ServiceError> {
    let place = &settings.place;
    let folder = place.folder.canonicalize().unwrap_or_else(|_| place.folder.clone());
    let within = |path: &Path| {
        let inside = path.strip_prefix(&folder).or_else(|_| path.strip_prefix(&place.folder));
        let inside = inside.ok()?.to_str()?;
        (!inside.is_empty()).then(|| inside.to_owned())
    };
    // A whole path is one of the machine, as everywhere on a command line.
    let whole = within(Path::new(text));
    let here = || within(&std::env::current_dir().ok()?).map(|folder| format!("{folder}/{text}"));
    staleness_docs::cite(place, whole.as_deref().unwrap_or(text)).or_else(|why| {
        let refused = || ServiceError::invalid(format!("cite {}: it {why}", quoted(text)));
        here().and_then(|text| staleness_docs::cite(place, &text).ok()).ok_or_else(refused)
    })
}

/// Returns the citations of an item, each with how it is now: with the digest of what is there, or
/// without one, and with the lines at which that stands.
pub fn seen(settings: &Settings, item: &Item) -> Vec<(Citation, Citation)> {
    staleness_docs::seen(&settings.place, &mut settings.repo(), item)
}

/// Maximum number of items whose cited files [`evidence_at_hand`] reads.
const MOST_AT_HAND: usize = 256;

/// Returns the evidence on items of the store whose cited files are gone or read otherwise now. Looks at the first
/// `MOST_AT_HAND` items with citations, and starts git only if one of them changed.
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

/// Returns the evidence on every item, from what it cites and names; none if the work was ended.
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
