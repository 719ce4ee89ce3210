//! The text at a session start about tools: names and this program's own sentences, within a budget.

use std::collections::HashMap;

use super::{Said, TAIL, kept, section};
use crate::model_text::{ModelName, ModelText, cause, failing, redefined, tool_prefix};
use staleness::ids::ClientId;
use staleness::report::{Delta, DeltaSource, Failing, HealthState};
use staleness::tool::PresenceCause;
use staleness_core::report::News;

/// Returns the text for an agent, at most `budget` characters: changed and failing tools, then the `ranked` tools
/// as far as there is room.
///
/// Names come from files of unknown origin: see [`ModelName`]. Other content of these files is never shown.
pub(crate) fn text<'a>(
    client: Option<&ClientId>,
    delta: &'a Delta,
    ranked: &[String],
    budget: usize,
) -> Said {
    let changed = |news: News| delta.tools.iter().filter(move |change| change.news() == news);
    // A tool that waits for a person is listed in a separate section.
    let gone = changed(News::Gone)
        .filter(|each| each.cause != PresenceCause::DefinitionChanged.as_str())
        .map(|each| (each.name.as_str(), Some(cause(&each.cause))));
    let there = |news| changed(news).map(|each| (each.name.as_str(), None)).collect();
    // In an agent's first session, there is no last session to compare with.
    let is_first = delta.source == DeltaSource::Digest;
    let (news, still): (Vec<_>, Vec<_>) =
        delta.failing.iter().partition(|each| is_first || each.is_news);
    let (begun, news): (Vec<_>, Vec<_>) =
        news.into_iter().partition(|each| is_first || each.has_begun);
    let demoted = changed(News::Demoted)
        .chain(changed(News::Failing))
        .map(|each| (each.health, (each.name.as_str(), Some(cause(&each.cause)))));
    let failing: Vec<_> = demoted.chain(begun.into_iter().map(why)).collect();
    let [news, still] = [news, still].map(|all| all.into_iter().map(why).collect());
    // Tools that a person demoted are listed without a reason. Tools that may be tried again are not listed as tools to
    // avoid.
    let (mut by_person, mut by_agent, mut on_trial) = (Vec::new(), Vec::new(), Vec::new());
    let [failing, news, still] = [failing, news, still].map(|all: Vec<(HealthState, Item<'a>)>| {
        let avoided = |(health, item): (HealthState, Item<'a>)| {
            match health {
                HealthState::Demoted => by_person.push((item.0, None)),
                HealthState::DemotedByAgent => by_agent.push(item),
                HealthState::Probation => on_trial.push(item),
                HealthState::Failing | HealthState::Healthy => return Some(item),
            }
            None
        };
        all.into_iter().filter_map(avoided).collect::<Vec<_>>()
    });
    let (is_gone, fails) = match is_first {
        true => ("Gone; do not call", "Failing, avoid"),
        false => {
            ("Gone since the last session; do not call", "Failing since the last session, avoid")
        }
    };
    let sections = [
        (is_gone, gone.collect()),
        (DEMOTED, by_person),
        (BY_AGENT, by_agent),
        (fails, failing),
        ("Failing, avoid", news),
        ("Still failing, avoid", still),
        (ON_TRIAL, on_trial),
        ("Available again", there(News::Back)),
        ("New", there(News::New)),
    ];
    let mut told: Vec<(&'static str, Vec<ModelText>)> = Vec::new();
    let mut groups = Groups::default();
    // In each section, servers with missing tools come first, because their new tools may be the replacements.
    groups.sorted(sections[0].1.clone(), |(tool, _)| tool);
    let redefinitions = |withheld: bool, groups: &mut Groups<'a>| {
        let waiting = delta.redefined.iter().filter(|each| each.withheld == withheld);
        let waiting = groups.sorted(waiting.collect(), |each| each.name.as_str());
        waiting.into_iter().map(|each| redefined(client, each)).collect::<Vec<_>>()
    };
    told.push((WITHHELD, redefinitions(true, &mut groups)));
    for (at, (title, items)) in sections.iter().enumerate() {
        if at == HARM {
            let names = delta.unanswered.iter();
            told.push((
                UNANSWERED,
                names.map(|name| ModelName::tool(client, name.as_str()).into()).collect(),
            ));
            told.push((CHANGED, redefinitions(false, &mut groups)));
        }
        let (servers, others): (Vec<&Item<'_>>, Vec<_>) =
            items.iter().partition(|(tool, _)| tool_prefix(tool).is_some());
        let all = groups.sorted(servers.into_iter().chain(others).collect(), |(tool, _)| tool);
        let line = |(tool, why): &Item<'_>| {
            let name = ModelText::from(ModelName::tool(client, tool));
            match why {
                Some(why) => name.and(" (").and(why).and(")"),
                None => name,
            }
        };
        told.push((title, all.into_iter().map(line).collect()));
    }
    told.retain(|(_, lines)| !lines.is_empty());
    let (mut text, mut whole, left) = fill(&told, budget);
    if left > 0 {
        let (mut less, is_whole, _) = fill(&told, budget.saturating_sub(ALL.len()));
        if (is_whole || !whole) && less.chars() > HEAD.len() {
            less.push(ALL);
            (text, whole) = (less, is_whole);
        }
    }
    // The ranked tools are not news, so they may be cut when there is little room.
    let ranked: Vec<ModelText> =
        ranked.iter().map(|tool| ModelName::tool(client, tool).into()).collect();
    let room = |first: &ModelText| text.chars() + RANKED.len() + first.chars() + TAIL <= budget;
    if ranked.first().is_some_and(room) {
        section(&mut text, (RANKED, RANKED), (&ranked, 0), budget, 0);
    }
    Said { text: (text.chars() > HEAD.len()).then_some(text), whole }
}

