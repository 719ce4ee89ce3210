//! The text on claims: who holds which work, what was abandoned, and what others have taken over.

use staleness::registry::Resume;
use staleness::report::DeltaItem;
use staleness::work::Work;
use staleness_core::work::Claim;

use super::work::named;
use crate::model_text::{ModelName, ModelText, NameKind, Word};
use crate::settings::Settings;

/// Maximum number of items to name at once when others have taken over.
const MAX_NAMED: usize = 5;

/// Cuts `lost` to as many items as one text names, and returns the text for a session about work that others have taken
/// over; `None` if there is none, or the policy says to tell nothing.
#[must_use]
pub fn taken_over(settings: &Settings, lost: &mut Vec<Work>) -> Option<ModelText> {
    if !settings.configured.policy.hooks.tell {
        return None;
    }
    lost.truncate(MAX_NAMED);
    let name = |work: &Work| {
        let name = ModelName::new(NameKind::Work, work.key.id.as_str());
        Some(held(ModelText::from(work.kind.as_str()).and(" ").and(name), work.claim.as_ref()?))
    };
    let names: Vec<ModelText> = lost.iter().filter_map(name).collect();
    (!names.is_empty()).then(|| {
        ModelText::from("Your claim ended and another session took over: ")
            .and(ModelText::join(names, ", "))
            .and(". Stop working on it, or ask the user.")
    })
}

/// Says of an item who holds it, and until when.
fn held(item: ModelText, claim: &Claim) -> ModelText {
    let agent = ModelName::new(NameKind::Agent, claim.agent.as_str());
    item.and(" (by ").and(agent).and(" until ").and(claim.until).and(")")
}

/// Says of claimed items who holds them: those of this session, of other sessions of the agent, and of other agents.
pub(super) fn by_holder(items: &[&DeltaItem], resume: &Resume) -> [Vec<ModelText>; 3] {
    let [mut own, mut elsewhere, mut others] = [const { Vec::new() }; 3];
    for item in items {
        let Some(claim) = &item.claim else { continue };
        let name = named(&item.subject);
        if claim.agent != resume.agent {
            others.push(held(name, claim));
        } else if claim.session == resume.session {
            own.push(name.and(" until ").and(claim.until));
        } else {
            elsewhere.push(name.and(" until ").and(claim.until));
        }
    }
    [own, elsewhere, others]
}

/// The heading of items that other sessions of the agent hold, with the command that frees one.
pub(super) fn elsewhere_title(by: &ModelText) -> ModelText {
    let text = "Claimed by another session of yours (if that is over: `staleness work release ID";
    ModelText::from(text).and(by).and("`)")
}

/// The heading of abandoned items, with the command that takes one over.
pub(super) fn abandoned_title(resume: &Resume, by: &ModelText) -> ModelText {
    let text = ModelText::from("Abandoned (take it over: `staleness work claim ID").and(by);
    let session = resume.session.as_ref().and_then(|id| Word::new(id.as_str()));
    match session {
        Some(id) => text.and(" --session ").and(id).and("`)"),
        None => text.and("`)"),
    }
}
