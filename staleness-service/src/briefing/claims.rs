//! Texts about claims: the holders of work, abandoned work, and claims that others took over.

use staleness::ids::SessionId;
use staleness::registry::Resume;
use staleness::report::DeltaItem;
use staleness_core::work::{Claim, ClaimEnd, LostClaim, WorkStatus};

use super::work::named;
use crate::model_text::{ModelName, ModelText, NameKind, Word, state};
use crate::settings::Settings;

/// Maximum number of items named in a text about claims that others ended.
const MAX_NAMED: usize = 5;

/// The heading of claims that others ended.
pub(super) const LOST: &str = "Your claim was ended; stop working on it or ask the user";

/// Truncates `lost` to the maximum number of items in one text, and returns the text about claims that others ended.
/// `None` if there are none, or if the policy turns off reports.
pub fn taken_over(settings: &Settings, lost: &mut Vec<LostClaim>) -> Option<ModelText> {
    if !settings.configured.policy.hooks.tell {
        return None;
    }
    lost.truncate(MAX_NAMED);
    let told = |begin: &'static str, is_ended: bool| {
        let name = |lost: &LostClaim| {
            let work = &lost.work;
            let name = ModelName::new(NameKind::Work, &work.key.to_string());
            let name = ModelText::from(work.kind.as_str()).and(" ").and(name);
            match &lost.end {
                Some(end) => Some(ended(name, work.status, end)),
                None => Some(held(name, work.claim.as_ref()?)),
            }
        };
        let these = lost.iter().filter(|each| each.end.is_some() == is_ended);
        let names: Vec<ModelText> = these.filter_map(name).collect();
        (!names.is_empty()).then(|| {
            let names = ModelText::join(names, ", ");
            ModelText::from(begin).and(names).and(". Stop working on it, or ask the user.")
        })
    };
    let texts = [
        told("Your claim ended and another session took over: ", false),
        told("Your claim was ended: ", true),
    ];
    let text = ModelText::join(texts.into_iter().flatten(), "\n");
    (!text.is_empty()).then_some(text)
}

/// Appends to an item's name how the agent's claim ended, who ended it, and when.
fn ended(item: ModelText, status: WorkStatus, end: &ClaimEnd) -> ModelText {
    let item = item.and(" (").and(if end.taken_over { "taken over by " } else { "ended by " });
    let item = match &end.by {
        Some(agent) => item.and(ModelName::new(NameKind::Agent, agent.as_str())),
        None => item.and("a person"),
    };
    let item = item.and(" at ").and(end.at);
    // Others may have moved the item to that state since then.
    match state(status.as_str()).filter(|_| !status.is_open()) {
        Some(now) => item.and(", now ").and(now).and(")"),
        None => item.and(")"),
    }
}

/// Returns an item's name with the end of the agent's claim on it. `None` if nobody else ended it.
pub(super) fn lost_claim(item: &DeltaItem) -> Option<ModelText> {
    Some(ended(named(&item.subject), item.status?, item.claim_end.as_ref()?))
}

/// Appends to an item's name the holder of the claim, and the end of the claim.
fn held(item: ModelText, claim: &Claim) -> ModelText {
    let agent = ModelName::new(NameKind::Agent, claim.agent.as_str());
    item.and(" (by ").and(agent).and(" until ").and(claim.until).and(")")
}

/// Groups claimed items by holder: this session, the agent in a session that no hook reports, its other sessions,
/// and other agents.
pub(super) fn by_holder(items: &[&DeltaItem], resume: &Resume) -> [Vec<ModelText>; 4] {
    let [mut own, mut unreported, mut elsewhere, mut others] = [const { Vec::new() }; 4];
    for item in items {
        let Some(claim) = &item.claim else { continue };
        let name = named(&item.subject);
        if claim.agent != resume.agent {
            others.push(held(name, claim));
        } else if claim.session == resume.session {
            own.push(name.and(" until ").and(claim.until));
        } else if claim.session.as_ref().is_none_or(SessionId::is_unreported) {
            unreported.push(name.and(" until ").and(claim.until));
        } else {
            elsewhere.push(name.and(" until ").and(claim.until));
        }
    }
    [own, unreported, elsewhere, others]
}

/// The heading of the agent's claims in sessions that no hook reports. The text names no command to release such a
/// claim, because the claim may belong to another session. A claim over MCP ends with its connection, one by
/// a command when its time is over.
pub(super) const UNREPORTED: &str =
    "Claimed by you over MCP or by a command, in this session or another";

/// The heading of abandoned handoffs from this agent, with the command that releases one.
pub(super) fn given_title(by: &ModelText) -> ModelText {
    let text = "Handed over by you and abandoned (release it: `staleness work release ID";
    ModelText::from(text).and(by).and("`)")
}

/// The heading of items claimed by other sessions of the agent, with the command that releases one.
pub(super) fn elsewhere_title(resume: &Resume, by: &ModelText) -> ModelText {
    let text = "Claimed by another session of yours (if that is over: `staleness work release ID";
    in_session(ModelText::from(text).and(by), resume).and(")")
}

/// The heading of abandoned items, with the command that takes one over.
pub(super) fn abandoned_title(resume: &Resume, by: &ModelText) -> ModelText {
    let text = ModelText::from("Abandoned (take it over: `staleness work claim ID");
    in_session(text.and(by), resume).and(")")
}

/// Appends the agent's session to a command.
pub(super) fn in_session(text: ModelText, resume: &Resume) -> ModelText {
    let session = resume.session.as_ref().and_then(|id| Word::new(id.as_str()));
    match session {
        Some(id) => text.and(" --session ").and(id).and("`"),
        None => text.and("`"),
    }
}
