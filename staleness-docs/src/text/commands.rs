//! Finds commands in a text whose targets no longer exist.

use staleness_core::knowledge::Fact;

use crate::Cancelled;
use crate::check::{Past, fact_of_call, things_of};
use crate::commands::{self, Call, TargetKind};
use crate::project::ProjectPlace;

/// The largest manifest on disk to read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Parses a command whose target only manifests define.
pub(super) fn call_of(text: &str) -> Option<Call> {
    let call = Call::parse(text)?;
    (call.kind != TargetKind::Subcommand && things_of(&call).is_empty()).then_some(call)
}

/// Returns a fact for each command with a target that the project no longer defines, by index.
pub(super) fn gone(
    place: &ProjectPlace,
    past: &mut Past<'_>,
    calls: &[Call],
) -> Result<Vec<(usize, Fact)>, Cancelled> {
    let fence = place.fence();
    // The user may have just written the target. A manifest that cannot be parsed may define it.
    let is_on_disk = |call: &Call, path: &String| {
        fence.read_small(&place.folder.join(path), MAX_BYTES).is_some_and(|text| {
            let targets = commands::read(call.kind, path, &text);
            targets.is_none_or(|it| it.define(call) != Some(false))
        })
    };
    let mut asked = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let of = past.missing_from("", call).unwrap_or_default();
        if !of.iter().any(|path| is_on_disk(call, path)) {
            asked.push((at, of));
        }
    }
    let queries: Vec<_> = asked.iter().map(|(at, of)| (&calls[*at], &**of)).collect();
    let removals = past.removals_of_targets(&queries)?;
    let fact = |at: usize, (commit, new)| (at, fact_of_call(&calls[at], Some(commit), new));
    let removed = asked.iter().zip(removals);
    Ok(removed.filter_map(|((at, _), removal)| Some(fact(*at, removal?))).collect())
}
