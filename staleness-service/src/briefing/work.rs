//! The text at a session start about work and knowledge: ids, states and this program's own sentences. The beginning of
//! an item's text is quoted only if a person typed it on this machine, because the author of any other text is unknown.

use std::collections::BTreeSet;

use crate::model_text::{ModelName, ModelText, NameKind, Quote, Word, ended, state};
use staleness::ids::AgentId;
use staleness::registry::Resume;
use staleness::report::{Delta, DeltaItem, DeltaSource, DeltaSubject};
use staleness::work::{Overdue, Warning, WorkKind};
use staleness_core::journal::Action;
use staleness_core::report::DeltaState;

use super::claims::{
    LOST, UNREPORTED, abandoned_title, by_holder, elsewhere_title, given_title, lost_claim,
};
use super::handoffs::{is_for_anyone, is_handoff, offers};
use super::overdue::{SHORT, overdue_title, subject, warning};
use super::{Said, TAIL, section};

/// Returns the text for an agent, at most `budget` characters. `standing` contains the items in force, changed or
/// not, because a new context does not contain them.
pub(crate) fn text(delta: &Delta, standing: &[DeltaItem], resume: &Resume, budget: usize) -> Said {
    let mut knowledge = delta.items.iter().filter(|item| item.subject.work_kind().is_none());
    let is_removed = |item: &DeltaItem| item.action == Some(Action::Removed);
    let mut text = ModelText::from(match knowledge.clone().count() {
        0 => WORK,
        _ if knowledge.any(is_removed) => GONE,
        _ => BOTH,
    });
    let head = text.chars();
    let title = match delta.source {
        // After the context was lost, a digest also contains the changes since the session began.
        DeltaSource::Digest if delta.items.iter().any(|item| item.action.is_some()) => {
            "Open or changed"
        }
        DeltaSource::Digest => "Open",
        DeltaSource::Cursor | DeltaSource::Since => "Changed since your last session",
    };
    let all_standing = standing;
    let (claimed, standing): (Vec<&DeltaItem>, Vec<&DeltaItem>) =
        standing.iter().partition(|each| each.claim.is_some());
    let is_claimed = |item: &DeltaItem| claimed.iter().any(|each| each.subject == item.subject);
    // A handoff that this agent may take is listed with the command that claims it, so its overdue warning is left
    // out.
    let handoffs = || standing.iter().copied().filter(|each| is_handoff(each));
    let may_take = |each: &&Warning| {
        let takes = |item: &DeltaItem| item.recipient.is_some() || is_for_anyone(item, resume);
        handoffs().any(|item| item.subject == subject(each) && takes(item))
    };
    let (left, warnings): (Vec<&Warning>, Vec<&Warning>) =
        delta.warnings.iter().partition(|each| each.flag.overdue == Overdue::Abandoned);
    let warnings: Vec<&Warning> = warnings.into_iter().filter(|each| !may_take(each)).collect();
    let top = warnings.len().min(Delta::TOP_WARNINGS);
    let overdue = |quoted: bool| -> Vec<ModelText> {
        warnings[..top].iter().map(|each| warning(each, resume, quoted)).collect()
    };
    let mut lines = overdue(true);
    // Quotes may use only half of the room.
    if lines.iter().map(ModelText::chars).sum::<usize>() * 2 > budget {
        lines = overdue(false);
    }
    let is_overdue =
        |item: &DeltaItem| warnings.iter().chain(&left).any(|each| item.subject == subject(each));
    // An item that is listed as overdue is not listed again.
    let told = |item: &&DeltaItem| match item.action {
        Some(Action::Claimed) | None => item.freed || !is_claimed(item) && !is_overdue(item),
        Some(Action::Added | Action::Released) => !is_overdue(item),
        Some(_) => true,
    };
    // Handoffs to this agent are listed with the command that answers them, in addition to everything else.
    let (handed, standing): (Vec<&DeltaItem>, Vec<&DeltaItem>) =
        standing.into_iter().partition(|each| is_handoff(each));
    let is_told = |item: &DeltaItem| {
        is_overdue(item) || delta.items.iter().any(|each| each.subject == item.subject)
    };
    let (handed, offered): (Vec<&DeltaItem>, Vec<&DeltaItem>) =
        handed.into_iter().partition(|each| each.recipient.is_some());
    let is_handed = |item: &&DeltaItem| handed.iter().any(|each| each.subject == item.subject);
    // Items that are listed with their current holder are not listed again.
    let is_lost = |item: &DeltaItem| item.claim_end.is_some() && item.claim.is_none();
    let (lost, news): (Vec<&DeltaItem>, Vec<&DeltaItem>) =
        delta.items.iter().filter(told).partition(|each| is_lost(each));
    let news = news.into_iter().filter(|item| !is_handed(item));
    let (mut anyones, mut items): (Vec<&DeltaItem>, Vec<&DeltaItem>) =
        news.partition(|each| is_for_anyone(each, resume));
    // Rules come first, those of a person before those of agents. Additions of other work are cut first.
    items.sort_by_key(|each| (by_rank(each), each.action == Some(Action::Added)));
    let again = offered.into_iter().filter(|each| is_for_anyone(each, resume) && !is_told(each));
    anyones.extend(again);
    let by = by(resume);
    let more = left_out(delta, all_standing);
    let (anyones_title, anyones) = offers("For whoever takes it", &anyones, resume, &by);
    let items: Vec<ModelText> = items.into_iter().map(|each| item(each, resume)).collect();
    let mut standing = standing;
    standing.retain(|each| !is_told(each));
    standing.sort_by_key(|each| by_rank(each));
    let standing: Vec<ModelText> =
        standing.into_iter().map(|each| in_force(each, resume)).collect();
    // Abandoned work is taken over by claiming it. Lost work should not be claimed again immediately.
    let is_left = |item: &DeltaItem| {
        left.iter().any(|each| item.subject == subject(each))
            || lost.iter().any(|each| item.subject == each.subject)
    };
    let handed: Vec<&DeltaItem> = handed.into_iter().filter(|each| !is_left(each)).collect();
    let (handed_title, handed) = offers("For you", &handed, resume, &by);
    let lost: Vec<ModelText> = lost.into_iter().filter_map(lost_claim).collect();
    let [own, unreported, elsewhere, of_others] = by_holder(&claimed, resume);
    // The agent that gave a handoff to another agent releases the handoff, and does not take it over.
    let is_given = |each: &&Warning| {
        each.kind == WorkKind::Handoff
            && each.from.as_deref() == Some(resume.agent.as_str())
            && each.to.as_deref() != Some(resume.agent.as_str())
    };
    let (given, left): (Vec<&Warning>, Vec<&Warning>) = left.into_iter().partition(is_given);
    let most = |all: Vec<&Warning>| {
        let first = all.iter().take(Delta::TOP_WARNINGS);
        let first: Vec<ModelText> = first.map(|each| warning(each, resume, true)).collect();
        (all.len() - first.len(), first)
    };
    let ((beside, left), (given_beside, given)) = (most(left), most(given));
    let changed = !items.is_empty() || !anyones.is_empty() || more > 0;
    // Changes are reported now or never, so part of the room is reserved for them.
    let kept = if changed { budget / 4 } else { 0 };
    let (stale, open) = (Some("`staleness stale`".into()), Some(OPEN.into()));
    let changes = if title == "Open" { open.clone() } else { resumed(resume) };
    let (overdue, is_long) = overdue_title(&by, &warnings[..top]);
    let mut sections = [
        (overdue, lines, warnings.len() - top, stale.clone()),
        (abandoned_title(resume, &by), left, beside, stale.clone()),
        (given_title(&by), given, given_beside, stale),
        (LOST.into(), lost, 0, changes.clone()),
        (handed_title, handed, 0, open.clone()),
        ("Claimed by you".into(), own, 0, None),
        (UNREPORTED.into(), unreported, 0, None),
        (elsewhere_title(resume, &by), elsewhere, 0, None),
        ("Claimed by others; leave these to them".into(), of_others, 0, None),
        (anyones_title, anyones, 0, changes.clone()),
        (title.into(), items, more, changes),
        ("In force".into(), standing, 0, open),
    ];
    let told_of = |(_, lines, beside, _): &&Section| !lines.is_empty() || *beside > 0;
    let all = everything(sections.iter().filter(told_of));
    // Room for the command that shows omitted items is always reserved.
    let room = budget.saturating_sub(all.chars());
    if let Some(first) = sections[0].1.first().filter(|_| is_long)
        && head + LINE + sections[0].0.chars() + first.chars() + TAIL + kept > room
    {
        sections[0].0 = SHORT.into();
    }
    let (mut whole, mut cut) = (true, Vec::new());
    for (at, each) in sections.iter().enumerate().filter(|(_, each)| told_of(each)) {
        let (title, lines, beside, _) = each;
        let later = sections.iter().enumerate().skip(at + 1);
        let later =
            later.filter(|(at, each)| told_of(each) && (*at == RULES || !EACH_TIME.contains(at)));
        let share = match at < NEWS {
            true => 0,
            false => room.saturating_sub(text.chars()) / (1 + later.clone().count()),
        };
        let later = later.map(|(_, (title, lines, beside, _))| {
            super::kept(title.before(" ("), (lines, *beside), share)
        });
        let reserved = later.sum::<usize>().max(if at < NEWS { kept } else { 0 });
        // Sections that are reported each time must not take room from those that are reported only once.
        let (most, reserved) = match EACH_TIME.contains(&at) {
            true => (room.saturating_sub(reserved), 0),
            false => (room, reserved),
        };
        let titles = (title, title.before(" ("));
        let said = section(&mut text, titles, (lines, *beside), most, reserved);
        whole &= said.is_some() || EACH_TIME.contains(&at);
        if said != Some(0) {
            cut.push(each);
        }
    }
    if text.chars() > head {
        text.push(everything(cut));
    }
    Said { text: (text.chars() > head).then_some(text), whole }
}

