//! Finds commands in a text whose targets no longer exist.

use staleness_core::knowledge::{Fact, WordKind};

use crate::Cancelled;
use crate::check::{Manifests, Past, commit_text, parts_of_manifest, things_of};
use crate::commands::{self, Call, TargetKind};
use crate::git::{PartFate, PartQuery};
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
    let (mut manifests, fence) = (Manifests::default(), place.fence());
    // The user may have just written it. A manifest that cannot be parsed may define it.
    let is_on_disk = |call: &Call, path: &String| {
        fence.read_small(&place.folder.join(path), MAX_BYTES).is_some_and(|text| {
            let targets = commands::read(call.kind, path, &text);
            targets.is_none_or(|it| it.define(call) != Some(false))
        })
    };
    let mut asked: Vec<(usize, String, [String; 1])> = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let of = past.missing_from(&mut manifests, "", call).unwrap_or_default();
        if !of.iter().any(|path| is_on_disk(call, path)) {
            asked.extend(of.into_iter().map(|path| (at, path, [call.target.clone()])));
        }
    }
    let readers: Vec<_> = asked
        .iter()
        .map(|(at, path, _)| |text: &[u8]| parts_of_manifest(calls[*at].kind, path, text))
        .collect();
    let queries: Vec<PartQuery<'_>> = asked
        .iter()
        .zip(&readers)
        .map(|((_, path, names), read)| PartQuery { path, names, read })
        .collect();
    let fates = past.parts(&queries)?;
    let mut facts: Vec<(usize, Fact)> = Vec::new();
    for ((at, ..), fate) in asked.iter().zip(fates.into_iter().flatten()) {
        if let PartFate::Gone { commit, renamed_to } = fate
            && facts.last().is_none_or(|(last, _)| last != at)
        {
            let new = renamed_to.filter(|new| commands::is_name(new));
            let fact = Fact::ReferenceDrift {
                word: calls[*at].text.clone(),
                sort: WordKind::Command,
                renamed_to: new.map(|new| calls[*at].renamed(&new)),
                commit: Some(commit_text(&commit)),
                at: Some(commit.at),
                alone: false,
            };
            facts.push((*at, fact));
        }
    }
    Ok(facts)
}