/// Returns the sections as far as there is room, true if each is at least counted, and the number of items that are not
/// named.
fn fill(told: &[(&'static str, Vec<ModelText>)], budget: usize) -> (ModelText, bool, usize) {
    let (mut whole, mut left) = (true, 0);
    let mut text = ModelText::from(HEAD);
    for (at, (title, items)) in told.iter().enumerate() {
        // Later sections are reported now or never, so each gets a share of the room, as far as needed, and is at least
        // counted.
        let share = budget.saturating_sub(text.chars()) / (told.len() - at);
        let later = told[at + 1..].iter().map(|(title, items)| kept(*title, (items, 0), share));
        let reserved = later.sum();
        let cut = section(&mut text, (*title, *title), (items, 0), budget, reserved);
        whole &= cut.is_some();
        left += cut.unwrap_or(items.len());
    }
    (text, whole, left)
}

const HEAD: &str = "Tool status from `staleness`:";

/// The last line of the text, if not every tool is named.
const ALL: &str = "\n- All: `staleness tools list`";

/// The number of leading sections about absent or failing tools.
const HARM: usize = 7;

/// The order of tools: grouped by server, in the order in which the servers first occur.
#[derive(Default)]
struct Groups<'a>(HashMap<&'a str, usize>);

impl<'a> Groups<'a> {
    fn sorted<T>(&mut self, mut items: Vec<T>, name: impl Fn(&T) -> &'a str) -> Vec<T> {
        let group = |item: &T| {
            let name = name(item);
            let end = name.get(MCP.len()..).and_then(|rest| rest.find("__"));
            end.filter(|_| name.starts_with(MCP)).map_or(name, |end| &name[..MCP.len() + end])
        };
        for group in items.iter().map(group) {
            let next = self.0.len();
            self.0.entry(group).or_insert(next);
        }
        items.sort_by_key(|item| self.0.get(group(item)).copied());
        items
    }
}

/// The beginning of the name of an MCP tool.
const MCP: &str = "mcp__";

/// The heading of tools that a person demoted.
const DEMOTED: &str = "Demoted by the user; ask before you call";

/// The heading of tools that an agent demoted, each with the agent's name.
const BY_AGENT: &str = "Demoted by an agent, avoid";

/// The heading of failing tools whose cool-down has passed.
const ON_TRIAL: &str = "Failing; may be tried again if no other tool fits";

/// The heading of tools that need a review.
pub const CHANGED: &str =
    "Changed by their servers; ask the user to run `staleness tools diff NAME`";

/// The heading of tools that a person has to accept first.
pub const WITHHELD: &str = "Changed by their servers; do not call until the user runs \
                        `staleness tools diff NAME` and accepts the change";

/// The heading of servers that may not answer.
pub const UNANSWERED: &str = "Did not answer when last asked, so calls may fail; ask the user to run `staleness scan --probe`";

/// The heading of tools that recently worked.
const RANKED: &str = "Worked here lately, best first";

/// A tool's name, and the reason to report it.
type Item<'a> = (&'a str, Option<ModelText>);

fn why(each: &Failing) -> (HealthState, Item<'_>) {
    (each.health, (each.name.as_str(), Some(failing(each))))
}

#[cfg(test)]
mod tests;