/// Returns the number of items that a digest omits and that are not reported elsewhere, for example as `standing`.
/// Expired items are not part of a digest.
pub(super) fn left_out(delta: &Delta, standing: &[DeltaItem]) -> usize {
    let late = delta.warnings.iter().filter(|each| each.flag.overdue != Overdue::Expired);
    let named = standing.iter().map(|item| item.subject.clone()).chain(late.map(subject));
    let mut named: BTreeSet<DeltaSubject> = named.collect();
    named.retain(|each| delta.items.iter().all(|item| item.subject != *each));
    delta.more.saturating_sub(named.len())
}

/// The index of the first section that contains only changes.
const NEWS: usize = 9;
/// The indexes of the sections that are reported at each start: items for this agent, claimed items and items in
/// force.
const EACH_TIME: [usize; 6] = [4, 5, 6, 7, 8, RULES];
/// The index of the section with the rules in force.
const RULES: usize = 11;

const WORK: &str = "Work status from `staleness` (`staleness work show ID` for one):";
const BOTH: &str = "Work and knowledge status from `staleness` (`staleness work show ID` or `staleness knowledge show \
                    ID` for one):";

/// The heading to use if an item was removed, so that only its history is left.
const GONE: &str = "Work and knowledge status from `staleness` (`staleness why ID` for one):";

/// Returns the option by which a command names its agent, so that the agent's own changes are not reported to it as
/// changes by others.
pub(super) fn by(resume: &Resume) -> ModelText {
    let agent = Word::new(resume.agent.as_str());
    agent.map_or_else(ModelText::default, |agent| ModelText::from(" --agent ").and(agent))
}

/// Number of characters of a section around its title.
const LINE: usize = "\n- : ".len();

/// Returns the rank of an item by what it is: a rule of a person, another rule, other work.
fn by_rank(item: &DeltaItem) -> u8 {
    match (item.is_rule(), item.by_person) {
        (true, true) => 0,
        (true, false) => 1,
        (false, _) => 2,
    }
}

fn in_force(item: &DeltaItem, resume: &Resume) -> ModelText {
    let named = named(&item.subject);
    match item.rule_of_other(resume.agent.as_str()) {
        Some(author) => named.and(" by ").and(ModelName::new(NameKind::Agent, author)),
        None => quoting(named, &item.text, item.by_person),
    }
}

/// Appends the beginning of the item's text, if a person typed it.
pub(super) fn quoting(text: ModelText, says: &str, by_person: bool) -> ModelText {
    match Quote::of(says, by_person) {
        Some(quote) => text.and(": ").and(quote),
        None => text,
    }
}

/// A heading, the items below it, the number of omitted items, and the command that lists all.
type Section = (ModelText, Vec<ModelText>, usize, Option<ModelText>);

/// The command that lists items in force and handoffs.
const OPEN: &str = "`staleness work list --open`";

/// Returns a line with the command of each section; empty if there is none.
fn everything<'s>(sections: impl IntoIterator<Item = &'s Section>) -> ModelText {
    let mut commands: Vec<ModelText> = Vec::new();
    for command in sections.into_iter().filter_map(|(.., command)| command.as_ref()) {
        if !commands.contains(command) {
            commands.push(command.clone());
        }
    }
    if commands.is_empty() {
        return ModelText::default();
    }
    ModelText::from("\n- All: ").and(ModelText::join(commands, ", "))
}

/// Returns the command that shows the changes to an agent again; `None` if it contains a name that cannot be
/// typed.
fn resumed(resume: &Resume) -> Option<ModelText> {
    let command = ModelText::from("`staleness resume --agent ");
    let command = command.and(Word::new(resume.agent.as_str())?);
    let command = match &resume.session {
        Some(session) => command.and(" --session ").and(Word::new(session.as_str())?),
        None => command,
    };
    Some(command.and("`"))
}

/// Returns the kind and the id of an item.
pub(super) fn named(item: &DeltaSubject) -> ModelText {
    let sort = item.work_kind().map_or(NameKind::Knowledge, |_| NameKind::Work);
    ModelText::from(item.kind()).and(" ").and(ModelName::new(sort, &item.name()))
}

fn item(item: &DeltaItem, resume: &Resume) -> ModelText {
    let word = |each: Option<DeltaState>| each.and_then(|each| state(each.as_str()));
    let (from, to) = (word(item.from), word(item.to));
    let named = named(&item.subject).and(" (");
    let ended = ended(item, resume.agent.as_str());
    let net = match (&ended, item.action, from, to) {
        (Some(ended), Some(Action::Added), ..) => named.and("added, ").and(ended),
        (Some(ended), ..) => named.and(ended),
        (_, Some(Action::Added), _, Some(to)) if item.has_ended() => {
            named.and("added, now ").and(to)
        }
        (_, Some(Action::Added), _, Some(to)) if item.tells_state() => named.and("added, ").and(to),
        (_, None, _, Some(to)) => named.and(to),
        (_, _, Some(from), Some(to)) => named.and(from).and(" → ").and(to),
        (_, action, _, _) => {
            let net = named.and(action.map_or("there", Action::as_str));
            let over = item.status.filter(|status| !status.is_open());
            match over.and_then(|status| state(status.as_str())) {
                Some(over) => net.and(", ").and(over),
                None => net,
            }
        }
    };
    let is_own = item.own && item.action.is_some() && ended.is_none();
    let net = match item.actor.as_ref().map(AgentId::as_str) {
        _ if is_own => net.and(", by this agent"),
        Some(agent) if agent == resume.agent.as_str() => net.and(", by this agent"),
        Some(agent) if !item.is_taken_by(agent) => {
            let is_added = item.action == Some(Action::Added) && !item.has_ended();
            net.and(if is_added { ", since changed by " } else { ", by " })
                .and(ModelName::new(NameKind::Agent, agent))
        }
        _ => match item.rule_of_other(resume.agent.as_str()) {
            Some(author) => net.and(", by ").and(ModelName::new(NameKind::Agent, author)),
            None => net,
        },
    };
    let net = match item.waits_for.as_ref().filter(|_| !item.has_ended()) {
        Some(id) => net.and(", waits for ").and(ModelName::new(NameKind::Work, id.as_str())),
        None if item.freed => net.and(", no longer waits for anything"),
        None => net,
    };
    let net = net.and(")");
    match item.recipient.as_deref().filter(|to| *to != resume.agent.as_str()) {
        Some(other) => net.and(" for ").and(ModelName::new(NameKind::Agent, other)),
        // No action is needed for an ended item, even if it was edited after that.
        None if item.has_ended() => net,
        None => quoting(net, &item.text, item.by_person),
    }
}

#[cfg(test)]
mod tests;
